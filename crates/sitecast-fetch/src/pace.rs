//! One connection to a host, and no request too soon after another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OwnedMutexGuard;
use url::Url;

/// Hosts that are remembered before those nobody is talking to are forgotten.
const REMEMBERED: usize = 10_000;

/// The hosts that were talked to.
#[derive(Default)]
pub(crate) struct Hosts {
    known: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Pace>>>>,
}

/// When the next request to a host may begin.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// When it would be the turn of the next one if all had kept the delay. It is ahead of the clock
    /// by what was used of the burst.
    due: Option<Instant>,
}

/// The right to talk to a host. As long as it is held nobody else does.
pub(crate) type Turn = OwnedMutexGuard<Pace>;

impl Hosts {
    /// Waits until nobody else talks to the URL's host.
    pub(crate) async fn turn(&self, url: &Url) -> Turn {
        let name = format!(
            "{}:{}",
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or_default()
        );
        let host = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= REMEMBERED {
                known.retain(|_, host| Arc::strong_count(host) > 1);
            }
            Arc::clone(known.entry(name).or_default())
        };
        host.lock_owned().await
    }
}

impl Pace {
    /// How long to wait now, so that requests come no faster than one in every `delay`, but for the
    /// first `burst` of them.
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
    fn after_the_burst_requests_keep_their_distance() {
        let start = Instant::now();
        let delay = Duration::from_secs(2);
        let mut pace = Pace::default();
        let waits: Vec<u64> = (0..5)
            .map(|_| pace.reserve(start, delay, 3).as_secs())
            .collect();
        assert_eq!(waits, [0, 0, 0, 2, 4]);
        // A long rest earns a new burst, and no more than one.
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
