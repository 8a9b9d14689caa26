//! One site, from finding out what it offers to the last line of the report.

use std::path::Path;
use std::time::{Duration, Instant};

use sitecast_fetch::{Client, FetchError};
use sitecast_index::{Baseline, Index, Merge, OriginKind, SiteId, SiteState, Tally};
use sitecast_scp::{HttpUrl, Timestamp};
use url::Url;

use crate::collections::NOTE_OTHERWISE;
use crate::listing::Sitemaps;
use crate::progress::{Doing, Progress};
use crate::scope::Scope;
use crate::scratch::Scratch;
use crate::{Crawling, Options, SiteReport, SyncError};

/// Sites of up to so many pages may lose all of them at once.
const GUARDED_FROM: u64 = 20;

/// Syncs sites into an index.
#[derive(Clone, Copy)]
pub struct Syncer<'s> {
    /// What fetches.
    pub client: &'s Client,
    /// Where pages go.
    pub index: &'s dyn Index,
    /// A folder for downloads on their way, and for sitemaps to compare with. It stays from run to run;
    /// deleting it costs only bytes.
    pub scratch: &'s Path,
    /// What to take, and how.
    pub options: &'s Options,
    /// What time it is.
    pub now: Timestamp,
    /// Told how far it has come.
    pub progress: &'s dyn Progress,
}

/// What is known while a site is synced.
pub(crate) struct SiteRun<'s> {
    pub(crate) client: Client,
    pub(crate) index: &'s dyn Index,
    pub(crate) options: &'s Options,
    /// When the sync of this site began.
    pub(crate) now: Timestamp,
    begun: Instant,
    pub(crate) progress: &'s dyn Progress,
    pub(crate) site: SiteId,
    pub(crate) scope: Scope,
    pub(crate) scratch: Scratch,
    pub(crate) state: SiteState,
    /// Whether nothing was ever known of it.
    pub(crate) is_new: bool,
    pub(crate) report: SiteReport,
    /// Why the first page that could not be had could not be.
    pub(crate) refusal: Option<FetchError>,
    /// The pages that were here before this run.
    before: Baseline,
    /// How many of them this run has deleted.
    lost: u64,
    /// A JSON sitemap among those that robots.txt names.
    pub(crate) named_json_sitemap: Option<Url>,
    /// Whether pages are asked for their machine pages, and for a JSON sitemap: none was found otherwise.
    pub(crate) heeds_links: bool,
    /// Machine pages that were asked for.
    pub(crate) asked_pages: u64,
    /// How it is being synced now.
    way: OriginKind,
    /// What is to be remembered of this run.
    pub(crate) notes: Vec<(&'static str, Option<String>)>,
}

impl Syncer<'_> {
    /// Brings the copy of a site up to date.
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
        let result = run.go();
        self.progress.doing(site.as_str(), Doing::Done);
        let cost = run.client.cost();
        run.report.requests = cost.requests;
        run.report.bytes = cost.bytes;
        // Nobody was asked: it is our own refusal, and says nothing of the site.
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
            refusal: None,
            before: self.index.baseline(site)?,
            lost: 0,
            named_json_sitemap: None,
            heeds_links: false,
            asked_pages: 0,
            way: OriginKind::Scp,
            notes: Vec::new(),
        })
    }
}

impl SiteRun<'_> {
    fn go(&mut self) -> Result<(), SyncError> {
        self.doing(Doing::Looking);
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

    pub(crate) fn doing(&self, what: Doing<'_>) {
        self.progress.doing(self.site.as_str(), what);
    }

    /// Begins a merge whose losses are counted against what was here before the run.
    pub(crate) fn begin_merge(&self) -> Result<Box<dyn Merge>, SyncError> {
        let mut merge = self.index.begin(&self.site)?;
        merge.count_losses_from(self.before);
        Ok(merge)
    }

    /// Keeps what is to be kept of a site, and commits, unless too much of it would go.
    pub(crate) fn commit(&mut self, mut merge: Box<dyn Merge>) -> Result<Tally, SyncError> {
        let lost = self.lost + merge.tally()?.lost;
        self.guard(lost)?;
        if let Some(oldest) = self.oldest() {
            let old = merge.delete_older(oldest)?;
            if old > 0 {
                self.report
                    .warn(format!("{old} pages are older than what is to be kept"));
            }
        }
        let over = merge.shrink_to(&self.options.quota)?;
        if over > 0 {
            self.report.warn(format!(
                "{over} pages are over what is to be kept of a site"
            ));
        }
        if self.way != OriginKind::Scp {
            // What is here is no longer what the collections say: they begin anew when they are next followed.
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

    /// Refuses to delete more than half of the pages that were here before the run, in however many steps.
    /// Pages that came during the run do not count, neither as deleted nor as what was there.
    fn guard(&self, deletions: u64) -> Result<(), SyncError> {
        let pages = self.before.pages;
        if !self.options.allow_deletions && pages > GUARDED_FROM && deletions > pages / 2 {
            return Err(SyncError::MassDeletion { deletions, pages });
        }
        Ok(())
    }

    /// Pages modified before this are not kept.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        let retention = self.options.retention?;
        before(self.now, retention)
    }

    /// Writes down how it went.
    fn record(&mut self, error: Option<&SyncError>) -> Result<(), SyncError> {
        let mut merge = self.index.begin(&self.site)?;
        let tally = merge.tally()?;
        if error.is_none() && matches!(self.report.way, Some(OriginKind::Scp | OriginKind::Tct)) {
            self.report.crawling = Some(Crawling {
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

/// A server can ask for years.
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
