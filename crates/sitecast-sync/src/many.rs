//! Several sites at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use sitecast_scp::HttpUrl;

use crate::{SiteReport, Syncer};

impl Syncer<'_> {
    /// Syncs sites, so many at once; each host still has one connection. Reports come in the order of
    /// the sites.
    pub fn sync_all(&self, sites: &[HttpUrl], at_once: usize) -> Vec<SiteReport> {
        let next = AtomicUsize::new(0);
        let reports = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..at_once.clamp(1, sites.len().max(1)) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(site) = sites.get(at) else { break };
                        let report = self.sync(site);
                        let mut reports = reports.lock().unwrap_or_else(PoisonError::into_inner);
                        reports.push((at, report));
                    }
                });
            }
        });
        let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
        reports.sort_by_key(|(at, _)| *at);
        reports.into_iter().map(|(_, report)| report).collect()
    }
}
