//! Counts and result of reading a collection.

use crate::{Checksum, Compression};

/// Counts of the part of a collection that has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Usable pages; each URL counts once.
    pub pages: u64,
    /// Page lines that were rejected, or are older than another with the same URL.
    pub rejected_pages: u64,
    /// Usable blocks of the usable pages.
    pub blocks: u64,
    /// Warnings issued.
    pub warnings: u64,
    /// Bytes read from the source.
    pub compressed_bytes: u64,
    /// Bytes after decompression.
    pub uncompressed_bytes: u64,
    /// The compression of the file.
    pub compression: Compression,
}

/// The result of reading a file to its end without a fatal error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The counts of the whole file.
    pub counts: Counts,
    /// The result of the checksum verification.
    pub checksum: ChecksumStatus,
    /// The SHA-256 of the content, as defined for the `checksum` member.
    pub digest: Checksum,
}

/// The result of the checksum verification. A wrong checksum is an error, not a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChecksumStatus {
    /// The metadata has a checksum, and the content matches it.
    Verified,
    /// The metadata has no checksum.
    Absent,
}
