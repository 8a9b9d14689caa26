//! Progress of a sync, for display.

use sitecast_fetch::Head;

/// A receiver of progress.
pub trait Progress: Sync {
    /// Called when the sync of a site starts or continues an activity.
    fn activity(&self, site: &str, what: Activity<'_>) {
        let _ = (site, what);
    }

    /// Called with each HTML page before its extraction: its URL, the head of the response, and the decoded body.
    fn html(&self, url: &str, head: &Head, body: &[u8]) {
        let _ = (url, head, body);
    }
}

/// Ignores all progress.
impl Progress for () {}

/// An activity of the sync of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity<'d> {
    /// Reading robots.txt and sitemaps.
    Discovering,
    /// Downloading a collection.
    Downloading {
        /// The URL of the collection.
        url: &'d str,
        /// Bytes downloaded so far.
        bytes: u64,
        /// The size of the collection in bytes, if it is known.
        total: Option<u64>,
    },
    /// Verifying a collection and merging it into the index.
    Merging {
        /// Pages merged so far.
        pages: u64,
    },
    /// Fetching pages one by one.
    Pages {
        /// Pages looked at so far.
        pages: u64,
    },
    /// The sync of the site has ended, with or without an error.
    Done,
}
