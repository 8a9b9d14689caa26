use std::fmt;

use serde::{Deserialize, Serialize};
use sitecast_extract::Fold;
use sitecast_scp::HttpUrl;

use crate::address::Style;
use crate::{BaseUrl, Loss, PublishError, Reason, Section, Source};

/// The report about a publication.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// True for a dry run, which writes nothing.
    pub dry_run: bool,
    /// Pages, counted.
    pub pages: PageCounts,
    /// Collections that were written.
    pub collections: Vec<WrittenCollection>,
    /// Other files that were written or removed.
    pub artefacts: Vec<Artefact>,
    /// The items that were left out, with the reasons.
    pub excluded: Vec<Excluded>,
    /// Pages whose blocks had to be joined.
    pub folded: Vec<(String, Fold)>,
    /// Pages of this run that are published with much less text than they should have.
    pub losses: Vec<Loss>,
    /// Published pages that robots.txt disallows for crawlers that it names.
    pub named_crawlers: NamedCrawlers,
    /// The bytes that agents save.
    pub savings: Savings,
    /// Notes for the owner.
    pub notes: Vec<String>,
}

impl Report {
    /// The error that a publication without a single page is; `None` if there are pages. A rehearsal reports it
    /// rather than failing.
    pub fn without_pages(&self, source: &dyn Source) -> Option<PublishError> {
        let pages = self.pages;
        let first = self.excluded.first();
        (pages.new + pages.changed + pages.unchanged == 0).then(|| PublishError::Empty {
            path: source.name(),
            excluded: pages.excluded,
            first: first.map(|first| (first.item.clone(), first.reason.clone())),
        })
    }

    /// Adds what was left out; all of it stays in order.
    pub(crate) fn exclude(&mut self, mut left_out: Vec<Excluded>) {
        self.excluded.append(&mut left_out);
        self.excluded
            .sort_by(|one, other| one.item.cmp(&other.item));
    }
}

/// Something that was not published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Excluded {
    /// Its name in the source: a file, a URL.
    pub item: String,
    /// The URL that it would have.
    pub url: String,
    /// The reason to leave it out.
    pub reason: Reason,
}

/// Pages, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PageCounts {
    /// Not published before.
    pub new: u64,
    /// With another text than before.
    pub changed: u64,
    /// With the same text.
    pub unchanged: u64,
    /// Deleted.
    pub deleted: u64,
    /// Not to be published.
    pub excluded: u64,
    /// With blocks joined to make them fit.
    pub folded: u64,
}

/// Published pages that robots.txt disallows for crawlers that it names. They are published all the same: the agents
/// that read collections are not these crawlers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NamedCrawlers {
    /// Pages that are disallowed for one of them or more.
    pub pages: u64,
    /// Their names.
    pub crawlers: Vec<String>,
}

/// A collection that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WrittenCollection {
    /// Its section.
    pub section: String,
    /// `snapshot` or `delta`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The reason for a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SnapshotReason>,
    /// Pages in it.
    pub pages: u64,
    /// Pages that it declares deleted.
    pub deleted: u64,
    /// Its size before compression.
    pub uncompressed_bytes: u64,
    /// Its files.
    pub files: Vec<WrittenFile>,
}

/// The reason for a new snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SnapshotReason {
    /// There was none.
    First,
    /// It was asked for.
    Asked,
    /// The last one is old.
    Age,
    /// The deltas have become too many or too large.
    Deltas,
    /// Pages were deleted a while ago, which deltas do not tell everyone.
    Deletions,
    /// The last one is about to expire.
    Expiry,
    /// The rules that choose the section's pages changed.
    Section,
}

impl fmt::Display for SnapshotReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "the first one",
            Self::Asked => "asked for",
            Self::Age => "the last one is old",
            Self::Deltas => "the deltas have become too large",
            Self::Deletions => "deletions have waited long enough",
            Self::Expiry => "the last one expires soon",
            Self::Section => "the section's pages are chosen differently",
        })
    }
}

/// A file of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WrittenFile {
    /// Its path in the store.
    pub path: String,
    /// Its URL.
    pub url: String,
    /// Its size.
    pub bytes: u64,
}

/// Files of one kind that were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Artefact {
    /// Their kind: `sitemap`, `machine-pages`, …
    pub kind: &'static str,
    /// The file, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number of written files.
    pub written: u64,
    /// The number of removed files.
    pub removed: u64,
    /// The bytes that were written.
    pub bytes: u64,
}

/// The bytes of a publication, compared with the HTML of its pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Savings {
    /// Pages that are published.
    pub pages: u64,
    /// The size of their HTML with gzip, estimated from a sample.
    pub html_gzip_bytes: u64,
    /// Pages in that sample; all there are, or a part from which the rest is estimated.
    pub sampled_pages: u64,
    /// The size of the newest snapshots in their smallest form.
    pub snapshot_bytes: u64,
    /// The size of the deltas of this run in their smallest form.
    pub delta_bytes: u64,
}

impl Savings {
    /// The share of bytes that a first visit saves.
    pub fn first_visit(&self) -> Option<f64> {
        let saved = 1.0 - self.snapshot_bytes as f64 / self.html_gzip_bytes as f64;
        (self.html_gzip_bytes > 0 && self.snapshot_bytes > 0).then_some(saved)
    }
}

/// Adds their URLs to items that are left out.
pub(crate) fn excluded(
    items: Vec<(String, Reason)>,
    style: Style,
    base: &BaseUrl,
) -> Vec<Excluded> {
    let with_url = |(item, reason): (String, Reason)| Excluded {
        url: match item.parse::<HttpUrl>() {
            Ok(url) => url.as_str().to_owned(),
            Err(_) => style.url(base, &item).into(),
        },
        item,
        reason,
    };
    items.into_iter().map(with_url).collect()
}

/// Tells the owner that a section has no pages.
pub(crate) fn without_pages(section: &Section) -> String {
    let name = &section.name;
    format!("no page belongs to section `{name}`: it has no collection")
}
