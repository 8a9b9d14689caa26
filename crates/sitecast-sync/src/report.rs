//! What a run did.

use serde::Serialize;
use sitecast_index::{OriginKind, Tally};
use sitecast_scp::Timestamp;

use crate::SyncError;

/// Warnings that are listed; the others are counted.
const LISTED: usize = 100;
/// Bytes of a warning: two URLs of the longest kind, and what is said of them.
const LONGEST: usize = 5_000;

/// What became of a site.
#[derive(Debug)]
pub struct SiteReport {
    /// The site.
    pub site: String,
    /// How it was synced.
    pub way: Option<OriginKind>,
    /// Requests sent.
    pub requests: u64,
    /// Bytes that came.
    pub bytes: u64,
    /// What happened to its pages.
    pub pages: Pages,
    /// The collections that were applied, in this order.
    pub applied: Vec<Applied>,
    /// What crawling its HTML would have cost.
    pub crawling: Option<Crawling>,
    /// Things a person may want to know.
    pub warnings: Vec<String>,
    /// How many more of them there were.
    pub more_warnings: u64,
    /// Pages that could not be had.
    pub failed_pages: u64,
    /// Why it is not synced.
    pub error: Option<SyncError>,
}

/// What happened to the pages of a site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pages {
    /// In the index now.
    pub total: u64,
    /// That were not there.
    pub new: u64,
    /// With other content.
    pub changed: u64,
    /// As they were.
    pub unchanged: u64,
    /// That are gone.
    pub deleted: u64,
}

/// A collection that was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// `snapshot` or `delta`.
    pub kind: &'static str,
    /// Its section.
    pub section: String,
    /// Where it came from.
    pub url: String,
    /// When it was made.
    pub generated: Timestamp,
    /// Pages in it.
    pub pages: u64,
    /// Its size on the wire.
    pub bytes: u64,
}

/// What crawling the HTML of the same pages would have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Crawling {
    /// Requests: one for each page.
    pub requests: u64,
    /// Bytes, where the HTML was fetched. Nobody else can know: sites differ too much for an estimate.
    pub bytes: Option<u64>,
}

impl SiteReport {
    pub(crate) fn new(site: &str) -> Self {
        Self {
            site: site.to_owned(),
            way: None,
            requests: 0,
            bytes: 0,
            pages: Pages::default(),
            applied: Vec::new(),
            crawling: None,
            warnings: Vec::new(),
            more_warnings: 0,
            failed_pages: 0,
            error: None,
        }
    }

    /// Whether all went well.
    pub fn is_complete(&self) -> bool {
        self.error.is_none() && self.failed_pages == 0
    }

    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        if self.warnings.len() < LISTED {
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

/// Cuts a warning that quotes something of any length.
fn shortened(mut warning: String) -> String {
    if warning.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| warning.is_char_boundary(at));
        warning.truncate(end.unwrap_or_default());
        warning.push('…');
        warning.shrink_to_fit();
    }
    warning
}
