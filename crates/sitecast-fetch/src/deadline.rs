//! Time limits: one for a URL with all its attempts, one for a whole visit.

use std::time::{Duration, Instant};

use url::Url;

use crate::{FetchError, Options, TimeBound};

/// The time limit for a visit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisitDeadline {
    at: Instant,
    time: Duration,
}

impl VisitDeadline {
    /// Starts a visit now. `None`, which means no limit, if the end overflows the clock.
    pub(crate) fn start(time: Duration) -> Option<Self> {
        let at = Instant::now().checked_add(time)?;
        Some(Self { at, time })
    }

    /// Runs `work`, and fails when the visit's time is over.
    pub(crate) async fn limit<T>(
        self,
        url: &Url,
        work: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let over = || FetchError::OutOfTime {
            url: url.to_string(),
            bound: TimeBound::Visit,
            after: self.time,
        };
        if Instant::now() >= self.at {
            return Err(over());
        }
        let ended = tokio::time::timeout_at(self.at.into(), work).await;
        ended.unwrap_or_else(|_| Err(over()))
    }
}

/// The time limit for one URL.
///
/// Received bytes extend it at the least rate, so that a large download is limited by its rate and not by its
/// size. Only bytes beyond the highest length reached count: bytes that are sent again add nothing. Waits that the
/// site asks for, and waits for the host's lock, do not count.
#[derive(Debug)]
pub(crate) struct UrlDeadline {
    url: String,
    started: Instant,
    excluded: Duration,
    time: Duration,
    least_rate: u64,
    reached: u64,
}

impl UrlDeadline {
    pub(crate) fn start(url: &Url, options: &Options) -> Self {
        Self {
            url: url.to_string(),
            started: Instant::now(),
            excluded: Duration::ZERO,
            time: options.url_time,
            least_rate: options.least_rate,
            reached: 0,
        }
    }

    /// Excludes a wait that the server is not to blame for.
    pub(crate) fn exclude(&mut self, wait: Duration) {
        self.excluded = self.excluded.saturating_add(wait);
    }

    /// Records that `bytes` bytes of the body have been received.
    pub(crate) fn reach(&mut self, bytes: u64) {
        self.reached = self.reached.max(bytes);
    }

    /// Returns the remaining time, or an error when it is over.
    pub(crate) fn left(&self) -> Result<Duration, FetchError> {
        let earned = match self.least_rate {
            0 => Duration::MAX,
            rate => Duration::from_secs(self.reached / rate),
        };
        let allowed = self
            .time
            .saturating_add(earned)
            .saturating_add(self.excluded);
        let left = allowed.saturating_sub(self.started.elapsed());
        if left.is_zero() {
            return Err(self.over());
        }
        Ok(left)
    }

    pub(crate) fn over(&self) -> FetchError {
        FetchError::OutOfTime {
            url: self.url.clone(),
            bound: TimeBound::Url,
            after: self.time,
        }
    }
}
