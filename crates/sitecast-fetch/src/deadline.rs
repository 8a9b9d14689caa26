//! Time limits: one for a URL with all its attempts, one for a whole visit.

use std::time::{Duration, Instant};

use url::Url;

use crate::{FetchError, Options, TimeBound};

/// The end of a visit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit {
    at: Instant,
    time: Duration,
}

impl Visit {
    /// A visit that begins now. A time that the clock cannot hold is no limit.
    pub(crate) fn begin(time: Duration) -> Option<Self> {
        let at = Instant::now().checked_add(time)?;
        Some(Self { at, time })
    }

    /// Runs the work until the visit ends.
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

/// The time that is left for one URL.
///
/// Bytes that come add to it at the least rate, so that a large download is limited by its rate and not by its
/// size. Only bytes beyond the highest length reached count: what is sent again adds nothing. Waits that the
/// site asks for, and those for our own turn, do not count.
#[derive(Debug)]
pub(crate) struct Clock {
    url: String,
    started: Instant,
    excused: Duration,
    time: Duration,
    least_rate: u64,
    reached: u64,
}

impl Clock {
    pub(crate) fn start(url: &Url, options: &Options) -> Self {
        Self {
            url: url.to_string(),
            started: Instant::now(),
            excused: Duration::ZERO,
            time: options.url_time,
            least_rate: options.least_rate,
            reached: 0,
        }
    }

    /// Adds a wait that is not the server's slowness.
    pub(crate) fn excuse(&mut self, wait: Duration) {
        self.excused = self.excused.saturating_add(wait);
    }

    /// Records that so many new bytes are here.
    pub(crate) fn reach(&mut self, bytes: u64) {
        self.reached = self.reached.max(bytes);
    }

    /// The time that is left; an error when there is none.
    pub(crate) fn left(&self) -> Result<Duration, FetchError> {
        let earned = match self.least_rate {
            0 => Duration::MAX,
            rate => Duration::from_secs(self.reached / rate),
        };
        let allowed = self
            .time
            .saturating_add(earned)
            .saturating_add(self.excused);
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
