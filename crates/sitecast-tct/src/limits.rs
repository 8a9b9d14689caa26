use serde::{Deserialize, Serialize};

/// How much of a stranger's file is read before it is refused.
///
/// ```
/// use sitecast_tct::Limits;
///
/// assert_eq!(Limits::default().sitemap_bytes, 100_000_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a JSON sitemap. 100 MB is the draft's example.
    pub sitemap_bytes: u64,
    /// Items of a JSON sitemap.
    pub items: u64,
    /// Bytes of one item, which is all that is held in memory; a longer one is left out. The draft
    /// recommends 2 KB.
    pub item_bytes: usize,
    /// Bytes of a machine page. Reading one can take some twenty times as much memory.
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
