//! Per-host pacing: one connection to a host at a time, with a delay between requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;
use url::Url;

/// At this many hosts, those without a running request are dropped.
const MAX_HOSTS: usize = 10_000;

/// The pace of every host that has been requested.
#[derive(Default)]
pub(crate) struct Hosts {
    known: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Pace>>>>,
}

/// The time of the next request to a host (a leaky bucket).
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// The start of the next request if all had waited for the delay. It runs ahead of the clock by the used part of
    /// the burst.
    due: Option<Instant>,
}

/// Exclusive access to a host: no other request to it starts while this is held.
pub(crate) type HostLock = OwnedMutexGuard<Pace>;

impl Hosts {
    /// Waits for exclusive access to the URL's host and port.
    pub(crate) async fn lock(&self, url: &Url) -> HostLock {
        let name = format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or_default()
        );
        let host = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MAX_HOSTS {
                known.retain(|_, host| Arc::strong_count(host) > 1);
            }
            Arc::clone(known.entry(name).or_default())
        };
        host.lock_owned().await
    }
}

impl Pace {
    /// Returns the wait before the next request, so that after the first `burst` requests there is one per `delay`.
    pub(crate) fn reserve(&mut self, now: Instant, delay: Duration, burst: u32) -> Duration {
        let due = self.due.unwrap_or(now).max(now);
        self.due = Some(due + delay);
        let ahead = delay * burst.saturating_sub(1);
        due.saturating_duration_since(now + ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_requests_after_the_burst() {
        let start = Instant::now();
        let delay = Duration::from_secs(2);
        let mut pace = Pace::default();
        let waits: Vec<u64> = (0..5)
            .map(|_| pace.reserve(start, delay, 3).as_secs())
            .collect();
        assert_eq!(waits, [0, 0, 0, 2, 4]);
        // After a long pause there is one new burst, not several.
        let later = start + Duration::from_secs(1_000);
        let waits: Vec<u64> = (0..4)
            .map(|_| pace.reserve(later, delay, 3).as_secs())
            .collect();
        assert_eq!(waits, [0, 0, 0, 2]);
        let mut strict = Pace::default();
        assert_eq!(strict.reserve(start, delay, 1), Duration::ZERO);
        assert_eq!(strict.reserve(start, delay, 1), delay);
    }
}
