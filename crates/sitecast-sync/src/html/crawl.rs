//! The crawl: fetches pages on one thread, and extracts them on all cores.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sitecast_extract::Extractor;
use sitecast_fetch::{FetchError, Request, Validators};
use sitecast_sitemap::MAX_LOCATION;
use sitecast_tct::find_links;
use url::Url;

use super::extraction::{Job, Outcome, extract};
use super::frontier::{Frontier, Next, SeenState};
use super::{NOTE_LINKS, Reach, UNFINISHED, is_unchanged};
use crate::SyncError;
use crate::batch::Batch;
use crate::machine_pages::JSON;
use crate::progress::Activity;
use crate::report::counted;
use crate::site::SiteRun;

/// The visit ends after this many consecutive failures.
const FAILURES: u32 = 5;
/// The most bytes of HTML that wait for extraction.
const WAITING_BYTES: usize = 32 << 20;
/// The most pages that wait for extraction.
const WAITING: usize = 64;

const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";

impl SiteRun<'_> {
    /// Fetches the pages of the frontier, including those that are added during the crawl.
    pub(super) fn crawl(&mut self, frontier: &mut Frontier) -> Result<(), SyncError> {
        let workers = thread::available_parallelism().map_or(1, |cores| cores.get());
        let follow = frontier.reach == Reach::Links;
        let extractor = &Extractor {
            limits: self.options.extract_limits.clone(),
            comments: self.options.comments,
            ..Extractor::default()
        };
        let blocks = self.options.scp_limits.page_blocks;
        let own = self.scope.clone();
        let (jobs, waiting) = sync_channel::<Job>(WAITING);
        let waiting = Mutex::new(waiting);
        let (done, outcomes) = channel::<Outcome>();
        thread::scope(|scope| {
            for _ in 0..workers {
                let (waiting, done, own) = (&waiting, done.clone(), &own);
                scope.spawn(move || {
                    while let Some(job) = next_job(waiting) {
                        let follow = follow.then_some(own);
                        if done.send(extract(job, extractor, blocks, follow)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(done);
            let mut batch = Batch::default();
            if follow {
                // If the process is killed, the links of its pages are lost: conditional requests would not return
                // them again.
                batch.note = Some((NOTE_LINKS, UNFINISHED));
            }
            let result = self.fetch_all(frontier, jobs, &outcomes, &mut batch);
            // Merges the pages that were fetched before an error, too.
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
            let over = frontier.stopped || frontier.json_sitemap.is_some() || frontier.is_empty();
            while let Some(outcome) = if full || over && in_flight.0 > 0 {
                outcomes.recv().ok()
            } else {
                outcomes.try_recv().ok()
            } {
                in_flight.0 -= 1;
                in_flight.1 = in_flight.1.saturating_sub(outcome.bytes);
                self.handle_outcome(outcome, frontier, batch)?;
                if in_flight.0 == 0 || full {
                    break;
                }
            }
            if !over && frontier.pages >= self.options.html_pages {
                self.report.warn(format!(
                    "stopped after {}, the most in one run: the next run goes on with the others",
                    counted(frontier.pages, "page")
                ));
                frontier.deletions.complete = false;
                frontier.stopped = true;
            }
            let next = if frontier.stopped || frontier.json_sitemap.is_some() {
                None
            } else {
                frontier.next()?
            };
            let Some(next) = next else {
                if in_flight.0 > 0 {
                    continue;
                }
                return Ok(());
            };
            self.activity(Activity::Pages {
                pages: frontier.pages,
            });
            match self.fetch_page(&next, frontier) {
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
                    if error.ends_visit() || error.is_unreachable() && in_a_row >= FAILURES {
                        return Err(error.into());
                    }
                    self.first_failure.get_or_insert_with(|| error.clone());
                    if !matches!(error, FetchError::Disallowed { .. }) {
                        self.report.failed_pages += 1;
                        frontier.named.push(&next.url)?;
                    }
                    self.report.warn(error.to_string());
                }
                Err(error) => return Err(error),
            }
            self.flush_if_due(batch)?;
        }
    }

    /// Requests a page, unless it is known to be unchanged.
    fn fetch_page(
        &mut self,
        next: &Next,
        frontier: &mut Frontier,
    ) -> Result<Option<Job>, SyncError> {
        let Next { url, lastmod, .. } = next;
        if next.is_link && frontier.logins.is_known_login(url) {
            return Ok(None);
        }
        let facts = self.index.facts(&self.site, url)?;
        if next.is_link && frontier.known_rotates && facts.is_some() {
            // The queue of known pages reaches it in this visit or a later one.
            return Ok(None);
        }
        frontier.dated &= lastmod.is_some();
        if is_unchanged(facts.as_ref(), *lastmod) {
            self.report.pages.unchanged += 1;
            frontier.good += 1;
            frontier.named.push(url)?;
            return Ok(None);
        }
        let Ok(place) = Url::parse(url) else {
            return Ok(None);
        };
        let known = match &facts {
            Some(_) if frontier.conditional => {
                self.index.validators(&self.site, url)?.unwrap_or_default()
            }
            _ => Default::default(),
        };
        let request = Request::new(place, self.options.html_bytes)
            .accept(ACCEPT)
            .unless_matches(Validators {
                etag: known.etag,
                last_modified: known.last_modified,
            });
        let before = self.client.cost();
        let response = self.client.get(&request);
        let cost = self.client.cost();
        frontier.bytes += cost.bytes - before.bytes;
        // Failed requests count, too. No request is sent for a page that robots.txt disallows.
        frontier.pages += u64::from(cost.requests > before.requests);
        let response = response?;
        let head = response.head.clone();
        match head.status {
            200 => {}
            304 => {
                self.report.pages.unchanged += 1;
                frontier.good += 1;
                frontier.named.push(url)?;
                return Ok(None);
            }
            status @ (404 | 410) => {
                self.first_failure
                    .get_or_insert_with(|| FetchError::Status {
                        url: url.to_owned(),
                        status,
                        wait: None,
                    });
                if facts.is_some() {
                    frontier.deletions.add(url.to_owned());
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
                frontier.deletions.add(url.to_owned());
            }
            // The target may be seen already, or be of another site.
            if !self.scope.has(&head.url)
                || head.url.as_str().len() > MAX_LOCATION
                || frontier.seen.insert(head.url.as_str()) == SeenState::Before
            {
                return Ok(None);
            }
            place = head.url.to_string();
        }
        if frontier.follows_alternates {
            let named = find_links(head.links(), &head.url, "index", Some(JSON));
            frontier.json_sitemap = named.into_iter().find(|url| self.scope.has_host(url));
        }
        let body = response.decoded(self.options.html_bytes)?;
        self.progress.html(&place, &head, &body);
        Ok(Some(Job {
            url: place,
            head,
            body,
            seen: self.now,
        }))
    }
}

fn next_job(waiting: &Mutex<Receiver<Job>>) -> Option<Job> {
    let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    waiting.recv().ok()
}
