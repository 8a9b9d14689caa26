//! Checks what a website offers to agents, and reports problems as findings with stable codes.
//!
//! A [`Checker`] checks a file, a published folder, or a live website. It recognises each file by its content, reads it
//! to the end, and sends a [`Report`] to a [`Sink`]. For a folder or a website it walks from file to file as an agent
//! does, compares what the files say about each other, and reports the site last. It prints nothing.
//!
//! ```
//! use std::fs;
//! use sitecast_check::{Checker, Report, Verdict};
//!
//! # let temp = tempfile::tempdir()?;
//! # let public = temp.path();
//! fs::write(public.join("robots.txt"), "User-agent: *\nSitemap: https://example.com/sitemap.xml\n")?;
//! fs::write(
//!     public.join("sitemap.xml"),
//!     r#"<?xml version="1.0" encoding="UTF-8"?>
//! <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/</loc></url></urlset>"#,
//! )?;
//!
//! let mut reports: Vec<Report> = Vec::new();
//! let verdict = Checker::default().folder(public, &mut reports)?;
//! assert_eq!(verdict, Verdict::Ok);
//! let kinds: Vec<&str> = reports.iter().map(|report| report.kind).collect();
//! assert_eq!(kinds, ["robots", "sitemap", "folder"]);
//!
//! // A sitemap that robots.txt names and that does not exist is a finding about the site.
//! fs::remove_file(public.join("sitemap.xml"))?;
//! let mut reports: Vec<Report> = Vec::new();
//! let verdict = Checker::default().folder(public, &mut reports)?;
//! assert_eq!(verdict, Verdict::Invalid);
//! assert_eq!(reports[1].errors[0].code, "missing");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | check one file that is open | [`Checker::file`] |
//! | check a published folder | [`Checker::folder`] |
//! | check a URL or a website | [`Checker::url`] with a [`Web`] |
//! | receive reports while the check runs | [`Sink`], [`Role`] |
//! | show progress | [`Progress`] |
//! | choose limits, strictness and samples | [`Options`] |
//! | read a report | [`Report`], [`Finding`], [`Warning`], [`Facts`], [`Cause`] |
//!
//! Inside, one walk (`site/`) goes over a `SiteFiles` (`files.rs`), which a folder (`folder.rs`) and the web (`web.rs`)
//! implement. Every file is read by `file/`, one module for each format. `http/` judges headers.

mod error;
mod file;
mod files;
mod folder;
mod http;
mod options;
mod recognize;
mod report;
mod sample;
mod sink;
mod site;
mod verdict;
mod web;

use std::io::{self, Read};
use std::time::Instant;

pub use error::{CheckError, UrlProblem, io_reason, parse_url, without_error_numbers};
pub use options::{CollectionChoice, Options};
pub use report::facts::{
    ChecksumResult, CollectionFacts, Facts, HashResult, JsonSitemapFacts, MachinePageFacts,
    PolicyFacts, RobotsFacts, SiteFacts, SitemapFacts,
};
pub use report::{Cause, Finding, LISTED_PER_CODE, Parts, Report, Warning, is_note};
pub use sample::Sample;
pub use sink::{Progress, Role, Sink};
pub use verdict::Verdict;
pub use web::Web;

use file::Context;

/// Checks files, folders and websites.
#[derive(Clone)]
pub struct Checker<'c> {
    /// Limits, strictness and samples.
    pub options: Options,
    /// Receives the names of the files before they are read.
    pub progress: &'c dyn Progress,
}

impl Default for Checker<'_> {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl<'c> Checker<'c> {
    /// Creates a checker that reports no progress.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            progress: &(),
        }
    }

    /// Checks a file that the caller opened, or reports why it could not be opened.
    pub fn file(
        &self,
        name: &str,
        source: io::Result<impl Read + Send + 'static>,
        sink: &mut dyn Sink,
    ) -> Result<Verdict, CheckError> {
        let started = Instant::now();
        let mut report = Report::new(name);
        match source {
            Ok(source) => {
                self.read(Box::new(source), Context::default(), &mut report);
            }
            Err(error) => report.io_error(&error),
        }
        self.emit(Role::Target, report, started, sink)
    }

    /// Completes a report and sends it to the sink.
    fn emit(
        &self,
        role: Role,
        mut report: Report,
        started: Instant,
        sink: &mut dyn Sink,
    ) -> Result<Verdict, CheckError> {
        let verdict = report.conclude(self.options.strict, started.elapsed());
        sink.report(role, report).map_err(CheckError::Sink)?;
        Ok(verdict)
    }
}

/// The example of README.md, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
