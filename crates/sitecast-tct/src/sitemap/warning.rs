//! Warnings of the reader of JSON sitemaps.

use std::fmt;

use super::MAX_ITEMS;

/// A defect of a JSON sitemap that does not end reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line number, from 1.
    pub line: u64,
    /// The number of the item, from 1, for a defect of an item.
    pub item: Option<u64>,
    /// The URL of the item's page, if the item is valid.
    pub url: Option<String>,
    /// The defect.
    pub kind: WarningKind,
}

/// The kind of a [`Warning`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// A malformed item, which is left out.
    #[error("{0}; left out")]
    Malformed(String),
    /// An item that is not JSON, which is left out. The document is then not JSON, either.
    #[error("not JSON: {0}; left out")]
    NotJson(String),
    /// A duplicate member of the document.
    #[error("duplicate member `{0}`")]
    Repeated(String),
    /// An item that is longer than the limit, which is left out.
    #[error("longer than {0} bytes; left out")]
    TooLong(usize),
    /// A machine page or sitemap that is not served over HTTPS, which is required.
    #[error("`{0}` is not https")]
    NotHttps(&'static str),
    /// An item without a hash.
    #[error("no `contentHash` or `etag`")]
    NoHash,
    /// A hash in another notation, which is used as it is.
    #[error("the hash is `{0}`, not `sha256-` and 64 lower-case hexadecimal digits")]
    HashSpelling(String),
    /// Two different hashes, of which the entity tag is used.
    #[error("`contentHash` and `etag` differ; `etag` counts")]
    TwoHashes,
    /// A malformed time, which is ignored.
    #[error("`{0}` is `{1}`, not an RFC 3339 time; ignored")]
    Time(&'static str, String),
    /// The document's `version` is not supported.
    #[error("`version` is {0}; expected 1 or 2")]
    Version(String),
    /// The document's `version` is missing.
    #[error("`version` is missing")]
    NoVersion,
    /// The document's `profile` is not supported.
    #[error("`profile` is {0}, which is not supported")]
    Profile(String),
    /// The document's `profile` is missing.
    #[error("`profile` is missing")]
    NoProfile,
    /// A byte order mark, which JSON must not have.
    #[error("the file begins with a byte order mark")]
    ByteOrderMark,
    /// Content after the end of the document.
    #[error("content after the end of the document; ignored")]
    TrailingContent,
    /// The document has no items.
    #[error("there are no items")]
    NoItems,
    /// The document has more items than the draft recommends.
    #[error("{0} items; the recommended maximum is {MAX_ITEMS}: split the sitemap")]
    TooManyItems(u64),
}

impl WarningKind {
    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed-item",
            Self::NotJson(_) => "not-json",
            Self::Repeated(_) => "repeated-member",
            Self::TooLong(_) => "item-too-long",
            Self::NotHttps(_) => "not-https",
            Self::NoHash => "no-hash",
            Self::HashSpelling(_) => "hash-spelling",
            Self::TwoHashes => "two-hashes",
            Self::Time(..) => "invalid-time",
            Self::Version(_) => "unknown-version",
            Self::NoVersion => "no-version",
            Self::Profile(_) => "unknown-profile",
            Self::NoProfile => "no-profile",
            Self::ByteOrderMark => "byte-order-mark",
            Self::TrailingContent => "trailing-content",
            Self::NoItems => "no-items",
            Self::TooManyItems(_) => "too-many-items",
        }
    }

    /// Returns true if the item was left out.
    pub fn leaves_out(&self) -> bool {
        matches!(
            self,
            Self::Malformed(_) | Self::NotJson(_) | Self::TooLong(_)
        )
    }
}

impl Warning {
    /// Returns a short stable name of the kind, for programs.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(item) = self.item {
            write!(f, ", item {item}")?;
        }
        if let Some(url) = &self.url {
            write!(f, ", {url}")?;
        }
        write!(f, ": {}", self.kind)
    }
}
