//! Receivers of reports and of progress.

use std::io;

use crate::Report;

/// The part that a report has in the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The file, folder or URL that the caller asked to check. The reports of its files come before it.
    Target,
    /// A file of a folder or a website.
    Part,
    /// One of many similar files of a folder or a website: a machine page.
    RoutinePart,
}

/// Receives reports while the check runs.
pub trait Sink {
    /// Receives a report. An error ends the check.
    fn report(&mut self, role: Role, report: Report) -> io::Result<()>;

    /// A URL turned out to be a website, whose other files are fetched next.
    fn website(&mut self, root: &str) {
        let _ = root;
    }
}

/// Keeps all reports.
impl Sink for Vec<Report> {
    fn report(&mut self, _: Role, report: Report) -> io::Result<()> {
        self.push(report);
        Ok(())
    }
}

/// Receives the names of files before they are read.
pub trait Progress {
    /// A file of this machine is read next.
    fn reading(&self, name: &str) {
        let _ = name;
    }

    /// A file of the web is fetched next.
    fn fetching(&self, url: &str) {
        let _ = url;
    }

    /// Part of a download has arrived: `bytes` of `total`, if the server said the total.
    fn received(&self, bytes: u64, total: Option<u64>) {
        let _ = (bytes, total);
    }
}

/// Ignores progress.
impl Progress for () {}
