use crate::{Checksum, Compression};

/// How much has been read so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Different pages that can be used.
    pub pages: u64,
    /// Page lines that were left out: rejected, or older than another with the same URL.
    pub rejected_pages: u64,
    /// Blocks of the pages that can be used, without the ones left out.
    pub blocks: u64,
    /// Warnings given.
    pub warnings: u64,
    /// Bytes as stored.
    pub compressed_bytes: u64,
    /// Bytes once decompressed.
    pub uncompressed_bytes: u64,
    /// How the file is stored.
    pub compression: Compression,
}

/// What is known of a file that was read to its end without a fatal error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// How much there was.
    pub counts: Counts,
    /// Whether the content was what its checksum says.
    pub checksum: ChecksumStatus,
    /// The SHA-256 of the content, taken as a checksum is: what `checksum` should say.
    pub digest: Checksum,
}

/// Whether there was a checksum to compare with. A wrong one is an error, not a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumStatus {
    /// There was one, and it was right.
    Verified,
    /// There was none.
    Absent,
}
