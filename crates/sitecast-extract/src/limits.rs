use serde::{Deserialize, Serialize};

/// How much of a page is looked at. The defaults leave every honest page whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of HTML; what is beyond them is not looked at. Default: 100 MB.
    pub bytes: usize,
    /// Elements and pieces of text in the tree. Beyond them tags are ignored; text is still
    /// read. Default: 2,000,000.
    pub nodes: usize,
    /// Elements inside each other. Deeper ones are taken as if they were not there; their text
    /// stays. Browsers stop at 512, and so does the default.
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
