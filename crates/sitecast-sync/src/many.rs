//! Concurrent syncs of several sites.

use std::collections::{HashSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use sitecast_scp::HttpUrl;
use url::Url;

use crate::site::after;
use crate::{Options, SiteReport, Syncer};

/// A site to sync, with its options.
#[derive(Debug, Clone, Copy)]
pub struct Job<'j> {
    /// The base URL of the site.
    pub url: &'j HttpUrl,
    /// The settings for this site.
    pub options: &'j Options,
}

impl Syncer<'_> {
    /// Syncs sites, at most `at_once` at the same time. Returns the reports in the order of the jobs.
    pub fn sync_all(&self, jobs: &[Job<'_>], at_once: usize) -> Vec<SiteReport> {
        let reports = Mutex::new(Vec::new());
        self.sync_each(jobs, at_once, &|at, report| {
            lock(&reports).push((at, report));
        });
        let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        reports.sort_by_key(|(at, _)| *at);
        reports.into_iter().map(|(_, report)| report).collect()
    }

    /// Syncs sites, at most `at_once` at the same time, and never two on one host. Calls `finished` with the
    /// index of the job and its report as soon as a site is done, on the thread that synced it.
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
                            // Earlier sites may have taken minutes.
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

/// The queue of jobs. Threads skip jobs whose host is being visited, because they would only wait for it.
struct Queue {
    waiting: Mutex<QueueState>,
    freed: Condvar,
}

struct QueueState {
    /// Indexes of jobs that have not started, with the origins of their URLs.
    jobs: VecDeque<(usize, String)>,
    busy: HashSet<String>,
}

/// A running job. Dropping it releases its host.
struct ClaimedJob<'q> {
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
            waiting: Mutex::new(QueueState {
                jobs,
                busy: HashSet::new(),
            }),
            freed: Condvar::new(),
        }
    }

    /// Waits for a job whose host is not being visited; returns `None` if no job is left.
    fn claim(&self) -> Option<ClaimedJob<'_>> {
        let mut waiting = lock(&self.waiting);
        loop {
            if waiting.jobs.is_empty() {
                return None;
            }
            let mut jobs = waiting.jobs.iter();
            let free = jobs.position(|(_, host)| !waiting.busy.contains(host));
            if let Some((at, host)) = free.and_then(|free| waiting.jobs.remove(free)) {
                waiting.busy.insert(host.clone());
                return Some(ClaimedJob {
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

impl Drop for ClaimedJob<'_> {
    fn drop(&mut self) {
        lock(&self.queue.waiting).busy.remove(&self.host);
        self.queue.freed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
