//! Several sites at once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use sitecast_scp::HttpUrl;
use url::Url;

use crate::site::after;
use crate::{Options, SiteReport, Syncer};

/// A site to be synced, and how.
#[derive(Debug, Clone, Copy)]
pub struct Job<'j> {
    /// Where the site begins.
    pub url: &'j HttpUrl,
    /// What to take from it.
    pub options: &'j Options,
}

impl Syncer<'_> {
    /// Syncs sites, so many at once. Reports come in the order of the sites.
    pub fn sync_all(&self, jobs: &[Job<'_>], at_once: usize) -> Vec<SiteReport> {
        let reports = Mutex::new(Vec::new());
        self.sync_each(jobs, at_once, &|at, report| {
            lock(&reports).push((at, report));
        });
        let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        reports.sort_by_key(|(at, _)| *at);
        reports.into_iter().map(|(_, report)| report).collect()
    }

    /// Syncs sites, so many at once, and one at a time of those on one host. `finished` gets the report of each
    /// as soon as it is done, with the number of the job, on the thread that did it.
    pub fn sync_each(
        &self,
        jobs: &[Job<'_>],
        at_once: usize,
        finished: &(dyn Fn(usize, SiteReport) + Sync),
    ) {
        let begun = Instant::now();
        let queue = Queue::new(jobs);
        thread::scope(|scope| {
            for _ in 0..at_once.clamp(1, jobs.len().max(1)) {
                scope.spawn(|| {
                    while let Some(claim) = queue.claim() {
                        let Some(job) = jobs.get(claim.at) else { break };
                        let syncer = Syncer {
                            options: job.options,
                            // The first sites may have taken minutes.
                            now: after(self.now, begun.elapsed()).unwrap_or(self.now),
                            ..*self
                        };
                        finished(claim.at, syncer.sync(job.url));
                    }
                });
            }
        });
    }
}

/// Sites that wait for their turn. Who claims one whose host is being visited would only wait for it.
struct Queue {
    waiting: Mutex<Waiting>,
    freed: Condvar,
}

struct Waiting {
    /// Numbers of jobs, with their hosts.
    jobs: VecDeque<(usize, String)>,
    busy: HashSet<String>,
}

/// A job that is being done. Its host is free again when this is dropped.
struct Claim<'q> {
    at: usize,
    host: String,
    queue: &'q Queue,
}

impl Queue {
    fn new(jobs: &[Job<'_>]) -> Self {
        let host = |job: &Job<'_>| {
            let url = Url::parse(job.url.as_str()).ok();
            let host = url.map(|url| url.origin().ascii_serialization());
            host.unwrap_or_default()
        };
        let jobs = jobs.iter().map(host).enumerate().collect();
        Self {
            waiting: Mutex::new(Waiting {
                jobs,
                busy: HashSet::new(),
            }),
            freed: Condvar::new(),
        }
    }

    /// The next job whose host nobody visits, as soon as there is one; `None` if no job is left.
    fn claim(&self) -> Option<Claim<'_>> {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.jobs.is_empty() {
                return None;
            }
            let mut jobs = waiting.jobs.iter();
            let free = jobs.position(|(_, host)| !waiting.busy.contains(host));
            if let Some((at, host)) = free.and_then(|free| waiting.jobs.remove(free)) {
                waiting.busy.insert(host.clone());
                return Some(Claim {
                    at,
                    host,
                    queue: self,
                });
            }
            let next = self.freed.wait(waiting);
            waiting = next.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        lock(&self.queue.waiting).busy.remove(&self.host);
        self.queue.freed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
