//! Requests that hyper's parser refuses: hyper answers them itself and closes the connection. They count like all others.

use std::error::Error;
use std::net::IpAddr;
use std::time::Instant;

use hyper::StatusCode;

use super::Answerer;
use crate::Kind;
use crate::observe::agent;
use crate::observe::log::{Asked, Record};

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
            let asked = Asked::unparsed(client);
            Record::new(log, now, &asked, status.as_u16(), Kind::None).write(0);
        }
    }
}

/// The status that hyper answered with. A target over 64 KiB gets 414, which counts as 431 here: hyper does not tell
/// the two apart.
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
