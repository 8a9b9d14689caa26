//! What makes a whole collection unusable, or a page unfit to be written.

use std::io;
use std::ops::Range;

use crate::{Checksum, InvalidValue, Version, WarningKind};

/// Why a collection cannot be used. None of its pages may be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The bytes could not be had.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The compressed stream is damaged, or something else follows it.
    #[error("cannot decompress the {compression} stream within its first {at} bytes: {reason}")]
    Decompress {
        /// `gzip` or `zstd`.
        compression: crate::Compression,
        /// How many compressed bytes had been fetched.
        at: u64,
        /// What the decompressor says.
        reason: String,
    },
    /// The compressed stream ends before its end.
    #[error("the {compression} stream is cut short after {at} bytes")]
    CutShort {
        /// `gzip` or `zstd`.
        compression: crate::Compression,
        /// How many compressed bytes there are.
        at: u64,
    },
    /// The file expands as no honest one does.
    #[error(
        "{uncompressed} bytes came out of {compressed}: more than {limit}:1, as in a decompression bomb"
    )]
    Ratio {
        /// Bytes read.
        compressed: u64,
        /// Bytes that came out of them.
        uncompressed: u64,
        /// The limit.
        limit: u64,
    },
    /// The file as stored is too large.
    #[error("larger than {limit} bytes")]
    CompressedSize {
        /// The limit.
        limit: u64,
    },
    /// The file once decompressed is too large.
    #[error("larger than {limit} bytes once decompressed")]
    UncompressedSize {
        /// The limit.
        limit: u64,
    },
    /// There is no first line with the collection's metadata.
    #[error("line 1 is not the collection's metadata: {0}")]
    NoMetadata(NoMetadata),
    /// The first line is there, but wrong.
    #[error("line 1: invalid collection metadata: {0}")]
    InvalidMetadata(#[from] MetadataProblem),
    /// The file is of a version that this library cannot read.
    #[error("line 1: version {version} is not supported; this reads up to {}.x", Version::CURRENT.major)]
    UnsupportedVersion {
        /// As declared.
        version: Version,
    },
    /// A line cannot be a page.
    #[error("line {line}: {problem}")]
    Line {
        /// Which line, from 1.
        line: u64,
        /// What is wrong with it.
        #[source]
        problem: LineProblem,
    },
    /// The content is not what its checksum says.
    #[error(
        "checksum mismatch: line 1 says {expected}, the content has {actual} (SHA-256 of \
         {hashed_bytes} bytes: the uncompressed file without bytes {} to {} of line 1, which are \
         the `checksum` and its comma)", cut.start + 1, cut.end
    )]
    ChecksumMismatch {
        /// As declared.
        expected: Checksum,
        /// As computed.
        actual: Checksum,
        /// How many bytes were hashed.
        hashed_bytes: u64,
        /// The bytes of line 1 that were not hashed, from 0.
        cut: Range<usize>,
    },
    /// The source changed between the pass that verified it and the pass that handed it out.
    #[error("the content changed while it was being read")]
    Changed,
}

impl ReadError {
    /// A short stable name, for programs.
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

    /// The line of the uncompressed file that is at fault, from 1, where it is one.
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

/// Why the first line is no metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoMetadata {
    /// There is no line at all.
    #[error("the file is empty")]
    EmptyFile,
    /// A byte order mark comes first.
    #[error("the file begins with a byte order mark; remove these 3 bytes")]
    ByteOrderMark,
    /// The line is JSON, but no object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// It has no `collection`. It may be a page, as in draft one.
    #[error("it has no `collection`")]
    NoCollection,
    /// The line is longer than the limit.
    #[error("it is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// The line is nested deeper than the limit.
    #[error("it is nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
}

/// What is wrong with the first line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataProblem {
    /// `collection` is not an object.
    #[error("`collection` is not an object")]
    NotAnObject,
    /// A required member is not there.
    #[error("no `{0}`")]
    Missing(&'static str),
    /// A member is not a string.
    #[error("`{member}` is {found}, not a string")]
    NotAString {
        /// Its name.
        member: &'static str,
        /// What it is instead.
        found: &'static str,
    },
    /// A member is a string of the wrong form.
    #[error("`{member}`: {problem}")]
    Value {
        /// Its name.
        member: &'static str,
        /// What is wrong with it.
        problem: InvalidValue,
    },
    /// The type is neither `snapshot` nor `delta`.
    #[error("`type` is `{0}`, not `snapshot` or `delta`")]
    UnknownType(String),
    /// A delta needs to say since when.
    #[error("a delta needs `since`")]
    DeltaWithoutSince,
    /// The same member twice: readers would disagree on which counts.
    #[error("`{0}` is there twice")]
    DuplicateMember(&'static str),
    /// An escape for half of a surrogate pair.
    #[error("a string holds half of a surrogate pair")]
    LoneSurrogate,
}

/// Why a line is no page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// There is nothing on it.
    #[error("empty line; JSON Lines has one object on every line")]
    Empty,
    /// Its bytes are not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    NotUtf8 {
        /// Where, from 1.
        at: usize,
    },
    /// It is not JSON.
    #[error("not JSON at byte {at}: expected {expected}")]
    NotJson {
        /// Where, from 1.
        at: usize,
        /// What would have been right.
        expected: &'static str,
    },
    /// It is JSON, but no object.
    #[error("not a JSON object")]
    NotAnObject,
    /// A required member is not there.
    #[error("no `{member}`, which every page needs")]
    Missing {
        /// Its name.
        member: &'static str,
    },
    /// A required member is of the wrong type.
    #[error("`{member}` is {found}, not {expected}")]
    WrongType {
        /// Its name.
        member: &'static str,
        /// What it is.
        found: &'static str,
        /// What it should be.
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

/// Why a line that should be a page is not taken as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// It is no page at all.
    #[error(transparent)]
    Line(#[from] LineProblem),
    /// It is a page that readers leave out, or one they would have to change.
    #[error("{0}")]
    Page(WarningKind),
}

/// Why a collection, or a page of it, was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The bytes could not be written. The file is not usable; its beginning says so.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
    /// The page is not one that a reader would take as it is. Nothing of it was written, and
    /// others can follow.
    #[error("page {url}: {problem}", url = url.as_deref().unwrap_or("without URL"))]
    Page {
        /// Its URL, where known.
        url: Option<String>,
        /// What is wrong with it.
        problem: PageError,
    },
    /// The metadata is not what a reader would take.
    #[error("collection metadata that no reader takes: {0}")]
    Metadata(#[source] Box<ReadError>),
    /// A reader would warn about the metadata.
    #[error("collection metadata that readers warn about: {0}")]
    MetadataWarning(WarningKind),
    /// The collection has become larger than readers take.
    #[error("the collection would be larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The compressor failed.
    #[error("cannot compress: {0}")]
    Compress(String),
    /// An earlier error has left the file unusable.
    #[error("an earlier error has left the file unusable")]
    Poisoned,
}
