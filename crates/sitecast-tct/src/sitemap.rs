//! JSON sitemaps: lists of machine pages with their hashes.

mod listing;
mod read;
mod warning;
mod write;

use std::io;

pub use listing::Listing;
pub use read::{ChildSitemap, Counts, Event, Item, SitemapKind, SitemapReader};
pub use warning::{Warning, WarningKind};
pub use write::{Added, Entry, IndexEntry, Part, SitemapOptions, SitemapSet, Written, write_index};

use crate::Position;

/// The error that ended reading a JSON sitemap. Items before it are valid.
#[derive(Debug, thiserror::Error)]
#[error("line {}, byte {}: {kind}", position.line, position.column)]
pub struct ReadError {
    /// The position at which reading ended.
    pub position: Position,
    /// The cause.
    #[source]
    pub kind: ReadErrorKind,
}

/// The cause of a [`ReadError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The source failed.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The file is larger than the limit.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The file has more items than the limit.
    #[error("more than {0} items")]
    TooManyItems(u64),
    /// The text ends before the JSON does.
    #[error("the JSON is cut short")]
    CutShort,
    /// The text is not JSON.
    #[error("not JSON: expected {0}")]
    NotJson(&'static str),
    /// The JSON is not a sitemap.
    #[error("not a JSON sitemap: it has neither `items` nor `sitemaps`")]
    NotASitemap,
}

impl ReadError {
    /// Returns a short stable name, for programs.
    pub fn code(&self) -> &'static str {
        match self.kind {
            ReadErrorKind::Io(_) => "io",
            ReadErrorKind::TooLarge(_) => "too-large",
            ReadErrorKind::TooManyItems(_) => "too-many-items",
            ReadErrorKind::CutShort => "cut-short",
            ReadErrorKind::NotJson(_) => "not-json",
            ReadErrorKind::NotASitemap => "not-a-sitemap",
        }
    }
}

/// The most items in one file, as the draft recommends.
pub const MAX_ITEMS: u64 = 50_000;
