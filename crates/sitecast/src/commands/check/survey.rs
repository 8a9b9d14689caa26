//! A site as a whole: each of its files, and whether they fit together.
//!
//! The way is an agent's: robots.txt, the sitemaps, the collections they name, the JSON sitemap, its
//! machine pages, the policy. Where the files are is the business of a [`Place`].

mod announced;
mod collections;
mod machine_pages;
mod sample;
mod sitemaps;
mod walk;

use std::collections::HashMap;
use std::time::{Instant, SystemTime};

use sitecast_scp::Timestamp;
use url::Url;

use super::file::{Checker, Known, Named};
use super::place::{Got, Here, Place, Thorough, Wanted};
use super::recognize::{Format, recognize};
use crate::cli::{Sample, Which};
use crate::failure::Failure;
use crate::output::Output;
use crate::output::report::{CheckReport, Facts, Shown, SiteFacts, TargetReport};
use crate::progress::Watch;

/// A host that fails so often in a row is left alone.
const FAILURES: u32 = 3;

/// What all targets of a run have in common.
pub(super) struct Round<'r> {
    pub(super) checker: &'r Checker<'r>,
    pub(super) report: &'r mut CheckReport,
    pub(super) output: &'r mut Output,
    pub(super) watch: &'r Watch,
    pub(super) sample: Sample,
    pub(super) which: Which,
}

impl Round<'_> {
    /// Reports a target of the command line.
    pub(super) fn target(&mut self, target: TargetReport, started: Instant) -> Result<(), Failure> {
        self.watch.clear();
        self.report.target(target, started.elapsed(), self.output)
    }
}

/// A site that is being looked at.
pub(super) struct Survey<'s, 'r> {
    round: &'s mut Round<'r>,
    /// What is wrong about the files among each other.
    pub(super) site: TargetReport,
    pub(super) facts: SiteFacts,
    now: Timestamp,
    started: Instant,
    /// How often hosts have failed, since they last did not.
    failures: HashMap<String, u32>,
}

/// What came of looking at a file.
enum Look {
    Seen(Box<Seen>),
    Absent(String),
    Elsewhere,
    Failed,
}

enum Found {
    Here(Here),
    Not(Look),
}

struct Seen {
    here: Here,
    report: TargetReport,
    named: Named,
    started: Instant,
}

impl<'s, 'r> Survey<'s, 'r> {
    pub(super) fn new(name: String, round: &'s mut Round<'r>) -> Self {
        Self {
            round,
            site: TargetReport::new(name),
            facts: SiteFacts::default(),
            now: Timestamp::from(SystemTime::now()),
            started: Instant::now(),
            failures: HashMap::new(),
        }
    }

    /// Says what came of it all.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.facts.files_not_ok = self.site.wrong_parts();
        self.site.facts(Facts::Site(Box::new(self.facts)));
        self.round.target(self.site, self.started)
    }

    /// Gets a file and reads it.
    fn look(
        &mut self,
        url: &Url,
        wanted: Wanted,
        thorough: Thorough,
        place: &mut dyn Place,
    ) -> Result<Look, Failure> {
        let started = Instant::now();
        let here = match self.get(url, wanted, place)? {
            Found::Here(here) => here,
            Found::Not(look) => return Ok(look),
        };
        let known = Known {
            url: self.known_url(url),
            format: wanted.format(),
        };
        let seen = self.read(here, known, thorough, place, started);
        Ok(Look::Seen(Box::new(seen)))
    }

    /// Looks at a place where a file may be. Many websites answer any path with a page, so there only
    /// what has the format counts.
    fn guess(
        &mut self,
        url: &Url,
        wanted: Wanted,
        format: Format,
        place: &mut dyn Place,
    ) -> Result<Option<Box<Seen>>, Failure> {
        let started = Instant::now();
        let Found::Here(here) = self.get(url, wanted, place)? else {
            return Ok(None);
        };
        let found = here.open().and_then(|mut file| recognize(&mut file));
        if !self.facts.folder && !found.is_ok_and(|found| found.format == format) {
            return Ok(None);
        }
        let known = Known {
            url: self.known_url(url),
            format: Some(format),
        };
        let seen = self.read(here, known, Thorough::Yes, place, started);
        Ok(Some(Box::new(seen)))
    }

    /// Gets a file, unless its host has failed too often. What cannot be had is reported.
    fn get(&mut self, url: &Url, wanted: Wanted, place: &mut dyn Place) -> Result<Found, Failure> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let failures = self.failures.get(&host).copied().unwrap_or_default();
        if failures >= FAILURES {
            return Ok(Found::Not(Look::Failed));
        }
        let started = Instant::now();
        self.looking(url.as_str());
        Ok(match place.get(url, wanted) {
            Got::Here(here) => {
                self.failures.remove(&host);
                Found::Here(here)
            }
            Got::Absent(why) => Found::Not(Look::Absent(why)),
            Got::Elsewhere => Found::Not(Look::Elsewhere),
            Got::Failed(trouble) => {
                let mut report = TargetReport::new(url.as_str());
                report.cannot_have(trouble.code, &trouble.failure);
                self.add(report, Shown::Always, started)?;
                let failures = failures + u32::from(trouble.unreachable);
                if failures == FAILURES {
                    let message = format!(
                        "`{host}` failed {FAILURES} times in a row; nothing more was asked of it"
                    );
                    self.site.finding_between("given-up", url.as_str(), message);
                }
                self.failures.insert(host, failures);
                Found::Not(Look::Failed)
            }
        })
    }

    fn read(
        &mut self,
        here: Here,
        known: Known<'_>,
        thorough: Thorough,
        place: &mut dyn Place,
        started: Instant,
    ) -> Seen {
        let mut report = TargetReport::new(here.name.as_str());
        let named = match here.open() {
            Ok(file) => self.round.checker.check(Box::new(file), known, &mut report),
            Err(error) => {
                report.io_error(&error);
                Named::default()
            }
        };
        place.judge(&here, thorough, &mut report);
        Seen {
            here,
            report,
            named,
            started,
        }
    }

    /// Where a file is on the web. What is relative in it leads nowhere if that is not known.
    fn known_url<'u>(&self, url: &'u Url) -> Option<&'u Url> {
        self.facts.base_url.as_ref().map(|_| url)
    }

    /// How files are read.
    pub(super) fn checker(&self) -> &Checker<'r> {
        self.round.checker
    }

    /// Says which file it is about.
    pub(super) fn looking(&self, name: &str) {
        match self.facts.folder {
            true => self.round.watch.looking(name),
            false => self.round.watch.fetching(name),
        }
    }

    fn done(&mut self, seen: Seen, shown: Shown) -> Result<(), Failure> {
        self.add(seen.report, shown, seen.started)
    }

    /// Reports a file of the site.
    pub(super) fn add(
        &mut self,
        report: TargetReport,
        shown: Shown,
        started: Instant,
    ) -> Result<(), Failure> {
        self.facts.files += 1;
        self.site.include(&report, self.round.report.strict());
        self.round.watch.pause();
        let elapsed = started.elapsed();
        let output = &mut *self.round.output;
        self.round.report.part(report, shown, elapsed, output)
    }
}
