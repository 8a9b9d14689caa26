//! Checking a site: each of its files, and what the files say about each other.
//!
//! The walk is that of an agent: robots.txt, sitemaps, the collections that they name, the JSON sitemap, its machine
//! pages, the policy. A [`SiteFiles`] finds the files.

mod announced;
mod collections;
mod machine_pages;
mod sitemaps;
mod walk;

use std::collections::HashMap;
use std::time::{Instant, SystemTime};

use sitecast_scp::Timestamp;
use url::Url;

use crate::file::{Context, References};
use crate::files::{Expected, Lookup, Probes, SiteFile, SiteFiles};
use crate::recognize::{Format, recognize};
use crate::report::Report;
use crate::report::facts::{Facts, SiteFacts};
use crate::{CheckError, Checker, Role, Sink, Verdict};

/// Failures in a row after which nothing more is requested from a host.
const FAILURES: u32 = 3;

/// The check of a site.
pub(crate) struct SiteCheck<'c, 's> {
    pub(crate) checker: &'c Checker<'c>,
    pub(crate) sink: &'s mut dyn Sink,
    /// The findings about the site as a whole.
    pub(crate) report: Report,
    pub(crate) facts: SiteFacts,
    now: Timestamp,
    started: Instant,
    /// Failures in a row by host.
    failures: HashMap<String, u32>,
}

/// The result of looking for a file and reading it.
enum Outcome {
    Read(Box<ReadFile>),
    /// There is no such file, with the reason in words.
    Absent(String),
    /// The URL is outside of the folder.
    Elsewhere,
    /// The failure is reported already.
    Failed,
}

/// A file that was read, and whose report is not sent yet.
struct ReadFile {
    file: SiteFile,
    report: Report,
    references: References,
    started: Instant,
}

impl<'c, 's> SiteCheck<'c, 's> {
    pub(crate) fn new(name: String, checker: &'c Checker<'c>, sink: &'s mut dyn Sink) -> Self {
        Self {
            checker,
            sink,
            report: Report::new(name),
            facts: SiteFacts::default(),
            now: Timestamp::from(SystemTime::now()),
            started: Instant::now(),
            failures: HashMap::new(),
        }
    }

    /// Reports the site as a whole, after its files.
    pub(crate) fn finish(mut self) -> Result<Verdict, CheckError> {
        self.facts.files_not_ok = self.report.parts.wrong;
        self.report.set_facts(Facts::Site(Box::new(self.facts)));
        self.checker
            .emit(Role::Target, self.report, self.started, self.sink)
    }

    /// Finds a file that another one names, and reads it.
    fn read(
        &mut self,
        url: &Url,
        expected: Expected,
        probes: Probes,
        files: &mut dyn SiteFiles,
    ) -> Result<Outcome, CheckError> {
        let started = Instant::now();
        let file = match self.find(url, expected, files)? {
            Ok(file) => file,
            Err(outcome) => return Ok(outcome),
        };
        let context = Context {
            url: self.known_url(url),
            format: expected.format(),
        };
        let read = self.read_found(file, context, probes, files, started);
        Ok(Outcome::Read(Box::new(read)))
    }

    /// Reads the file at a usual place, if there is one. On the web only a file of the right format counts: many servers
    /// answer every path with a page.
    fn read_if_present(
        &mut self,
        url: &Url,
        expected: Expected,
        format: Format,
        files: &mut dyn SiteFiles,
    ) -> Result<Option<Box<ReadFile>>, CheckError> {
        let started = Instant::now();
        let Ok(file) = self.find(url, expected, files)? else {
            return Ok(None);
        };
        let found = file.open().and_then(|mut file| recognize(&mut file));
        if !self.facts.folder && !found.is_ok_and(|found| found.format == format) {
            return Ok(None);
        }
        let context = Context {
            url: self.known_url(url),
            format: Some(format),
        };
        let read = self.read_found(file, context, Probes::Send, files, started);
        Ok(Some(Box::new(read)))
    }

    /// Finds a file, unless its host has failed too often, and reports a failure of the server. The inner error is the
    /// outcome without a file.
    fn find(
        &mut self,
        url: &Url,
        expected: Expected,
        files: &mut dyn SiteFiles,
    ) -> Result<Result<SiteFile, Outcome>, CheckError> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let failures = self.failures.get(&host).copied().unwrap_or_default();
        if failures >= FAILURES {
            return Ok(Err(Outcome::Failed));
        }
        let started = Instant::now();
        self.announce(url.as_str());
        let error = match files.find(url, expected) {
            Lookup::Found(file) => {
                self.failures.remove(&host);
                return Ok(Ok(file));
            }
            Lookup::Absent(why) => return Ok(Err(Outcome::Absent(why))),
            Lookup::Elsewhere => return Ok(Err(Outcome::Elsewhere)),
            Lookup::Failed(error) => error,
        };
        let failures = failures + u32::from(error.is_unreachable());
        let mut report = Report::new(url.as_str());
        report.fetch_error(error);
        self.add(Role::Part, report, started)?;
        if failures == FAILURES {
            let message =
                format!("`{host}` failed {FAILURES} times in a row; nothing more was asked of it");
            self.report.error_between("given-up", url.as_str(), message);
        }
        self.failures.insert(host, failures);
        Ok(Err(Outcome::Failed))
    }

    fn read_found(
        &mut self,
        file: SiteFile,
        context: Context<'_>,
        probes: Probes,
        files: &mut dyn SiteFiles,
        started: Instant,
    ) -> ReadFile {
        let mut report = Report::new(file.name.as_str());
        let references = match file.open() {
            Ok(source) => self.checker.read(Box::new(source), context, &mut report),
            Err(error) => {
                report.io_error(&error);
                References::default()
            }
        };
        files.check_headers(&file, probes, &mut report);
        ReadFile {
            file,
            report,
            references,
            started,
        }
    }

    /// Returns the URL that resolves relative URLs in a file, unless the folder's URL is unknown.
    fn known_url<'u>(&self, url: &'u Url) -> Option<&'u Url> {
        self.facts.base_url.as_ref().map(|_| url)
    }

    /// Reports progress: the file that comes next.
    pub(crate) fn announce(&self, name: &str) {
        match self.facts.folder {
            true => self.checker.progress.reading(name),
            false => self.checker.progress.fetching(name),
        }
    }

    /// Reports a file of the site that was read.
    fn add_read(&mut self, role: Role, read: ReadFile) -> Result<(), CheckError> {
        self.add(role, read.report, read.started)
    }

    /// Reports a file of the site, and adds it to the report about the site.
    pub(crate) fn add(
        &mut self,
        role: Role,
        mut report: Report,
        started: Instant,
    ) -> Result<(), CheckError> {
        self.facts.files += 1;
        report.conclude(self.checker.options.strict, started.elapsed());
        self.report.include(&report);
        self.sink.report(role, report).map_err(CheckError::Sink)
    }
}
