//! The source of a site's files: a folder or the web.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use sitecast_fetch::{FetchError, Head, Request};
use tempfile::TempPath;
use url::Url;

use crate::recognize::Format;
use crate::report::Report;

/// The source of a site's files.
pub(crate) trait SiteFiles {
    /// Finds a file by its URL.
    fn find(&mut self, url: &Url, expected: Expected) -> Lookup;

    /// Judges the headers of the response that the file came in. A folder has no headers.
    fn check_headers(&mut self, file: &SiteFile, probes: Probes, report: &mut Report);
}

/// The format that a file should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// A collection, with the size that a sitemap announces.
    Collection(Option<u64>),
    Sitemap,
    Json,
    MachinePage,
    Robots,
    /// Any format.
    Anything,
}

impl Expected {
    /// Returns the format that the file is read as, whatever its content looks like.
    pub(crate) fn format(self) -> Option<Format> {
        Some(match self {
            Self::Collection(_) => Format::Collection,
            Self::Sitemap => Format::Sitemap,
            Self::Json => Format::JsonSitemap,
            Self::MachinePage => Format::MachinePage,
            Self::Robots => Format::Robots,
            Self::Anything => return None,
        })
    }
}

/// The result of looking for a file.
pub(crate) enum Lookup {
    Found(SiteFile),
    /// There is no such file, with the reason in words.
    Absent(String),
    /// The URL is outside of the folder.
    Elsewhere,
    /// The server could not be asked.
    Failed(FetchError),
}

/// A file on this machine's disk.
pub(crate) struct SiteFile {
    /// The path in a folder; the URL on the web.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) exchange: Option<Box<Exchange>>,
    /// Deletes a downloaded file.
    pub(crate) _temporary: Option<TempPath>,
}

/// A request and the head of its response.
pub(crate) struct Exchange {
    pub(crate) request: Request,
    pub(crate) head: Head,
}

/// Additional requests about a file: a conditional one, and one for the headers alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probes {
    Send,
    Skip,
}

impl SiteFile {
    pub(crate) fn open(&self) -> io::Result<File> {
        File::open(&self.path)
    }

    /// Returns the targets of the response's `Link` headers with a relation.
    pub(crate) fn links(&self, relation: &str) -> Vec<Url> {
        self.exchange.as_ref().map_or_else(Vec::new, |exchange| {
            let head = &exchange.head;
            sitecast_tct::find_links(head.links(), &head.url, relation, Some("application/json"))
        })
    }
}
