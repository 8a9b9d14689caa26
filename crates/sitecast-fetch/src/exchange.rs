//! One request and its response, through all redirects.

use std::error::Error;
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, IF_RANGE, LOCATION, RANGE,
};
use reqwest::{Method, Response};
use url::Url;

use crate::address::{RefusedAddress, check_url};
use crate::client::Client;
use crate::deadline::UrlDeadline;
use crate::encoding::ACCEPTED;
use crate::pace::HostLock;
use crate::retry::{is_transient, retry_after};
use crate::tls;
use crate::{Coding, FetchError, Head, Options, RedirectProblem, Request};

/// A request that is about to be sent.
pub(crate) struct Exchange<'c> {
    pub(crate) client: &'c Client,
    pub(crate) method: Method,
    pub(crate) request: &'c Request,
    /// Ask for the bytes from this offset on (`Range`), if this validator still matches (`If-Range`).
    pub(crate) from: Option<(u64, &'c str)>,
    pub(crate) robots_check: RobotsCheck,
}

/// The treatment of robots.txt for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RobotsCheck {
    /// Refuse disallowed URLs and keep the `Crawl-delay`.
    Obey,
    /// Ignore robots.txt: for robots.txt itself.
    Exempt,
}

/// A response whose body has not been read yet. Other requests to the host wait until it is dropped.
pub(crate) struct PendingResponse {
    pub(crate) head: Head,
    pub(crate) response: Response,
    pub(crate) host_lock: HostLock,
}

impl Exchange<'_> {
    /// Sends the request and follows redirects. Every hop passes the same checks as the first.
    pub(crate) async fn send(
        &self,
        deadline: &mut UrlDeadline,
    ) -> Result<PendingResponse, FetchError> {
        let options = &self.client.shared.options;
        let mut url = self.request.url.clone();
        url.set_fragment(None);
        let mut visited = vec![url.clone()];
        loop {
            let arrived = Instant::now();
            let delay = if visited.len() == 1 {
                let delay = self.permitted_delay(&url).await?;
                // Fetching the robots.txt of the requested site has its own time limit. Those of redirect targets
                // count towards this URL's limit, or a chain of redirects would take any time.
                deadline.exclude(arrived.elapsed());
                delay
            } else {
                let permitted = self.permitted_delay(&url);
                let permitted = tokio::time::timeout(deadline.left()?, permitted).await;
                permitted.map_err(|_| deadline.over())??
            };
            let (response, host_lock) = self.hop(&url, delay, deadline).await?;
            let status = response.status().as_u16();
            let Some(target) = redirect(&response) else {
                if is_transient(status) {
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
                return Ok(PendingResponse {
                    head: Head::new(status, url, redirected, headers),
                    response,
                    host_lock,
                });
            };
            let wrong = |problem| FetchError::Redirect {
                url: self.request.url.to_string(),
                problem,
            };
            let next = redirected(&url, &target, options).map_err(wrong)?;
            if visited.contains(&next) {
                return Err(wrong(RedirectProblem::Loop));
            }
            if visited.len() > options.redirects {
                return Err(wrong(RedirectProblem::TooMany(options.redirects)));
            }
            visited.push(next.clone());
            url = next;
        }
    }

    /// Checks the address and robots.txt. Returns the delay that robots.txt asks for.
    async fn permitted_delay(&self, url: &Url) -> Result<Option<Duration>, FetchError> {
        if self.stand_in(url).is_none() {
            check_url(url, &self.client.shared.options.addresses)?;
        }
        Ok(match self.robots_check {
            RobotsCheck::Exempt => None,
            RobotsCheck::Obey => {
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

    /// Returns the URL to request instead, if a stand-in answers for this site.
    fn stand_in(&self, url: &Url) -> Option<Url> {
        let stand_in = self.client.shared.options.stand_in.as_ref();
        stand_in.and_then(|stand_in| stand_in.url_on_stand_in(url))
    }

    async fn hop(
        &self,
        url: &Url,
        asked_delay: Option<Duration>,
        deadline: &mut UrlDeadline,
    ) -> Result<(Response, HostLock), FetchError> {
        let shared = &self.client.shared;
        let options = &shared.options;
        let elsewhere = self.stand_in(url);
        let arrived = Instant::now();
        let mut host_lock = shared.hosts.lock(url).await;
        let wait = match asked_delay {
            Some(asked) => {
                let delay = asked.min(options.longest_delay).max(options.delay);
                host_lock.reserve(Instant::now(), delay, 1)
            }
            None => host_lock.reserve(Instant::now(), options.delay, options.burst),
        };
        // The runtime's timer ticks in milliseconds: even a sleep of zero waits for the next tick.
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        // Waiting for other requests and for the delay is not the server's slowness.
        deadline.exclude(arrived.elapsed());
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
        // The HTTP library limits single reads and connecting; a server that drips headers stays within those.
        let patience = options.connect + options.silence;
        let left = deadline.left()?;
        let response = match tokio::time::timeout(patience.min(left), sent).await {
            Err(_) if left < patience => return Err(deadline.over()),
            Err(_) => {
                return Err(FetchError::Silent {
                    url: url.to_string(),
                    after: patience,
                });
            }
            Ok(result) => result.map_err(|error| explain(url, &error))?,
        };
        self.client.meter.bytes(size_of(response.headers()));
        Ok((response, host_lock))
    }

    /// Returns true if the request has a condition that a 304 can answer. `If-Range` is not one.
    fn is_conditional(&self) -> bool {
        let headers = self.headers();
        headers.contains_key(IF_NONE_MATCH) || headers.contains_key(IF_MODIFIED_SINCE)
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut set = |name, value: &str| {
            // Validators come from a server: skip those that are not valid header values.
            if let Ok(value) = value.parse() {
                headers.insert(name, value);
            }
        };
        set(ACCEPT, self.request.accept.unwrap_or("*/*"));
        set(
            ACCEPT_ENCODING,
            match self.request.coding {
                Coding::Gzip => ACCEPTED,
                // A server that labels a stored `.zst` or `.gz` file with an encoding must see it accepted.
                Coding::Stored => "zstd, gzip",
                Coding::Identity => "identity",
            },
        );
        if self.request.no_cache {
            set(CACHE_CONTROL, "no-cache");
        }
        // A range is never requested without `If-Range`, or it could be of another version.
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

/// Returns the `Host` header for a URL, with the port unless it is the scheme's default.
fn host(url: &Url) -> Option<HeaderValue> {
    let host = url.host_str()?;
    let name = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    HeaderValue::from_str(&name).ok()
}

/// Returns true if both URLs have the same host and port. An upgrade from http to https on the default ports does not
/// change the host.
fn is_same_host(one: &Url, other: &Url) -> bool {
    let is_upgrade = one.scheme() == "http" && other.scheme() == "https";
    one.host_str() == other.host_str()
        && one.port() == other.port()
        && (one.scheme() == other.scheme() || is_upgrade)
}

/// Resolves a redirect's target, or says why it is not followed.
fn redirected(from: &Url, target: &str, options: &Options) -> Result<Url, RedirectProblem> {
    let mut next = from.join(target).map_err(|_| RedirectProblem::NotHttp)?;
    if !matches!(next.scheme(), "http" | "https") {
        return Err(RedirectProblem::NotHttp);
    }
    if from.scheme() == "https" && next.scheme() == "http" {
        return Err(RedirectProblem::Downgrade);
    }
    if !options.leaves_host && !is_same_host(from, &next) {
        let host = next.host_str().unwrap_or_default().to_owned();
        return Err(RedirectProblem::OtherHost(host));
    }
    next.set_fragment(None);
    // Credentials come from the user only, never from a redirect.
    let _ = next.set_username("");
    let _ = next.set_password(None);
    Ok(next)
}

fn redirect(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = response.headers().get(LOCATION)?;
    // Some servers send raw UTF-8 instead of percent-encoding, which `HeaderValue::to_str` refuses.
    String::from_utf8(location.as_bytes().to_vec()).ok()
}

fn size_of(headers: &HeaderMap) -> u64 {
    let lines = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4);
    // 19 bytes for the status line and the blank line.
    lines.sum::<usize>() as u64 + 19
}

/// Returns the message of the deepest cause: the outer ones only say that something failed.
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
        if let Some(refused) = error.downcast_ref::<RefusedAddress>() {
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

    /// The test server does not speak TLS, so this tests the function alone.
    #[test]
    fn refuses_redirects_from_https_to_http() {
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
            let nowhere = Err(RedirectProblem::NotHttp);
            assert_eq!(
                redirected("http://example.com/", target),
                nowhere,
                "{target}"
            );
        }
    }
}
