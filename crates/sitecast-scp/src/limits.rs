use serde::{Deserialize, Serialize};

/// How much of a stranger's file is read before it is refused.
///
/// The defaults are the specification's values (SCP draft 3, "Resource Exhaustion"); megabytes and
/// gigabytes are decimal. Where the specification names no value the comment says whose it is.
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
    /// Bytes of the file as stored. Beyond it the file is refused.
    pub compressed_bytes: u64,
    /// Bytes of the file once decompressed. Beyond it the file is refused.
    pub uncompressed_bytes: u64,
    /// Decompressed bytes for each byte read. Beyond it the file is refused as a bomb.
    pub ratio: u64,
    /// Decompressed bytes from which on the ratio counts: short files may compress as they like.
    /// Not in the specification; 1 MiB by our ruling, as in its reference implementation.
    pub ratio_from_bytes: u64,
    /// Bytes of the metadata line. A longer one is refused with its file. Not in the specification;
    /// the default leaves room for some 100,000 URLs of deleted pages.
    pub metadata_bytes: usize,
    /// Bytes of one line. A longer page is rejected without being held in memory.
    pub page_bytes: usize,
    /// Blocks of one page. A page with more is rejected.
    pub page_blocks: usize,
    /// Containers nested in each other on one line. A deeper page is rejected. Not in the
    /// specification; 128 is what common JSON parsers accept.
    pub depth: usize,
    /// Bytes of the window that a zstd frame may ask a reader to hold, as a power of two. A frame
    /// that asks for more is refused. Not in the specification; 27 (128 MiB) is zstd's own default.
    pub zstd_window_log: u32,
    /// Page URLs remembered to find the ones that come twice. The pages after so many different
    /// ones are not compared. Not in the specification; the default takes about 25 MB at most.
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
            // What a hash table of 2^20 places takes before it grows.
            tracked_urls: (1 << 20) / 8 * 7,
        }
    }
}

impl Limits {
    /// Whether so many bytes out of so many read look like a decompression bomb.
    pub(crate) fn exceeds_ratio(&self, uncompressed: u64, compressed: u64) -> bool {
        uncompressed > self.ratio_from_bytes && uncompressed > compressed.saturating_mul(self.ratio)
    }
}
