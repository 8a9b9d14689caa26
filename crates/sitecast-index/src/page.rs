//! Pages: as they come, and as they are kept.

use sitecast_scp::{CollectionKind, Identifier, Timestamp};

use crate::SiteId;

/// A page to be merged.
#[derive(Debug, Clone, Copy)]
pub struct NewPage<'a> {
    /// Where it is.
    pub url: &'a str,
    /// Its line of a collection, byte for byte as it was published; for a page that came otherwise,
    /// the line that it would have.
    pub line: &'a str,
    /// When its content last changed.
    pub modified: Timestamp,
    /// The language of its content.
    pub language: &'a str,
    /// The hash of its normalised text, where it is known.
    pub fingerprint: Option<Fingerprint>,
    /// The entity tag of its machine page, or of its HTML, as it was received.
    pub etag: Option<&'a str>,
    /// When it was fetched.
    pub fetched: Timestamp,
    /// What happens if the page is there already.
    pub precedence: Precedence,
}

/// The SHA-256 of a page's normalised text.
pub type Fingerprint = [u8; 32];

/// When a page takes the place of the one that is there. A copy that did not come in a collection gives way to
/// one that did in any case: its time was only a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precedence {
    /// If its `modified` is later. For pages of deltas (SCP draft 3, "Delta Application").
    #[default]
    Later,
    /// If its `modified` is later, or the same and its line differs: a publisher that made everything
    /// anew. For pages of snapshots.
    NotOlder,
    /// Always: whoever fetched it saw that it changed. For sources whose times mean little.
    Always,
}

/// Where pages come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A collection.
    Scp(CollectionRef),
    /// Machine pages.
    Tct,
    /// HTML.
    Html,
}

/// A collection: where it is, and what makes it this one and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionRef {
    /// Where it came from.
    pub url: String,
    /// The part of the site it covers.
    pub section: Identifier,
    /// Everything, or what changed.
    pub kind: CollectionKind,
    /// When it was made.
    pub generated: Timestamp,
}

/// The ways a page can have come.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum OriginKind {
    /// In a collection.
    Scp,
    /// As a machine page.
    Tct,
    /// As HTML.
    Html,
}

impl OriginKind {
    /// `scp`, `tct` or `html`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scp => "scp",
            Self::Tct => "tct",
            Self::Html => "html",
        }
    }
}

/// A page of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPage {
    /// The site that it was merged into.
    pub site: SiteId,
    /// Where it is.
    pub url: String,
    /// Its line, byte for byte as it came.
    pub line: String,
    /// What is known of it besides.
    pub facts: PageFacts,
}

/// What is known of a page besides its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFacts {
    /// When its content last changed.
    pub modified: Timestamp,
    /// The language of its content.
    pub language: String,
    /// The hash of its normalised text, where it is known.
    pub fingerprint: Option<Fingerprint>,
    /// The entity tag it was received with.
    pub etag: Option<String>,
    /// When it was fetched.
    pub fetched: Timestamp,
    /// How it came.
    pub origin: OriginKind,
    /// The collection that it came in.
    pub collection: Option<String>,
    /// The sections it is in, in the order of their names; none if it did not come in a collection.
    pub sections: Vec<String>,
    /// The length of its line.
    pub bytes: u64,
}

/// A page that [`Index::verify`](crate::Index::verify) has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCheck<'a> {
    /// The site that the page was merged into.
    pub site: &'a SiteId,
    /// Where the page is.
    pub url: &'a str,
    /// The damage; `None` if the page is as it was written.
    pub damage: Option<String>,
}

/// Which pages to read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only this site.
    pub site: Option<SiteId>,
    /// Only pages of this section.
    pub section: Option<String>,
    /// Only pages modified after this time.
    pub since: Option<Timestamp>,
    /// Only pages in this language: `en` takes `en-GB`, too.
    pub language: Option<String>,
}

/// What a later request can send to learn that nothing changed (RFC 9110 §8.8).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    /// The `ETag`, with its quotes.
    pub etag: Option<String>,
    /// The `Last-Modified`, as it was received.
    pub last_modified: Option<String>,
}

/// What a merge did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Tally {
    /// Pages of the site before it began.
    pub pages_before: u64,
    /// Pages of the site now.
    pub pages: u64,
    /// Bytes of their lines, before compression.
    pub bytes: u64,
    /// Pages that were not there.
    pub new: u64,
    /// Pages that were replaced.
    pub changed: u64,
    /// Pages that came, or were kept, as they are here.
    pub unchanged: u64,
    /// Pages that came older than the copy here, which stayed.
    pub outdated: u64,
    /// Pages that were deleted.
    pub deleted: u64,
    /// Those of them that were there when the merge began, or at the [`Mark`](crate::Mark) that it counts
    /// from. Pages that came since and went again are not among them.
    pub lost: u64,
}
