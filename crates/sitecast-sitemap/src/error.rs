//! Errors that end the reading of a sitemap.

use std::fmt;
use std::io;

/// A position in the decompressed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The byte within the line, from 1.
    pub column: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, byte {}", self.line, self.column)
    }
}

/// An error that ends the reading of a sitemap. The entries before it are valid.
#[derive(Debug, thiserror::Error)]
#[error("{position}: {kind}")]
pub struct ReadError {
    /// The position at which reading ended.
    pub position: Position,
    /// The reason.
    #[source]
    pub kind: ReadErrorKind,
}

/// The reason why the rest of a sitemap cannot be read. Numbers are the limits that are exceeded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The source could not be read.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The gzip stream is damaged or truncated.
    #[error("cannot decompress the gzip stream: {0}")]
    Decompress(String),
    /// The file is too large.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// A single token is too large to keep in memory.
    #[error("a single tag, text, comment or line of more than {0} bytes")]
    TokenTooLong(usize),
    /// Elements are nested too deep.
    #[error("elements nested deeper than {0} levels")]
    TooDeep(usize),
    /// The sitemap has too many entries.
    #[error("more than {0} entries")]
    TooManyEntries(u64),
    /// The document has a document type declaration, which can define entities and refer to files to fetch.
    #[error("a document type declaration (`<!DOCTYPE`), which sitemaps must not have")]
    Doctype,
    /// The document is not well-formed.
    #[error("not well-formed XML: {0}")]
    Xml(String),
    /// The document ends inside an element, whose name this is.
    #[error("the document ends inside `<{0}>`")]
    CutShort(String),
    /// The document has bytes that are invalid in its encoding, and it cannot be copied without changing them.
    #[error("bytes that are not valid {0}")]
    InvalidBytes(&'static str),
    /// The document is not a sitemap.
    #[error("not a sitemap: {0}")]
    NotASitemap(String),
}

impl ReadError {
    /// A short, stable name for programs, such as `not-well-formed`.
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
