//! Pages to be merged and pages of the index, with their origins and filters.

use sitecast_scp::{CollectionKind, Identifier, Timestamp};

use crate::SiteId;

/// A page to be merged.
#[derive(Debug, Clone, Copy)]
pub struct NewPage<'a> {
    /// The page's URL, which identifies it within the site.
    pub url: &'a str,
    /// The page's line of a collection, byte for byte as published; for a machine page or HTML, the line
    /// that the page would have in a collection.
    pub line: &'a str,
    /// When the content last changed.
    pub modified: Timestamp,
    /// The language tag of the content.
    pub language: &'a str,
    /// The hash of the normalised text, if the caller computed it.
    pub fingerprint: Option<Fingerprint>,
    /// The entity tag of the machine page or the HTML, as received.
    pub etag: Option<&'a str>,
    /// When the page was fetched.
    pub fetched: Timestamp,
    /// When this page replaces a copy in the index.
    pub precedence: Precedence,
}

/// The SHA-256 of a page's normalised text.
pub type Fingerprint = [u8; 32];

/// The rule by which a page replaces the copy in the index. A page from a collection always replaces a copy
/// from a machine page or HTML, because the `modified` of such a copy may be a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precedence {
    /// Replace if `modified` is later. For pages of deltas (SCP draft 3, "Delta Application").
    #[default]
    Later,
    /// Replace if `modified` is later, or the same and the line differs: the publisher has generated
    /// everything again. For pages of snapshots.
    NotOlder,
    /// Always replace: the caller saw that the page changed. For machine pages and HTML, whose times are unreliable.
    Always,
}

/// The origin of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A collection.
    Scp(CollectionRef),
    /// Machine pages.
    Tct,
    /// HTML.
    Html,
}

/// The identity of a collection (section, kind and `generated`) and its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionRef {
    /// The URL that it was downloaded from.
    pub url: String,
    /// The section of the site that it covers.
    pub section: Identifier,
    /// Snapshot or delta.
    pub kind: CollectionKind,
    /// When the publisher generated it.
    pub generated: Timestamp,
}

/// The kind of an origin.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum OriginKind {
    /// A collection.
    Scp,
    /// A machine page.
    Tct,
    /// HTML.
    Html,
}

impl OriginKind {
    /// Returns `scp`, `tct` or `html`.
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
    /// The site that the page was merged into.
    pub site: SiteId,
    /// The page's URL.
    pub url: String,
    /// The page's line, byte for byte as it was merged.
    pub line: String,
    /// The page's metadata.
    pub facts: PageFacts,
}

/// The metadata that the index keeps of a page beside its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFacts {
    /// When the content last changed.
    pub modified: Timestamp,
    /// The language tag of the content.
    pub language: String,
    /// The hash of the normalised text, if the caller computed it.
    pub fingerprint: Option<Fingerprint>,
    /// The entity tag that the page was received with.
    pub etag: Option<String>,
    /// When the page was fetched, in whole seconds.
    pub fetched: Timestamp,
    /// The kind of its origin.
    pub origin: OriginKind,
    /// The URL of the collection that the page came from.
    pub collection: Option<String>,
    /// The names of its sections, sorted; empty if no collection has contained the page.
    pub sections: Vec<String>,
    /// The length of the line in bytes.
    pub bytes: u64,
}

/// The result of verifying one page with [`Index::verify`](crate::Index::verify).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCheck<'a> {
    /// The site that the page was merged into.
    pub site: &'a SiteId,
    /// The page's URL.
    pub url: &'a str,
    /// A description of the damage; `None` if the page is intact.
    pub damage: Option<String>,
}

/// Conditions on the pages to read; all of them have to hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only pages of this site.
    pub site: Option<SiteId>,
    /// Only pages of this section.
    pub section: Option<String>,
    /// Only pages modified after this time.
    pub since: Option<Timestamp>,
    /// Only pages in this language; `en` includes `en-GB` (RFC 4647 §3.3.1).
    pub language: Option<String>,
}

/// The validators of a response (RFC 9110 §8.8), for a later conditional request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validators {
    /// The `ETag`, with its quotes.
    pub etag: Option<String>,
    /// The `Last-Modified`, as received.
    pub last_modified: Option<String>,
}

/// The counts of one merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Tally {
    /// Pages of the site before the merge.
    pub pages_before: u64,
    /// Pages of the site now.
    pub pages: u64,
    /// The size of their lines in bytes, before compression.
    pub bytes: u64,
    /// Pages that the merge added.
    pub new: u64,
    /// Pages that the merge replaced.
    pub changed: u64,
    /// Pages that were put or kept and are the same as the copy in the index.
    pub unchanged: u64,
    /// Pages that were put and are older than the copy in the index, which was kept.
    pub outdated: u64,
    /// Pages that the merge deleted.
    pub deleted: u64,
    /// Deleted pages that the site had when the merge began, or at the [`Baseline`](crate::Baseline) that it
    /// counts from. Pages that were both added and deleted since are not counted.
    pub lost: u64,
}
