//! Errors: of a collection that cannot be used, and of a page or collection that cannot be written.

use std::io;
use std::ops::Range;

use crate::{Checksum, InvalidValue, Version, WarningKind};

/// The reason why a collection cannot be used. None of its pages may be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The source could not be read.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The compressed stream is damaged, or something else follows it.
    #[error("cannot decompress the {compression} stream within its first {at} bytes: {reason}")]
    Decompress {
        /// `gzip` or `zstd`.
        compression: crate::Compression,
        /// Compressed bytes fetched before the error.
        at: u64,
        /// The decompressor's message.
        reason: String,
    },
    /// The compressed stream is truncated.
    #[error("the {compression} stream is cut short after {at} bytes")]
    CutShort {
        /// `gzip` or `zstd`.
        compression: crate::Compression,
        /// The length of the stream in bytes.
        at: u64,
    },
    /// The file expands like a decompression bomb.
    #[error(
        "{uncompressed} bytes came out of {compressed}: more than {limit}:1, as in a decompression bomb"
    )]
    Ratio {
        /// Compressed bytes read.
        compressed: u64,
        /// Bytes that they decompress to.
        uncompressed: u64,
        /// [`Limits::ratio`](crate::Limits::ratio).
        limit: u64,
    },
    /// The file as stored is too large.
    #[error("larger than {limit} bytes")]
    CompressedSize {
        /// [`Limits::compressed_bytes`](crate::Limits::compressed_bytes).
        limit: u64,
    },
    /// The decompressed file is too large.
    #[error("larger than {limit} bytes once decompressed")]
    UncompressedSize {
        /// [`Limits::uncompressed_bytes`](crate::Limits::uncompressed_bytes).
        limit: u64,
    },
    /// The first line is not the collection's metadata.
    #[error("line 1 is not the collection's metadata: {0}")]
    NoMetadata(NoMetadata),
    /// The first line is metadata, but invalid.
    #[error("line 1: invalid collection metadata: {0}")]
    InvalidMetadata(#[from] MetadataProblem),
    /// The file has a version that this library cannot read.
    #[error("line 1: version {version} is not supported; this program reads versions up to {}.x", Version::CURRENT.major)]
    UnsupportedVersion {
        /// The declared version.
        version: Version,
    },
    /// A line is not a page.
    #[error("line {line}: {problem}")]
    Line {
        /// The line number, from 1.
        line: u64,
        /// The problem with the line.
        #[source]
        problem: LineProblem,
    },
    /// The content does not match its checksum.
    #[error(
        "checksum mismatch: line 1 says {expected}, the content has {actual} (SHA-256 of \
         {hashed_bytes} bytes: the uncompressed file without bytes {} to {} of line 1, which are \
         the `checksum` and its comma)", cut.start + 1, cut.end
    )]
    ChecksumMismatch {
        /// The declared checksum.
        expected: Checksum,
        /// The computed checksum.
        actual: Checksum,
        /// The number of bytes hashed.
        hashed_bytes: u64,
        /// The byte offsets of the part of line 1 that was not hashed, from 0.
        cut: Range<usize>,
    },
    /// The source changed after the pass that verified it.
    #[error("the content changed while it was being read")]
    Changed,
}

impl ReadError {
    /// A short, stable name for programs, such as `checksum-mismatch`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::Decompress { .. } => "decompress",
            Self::CutShort { .. } => "cut-short",
            Self::Ratio { .. } => "ratio",
            Self::CompressedSize { .. } => "compressed-size",
            Self::UncompressedSize { .. } => "uncompressed-size",
            Self::NoMetadata(_) => "no-metadata",
            Self::InvalidMetadata(MetadataProblem::DeltaWithoutSince) => "delta-without-since",
            Self::InvalidMetadata(_) => "invalid-metadata",
            Self::UnsupportedVersion { .. } => "unsupported-version",
            Self::Line { problem, .. } => problem.code(),
            Self::ChecksumMismatch { .. } => "checksum-mismatch",
            Self::Changed => "changed",
        }
    }

    /// The number of the line with the error, from 1; `None` for errors of the whole file.
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::NoMetadata(_)
            | Self::InvalidMetadata(_)
            | Self::UnsupportedVersion { .. }
            | Self::ChecksumMismatch { .. } => Some(1),
            Self::Line { line, .. } => Some(*line),
            _ => None,
        }
    }
}

/// The reason why the first line is not metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoMetadata {
    /// The file has no lines.
    #[error("the file is empty")]
    EmptyFile,
    /// The file begins with a byte order mark.
    #[error("the file begins with a byte order mark; remove these 3 bytes")]
    ByteOrderMark,
    /// The line is JSON, but not an object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// The object has no `collection`. It may be a page, as in draft one.
    #[error("it has no `collection`")]
    NoCollection,
    /// The line is longer than the limit.
    #[error("it is longer than {limit} bytes")]
    TooLong {
        /// [`Limits::metadata_bytes`](crate::Limits::metadata_bytes).
        limit: usize,
    },
    /// The line is nested deeper than the limit.
    #[error("it is nested deeper than {limit} levels")]
    TooDeep {
        /// [`Limits::depth`](crate::Limits::depth).
        limit: usize,
    },
}

/// A problem with the metadata on the first line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataProblem {
    /// `collection` is not an object.
    #[error("`collection` is not an object")]
    NotAnObject,
    /// A required member is missing.
    #[error("no `{0}`")]
    Missing(&'static str),
    /// A member is not a string.
    #[error("`{member}` is {found}, not a string")]
    NotAString {
        /// The name of the member.
        member: &'static str,
        /// The JSON type of its value, such as `a number`.
        found: &'static str,
    },
    /// A member is a string with invalid content.
    #[error("`{member}`: {problem}")]
    Value {
        /// The name of the member.
        member: &'static str,
        /// The problem with its value.
        problem: InvalidValue,
    },
    /// The type is neither `snapshot` nor `delta`.
    #[error("`type` is `{0}`, not `snapshot` or `delta`")]
    UnknownType(String),
    /// A delta has no `since`.
    #[error("a delta needs `since`")]
    DeltaWithoutSince,
    /// A member occurs twice. Parsers disagree on which one counts.
    #[error("`{0}` occurs twice")]
    DuplicateMember(&'static str),
    /// A string has an escape for half of a surrogate pair.
    #[error("a string contains half of a surrogate pair")]
    LoneSurrogate,
}

/// The reason why a line is not a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The line is empty, or has only white space.
    #[error("empty line; JSON Lines has one object on every line")]
    Empty,
    /// The line is not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// The first invalid byte of the line, from 1.
        at: usize,
    },
    /// The line is not JSON.
    #[error("not JSON at byte {at}: expected {expected}")]
    NotJson {
        /// The first unexpected byte of the line, from 1.
        at: usize,
        /// The expected syntax, such as `a member name`.
        expected: &'static str,
    },
    /// The line is JSON, but not an object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A required member is missing.
    #[error("no `{member}`, which every page needs")]
    Missing {
        /// The name of the member.
        member: &'static str,
    },
    /// A required member has the wrong type.
    #[error("`{member}` is {found}, not {expected}")]
    WrongType {
        /// The name of the member.
        member: &'static str,
        /// The JSON type of its value.
        found: &'static str,
        /// The expected type.
        expected: &'static str,
    },
}

impl LineProblem {
    fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty-line",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::NotJson { .. } => "not-json",
            Self::NotAnObject => "not-an-object",
            Self::Missing { .. } => "missing-member",
            Self::WrongType { .. } => "wrong-type",
        }
    }
}

/// The reason why a line is not accepted as a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The line is not a page.
    #[error(transparent)]
    Line(#[from] LineProblem),
    /// The line is a page that readers reject or have to change.
    #[error("{0}")]
    Page(WarningKind),
}

/// The reason why a collection, or a page of it, was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The output could not be written. The file is unusable, and readers refuse it because it begins with zeros.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// Readers would reject or change the page. Nothing of it was written, and the caller can write other pages.
    #[error("page {url}: {problem}", url = url.as_deref().unwrap_or("without URL"))]
    Page {
        /// The URL of the page, where known.
        url: Option<String>,
        /// The problem with the page.
        problem: PageError,
    },
    /// Readers would reject the metadata.
    #[error("collection metadata that readers reject: {0}")]
    Metadata(#[source] Box<ReadError>),
    /// Readers would warn about the metadata.
    #[error("collection metadata that readers warn about: {0}")]
    MetadataWarning(WarningKind),
    /// The collection would exceed the size limit of readers.
    #[error("the collection would be larger than {limit} bytes")]
    TooLarge {
        /// [`Limits::uncompressed_bytes`](crate::Limits::uncompressed_bytes) or
        /// [`Limits::compressed_bytes`](crate::Limits::compressed_bytes).
        limit: u64,
    },
    /// The compressor failed.
    #[error("cannot compress: {0}")]
    Compress(String),
    /// An earlier error has left the file unusable.
    #[error("an earlier error has left the file unusable")]
    Poisoned,
}
