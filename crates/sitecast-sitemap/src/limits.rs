use serde::{Deserialize, Serialize};

/// How much of a stranger's sitemap is read before it is refused.
///
/// The protocol's own limits (50,000 entries, 50 MiB) are for writers. Sites exceed them, so going
/// beyond is a warning, and these are where reading ends.
///
/// ```
/// use sitecast_sitemap::Limits;
///
/// let limits = Limits { bytes: 1_000_000, ..Limits::default() };
/// assert_eq!(limits.nesting, 64);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of one file: as stored, and once more when decompressed.
    pub bytes: u64,
    /// Entries of one file.
    pub entries: u64,
    /// Bytes of one tag, text, comment or line: the most that is held in memory, beside one entry
    /// and the names of the elements that are open.
    pub token_bytes: usize,
    /// Elements nested in each other.
    pub nesting: usize,
    /// Alternates of one URL; those beyond are left out with a warning.
    pub alternates: usize,
    /// Indexes nested in each other, for [`SitemapQueue`](crate::SitemapQueue).
    pub index_depth: usize,
    /// Sitemaps of one site, for [`SitemapQueue`](crate::SitemapQueue).
    pub sitemaps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 100_000_000,
            entries: 1_000_000,
            token_bytes: 1 << 20,
            nesting: 64,
            alternates: 1_000,
            index_depth: 5,
            sitemaps: 50_000,
        }
    }
}
