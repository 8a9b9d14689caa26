//! Limits for reading files of untrusted servers.

use serde::{Deserialize, Serialize};

/// Limits for reading files of untrusted servers.
///
/// ```
/// use sitecast_tct::Limits;
///
/// assert_eq!(Limits::default().sitemap_bytes, 100_000_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most bytes of a JSON sitemap. 100 MB is the draft's example.
    pub sitemap_bytes: u64,
    /// The most items of a JSON sitemap.
    pub items: u64,
    /// The most bytes of one item; a longer one is left out. The reader holds one item in memory. The draft
    /// recommends 2 KB.
    pub item_bytes: usize,
    /// The most bytes of a machine page. Reading one can take about twenty times as much memory.
    pub page_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sitemap_bytes: 100_000_000,
            items: 1_000_000,
            item_bytes: 64 << 10,
            page_bytes: 16 << 20,
        }
    }
}
