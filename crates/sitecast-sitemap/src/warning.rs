//! What is wrong with a sitemap without ending it.

use std::fmt;

use crate::{LocationProblem, SCP_NAMESPACE};

/// Something that was left out or put right while the rest was read on.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// The line of the decompressed text, from 1.
    pub line: u64,
    /// The URL of the entry, where there is one; of an absurdly long one, the beginning.
    pub url: Option<String>,
    /// What happened.
    pub kind: WarningKind,
}

impl Warning {
    /// A short stable name of the kind, for programs: `invalid-loc`.
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

/// What happened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// The document has no `<?xml …?>`.
    #[error("no XML declaration (`<?xml version=\"1.0\" encoding=\"UTF-8\"?>`)")]
    NoDeclaration,
    /// Not well-formed, in a way that can be lived with.
    #[error("not well-formed XML: {0}; read all the same")]
    IllFormed(&'static str),
    /// The text is not UTF-8, and says so.
    #[error("the encoding is {0}; sitemaps must be UTF-8")]
    Encoding(&'static str),
    /// The encoding that is declared is none that anyone knows.
    #[error("the encoding `{0}` is not known; read as UTF-8")]
    UnknownEncoding(String),
    /// Bytes that are not what the encoding allows.
    #[error("bytes that are not valid {0}")]
    InvalidBytes(&'static str),
    /// The root element is in no namespace, or in another one.
    #[error("the namespace of `<{element}>` is {}, not `http://www.sitemaps.org/schemas/sitemap/0.9`", namespace.as_ref().map_or("missing".to_owned(), |name| format!("`{name}`")))]
    Namespace {
        /// The root element.
        element: String,
        /// Its namespace, if it has one.
        namespace: Option<String>,
    },
    /// An entry that belongs into another kind of sitemap.
    #[error("`<{0}>` does not belong into `<{1}>`; read all the same")]
    Misplaced(&'static str, String),
    /// Text between the entries.
    #[error("text between the entries: `{0}`; ignored")]
    StrayText(String),
    /// An element that the protocol does not know in its own namespace.
    #[error("unknown element `<{0}>`; ignored")]
    UnknownElement(String),
    /// An entry without a URL.
    #[error("an entry without a URL (`<loc>`); left out")]
    NoLocation,
    /// A URL that stands in the entry itself.
    #[error("the URL of an entry is not in `<loc>`")]
    OutsideOfLocation,
    /// An entry with a URL that cannot be used.
    #[error("the URL `{url}` {problem}; left out")]
    InvalidLocation {
        /// As written; of an absurdly long one, the beginning.
        url: String,
        /// What is wrong.
        problem: LocationProblem,
    },
    /// A relative URL, resolved against that of the sitemap.
    #[error("the URL `{0}` is relative; a sitemap must have absolute ones")]
    RelativeLocation(String),
    /// A URL that is not spelled as RFC 3986 wants it.
    #[error("the URL `{0}` is not percent-encoded as it should be")]
    LocationSpelling(String),
    /// A URL longer than 2,048 characters.
    #[error("a URL of {0} characters; 2048 is the most")]
    LongLocation(usize),
    /// A value that cannot be used.
    #[error("`<{element}>` is `{value}`, not {expected}; ignored")]
    InvalidValue {
        /// The element.
        element: &'static str,
        /// As written; of an absurdly long one, the beginning.
        value: String,
        /// What it should have been.
        expected: &'static str,
    },
    /// A date that can be understood, but is not spelled as the protocol wants it.
    #[error("`<lastmod>` is `{0}`, not spelled as in `2025-11-14` or `2025-11-14T19:30:00Z`")]
    DateSpelling(String),
    /// The same element twice in one entry.
    #[error("more than one `<{0}>` in an entry")]
    Repeated(&'static str),
    /// More alternates than are kept.
    #[error("more than {0} alternates of one URL; the rest is left out")]
    TooManyAlternates(usize),
    /// An alternate without language or with a URL that cannot be used.
    #[error("an alternate without `hreflang` or with an unusable `href`; left out")]
    InvalidAlternate,
    /// An `&` that begins no entity.
    #[error("an `&` that is not written as `&amp;`")]
    Ampersand,
    /// An entity that XML does not define.
    #[error("the entity `&{0};` is not defined in XML; taken as text")]
    UnknownEntity(String),
    /// A child of an `scp:` element's kind that this version does not know.
    #[error("unknown element `{0}` in the namespace of SCP; ignored")]
    UnknownScpElement(String),
    /// An `scp:` element that cannot be used.
    #[error("`scp:{element}` {problem}; left out")]
    InvalidScpElement {
        /// The element.
        element: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// An `scp:` element that can be used, but is not as its schema wants it.
    #[error("`scp:{element}` {problem}")]
    ScpSchema {
        /// The element.
        element: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// `scp:` elements after the first `<url>`, where the schema does not allow them.
    #[error("`scp:` elements after the first entry; the schema wants them before it")]
    ScpAfterEntries,
    /// The prefix `scp` is not declared.
    #[error("the prefix `scp` is not declared; taken as that of SCP")]
    UndeclaredScp,
    /// The namespace of SCP is spelled in another way.
    #[error("the namespace of SCP is `{SCP_NAMESPACE}`, and this is nearly that")]
    ScpNamespace,
    /// Something after the end of the document.
    #[error("content after the end of the document; ignored")]
    TrailingContent,
    /// There is no entry.
    #[error("there is no entry in it; one is the least")]
    NoEntries,
    /// More entries than the protocol allows.
    #[error("{0} entries; {limit} is the most, then the sitemap must be split", limit = crate::MAX_ENTRIES)]
    TooManyEntries(u64),
    /// Larger than the protocol allows.
    #[error("{0} bytes once decompressed; {limit} (50 MiB) is the most, then the sitemap must be split", limit = crate::MAX_BYTES)]
    TooLarge(u64),
}

impl WarningKind {
    /// A short stable name, for programs.
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

    /// Whether an entry was left out for it.
    pub fn leaves_out(&self) -> bool {
        matches!(self, Self::NoLocation | Self::InvalidLocation { .. })
    }
}
