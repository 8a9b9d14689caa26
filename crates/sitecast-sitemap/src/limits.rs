//! Resource limits of readers.

use serde::{Deserialize, Serialize};

/// The limits on an untrusted sitemap, beyond which reading ends.
///
/// The protocol's own limits (50,000 entries, 50 MiB) are for writers. Real sites exceed them, so exceeding
/// them causes a warning, while exceeding these limits is an error.
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
    /// Bytes of one file, both as stored and decompressed.
    pub bytes: u64,
    /// Entries of one file.
    pub entries: u64,
    /// Bytes of one tag, text, comment or line. The reader keeps at most this much in memory, besides one entry
    /// and the names of the open elements.
    pub token_bytes: usize,
    /// Levels of nested elements.
    pub nesting: usize,
    /// Alternates of one URL; further ones are dropped with a warning.
    pub alternates: usize,
    /// Levels of nested indexes, for [`SitemapQueue`](crate::SitemapQueue).
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
