//! Requests that hyper's parser refuses. hyper answers them itself and closes the connection; they still count for
//! metrics, the log and the rate limit.

use std::error::Error;
use std::net::IpAddr;
use std::time::Instant;

use hyper::StatusCode;

use super::Answerer;
use crate::Kind;
use crate::observe::agent;
use crate::observe::log::{Record, RequestInfo};

impl Answerer {
    /// Counts and logs the request that ended a connection, if the parser refused one.
    pub(crate) fn count_unparsed(&self, client: IpAddr, error: &(dyn Error + 'static)) {
        let Some(status) = status(error) else { return };
        let now = Instant::now();
        if let Some(limiter) = &self.limiter {
            limiter.take(client, now);
        }
        self.metrics
            .request(Kind::None, agent::of(None), status.as_u16());
        if let Some(log) = &self.log {
            let asked = RequestInfo::unparsed(client);
            Record::new(log, now, &asked, status.as_u16(), Kind::None).write(0);
        }
    }
}

/// Returns the status that hyper sent. A target over 64 KiB gets a 414, which counts as 431 here: hyper's error does
/// not tell the two apart.
fn status(error: &(dyn Error + 'static)) -> Option<StatusCode> {
    let error = error.downcast_ref::<hyper::Error>()?;
    if error.is_parse_too_large() {
        Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)
    } else if error.is_parse() && !error.is_parse_version_h2() {
        Some(StatusCode::BAD_REQUEST)
    } else {
        None
    }
}
