//! Reading a response body in chunks, with limits on its size, its rate and pauses.

use std::time::Instant;

use bytes::Bytes;
use reqwest::Response;

use crate::cost::Meter;
use crate::deadline::UrlDeadline;
use crate::exchange::reason;
use crate::{FetchError, Options};

/// The treatment of a body that is larger than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OverLimit {
    /// Fail with [`FetchError::TooLarge`].
    Refuse,
    /// Stop reading at the limit.
    Cut,
}

/// Size limits of one response body. For the rest of an interrupted download they are smaller than the request's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) bytes: u64,
    /// The limit for a body without `Content-Length`, if it is smaller.
    pub(crate) unannounced_limit: u64,
    pub(crate) over_limit: OverLimit,
}

/// A response body that is being received.
///
/// A server can send nothing for a long time, one byte a second, more than the limit, or less than it announced. Each
/// of these has its own error.
pub(crate) struct Body<'c> {
    response: Response,
    options: &'c Options,
    meter: &'c Meter,
    started: Instant,
    limit: u64,
    over_limit: OverLimit,
    received: u64,
    expected: Option<u64>,
}

impl<'c> Body<'c> {
    pub(crate) fn new(
        response: Response,
        limits: Limits,
        options: &'c Options,
        meter: &'c Meter,
    ) -> Result<Self, FetchError> {
        let expected = response.content_length();
        let body = Self {
            response,
            options,
            meter,
            started: Instant::now(),
            limit: match expected {
                Some(_) => limits.bytes,
                None => limits.bytes.min(limits.unannounced_limit),
            },
            over_limit: limits.over_limit,
            received: 0,
            expected,
        };
        let too_large = expected.is_some_and(|expected| expected > body.limit);
        if too_large && limits.over_limit == OverLimit::Refuse {
            return Err(body.too_large());
        }
        Ok(body)
    }

    /// The announced length (`Content-Length`).
    pub(crate) fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// Waits for the next chunk; `None` after the last.
    pub(crate) async fn next(
        &mut self,
        deadline: &UrlDeadline,
    ) -> Result<Option<Bytes>, FetchError> {
        if self.over_limit == OverLimit::Cut && self.received >= self.limit {
            return Ok(None);
        }
        let silence = self.options.silence;
        let left = deadline.left()?;
        let Ok(piece) = tokio::time::timeout(silence.min(left), self.response.chunk()).await else {
            if left < silence {
                return Err(deadline.over());
            }
            return Err(FetchError::Silent {
                url: self.url(),
                after: silence,
            });
        };
        let Some(piece) = piece.map_err(|error| self.broken(&error))? else {
            if self
                .expected
                .is_some_and(|expected| expected != self.received)
            {
                return Err(self.truncated());
            }
            return Ok(None);
        };
        self.received += piece.len() as u64;
        self.meter.bytes(piece.len() as u64);
        if self.received > self.limit && self.over_limit == OverLimit::Refuse {
            return Err(self.too_large());
        }
        self.check_rate()?;
        Ok(Some(piece))
    }

    fn check_rate(&self) -> Result<(), FetchError> {
        let late = self.started.elapsed().saturating_sub(self.options.grace);
        let rate = self.options.least_rate;
        if late.as_secs_f64() * rate as f64 > self.received as f64 {
            return Err(FetchError::Slow {
                url: self.url(),
                rate,
            });
        }
        Ok(())
    }

    fn broken(&self, error: &reqwest::Error) -> FetchError {
        // `Truncated` means that a download can continue after the bytes received so far.
        if self.received > 0 {
            return self.truncated();
        }
        FetchError::Connection {
            url: self.url(),
            reason: reason(error),
        }
    }

    fn truncated(&self) -> FetchError {
        FetchError::Truncated {
            url: self.url(),
            received: self.received,
        }
    }

    fn too_large(&self) -> FetchError {
        FetchError::TooLarge {
            url: self.url(),
            limit: self.limit,
        }
    }

    fn url(&self) -> String {
        self.response.url().to_string()
    }
}
