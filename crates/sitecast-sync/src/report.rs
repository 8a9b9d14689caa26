//! The report of one visit.

use serde::Serialize;
use sitecast_index::{OriginKind, Tally};
use sitecast_scp::Timestamp;

use crate::SyncError;

/// The most warnings in a report; further ones are only counted.
const MAX_WARNINGS: usize = 100;
/// The most bytes of a warning: enough for two URLs of the greatest length.
const MAX_WARNING_BYTES: usize = 5_000;

/// The result of syncing one site.
#[derive(Debug)]
pub struct SiteReport {
    /// The base URL of the site.
    pub site: String,
    /// The kind of source that was used; `None` if all failed.
    pub way: Option<OriginKind>,
    /// The number of requests sent.
    pub requests: u64,
    /// The bytes received: bodies as transferred, and headers.
    pub bytes: u64,
    /// The counts of the site's pages.
    pub pages: PageCounts,
    /// The applied collections, in order.
    pub applied: Vec<AppliedCollection>,
    /// The cost of crawling the HTML of all pages instead.
    pub crawling: Option<CrawlCost>,
    /// The first 100 warnings.
    pub warnings: Vec<String>,
    /// The number of further warnings.
    pub more_warnings: u64,
    /// The number of pages that could not be fetched.
    pub failed_pages: u64,
    /// The error that ended the sync, if any.
    pub error: Option<SyncError>,
}

/// The counts of a site's pages after a visit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PageCounts {
    /// Pages in the index now.
    pub total: u64,
    /// Pages that were added.
    pub new: u64,
    /// Pages that were replaced.
    pub changed: u64,
    /// Pages that were looked at and found unchanged.
    pub unchanged: u64,
    /// Pages that were deleted.
    pub deleted: u64,
}

/// A collection that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AppliedCollection {
    /// `snapshot` or `delta`.
    pub kind: &'static str,
    /// The section that it covers.
    pub section: String,
    /// The URL that it was downloaded from.
    pub url: String,
    /// When the publisher generated it.
    pub generated: Timestamp,
    /// The number of its pages that were merged.
    pub pages: u64,
    /// Its compressed size in bytes.
    pub bytes: u64,
}

/// The cost of crawling the HTML of the same pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CrawlCost {
    /// The number of requests: one for each page.
    pub requests: u64,
    /// The bytes of the HTML, if it was fetched; sites differ too much for an estimate.
    pub bytes: Option<u64>,
}

impl SiteReport {
    pub(crate) fn new(site: &str) -> Self {
        Self {
            site: site.to_owned(),
            way: None,
            requests: 0,
            bytes: 0,
            pages: PageCounts::default(),
            applied: Vec::new(),
            crawling: None,
            warnings: Vec::new(),
            more_warnings: 0,
            failed_pages: 0,
            error: None,
        }
    }

    /// Returns true if the site was synced without errors or failed pages.
    pub fn is_complete(&self) -> bool {
        self.error.is_none() && self.failed_pages == 0
    }

    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(shortened(warning.into()));
        } else {
            self.more_warnings += 1;
        }
    }

    pub(crate) fn add(&mut self, tally: &Tally) {
        self.pages.total = tally.pages;
        self.pages.new += tally.new;
        self.pages.changed += tally.changed;
        self.pages.unchanged += tally.unchanged + tally.outdated;
        self.pages.deleted += tally.deleted;
    }
}

/// Returns a number with its noun: `1 page`, `2 pages`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// Truncates a warning, which may quote a text of any length.
fn shortened(mut warning: String) -> String {
    if warning.len() > MAX_WARNING_BYTES {
        let end = (0..=MAX_WARNING_BYTES)
            .rev()
            .find(|&at| warning.is_char_boundary(at));
        warning.truncate(end.unwrap_or_default());
        warning.push('…');
        warning.shrink_to_fit();
    }
    warning
}
