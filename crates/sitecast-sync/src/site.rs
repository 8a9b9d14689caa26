//! The sync of one site: discovery, the kinds of source in order, and the report.

use std::path::Path;
use std::time::{Duration, Instant};

use sitecast_fetch::{Client, FetchError};
use sitecast_index::{Baseline, Index, Merge, OriginKind, SiteId, SiteState, Tally};
use sitecast_scp::{HttpUrl, Timestamp};
use url::Url;

use crate::collections::NOTE_OTHERWISE;
use crate::listing::Sitemaps;
use crate::progress::{Activity, Progress};
use crate::report::counted;
use crate::scope::Scope;
use crate::scratch::Scratch;
use crate::{CrawlCost, Options, SiteReport, SyncError};

/// The deletion guard ignores sites of up to this many pages.
const MAX_UNGUARDED: u64 = 20;

/// Syncs sites into an index.
#[derive(Clone, Copy)]
pub struct Syncer<'s> {
    /// The HTTP client.
    pub client: &'s Client,
    /// The index to merge pages into.
    pub index: &'s dyn Index,
    /// A folder for unfinished downloads and cached sitemaps, which stays from visit to visit. Deleting it
    /// costs only bytes.
    pub scratch: &'s Path,
    /// The settings.
    pub options: &'s Options,
    /// The current time.
    pub now: Timestamp,
    /// The receiver of progress.
    pub progress: &'s dyn Progress,
}

/// The state of one visit.
pub(crate) struct SiteRun<'s> {
    pub(crate) client: Client,
    pub(crate) index: &'s dyn Index,
    pub(crate) options: &'s Options,
    /// When this visit began.
    pub(crate) now: Timestamp,
    begun: Instant,
    pub(crate) progress: &'s dyn Progress,
    pub(crate) site: SiteId,
    pub(crate) scope: Scope,
    pub(crate) scratch: Scratch,
    pub(crate) state: SiteState,
    /// True if the index has no state of the site.
    pub(crate) is_new: bool,
    pub(crate) report: SiteReport,
    /// The error of the first page that could not be fetched.
    pub(crate) first_failure: Option<FetchError>,
    /// The pages that the index had before this visit.
    baseline: Baseline,
    /// The number of those pages that this visit has deleted.
    lost: u64,
    /// A JSON sitemap that robots.txt names.
    pub(crate) named_json_sitemap: Option<Url>,
    /// Follow the links of HTML pages to machine pages and JSON sitemaps. Set if no JSON sitemap was found.
    pub(crate) follows_alternates: bool,
    /// The number of machine pages that this visit has requested.
    pub(crate) asked_pages: u64,
    /// The kind of source that is being tried.
    way: OriginKind,
    /// Changes to the notes of the site's state, which are committed at the end; `None` removes a note.
    pub(crate) notes: Vec<(&'static str, Option<String>)>,
}

impl Syncer<'_> {
    /// Updates the copy of a site, and records the result in its state.
    pub fn sync(&self, url: &HttpUrl) -> SiteReport {
        let site = SiteId::new(url);
        let failed = |error| SiteReport {
            error: Some(error),
            ..SiteReport::new(site.as_str())
        };
        let mut run = match self.begin(&site) {
            Ok(run) => run,
            Err(error) => return failed(error),
        };
        let result = run.run();
        self.progress.activity(site.as_str(), Activity::Done);
        let cost = run.client.cost();
        run.report.requests = cost.requests;
        run.report.bytes = cost.bytes;
        // Without a request, the failure is local and says nothing about the site.
        let recorded = if run.is_new && cost.requests == 0 && result.is_err() {
            Ok(())
        } else {
            run.record(result.as_ref().err())
        };
        let is_up_to_date = result.is_ok() && run.report.way == Some(OriginKind::Scp);
        run.report.error = result.err().or(recorded.err());
        run.scratch.tidy(is_up_to_date);
        run.report
    }

    pub(crate) fn begin(&self, site: &SiteId) -> Result<SiteRun<'_>, SyncError> {
        let root = Url::parse(site.as_str()).map_err(|_| FetchError::NotHttp {
            url: site.to_string(),
        })?;
        let scratch = Scratch::open(self.scratch, site, self.options.quota.bytes)?;
        let state = self.index.state(site)?;
        let is_new = state.is_none();
        let state = state.unwrap_or_default();
        if let Some(until) = state.next_allowed.filter(|until| *until > self.now) {
            return Err(SyncError::Later {
                site: site.to_string(),
                until,
            });
        }
        Ok(SiteRun {
            client: self.client.for_visit(),
            index: self.index,
            options: self.options,
            now: self.now,
            begun: Instant::now(),
            progress: self.progress,
            site: site.clone(),
            scope: Scope::new(&root),
            scratch,
            state,
            is_new,
            report: SiteReport::new(site.as_str()),
            first_failure: None,
            baseline: self.index.baseline(site)?,
            lost: 0,
            named_json_sitemap: None,
            follows_alternates: false,
            asked_pages: 0,
            way: OriginKind::Scp,
            notes: Vec::new(),
        })
    }
}

impl SiteRun<'_> {
    fn run(&mut self) -> Result<(), SyncError> {
        self.activity(Activity::Discovering);
        let found = self.discover()?;
        if let Some(other) = self.scope.copy_of(&found.scp) {
            let listed = self.listing(&found, Sitemaps::Here)?;
            if listed.pages == 0 && listed.elsewhere > 0 {
                let site = self.site.to_string();
                return Err(SyncError::CopyOf { site, other });
            }
        }
        let mut first = None;
        for way in self.options.ways() {
            self.way = way;
            let result = match way {
                OriginKind::Scp => self.sync_collections(&found).map(|()| way),
                OriginKind::Tct => self.sync_machine_pages(),
                OriginKind::Html => self.sync_html(&found),
            };
            match result {
                Ok(way) => {
                    self.report.way = Some(way);
                    return Ok(());
                }
                Err(SyncError::NotOffered(_)) => {}
                Err(error @ SyncError::NoPage(_)) => {
                    first.get_or_insert(error);
                }
                Err(error) if error.allows_another_way() => {
                    self.report
                        .warn(format!("{} failed, trying another way: {error}", name(way)));
                    first.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        Err(first.unwrap_or(SyncError::NotOffered("pages that could be found")))
    }

    pub(crate) fn activity(&self, what: Activity<'_>) {
        self.progress.activity(self.site.as_str(), what);
    }

    /// Begins a merge that counts losses against the pages from before this visit.
    pub(crate) fn begin_merge(&self) -> Result<Box<dyn Merge>, SyncError> {
        let mut merge = self.index.begin(&self.site)?;
        merge.count_losses_from(self.baseline);
        Ok(merge)
    }

    /// Applies the deletion guard, the retention period and the quota, and commits.
    pub(crate) fn commit(&mut self, mut merge: Box<dyn Merge>) -> Result<Tally, SyncError> {
        let lost = self.lost + merge.tally()?.lost;
        self.check_deletions(lost)?;
        if let Some(oldest) = self.oldest() {
            let old = merge.delete_older(oldest)?;
            if old > 0 {
                self.report.warn(format!(
                    "{} deleted: last modified before the retention period",
                    counted(old, "page")
                ));
            }
        }
        let over = merge.shrink_to(&self.options.quota)?;
        if over > 0 {
            self.report.warn(format!(
                "{} deleted: the site is over its quota",
                counted(over, "page")
            ));
        }
        if self.way != OriginKind::Scp {
            // The pages are no longer those of the collections. Without a position, the next sync by collections
            // starts from a snapshot.
            let state = merge.state_mut();
            state.sections.clear();
            let now = self.now.to_string();
            state.notes.insert(NOTE_OTHERWISE.to_owned(), now);
        }
        let tally = merge.commit()?;
        self.lost = lost;
        self.report.add(&tally);
        Ok(tally)
    }

    /// Fails if this visit deletes more than half of the pages from before it, over all its merges. Pages that were
    /// added during the visit count neither as deleted nor as pages of the site.
    fn check_deletions(&self, deletions: u64) -> Result<(), SyncError> {
        let pages = self.baseline.pages;
        if !self.options.allow_deletions && pages > MAX_UNGUARDED && deletions > pages / 2 {
            return Err(SyncError::MassDeletion { deletions, pages });
        }
        Ok(())
    }

    /// Returns the start of the retention period.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        let retention = self.options.retention?;
        before(self.now, retention)
    }

    /// Records the result of the visit in the site's state.
    fn record(&mut self, error: Option<&SyncError>) -> Result<(), SyncError> {
        let mut merge = self.index.begin(&self.site)?;
        let tally = merge.tally()?;
        if error.is_none() && matches!(self.report.way, Some(OriginKind::Scp | OriginKind::Tct)) {
            self.report.crawling = Some(CrawlCost {
                requests: tally.pages,
                bytes: None,
            });
        }
        let ended = after(self.now, self.begun.elapsed()).unwrap_or(self.now);
        let report = &self.report;
        let state = merge.state_mut();
        state.last_attempt = Some(ended);
        state.traffic.requests += report.requests;
        state.traffic.bytes_down += report.bytes;
        if let Some(bytes) = report.crawling.and_then(|crawling| crawling.bytes) {
            state.traffic.bytes_saved += bytes.saturating_sub(report.bytes);
        }
        for (name, value) in self.notes.drain(..) {
            match value {
                Some(value) => state.notes.insert(name.to_owned(), value),
                None => state.notes.remove(name),
            };
        }
        state.next_allowed = None;
        match error {
            None => {
                state.last_success = Some(ended);
                state.strategy = report.way;
                state.failures = Default::default();
            }
            Some(error) => {
                state.failures.count += 1;
                state.failures.at = Some(ended);
                state.failures.message = Some(error.to_string());
                if let SyncError::Fetch(error) = error
                    && let Some(wait) = error.wait()
                {
                    state.next_allowed = after(ended, wait.min(LONGEST_PAUSE));
                }
            }
        }
        let tally = merge.commit()?;
        self.report.pages.total = tally.pages;
        Ok(())
    }
}

/// The longest pause that a server can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3600);

fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX)
}

pub(crate) fn before(time: Timestamp, duration: Duration) -> Option<Timestamp> {
    Timestamp::from_unix_seconds(time.unix_seconds().saturating_sub(seconds(duration)))
}

pub(crate) fn after(time: Timestamp, duration: Duration) -> Option<Timestamp> {
    Timestamp::from_unix_seconds(time.unix_seconds().saturating_add(seconds(duration)))
}

fn name(way: OriginKind) -> &'static str {
    match way {
        OriginKind::Scp => "syncing collections",
        OriginKind::Tct => "syncing machine pages",
        OriginKind::Html => "syncing HTML",
    }
}
