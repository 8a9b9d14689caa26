use std::fs::File;
use std::io;
use std::path::PathBuf;

use sitecast_fetch::{Head, Request};
use tempfile::TempPath;
use url::Url;

use crate::failure::Failure;
use crate::output::report::TargetReport;

/// Where a site's files are.
pub(super) trait Place {
    /// Gets hold of a file by its URL.
    fn get(&mut self, url: &Url, wanted: Wanted) -> Got;

    /// Judges what came with a file; a folder gives nothing but the file.
    fn judge(&mut self, here: &Here, thorough: Thorough, report: &mut TargetReport);
}

/// What a file is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// With the size that is announced.
    Collection(Option<u64>),
    Sitemap,
    Json,
    MachinePage,
    Robots,
    /// Whatever it is.
    Anything,
}

/// What became of it.
pub(super) enum Got {
    Here(Here),
    /// There is none, as far as can be told: in words.
    Absent(String),
    /// It is somewhere else than what is looked at.
    Elsewhere,
    /// It cannot be told.
    Failed(Trouble),
}

pub(super) struct Trouble {
    pub(super) code: &'static str,
    pub(super) failure: Failure,
    /// Whether it is the whole host that fails.
    pub(super) unreachable: bool,
}

/// A file that is here.
pub(super) struct Here {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) answer: Option<Box<Answer>>,
    /// Removes the file when it is no longer needed.
    pub(super) _temporary: Option<TempPath>,
}

/// What a server said.
pub(super) struct Answer {
    pub(super) request: Request,
    pub(super) head: Head,
}

/// Whether a server is asked more than once about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thorough {
    Yes,
    No,
}

impl Here {
    pub(super) fn open(&self) -> io::Result<File> {
        File::open(&self.path)
    }

    /// The `Link` headers that it came with.
    pub(super) fn links(&self, relation: &str) -> Vec<Url> {
        self.answer.as_ref().map_or_else(Vec::new, |answer| {
            let head = &answer.head;
            sitecast_tct::find_links(head.links(), &head.url, relation, Some("application/json"))
        })
    }
}
