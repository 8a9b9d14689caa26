//! Limits on the size of pages.

use serde::{Deserialize, Serialize};

/// Limits on the size of a page. The defaults are above the size of any ordinary page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most bytes of HTML; extraction ignores the rest. Default: 100 MB.
    pub bytes: usize,
    /// The most elements and text nodes in the tree. The parser ignores further tags but keeps their text. Default: 2,000,000.
    pub nodes: usize,
    /// The most nested elements. The parser ignores deeper tags but keeps their text. Default: 512, as in browsers.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 100_000_000,
            nodes: 2_000_000,
            depth: 512,
        }
    }
}
