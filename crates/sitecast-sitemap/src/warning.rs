//! Warnings: problems that do not end the reading of a sitemap.

use std::fmt;

use crate::{LocationProblem, SCP_NAMESPACE};

/// A problem that was tolerated: something was ignored, dropped or corrected.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// The line of the decompressed text, from 1.
    pub line: u64,
    /// The URL of the entry, if any, cut after 200 characters.
    pub url: Option<String>,
    /// The problem.
    pub kind: WarningKind,
}

impl Warning {
    /// A short, stable name of the kind for programs, such as `invalid-loc`.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(url) = &self.url {
            write!(f, ", {url}")?;
        }
        write!(f, ": {}", self.kind)
    }
}

/// The kinds of warnings.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// The document has no `<?xml …?>`.
    #[error("no XML declaration (`<?xml version=\"1.0\" encoding=\"UTF-8\"?>`)")]
    NoDeclaration,
    /// The document is not well-formed, but can be read.
    #[error("not well-formed XML: {0}; read anyway")]
    IllFormed(&'static str),
    /// The text has another encoding than UTF-8.
    #[error("the encoding is {0}; sitemaps must be UTF-8")]
    Encoding(&'static str),
    /// The declared encoding is unknown.
    #[error("unknown encoding `{0}`; read as UTF-8")]
    UnknownEncoding(String),
    /// The text has bytes that are invalid in its encoding.
    #[error("bytes that are not valid {0}")]
    InvalidBytes(&'static str),
    /// The root element is not in the namespace of sitemaps.
    #[error("the namespace of `<{element}>` is {}, not `http://www.sitemaps.org/schemas/sitemap/0.9`", namespace.as_ref().map_or("missing".to_owned(), |name| format!("`{name}`")))]
    Namespace {
        /// The name of the root element.
        element: String,
        /// Its namespace, if it has one.
        namespace: Option<String>,
    },
    /// An entry is in the wrong kind of sitemap.
    #[error("`<{0}>` does not belong in `<{1}>`; read anyway")]
    Misplaced(&'static str, String),
    /// The document has text between the entries.
    #[error("text between the entries: `{0}`; ignored")]
    StrayText(String),
    /// An element is in the namespace of sitemaps, but the protocol does not define it.
    #[error("unknown element `<{0}>`; ignored")]
    UnknownElement(String),
    /// An entry has no URL.
    #[error("an entry without a URL (`<loc>`); left out")]
    NoLocation,
    /// The URL of an entry is directly in the entry's element.
    #[error("the URL of an entry is not in `<loc>`")]
    OutsideOfLocation,
    /// The URL of an entry is unusable.
    #[error("the URL `{url}` {problem}; left out")]
    InvalidLocation {
        /// The URL as written, cut after 200 characters.
        url: String,
        /// The problem with the URL.
        problem: LocationProblem,
    },
    /// A URL is relative; it was resolved against the URL of the sitemap.
    #[error("the URL `{0}` is relative; a sitemap needs absolute URLs")]
    RelativeLocation(String),
    /// A URL is not percent-encoded by RFC 3986.
    #[error("the URL `{0}` is not percent-encoded correctly")]
    LocationSpelling(String),
    /// A URL is longer than 2,048 characters.
    #[error("a URL of {0} characters; the maximum is 2048")]
    LongLocation(usize),
    /// A value is unusable.
    #[error("`<{element}>` is `{value}`, not {expected}; ignored")]
    InvalidValue {
        /// The name of the element.
        element: &'static str,
        /// The value as written, cut after 200 characters.
        value: String,
        /// The expected value.
        expected: &'static str,
    },
    /// A date can be read, but its format is not one of the protocol.
    #[error("`<lastmod>` is `{0}`, not in a format such as `2025-11-14` or `2025-11-14T19:30:00Z`")]
    DateSpelling(String),
    /// An element occurs twice in an entry.
    #[error("more than one `<{0}>` in an entry")]
    Repeated(&'static str),
    /// An entry has more alternates than the limit.
    #[error("more than {0} alternates of one URL; the rest is left out")]
    TooManyAlternates(usize),
    /// An alternate has no language, or its URL is unusable.
    #[error("an alternate without `hreflang` or with an unusable `href`; left out")]
    InvalidAlternate,
    /// The text has an unescaped `&`.
    #[error("an `&` that is not written as `&amp;`")]
    Ampersand,
    /// The text has an entity that XML does not define.
    #[error("the entity `&{0};` is not defined in XML; read as text")]
    UnknownEntity(String),
    /// An element is in the namespace of SCP, but this version does not know it.
    #[error("unknown element `{0}` in the namespace of SCP; ignored")]
    UnknownScpElement(String),
    /// An `scp:` element is unusable.
    #[error("`scp:{element}` {problem}; left out")]
    InvalidScpElement {
        /// The local name of the element.
        element: &'static str,
        /// The problem, as the predicate of a sentence.
        problem: String,
    },
    /// An `scp:` element is usable, but not valid by its schema.
    #[error("`scp:{element}` {problem}")]
    ScpSchema {
        /// The local name of the element.
        element: &'static str,
        /// The problem, as the predicate of a sentence.
        problem: String,
    },
    /// An `scp:` element comes after the first entry, where the schema does not allow it.
    #[error("`scp:` elements after the first entry; the schema requires them before it")]
    ScpAfterEntries,
    /// The prefix `scp` is not declared.
    #[error("the prefix `scp` is not declared; read as that of SCP")]
    UndeclaredScp,
    /// The declared namespace is similar to that of SCP.
    #[error("the namespace is almost that of SCP; it must be `{SCP_NAMESPACE}`")]
    ScpNamespace,
    /// Other content follows the end of the document.
    #[error("content after the end of the document; ignored")]
    TrailingContent,
    /// The sitemap has no entries.
    #[error("no entries; a sitemap needs at least one")]
    NoEntries,
    /// The sitemap has more entries than the protocol allows.
    #[error("{0} entries; the maximum is {limit}: split the sitemap", limit = crate::MAX_ENTRIES)]
    TooManyEntries(u64),
    /// The sitemap is larger than the protocol allows.
    #[error("{0} bytes once decompressed; the maximum is {limit} (50 MiB): split the sitemap", limit = crate::MAX_BYTES)]
    TooLarge(u64),
}

impl WarningKind {
    /// A short, stable name for programs, such as `invalid-loc`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoDeclaration => "no-declaration",
            Self::IllFormed(_) => "ill-formed",
            Self::Misplaced(..) => "misplaced-entry",
            Self::StrayText(_) => "stray-text",
            Self::ScpNamespace => "scp-namespace",
            Self::Encoding(_) => "encoding",
            Self::UnknownEncoding(_) => "unknown-encoding",
            Self::InvalidBytes(_) => "invalid-bytes",
            Self::Namespace { .. } => "namespace",
            Self::UnknownElement(_) => "unknown-element",
            Self::NoLocation => "no-loc",
            Self::OutsideOfLocation => "outside-of-loc",
            Self::InvalidLocation { .. } => "invalid-loc",
            Self::RelativeLocation(_) => "relative-loc",
            Self::LocationSpelling(_) => "loc-spelling",
            Self::LongLocation(_) => "long-loc",
            Self::InvalidValue { .. } => "invalid-value",
            Self::DateSpelling(_) => "date-spelling",
            Self::Repeated(_) => "repeated-element",
            Self::TooManyAlternates(_) => "too-many-alternates",
            Self::InvalidAlternate => "invalid-alternate",
            Self::Ampersand => "ampersand",
            Self::UnknownEntity(_) => "unknown-entity",
            Self::UnknownScpElement(_) => "unknown-scp-element",
            Self::InvalidScpElement { .. } => "invalid-scp-element",
            Self::ScpSchema { .. } => "scp-schema",
            Self::ScpAfterEntries => "scp-after-entries",
            Self::UndeclaredScp => "undeclared-scp",
            Self::TrailingContent => "trailing-content",
            Self::NoEntries => "no-entries",
            Self::TooManyEntries(_) => "too-many-entries",
            Self::TooLarge(_) => "too-large",
        }
    }

    /// Returns true if the entry was dropped.
    pub fn leaves_out(&self) -> bool {
        matches!(self, Self::NoLocation | Self::InvalidLocation { .. })
    }
}
