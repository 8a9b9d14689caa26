//! Compression of collections: none, gzip or zstd.

mod decoder;
mod encoder;
mod gzip;

use std::fmt;

pub(crate) use decoder::{Chunk, Decoder, INPUT_CHUNK};
pub(crate) use encoder::Encoder;

/// The compression of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not compressed: `.scp`.
    None,
    /// One gzip member (RFC 1952), level 6 by default: `.scp.gz`.
    Gzip,
    /// One zstd frame (RFC 8878), level 9 by default: `.scp.zst`.
    Zstd,
}

impl Compression {
    /// Detects the compression by the first bytes of a file, because file names and HTTP headers are often wrong.
    ///
    /// ```
    /// use sitecast_scp::Compression;
    ///
    /// assert_eq!(Compression::detect(&[0x1f, 0x8b, 8, 0]), Compression::Gzip);
    /// assert_eq!(Compression::detect(&[0x28, 0xb5, 0x2f, 0xfd]), Compression::Zstd);
    /// assert_eq!(Compression::detect(b"{\"collection\":"), Compression::None);
    /// ```
    pub fn detect(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable frame, which may come before a zstd frame.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// `none`, `gzip` or `zstd`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The file name extension: `.scp`, `.scp.gz` or `.scp.zst`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => ".scp",
            Self::Gzip => ".scp.gz",
            Self::Zstd => ".scp.zst",
        }
    }

    /// The level that draft one of the specification recommends; 0 without compression.
    pub fn default_level(self) -> i32 {
        match self {
            Self::None => 0,
            Self::Gzip => 6,
            Self::Zstd => 9,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
