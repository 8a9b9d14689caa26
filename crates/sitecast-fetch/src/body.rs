//! Taking a body, piece by piece, as long as it comes.

use std::time::Instant;

use bytes::Bytes;
use reqwest::Response;

use crate::cost::Meter;
use crate::exchange::reason;
use crate::{FetchError, Options};

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
    received: u64,
    expected: Option<u64>,
}

impl<'c> Body<'c> {
    /// `limit` is for this answer alone: a part of something may be the smaller for it.
    pub(crate) fn new(
        response: Response,
        limit: u64,
        options: &'c Options,
        meter: &'c Meter,
    ) -> Result<Self, FetchError> {
        let expected = response.content_length();
        let body = Self {
            response,
            options,
            meter,
            started: Instant::now(),
            limit,
            received: 0,
            expected,
        };
        if expected.is_some_and(|expected| expected > limit) {
            return Err(body.too_large());
        }
        Ok(body)
    }

    /// How much was announced.
    pub(crate) fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// The next piece, or `None` when all is there.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        let silence = self.options.silence;
        let Ok(piece) = tokio::time::timeout(silence, self.response.chunk()).await else {
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
        if self.received > self.limit {
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
