//! Reports: the findings about one file or one site, and the JSON that docs/check.md describes.

pub(crate) mod facts;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::time::Duration;

use serde::Serialize;
use sitecast_fetch::FetchError;
use sitecast_scp::Compression;
use sitecast_tct::PageError;

use crate::{UrlProblem, Verdict, io_reason, without_error_numbers};
use facts::Facts;

/// A report lists at most this many warnings of one code, and as many errors between files. It counts all.
pub const LISTED_PER_CODE: u64 = 100;
/// Warnings that say nothing against a file.
const NOTES: [&str; 4] = [
    "duplicates-not-tracked",
    "unnamed-collection",
    "not-in-the-folder",
    "not-all-sitemaps",
];

/// The findings about one file, folder or website.
///
/// It serialises to the JSON of one target in the output of `sitecast check --json`.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The path or URL.
    pub target: String,
    /// The kind of file: `collection`, `sitemap`, `site`; see [`Facts::kind`].
    pub kind: &'static str,
    /// True if the verdict is [`Verdict::Ok`].
    pub ok: bool,
    /// Facts about the file, by its kind.
    #[serde(flatten)]
    pub facts: Facts,
    /// The size as stored or sent, in bytes.
    pub compressed_bytes: u64,
    /// The size after decompression, in bytes.
    pub uncompressed_bytes: u64,
    /// Problems that make the file, or the rest of it, unusable.
    pub errors: Vec<Finding>,
    /// Errors between the files of a site, by code. A report about a file has none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub error_counts: BTreeMap<&'static str, u64>,
    /// Problems that agents can live with.
    pub warnings: Vec<Warning>,
    /// All warnings by code, also those that are not listed.
    pub warning_counts: BTreeMap<&'static str, u64>,
    /// The compression of the file, if the file could be read.
    #[serde(skip)]
    pub compression: Option<Compression>,
    /// `checksum mismatch` or `hash mismatch`, if the content does not match what a file declares.
    #[serde(skip)]
    pub mismatch: Option<&'static str>,
    /// The files of a folder or a website, added up.
    #[serde(skip)]
    pub parts: Parts,
    /// The result in one word.
    #[serde(skip)]
    pub verdict: Verdict,
    /// The time that the check took.
    #[serde(skip)]
    pub elapsed: Duration,
    /// The verdict about a file that could not be read or fetched.
    #[serde(skip)]
    unreadable: Option<Verdict>,
}

/// The files of a folder or a website, added up.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Parts {
    /// Files that are not ok.
    pub wrong: u64,
    /// Warnings about files, without notes.
    pub warnings: u64,
    /// The worst verdict about a file.
    pub worst: Verdict,
}

/// An error.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The stable code, which docs/check.md explains.
    pub code: &'static str,
    /// The line in the file, from 1.
    pub line: Option<u64>,
    /// The URL of the file, in a report about a site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The problem in words.
    pub message: String,
    /// The error that the finding comes from.
    #[serde(skip)]
    pub cause: Option<Cause>,
}

/// A warning.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// The stable code, which docs/check.md explains.
    pub code: &'static str,
    /// The line in the file, from 1.
    pub line: Option<u64>,
    /// The URL of the page or file.
    pub url: Option<String>,
    /// The problem in words.
    pub message: String,
}

/// The error that a finding comes from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The operating system cannot open or read the file.
    Io(io::ErrorKind),
    /// The file cannot be fetched.
    Fetch(FetchError),
    /// The URL is refused.
    Url(UrlProblem),
    /// The collection is unusable.
    Collection(sitecast_scp::ReadError),
    /// The sitemap is unusable.
    Sitemap(sitecast_sitemap::ReadError),
    /// The JSON sitemap is unusable.
    JsonSitemap(sitecast_tct::sitemap::ReadError),
    /// The machine page is unusable.
    MachinePage(PageError),
}

impl Finding {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            line: None,
            url: None,
            message: message.into(),
            cause: None,
        }
    }

    pub(crate) fn at_line(mut self, line: Option<u64>) -> Self {
        self.line = line;
        self
    }

    pub(crate) fn caused_by(mut self, cause: Cause) -> Self {
        self.cause = Some(cause);
        self
    }
}

/// Returns true for codes of warnings that say nothing against a file, also in a strict check.
pub fn is_note(code: &str) -> bool {
    NOTES.contains(&code)
}

impl Report {
    pub(crate) fn new(target: impl Into<String>) -> Self {
        let facts = Facts::Unknown {};
        Self {
            target: target.into(),
            kind: facts.kind(),
            ok: false,
            facts,
            compressed_bytes: 0,
            uncompressed_bytes: 0,
            errors: Vec::new(),
            error_counts: BTreeMap::new(),
            warnings: Vec::new(),
            warning_counts: BTreeMap::new(),
            compression: None,
            mismatch: None,
            parts: Parts::default(),
            verdict: Verdict::Ok,
            elapsed: Duration::ZERO,
            unreadable: None,
        }
    }

    /// Returns the number of warnings about the file itself, without notes.
    pub fn counted_warnings(&self) -> u64 {
        let counts = self.warning_counts.iter();
        counts
            .filter(|(code, _)| !is_note(code))
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns true if there is no error so far.
    pub(crate) fn is_usable(&self) -> bool {
        self.errors.is_empty()
    }

    /// Adds up a file of the site, whose report is concluded.
    pub(crate) fn include(&mut self, part: &Self) {
        self.parts.wrong += u64::from(part.verdict != Verdict::Ok);
        self.parts.warnings += part.counted_warnings();
        self.parts.worst = self.parts.worst.max(part.verdict);
        self.compressed_bytes += part.compressed_bytes;
        self.uncompressed_bytes += part.uncompressed_bytes;
    }

    pub(crate) fn set_facts(&mut self, facts: Facts) {
        self.kind = facts.kind();
        self.facts = facts;
    }

    pub(crate) fn set_sizes(
        &mut self,
        compressed: u64,
        uncompressed: u64,
        compression: Compression,
    ) {
        self.compressed_bytes = compressed;
        self.uncompressed_bytes = uncompressed;
        self.compression = Some(compression);
    }

    /// Adds an error about the file as a whole.
    pub(crate) fn error(&mut self, finding: Finding) {
        self.errors.push(finding);
    }

    /// Adds an error about files that contradict each other; `url` is the file that it is about.
    pub(crate) fn error_between(&mut self, code: &'static str, url: &str, message: String) {
        let count = self.error_counts.entry(code).or_default();
        *count += 1;
        if *count <= LISTED_PER_CODE {
            let mut finding = Finding::new(code, message);
            finding.url = Some(url.to_owned());
            self.errors.push(finding);
        }
    }

    /// Adds an error about a file that could not be read or fetched.
    pub(crate) fn unreadable(&mut self, verdict: Verdict, finding: Finding) {
        self.unreadable = Some(verdict);
        self.errors.push(finding);
    }

    /// Adds an error about a file that could not be read to its end.
    pub(crate) fn io_error(&mut self, error: &io::Error) {
        let message = format!("cannot read `{}`: {}", self.target, io_reason(error));
        let finding = Finding::new("io", message).caused_by(Cause::Io(error.kind()));
        self.unreadable(Verdict::Unreadable, finding);
    }

    /// Adds an error about a file that could not be fetched.
    pub(crate) fn fetch_error(&mut self, error: FetchError) {
        let message = without_error_numbers(&error.to_string());
        let verdict = Verdict::from(&error);
        let finding = Finding::new(error.code(), message).caused_by(Cause::Fetch(error));
        self.unreadable(verdict, finding);
    }

    /// Adds an error about a file without a single usable entry, unless another error explains it.
    pub(crate) fn nothing_usable(&mut self) {
        if self.errors.is_empty() {
            self.error(Finding::new(
                "nothing-usable",
                "none of the entries can be used",
            ));
        }
    }

    pub(crate) fn warning(
        &mut self,
        code: &'static str,
        line: Option<u64>,
        url: Option<&str>,
        message: &dyn Display,
    ) {
        let count = self.warning_counts.entry(code).or_default();
        *count += 1;
        if *count <= LISTED_PER_CODE {
            self.warnings.push(Warning {
                code,
                line,
                url: url.map(str::to_owned),
                message: message.to_string(),
            });
        }
    }

    /// Sets the verdict, now that all findings are known.
    pub(crate) fn conclude(&mut self, strict: bool, elapsed: Duration) -> Verdict {
        let own = if self.mismatch.is_some() {
            Verdict::Mismatch
        } else if let Some(verdict) = self.unreadable {
            verdict
        } else if !self.errors.is_empty() || (strict && self.counted_warnings() > 0) {
            Verdict::Invalid
        } else {
            Verdict::Ok
        };
        self.verdict = own.max(self.parts.worst);
        self.ok = self.verdict == Verdict::Ok;
        self.elapsed = elapsed;
        self.verdict
    }
}
