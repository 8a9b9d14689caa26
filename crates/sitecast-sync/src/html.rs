//! Syncing by HTML: sitemaps or links say which pages there are, and what did not change is not asked
//! for, not sent again, or found to say the same.
//!
//! One thread fetches, as one connection to a host allows; extraction is on all cores beside it.

mod alternate;
mod extraction;
mod links;

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sitecast_fetch::{FetchError, Request, Validators};
use sitecast_index::{Filter, Origin, OriginKind, PageFacts};
use sitecast_scp::{Page, Timestamp};
use sitecast_sitemap::{Date, Precision};
use sitecast_tct::{find_links, fingerprint, page_text};
use url::Url;

use crate::SyncError;
use crate::batch::{Batch, Fresh, Roll};
use crate::discover::Found;
use crate::machine_pages::{JSON, NOTE_NONE};
use crate::progress::Doing;
use crate::report::Crawling;
use crate::site::SiteRun;
use alternate::MachinePages;
use extraction::{Job, Outcome, Verdict, extract};

/// Of which sitemaps every page was looked at, and none needs to be while they stay as they are. By their
/// hash: a run that was killed after it had fetched newer ones must not be the last to look at them.
const NOTE_COMPLETE: &str = "html-taken";
/// A site that fails so often in a row is left alone.
const FAILURES: u32 = 5;
/// Bytes of HTML that may wait to be extracted.
const WAITING_BYTES: usize = 32 << 20;
const WAITING: usize = 64;

const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";

/// What to do with the pages that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// These and no others.
    Listed,
    /// Those they link to as well.
    Links,
}

/// Pages to fetch.
struct Frontier {
    queue: VecDeque<(String, Option<Date>)>,
    /// All that were ever in the queue, in the spelling of their URLs.
    seen: HashSet<String>,
    reach: Reach,
    /// Pages that are still there as far as is known.
    named: Vec<String>,
    roll: Roll,
    bytes: u64,
    pages: u64,
    /// Pages that could be had, or are as they were.
    good: u64,
    /// Whether all pages that were looked at say in the sitemap when they changed.
    dated: bool,
    /// Whether to look at what pages link to for machines.
    heeds_links: bool,
    /// The JSON sitemap that a page names: there is a better way than this.
    json_sitemap: Option<Url>,
    machine_pages: MachinePages,
}

impl Frontier {
    fn new(reach: Reach) -> Self {
        Self {
            queue: VecDeque::new(),
            seen: HashSet::new(),
            reach,
            named: Vec::new(),
            roll: Roll::default(),
            bytes: 0,
            pages: 0,
            good: 0,
            dated: true,
            heeds_links: false,
            json_sitemap: None,
            machine_pages: MachinePages::Untried,
        }
    }

    fn add(&mut self, url: &str, lastmod: Option<Date>) {
        let Ok(mut parsed) = Url::parse(url) else {
            return;
        };
        parsed.set_fragment(None);
        if self.seen.insert(parsed.to_string()) {
            self.queue.push_back((url.to_owned(), lastmod));
        }
    }
}

impl SiteRun<'_> {
    /// Answers how the site was synced in the end: its pages may name a JSON sitemap.
    pub(crate) fn sync_html(&mut self, found: &Found) -> Result<OriginKind, SyncError> {
        let listed = self.listed_pages(found)?;
        if self.state.notes.get(NOTE_COMPLETE) == Some(&listed.hash)
            && !listed.pages.is_empty()
            && self.state.strategy == Some(OriginKind::Html)
        {
            return Ok(OriginKind::Html);
        }
        let reach = if listed.pages.is_empty() {
            Reach::Links
        } else {
            Reach::Listed
        };
        let mut frontier = Frontier::new(reach);
        frontier.roll.complete = listed.complete;
        for (url, lastmod) in listed.pages {
            frontier.add(&url, lastmod);
        }
        if reach == Reach::Links {
            let root = self.scope.root().clone();
            frontier.add(root.as_str(), None);
            self.add_known(&mut frontier)?;
            // What nothing leads to any more may well be there: only who says so is gone.
            frontier.roll.complete = false;
        }
        let failed_before = self.report.failed_pages;
        frontier.heeds_links = self.heeds_links;
        self.crawl(&mut frontier)?;
        if let Some(place) = frontier.json_sitemap.take() {
            match self.sync_listed(&place) {
                Ok(()) => {
                    self.notes.push((NOTE_NONE, None));
                    return Ok(OriginKind::Tct);
                }
                Err(error) if error.allows_another_way() => {
                    self.report.warn(error.to_string());
                    frontier.heeds_links = false;
                    self.crawl(&mut frontier)?;
                }
                Err(error) => return Err(error),
            }
        }
        let failed = self.report.failed_pages - failed_before;
        // What could not be looked at may well be there.
        frontier.roll.complete &= failed == 0;
        // A site on which nothing works is not one whose pages are all gone.
        if frontier.good == 0 {
            return Err(SyncError::NotOffered("page that could be fetched"));
        }
        let roll = std::mem::take(&mut frontier.roll);
        let named = std::mem::take(&mut frontier.named);
        self.close(Origin::Html, &roll, &mut |keep| {
            named.iter().try_for_each(|url| keep(url))
        })?;
        let stays = reach == Reach::Listed && frontier.dated && roll.complete;
        self.notes
            .push((NOTE_COMPLETE, stays.then_some(listed.hash)));
        if frontier.bytes > 0 {
            self.report.crawling = Some(Crawling {
                requests: frontier.pages,
                bytes: frontier.bytes,
                estimated: false,
            });
        }
        Ok(OriginKind::Html)
    }

    /// Adds the pages that are here: one that is as it was comes without its body, and so without the links that
    /// led to them.
    fn add_known(&self, frontier: &mut Frontier) -> Result<(), SyncError> {
        let filter = Filter {
            site: Some(self.site.clone()),
            ..Filter::default()
        };
        let mut known = self.index.pages(&filter)?;
        let most = usize::try_from(self.options.html_pages).unwrap_or(usize::MAX);
        while frontier.queue.len() < most
            && let Some(page) = known.next_page()?
        {
            frontier.add(&page.url, None);
        }
        Ok(())
    }

    /// Fetches some pages as HTML, which could not be had in a better way.
    pub(crate) fn fetch_instead(&mut self, pages: Vec<String>) -> Result<(), SyncError> {
        let pages: Vec<String> = pages
            .into_iter()
            .filter(|url| self.scope.has_text(url))
            .collect();
        if pages.is_empty() {
            return Ok(());
        }
        self.report
            .warn(format!("{} pages are fetched as HTML instead", pages.len()));
        let mut frontier = Frontier::new(Reach::Listed);
        for url in &pages {
            frontier.add(url, None);
        }
        self.crawl(&mut frontier)
    }

    fn crawl(&mut self, frontier: &mut Frontier) -> Result<(), SyncError> {
        let workers = thread::available_parallelism().map_or(1, |cores| cores.get());
        let follow = frontier.reach == Reach::Links;
        let limits = self.options.extract_limits.clone();
        let blocks = self.options.scp_limits.page_blocks;
        let (jobs, waiting) = sync_channel::<Job>(WAITING);
        let waiting = Mutex::new(waiting);
        let (done, outcomes) = channel::<Outcome>();
        thread::scope(|scope| {
            for _ in 0..workers {
                let (waiting, done, limits) = (&waiting, done.clone(), &limits);
                scope.spawn(move || {
                    while let Some(job) = next_job(waiting) {
                        if done.send(extract(job, limits, blocks, follow)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(done);
            let mut batch = Batch::default();
            let result = self.fetch_all(frontier, jobs, &outcomes, &mut batch);
            // Also after an error: what was fetched was fetched.
            let flushed = self.flush(&mut batch);
            result.and(flushed)
        })
    }

    fn fetch_all(
        &mut self,
        frontier: &mut Frontier,
        jobs: SyncSender<Job>,
        outcomes: &Receiver<Outcome>,
        batch: &mut Batch,
    ) -> Result<(), SyncError> {
        let mut in_flight = (0usize, 0usize);
        let mut in_a_row = 0;
        loop {
            let full = in_flight.0 >= WAITING || in_flight.1 >= WAITING_BYTES;
            let over = frontier.queue.is_empty() || frontier.json_sitemap.is_some();
            while let Some(outcome) = if full || over && in_flight.0 > 0 {
                outcomes.recv().ok()
            } else {
                outcomes.try_recv().ok()
            } {
                in_flight.0 -= 1;
                in_flight.1 = in_flight.1.saturating_sub(outcome.bytes);
                self.take(outcome, frontier, batch)?;
                if in_flight.0 == 0 || full {
                    break;
                }
            }
            let next = match &frontier.json_sitemap {
                None => frontier.queue.pop_front(),
                Some(_) => None,
            };
            let Some((url, lastmod)) = next else {
                if in_flight.0 > 0 {
                    continue;
                }
                return Ok(());
            };
            if frontier.pages >= self.options.html_pages {
                self.report.warn(format!(
                    "stopped after {} pages, the most that are fetched in one run",
                    frontier.pages
                ));
                frontier.roll.complete = false;
                frontier.queue.clear();
                continue;
            }
            self.doing(Doing::Pages {
                pages: frontier.pages,
            });
            match self.fetch_page(&url, lastmod, frontier) {
                Ok(None) => in_a_row = 0,
                Ok(Some(job)) => {
                    in_a_row = 0;
                    in_flight.0 += 1;
                    in_flight.1 += job.body.len();
                    if jobs.send(job).is_err() {
                        return Ok(());
                    }
                }
                Err(SyncError::Fetch(error)) => {
                    in_a_row += 1;
                    if error.asks_to_wait() || error.is_unreachable() && in_a_row >= FAILURES {
                        return Err(error.into());
                    }
                    if !matches!(error, FetchError::Disallowed { .. }) {
                        self.report.failed_pages += 1;
                        frontier.named.push(url);
                    }
                    self.report.warn(error.to_string());
                }
                Err(error) => return Err(error),
            }
            self.settle(batch)?;
        }
    }

    /// Asks for a page, unless it is known to be as it was.
    fn fetch_page(
        &mut self,
        url: &str,
        lastmod: Option<Date>,
        frontier: &mut Frontier,
    ) -> Result<Option<Job>, SyncError> {
        let facts = self.index.facts(&self.site, url)?;
        frontier.dated &= lastmod.is_some();
        if is_as_it_was(facts.as_ref(), lastmod) {
            self.report.pages.unchanged += 1;
            frontier.good += 1;
            frontier.named.push(url.to_owned());
            return Ok(None);
        }
        let Ok(place) = Url::parse(url) else {
            return Ok(None);
        };
        let known = match &facts {
            Some(_) => self.index.validators(&self.site, url)?.unwrap_or_default(),
            None => Default::default(),
        };
        let request = Request::new(place, self.options.html_bytes)
            .accept(ACCEPT)
            .unless(Validators {
                etag: known.etag,
                last_modified: known.last_modified,
            });
        let before = self.client.cost().bytes;
        let response = self.client.get(&request)?;
        frontier.bytes += self.client.cost().bytes - before;
        frontier.pages += 1;
        let head = response.head.clone();
        match head.status {
            200 => {}
            304 => {
                self.report.pages.unchanged += 1;
                frontier.good += 1;
                frontier.named.push(url.to_owned());
                return Ok(None);
            }
            404 | 410 => {
                if facts.is_some() {
                    frontier.roll.gone.push(url.to_owned());
                }
                return Ok(None);
            }
            status => {
                return Err(FetchError::Status {
                    url: url.to_owned(),
                    status,
                    wait: None,
                }
                .into());
            }
        }
        let mut place = url.to_owned();
        if head.redirected {
            if facts.is_some() {
                frontier.roll.gone.push(url.to_owned());
            }
            // Where it leads to may have been looked at, or be another's.
            if !self.scope.has(&head.url) || !frontier.seen.insert(head.url.to_string()) {
                return Ok(None);
            }
            place = head.url.to_string();
        }
        if frontier.heeds_links {
            let named = find_links(head.links(), &head.url, "index", Some(JSON));
            frontier.json_sitemap = named.into_iter().find(|url| self.scope.has_host(url));
        }
        let body = response.decoded(self.options.html_bytes)?;
        Ok(Some(Job {
            url: place,
            head,
            body,
            seen: self.now,
        }))
    }

    /// Takes what became of a page.
    fn take(
        &mut self,
        outcome: Outcome,
        frontier: &mut Frontier,
        batch: &mut Batch,
    ) -> Result<(), SyncError> {
        for link in outcome.links {
            if frontier.reach == Reach::Links && self.scope.has(&link) {
                frontier.add(link.as_str(), None);
            }
        }
        let url = outcome.url;
        let facts = self.index.facts(&self.site, &url)?;
        let page = match outcome.verdict {
            Verdict::Page(page) => *page,
            Verdict::LeftOut(why) => {
                // It says so itself, so a copy from earlier goes.
                if facts.is_some() {
                    frontier.roll.gone.push(url.clone());
                }
                self.report.warn(format!("`{url}` is left out: {why}"));
                return Ok(());
            }
            Verdict::NotAPage => return Ok(()),
            Verdict::Canonical(canonical) => {
                if facts.is_some() {
                    frontier.roll.gone.push(url);
                }
                if self.scope.has(&canonical) {
                    frontier.add(canonical.as_str(), None);
                } else {
                    self.report.warn(format!(
                        "a page is left out: it says that it is a copy of `{canonical}`"
                    ));
                }
                return Ok(());
            }
        };
        frontier.good += 1;
        frontier.named.push(url.clone());
        // With the page, in one step: validators of something newer than what is here would keep it away.
        batch.remember(&url, outcome.validators.clone());
        if let Some(machine_page) = outcome.machine_page
            && self.take_machine_page(&url, &machine_page, frontier, batch)?
        {
            return Ok(());
        }
        let text = *fingerprint(&page_text(&page)).bytes();
        if self.says_the_same(&url, facts.as_ref(), text)? {
            self.report.pages.unchanged += 1;
            return Ok(());
        }
        let modified = moved_on(page.modified, facts.as_ref(), self.now);
        let page = Page { modified, ..page };
        let line =
            serde_json::to_string(&page).map_err(|error| FetchError::Setup(error.to_string()))?;
        let fresh = Fresh {
            url,
            line,
            modified,
            language: page.language.as_str().to_owned(),
            fingerprint: text,
            etag: outcome.validators.etag,
        };
        batch.put(Origin::Html, fresh);
        Ok(())
    }

    /// Whether the copy here has the same text.
    fn says_the_same(
        &self,
        url: &str,
        facts: Option<&PageFacts>,
        text: [u8; 32],
    ) -> Result<bool, SyncError> {
        let Some(facts) = facts else {
            return Ok(false);
        };
        if let Some(known) = facts.fingerprint {
            return Ok(known == text);
        }
        // Pages of collections come without; they are rarely asked for as HTML.
        let stored = self.index.page(&self.site, url)?;
        let limits = &self.options.scp_limits;
        let page = stored.and_then(|stored| Page::from_line(&stored.line, limits).ok());
        Ok(page.is_some_and(|(page, _)| *fingerprint(&page_text(&page)).bytes() == text))
    }
}

fn next_job(waiting: &Mutex<Receiver<Job>>) -> Option<Job> {
    let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.recv().ok()
}

/// Whether a page that the sitemap says changed last then is known to be what it was.
pub(crate) fn is_as_it_was(facts: Option<&PageFacts>, lastmod: Option<Date>) -> bool {
    match (facts, lastmod) {
        (Some(facts), Some(lastmod)) => is_before(lastmod, facts.fetched),
        _ => false,
    }
}

/// Whether something that changed last then has not changed since it was fetched. A day is not over
/// before its end.
fn is_before(lastmod: Date, fetched: Timestamp) -> bool {
    let ends = match lastmod.precision() {
        Precision::Year => 366 * 24 * 3600,
        Precision::Month => 31 * 24 * 3600,
        Precision::Day => 24 * 3600,
        Precision::Minute => 60,
        _ => 1,
    };
    lastmod.unix_seconds().saturating_add(ends) <= fetched.unix_seconds()
}

/// When a page with another text than before changed: as it says, if that is later than what we know
/// and not in the future, else now.
fn moved_on(stated: Timestamp, facts: Option<&PageFacts>, now: Timestamp) -> Timestamp {
    match facts {
        Some(facts) if stated <= facts.modified => now,
        _ => stated.min(now),
    }
}
