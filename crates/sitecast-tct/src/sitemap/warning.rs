use std::fmt;

use super::MAX_ITEMS;

/// Something that was left out or put right while the rest was read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, from 1.
    pub line: u64,
    /// The number of the item, from 1, if it is about one.
    pub item: Option<u64>,
    /// The page it is about, where it has one.
    pub url: Option<String>,
    /// What happened.
    pub kind: WarningKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// Not as an item has to be; it is left out.
    #[error("{0}; left out")]
    Malformed(String),
    /// Not JSON; it is left out, but then the document is not JSON either.
    #[error("not JSON: {0}; left out")]
    NotJson(String),
    /// A member of the document that comes twice.
    #[error("`{0}` comes twice")]
    Repeated(String),
    /// Longer than is read; it is left out.
    #[error("longer than {0} bytes; left out")]
    TooLong(usize),
    /// A machine page or sitemap that is not served over HTTPS, which it must be.
    #[error("`{0}` is not https")]
    NotHttps(&'static str),
    /// Without a hash.
    #[error("no `contentHash` or `etag`")]
    NoHash,
    /// A hash that is not spelled as it must be; it is taken as it is.
    #[error("the hash is `{0}`, not `sha256-` and 64 lower-case hexadecimal digits")]
    HashSpelling(String),
    /// Two hashes that differ; the entity tag counts.
    #[error("`contentHash` and `etag` differ; `etag` counts")]
    TwoHashes,
    /// A time that cannot be read.
    #[error("`{0}` is `{1}`, not an RFC 3339 time; ignored")]
    Time(&'static str, String),
    /// The document's `version` is not known.
    #[error("`version` is {0}; 1 and 2 are known")]
    Version(String),
    /// There is no `version`.
    #[error("there is no `version`")]
    NoVersion,
    /// The document's `profile` is not known.
    #[error("`profile` is {0}, which is not known here")]
    Profile(String),
    /// There is no `profile`.
    #[error("there is no `profile`")]
    NoProfile,
    /// A byte order mark, which JSON must not have.
    #[error("the file begins with a byte order mark")]
    ByteOrderMark,
    /// Something after the document.
    #[error("content after the end of the document; ignored")]
    TrailingContent,
    /// There is no item.
    #[error("there is no item in it")]
    NoItems,
    /// More items than the draft recommends.
    #[error("{0} items; {MAX_ITEMS} is the recommended most, then it should be split")]
    TooManyItems(u64),
}

impl WarningKind {
    /// A short stable name, for programs.
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

    /// Whether an item was left out for it.
    pub fn leaves_out(&self) -> bool {
        matches!(
            self,
            Self::Malformed(_) | Self::NotJson(_) | Self::TooLong(_)
        )
    }
}

impl Warning {
    /// A short stable name of the kind, for programs.
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
