use sitecast_fetch::Head;

/// Told how far the sync of a site has come, so that somebody can be told.
pub trait Progress: Sync {
    /// What is being done about a site now.
    fn doing(&self, site: &str, what: Doing<'_>) {
        let _ = (site, what);
    }

    /// A page that came as HTML, before anything is made of it: where it is, what was said about it,
    /// and its bytes without the compression for the way.
    fn html(&self, url: &str, head: &Head, body: &[u8]) {
        let _ = (url, head, body);
    }
}

/// Tells nobody.
impl Progress for () {}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing<'d> {
    /// Finding out what the site offers.
    Looking,
    /// Downloading a collection.
    Downloading {
        /// Where from.
        url: &'d str,
        /// Bytes that are there.
        bytes: u64,
        /// Bytes there will be.
        total: Option<u64>,
    },
    /// Verifying a collection and merging it into the index.
    Merging {
        /// Pages so far.
        pages: u64,
    },
    /// Fetching pages one by one.
    Pages {
        /// Pages so far.
        pages: u64,
    },
    /// Done with it, well or not.
    Done,
}
