//! What ends the reading of a sitemap.

use std::fmt;
use std::io;

/// A place in the decompressed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The byte of the line, from 1.
    pub column: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, byte {}", self.line, self.column)
    }
}

/// Why the rest of a sitemap cannot be read. What came before stands.
#[derive(Debug, thiserror::Error)]
#[error("{position}: {kind}")]
pub struct ReadError {
    /// Where reading ended.
    pub position: Position,
    /// Why.
    #[source]
    pub kind: ReadErrorKind,
}

/// Why the rest of a sitemap cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The bytes could not be had.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The gzip stream is damaged or ends early.
    #[error("cannot decompress the gzip stream: {0}")]
    Decompress(String),
    /// The file is too large.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// One piece of it is too large to be held.
    #[error("a single tag, text, comment or line of more than {0} bytes")]
    TokenTooLong(usize),
    /// Elements are nested too deep.
    #[error("more than {0} elements inside each other")]
    TooDeep(usize),
    /// More entries than are read.
    #[error("more than {0} entries")]
    TooManyEntries(u64),
    /// A document type declaration, which can define entities and name files to fetch.
    #[error("a document type declaration (`<!DOCTYPE`), which sitemaps must not have")]
    Doctype,
    /// Not well-formed.
    #[error("not well-formed XML: {0}")]
    Xml(String),
    /// The document ends before it is complete.
    #[error("the document ends inside of `<{0}>`")]
    CutShort(String),
    /// Bytes that the encoding does not allow, where they cannot be passed over.
    #[error("bytes that are not valid {0}")]
    InvalidBytes(&'static str),
    /// Something else.
    #[error("no sitemap: {0}")]
    NotASitemap(String),
}

impl ReadError {
    /// A short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            ReadErrorKind::Io(_) => "io",
            ReadErrorKind::Decompress(_) => "decompress",
            ReadErrorKind::TooLarge(_) => "too-large",
            ReadErrorKind::TokenTooLong(_) => "token-too-long",
            ReadErrorKind::TooDeep(_) => "too-deep",
            ReadErrorKind::TooManyEntries(_) => "too-many-entries",
            ReadErrorKind::Doctype => "doctype",
            ReadErrorKind::Xml(_) => "not-well-formed",
            ReadErrorKind::CutShort(_) => "cut-short",
            ReadErrorKind::InvalidBytes(_) => "invalid-bytes",
            ReadErrorKind::NotASitemap(_) => "not-a-sitemap",
        }
    }
}
