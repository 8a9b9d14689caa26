//! One question and its answer, through all redirects.

use std::error::Error;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, IF_RANGE, LOCATION, RANGE,
};
use reqwest::{Method, Response};
use url::Url;

use crate::address::{Refused, check_url};
use crate::client::Client;
use crate::deadline::Clock;
use crate::encoding::ACCEPTED;
use crate::pace::Turn;
use crate::retry::{is_passing, retry_after};
use crate::tls;
use crate::{Coding, FetchError, Head, Options, RedirectProblem, Request};

/// What to ask, and how.
pub(crate) struct Exchange<'c> {
    pub(crate) client: &'c Client,
    pub(crate) method: Method,
    pub(crate) request: &'c Request,
    /// Only what comes after so many bytes, if it is still what this names.
    pub(crate) from: Option<(u64, &'c str)>,
    pub(crate) manners: Manners,
}

/// Whether robots.txt has a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manners {
    Robots,
    /// robots.txt itself can always be fetched.
    Exempt,
}

/// An answer whose body is still to come. Nobody else talks to the host meanwhile.
pub(crate) struct Begun {
    pub(crate) head: Head,
    pub(crate) response: Response,
    pub(crate) turn: Turn,
}

impl Exchange<'_> {
    /// Asks, and follows redirects, each hop checked as the first.
    pub(crate) async fn begin(&self, clock: &mut Clock) -> Result<Begun, FetchError> {
        let options = &self.client.shared.options;
        let mut url = self.request.url.clone();
        url.set_fragment(None);
        let mut visited = vec![url.clone()];
        loop {
            let arrived = Instant::now();
            let delay = if visited.len() == 1 {
                let delay = self.permitted_delay(&url).await?;
                // The robots.txt of the site that is asked has a clock of its own. Those of hosts that redirects
                // lead to are this URL's doing.
                clock.excuse(arrived.elapsed());
                delay
            } else {
                let permitted = self.permitted_delay(&url);
                let permitted = tokio::time::timeout(clock.left()?, permitted).await;
                permitted.map_err(|_| clock.over())??
            };
            let (response, turn) = self.hop(&url, delay, clock).await?;
            let status = response.status().as_u16();
            let Some(target) = redirect(&response) else {
                if is_passing(status) {
                    return Err(FetchError::Status {
                        url: url.to_string(),
                        status,
                        wait: retry_after(response.headers(), SystemTime::now()),
                    });
                }
                if status == 304 && !self.is_conditional() {
                    return Err(FetchError::Unconditional304 {
                        url: url.to_string(),
                    });
                }
                let headers = response.headers().clone();
                let redirected = visited.len() > 1;
                return Ok(Begun {
                    head: Head::new(status, url, redirected, headers),
                    response,
                    turn,
                });
            };
            let wrong = |problem| FetchError::Redirect {
                url: self.request.url.to_string(),
                problem,
            };
            let next = redirected(&url, &target, options).map_err(wrong)?;
            if visited.contains(&next) {
                return Err(wrong(RedirectProblem::Circle));
            }
            if visited.len() > options.redirects {
                return Err(wrong(RedirectProblem::TooMany(options.redirects)));
            }
            visited.push(next.clone());
            url = next;
        }
    }

    /// Checks that we may go there. Answers the delay that robots.txt asks for.
    async fn permitted_delay(&self, url: &Url) -> Result<Option<Duration>, FetchError> {
        if self.stand_in(url).is_none() {
            check_url(url, &self.client.shared.options.addresses)?;
        }
        Ok(match self.manners {
            Manners::Exempt => None,
            Manners::Robots => {
                let permission = self.client.permission(url).await?;
                if !permission.allows(url) {
                    return Err(FetchError::Disallowed {
                        url: url.to_string(),
                    });
                }
                permission.delay()
            }
        })
    }

    /// Where to ask instead, if a server stands in for this one.
    fn stand_in(&self, url: &Url) -> Option<Url> {
        let stand_in = self.client.shared.options.stand_in.as_ref();
        stand_in.and_then(|stand_in| stand_in.place_of(url))
    }

    async fn hop(
        &self,
        url: &Url,
        asked_delay: Option<Duration>,
        clock: &mut Clock,
    ) -> Result<(Response, Turn), FetchError> {
        let shared = &self.client.shared;
        let options = &shared.options;
        let elsewhere = self.stand_in(url);
        let arrived = Instant::now();
        let mut turn = shared.hosts.turn(url).await;
        let wait = match asked_delay {
            Some(asked) => {
                let delay = asked.min(options.longest_delay).max(options.delay);
                turn.reserve(Instant::now(), delay, 1)
            }
            None => turn.reserve(Instant::now(), options.delay, options.burst),
        };
        // The runtime's clock ticks in milliseconds: even no time at all takes until the next.
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        // Others had their turn, and the rest is politeness.
        clock.excuse(arrived.elapsed());
        self.client.meter.request();
        let mut headers = self.headers();
        if elsewhere.is_some()
            && let Some(name) = host(url)
        {
            headers.insert(HOST, name);
        }
        let http = match (&elsewhere, shared.pool.stand_in()) {
            (Some(_), Some(stand_in)) => stand_in,
            _ => shared.pool.client_for(url),
        };
        let sent = http
            .request(
                self.method.clone(),
                elsewhere.unwrap_or_else(|| url.clone()),
            )
            .headers(headers)
            .send();
        // The library's own limits are on parts of it; a server that drips headers passes those.
        let patience = options.connect + options.silence;
        let left = clock.left()?;
        let response = match tokio::time::timeout(patience.min(left), sent).await {
            Err(_) if left < patience => return Err(clock.over()),
            Err(_) => {
                return Err(FetchError::Silent {
                    url: url.to_string(),
                    after: patience,
                });
            }
            Ok(result) => result.map_err(|error| explain(url, &error))?,
        };
        self.client.meter.bytes(size_of(response.headers()));
        Ok((response, turn))
    }

    /// Whether a 304 can be an answer: a version was named, and nothing but it decides.
    fn is_conditional(&self) -> bool {
        let headers = self.headers();
        headers.contains_key(IF_NONE_MATCH) || headers.contains_key(IF_MODIFIED_SINCE)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name, value: &str| {
            // What came from a server is sent back only if a header can hold it.
            if let Ok(value) = value.parse() {
                headers.insert(name, value);
            }
        };
        set(ACCEPT, self.request.accept.unwrap_or("*/*"));
        set(
            ACCEPT_ENCODING,
            match self.request.coding {
                Coding::Gzip => ACCEPTED,
                // As stored is what we want; a server that calls that an encoding must hear its name.
                Coding::Stored => "zstd, gzip",
                Coding::Identity => "identity",
            },
        );
        if self.request.past_caches {
            set(CACHE_CONTROL, "no-cache");
        }
        // Never a part without the condition.
        if let Some((bytes, validator)) = self.from
            && validator.parse::<HeaderValue>().is_ok()
        {
            set(RANGE, &format!("bytes={bytes}-"));
            set(IF_RANGE, validator);
            return headers;
        }
        if let Some(etag) = &self.request.known.etag {
            set(IF_NONE_MATCH, etag);
        }
        if let Some(time) = &self.request.known.last_modified {
            set(IF_MODIFIED_SINCE, time);
        }
        headers
    }
}

/// The header `Host` of a URL: its port is named where it is not the usual one.
fn host(url: &Url) -> Option<HeaderValue> {
    let host = url.host_str()?;
    let name = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    HeaderValue::from_str(&name).ok()
}

/// Whether two URLs are on one host and port. From http to https, both on their usual ports, is the same host.
fn is_same_host(one: &Url, other: &Url) -> bool {
    let is_upgrade = one.scheme() == "http" && other.scheme() == "https";
    one.host_str() == other.host_str()
        && one.port() == other.port()
        && (one.scheme() == other.scheme() || is_upgrade)
}

/// Where a redirect leads, if it may be followed.
fn redirected(from: &Url, target: &str, options: &Options) -> Result<Url, RedirectProblem> {
    let mut next = from.join(target).map_err(|_| RedirectProblem::Nowhere)?;
    if !matches!(next.scheme(), "http" | "https") {
        return Err(RedirectProblem::Nowhere);
    }
    if from.scheme() == "https" && next.scheme() == "http" {
        return Err(RedirectProblem::Downgrade);
    }
    if !options.leaves_host && !is_same_host(from, &next) {
        let host = next.host_str().unwrap_or_default().to_owned();
        return Err(RedirectProblem::OtherHost(host));
    }
    next.set_fragment(None);
    // Nobody but the user gives us a password.
    let _ = next.set_username("");
    let _ = next.set_password(None);
    Ok(next)
}

fn redirect(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    // Some servers write names as they are, in UTF-8.
    String::from_utf8(location.as_bytes().to_vec()).ok()
}

fn size_of(headers: &HeaderMap) -> u64 {
    let lines = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4);
    // And the status line.
    lines.sum::<usize>() as u64 + 19
}

/// The deepest cause: those above it only say that something failed.
pub(crate) fn reason(error: &reqwest::Error) -> String {
    if let Some(reason) = tls::reason(error) {
        return reason;
    }
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn explain(url: &Url, error: &reqwest::Error) -> FetchError {
    let mut cause: Option<&dyn Error> = Some(error);
    while let Some(error) = cause {
        if let Some(refused) = error.downcast_ref::<Refused>() {
            return FetchError::Address {
                host: refused.host.clone(),
                address: refused.address,
            };
        }
        cause = error.source();
    }
    FetchError::Connection {
        url: url.to_string(),
        reason: reason(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No test server speaks TLS, so that the check is tried alone.
    #[test]
    fn a_redirect_never_leads_from_https_to_http() {
        let options = Options::new("test");
        let redirected = |from: &str, target: &str| {
            let from = Url::parse(from).unwrap();
            redirected(&from, target, &options).map(String::from)
        };
        for target in [
            "http://example.com/",
            "http://other.example/",
            "HTTP://example.com:443/",
        ] {
            assert_eq!(
                redirected("https://example.com/a", target),
                Err(RedirectProblem::Downgrade),
                "{target}"
            );
        }
        for (from, target, to) in [
            (
                "https://example.com/a",
                "//other.example/b#c",
                "https://other.example/b",
            ),
            (
                "https://example.com/a",
                "https://me:secret@example.com/",
                "https://example.com/",
            ),
            (
                "http://example.com/a",
                "https://example.com/a",
                "https://example.com/a",
            ),
            ("http://example.com/a", "/b", "http://example.com/b"),
        ] {
            assert_eq!(redirected(from, target).as_deref(), Ok(to));
        }
        for target in ["file:///etc/passwd", "javascript:1", "http://"] {
            let nowhere = Err(RedirectProblem::Nowhere);
            assert_eq!(
                redirected("http://example.com/", target),
                nowhere,
                "{target}"
            );
        }
    }
}
