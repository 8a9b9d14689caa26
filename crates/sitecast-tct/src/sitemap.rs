//! JSON sitemaps: which machine pages there are, and the hash of each.

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

/// Why the rest of a JSON sitemap cannot be read. What came before stands.
#[derive(Debug, thiserror::Error)]
#[error("line {}, byte {}: {kind}", position.line, position.column)]
pub struct ReadError {
    /// Where reading ended.
    pub position: Position,
    /// Why.
    #[source]
    pub kind: ReadErrorKind,
}

/// Why the rest of a JSON sitemap cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The bytes could not be had.
    #[error("cannot read: {0}")]
    Io(#[source] io::Error),
    /// The file is too large.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// More items than are read.
    #[error("more than {0} items")]
    TooManyItems(u64),
    /// The text ends before the JSON does.
    #[error("the JSON is cut short")]
    CutShort,
    /// Something else than JSON.
    #[error("not JSON: expected {0}")]
    NotJson(&'static str),
    /// JSON, but no sitemap.
    #[error("no JSON sitemap: there is neither `items` nor `sitemaps`")]
    NotASitemap,
}

impl ReadError {
    /// A short stable name, for programs.
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

/// The most items of one file that the draft recommends.
pub const MAX_ITEMS: u64 = 50_000;
