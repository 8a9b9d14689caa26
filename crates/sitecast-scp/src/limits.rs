//! Resource limits of readers.

use serde::{Deserialize, Serialize};

/// The limits on an untrusted file, beyond which a reader refuses the file or rejects a page.
///
/// The defaults are the specification's values (SCP draft 3, "Resource Exhaustion"); megabytes and
/// gigabytes are decimal. Where the specification has no value, the comment gives the source of the default.
///
/// ```
/// use sitecast_scp::Limits;
///
/// let limits = Limits { page_bytes: 1_000_000, ..Limits::default() };
/// assert_eq!(limits.page_blocks, 1_000);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of the file as stored. A larger file is refused.
    pub compressed_bytes: u64,
    /// Bytes of the decompressed file. A larger file is refused.
    pub uncompressed_bytes: u64,
    /// Decompressed bytes for each stored byte. A file beyond it is refused as a decompression bomb.
    pub ratio: u64,
    /// Decompressed bytes up to which the ratio is not checked, since short files may compress very well.
    /// Not in the specification; 1 MiB is the value of its reference implementation.
    pub ratio_from_bytes: u64,
    /// Bytes of the metadata line. A file with a longer one is refused. Not in the specification;
    /// the default is enough for about 100,000 URLs of deleted pages.
    pub metadata_bytes: usize,
    /// Bytes of one line. A longer page is rejected without being held in memory.
    pub page_bytes: usize,
    /// Blocks of one page. A page with more is rejected.
    pub page_blocks: usize,
    /// Levels of nested objects and arrays on one line. A deeper page is rejected. Not in the
    /// specification; 128 is the limit of common JSON parsers.
    pub depth: usize,
    /// The binary logarithm of the largest window, in bytes, of a zstd frame. A frame
    /// with a larger window is refused. Not in the specification; 27 (128 MiB) is zstd's own default.
    pub zstd_window_log: u32,
    /// Page URLs remembered to find duplicates. Once there are this many, pages with
    /// other URLs are not compared. Not in the specification; the default takes about 25 MB at most.
    pub tracked_urls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            compressed_bytes: 50_000_000_000,
            uncompressed_bytes: 500_000_000_000,
            ratio: 100,
            ratio_from_bytes: 1 << 20,
            metadata_bytes: 10_000_000,
            page_bytes: 100_000_000,
            page_blocks: 1_000,
            depth: 128,
            zstd_window_log: 27,
            // The number of entries at which a hash table with 2^20 slots grows.
            tracked_urls: (1 << 20) / 8 * 7,
        }
    }
}

impl Limits {
    /// Returns true if `uncompressed` bytes from `compressed` bytes look like a decompression bomb.
    pub(crate) fn exceeds_ratio(&self, uncompressed: u64, compressed: u64) -> bool {
        uncompressed > self.ratio_from_bytes && uncompressed > compressed.saturating_mul(self.ratio)
    }
}
