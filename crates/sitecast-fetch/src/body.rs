//! Taking a body, piece by piece, as long as it comes.

use std::time::Instant;

use bytes::Bytes;
use reqwest::Response;

use crate::cost::Meter;
use crate::deadline::Clock;
use crate::exchange::reason;
use crate::{FetchError, Options};

/// What to do with bytes beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// The whole body is refused.
    Refuse,
    /// The body ends at the limit.
    Cut,
}

/// How large a body may be. For this answer alone: a part of something may be the smaller for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) bytes: u64,
    /// The same for a body whose length is not said.
    pub(crate) unannounced: u64,
    pub(crate) beyond: Beyond,
}

/// A body on its way.
///
/// What can come: nothing for a long time, a byte a second for ever, more than was wanted, less than was
/// announced. Each ends it with its own error.
pub(crate) struct Body<'c> {
    response: Response,
    options: &'c Options,
    meter: &'c Meter,
    started: Instant,
    limit: u64,
    beyond: Beyond,
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
                None => limits.bytes.min(limits.unannounced),
            },
            beyond: limits.beyond,
            received: 0,
            expected,
        };
        let too_large = expected.is_some_and(|expected| expected > body.limit);
        if too_large && limits.beyond == Beyond::Refuse {
            return Err(body.too_large());
        }
        Ok(body)
    }

    /// How much was announced.
    pub(crate) fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// The next piece, or `None` when all is there.
    pub(crate) async fn next(&mut self, clock: &Clock) -> Result<Option<Bytes>, FetchError> {
        if self.beyond == Beyond::Cut && self.received >= self.limit {
            return Ok(None);
        }
        let silence = self.options.silence;
        let left = clock.left()?;
        let Ok(piece) = tokio::time::timeout(silence.min(left), self.response.chunk()).await else {
            if left < silence {
                return Err(clock.over());
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
        if self.received > self.limit && self.beyond == Beyond::Refuse {
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
        // What came before is worth something; without it, it is a connection that failed.
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
