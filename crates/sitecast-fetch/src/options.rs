//! Settings of the client.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use url::Url;

use crate::address::is_public;

/// Settings of a [`Client`](crate::Client): politeness, allowed addresses and limits.
///
/// ```
/// use sitecast_fetch::{Addresses, Options};
///
/// let options = Options::new("examplebot/1.0 (+https://example.com/bot)");
/// assert_eq!(options.addresses, Addresses::Public);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The `User-Agent` header. Its first word, up to a slash, is the name that robots.txt rules are matched with.
    pub user_agent: String,
    /// The addresses that the client may connect to.
    pub addresses: Addresses,
    /// A server that answers for a site in place of the site's own.
    pub stand_in: Option<StandIn>,
    /// Time between the starts of two requests to one host, once [`Self::burst`] is used up. A longer `Crawl-delay` of
    /// robots.txt takes precedence.
    pub delay: Duration,
    /// Requests to one host without a delay, unless robots.txt asks for one.
    pub burst: u32,
    /// The longest `Crawl-delay` that is obeyed, so that a site cannot stall the client.
    pub longest_delay: Duration,
    /// Attempts for one request.
    pub attempts: u32,
    /// Wait before the second attempt, doubled for each further one. A random part of up to a half is subtracted.
    pub backoff: Duration,
    /// The longest wait before another attempt. If the server asks for more (`Retry-After`), the client gives up.
    pub longest_wait: Duration,
    /// Time limit for resolving the host and connecting.
    pub connect: Duration,
    /// The longest time without a byte from the server.
    pub silence: Duration,
    /// The least rate of a body in bytes a second, after [`Self::grace`].
    pub least_rate: u64,
    /// Time before the rate of a body is measured.
    pub grace: Duration,
    /// Time limit for one URL, with all its attempts and redirects. Every [`Self::least_rate`] received bytes add
    /// a second; waits that the site asks for do not count.
    pub url_time: Duration,
    /// Time limit for one visit, which begins with [`Client::for_visit`](crate::Client::for_visit).
    pub visit_time: Duration,
    /// Bytes that a download leaves free on its disk.
    pub free_bytes: u64,
    /// Redirects that are followed in a row. RFC 9309 §2.3.1.2 asks for at least five.
    pub redirects: usize,
    /// Follow redirects to other hosts. Without it redirects must stay on the requested host and port, except for an upgrade
    /// from http to https.
    pub leaves_host: bool,
}

/// The addresses that the client may connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addresses {
    /// Public addresses only.
    Public,
    /// Public addresses and these.
    PublicAnd(Vec<IpAddr>),
    /// All addresses, including this machine and its network.
    All,
    /// None except the [`StandIn`]: for a rehearsal without any other traffic.
    StandInOnly,
}

impl Addresses {
    /// Returns true if the client may connect to the address.
    pub fn allow(&self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::PublicAnd(others) => is_public(address) || others.contains(&address),
            Self::All => true,
            Self::StandInOnly => false,
        }
    }
}

/// A server that answers for a site in place of the site's own, so that a site can be tested under its final URLs before
/// it is deployed.
///
/// Its address is not subject to [`Addresses`]: the caller vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandIn {
    /// Any URL of the site. The stand-in answers for every URL of the same origin.
    pub site: Url,
    /// The address and port of the stand-in.
    pub address: SocketAddr,
    /// The scheme of the stand-in, which may differ from the site's.
    pub scheme: StandInScheme,
}

/// The scheme that a [`StandIn`] is requested with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandInScheme {
    /// Plain HTTP.
    Http,
    /// HTTPS. The stand-in needs a certificate for the site's name.
    Https,
}

impl StandIn {
    /// Returns the stand-in's URL for a URL of the site; `None` for other sites.
    pub(crate) fn url_on_stand_in(&self, url: &Url) -> Option<Url> {
        if url.origin() != self.site.origin() {
            return None;
        }
        let mut place = url.clone();
        match self.scheme {
            StandInScheme::Http => {
                place.set_scheme("http").ok()?;
                place.set_ip_host(self.address.ip()).ok()?;
                place.set_port(Some(self.address.port())).ok()?;
            }
            // The host name stays, for the certificate. Without a port in the URL, the resolver's port is used.
            StandInScheme::Https => {
                place.set_scheme("https").ok()?;
                place.set_port(None).ok()?;
            }
        }
        Some(place)
    }
}

impl Options {
    /// Returns the defaults with the given user agent.
    pub fn new(user_agent: impl Into<String>) -> Self {
        Self {
            user_agent: user_agent.into(),
            addresses: Addresses::Public,
            stand_in: None,
            delay: Duration::from_millis(500),
            burst: 5,
            longest_delay: Duration::from_secs(60),
            attempts: 4,
            backoff: Duration::from_secs(1),
            longest_wait: Duration::from_secs(120),
            connect: Duration::from_secs(10),
            silence: Duration::from_secs(30),
            least_rate: 5_000,
            grace: Duration::from_secs(60),
            url_time: Duration::from_secs(60),
            visit_time: Duration::from_secs(24 * 3600),
            free_bytes: 256 << 20,
            redirects: 5,
            leaves_host: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_only_urls_of_its_site() {
        let stand_in = StandIn {
            site: "https://example.com/blog/".parse().unwrap(),
            address: SocketAddr::from(([127, 0, 0, 1], 8080)),
            scheme: StandInScheme::Http,
        };
        let place = |url: &str| {
            let place = stand_in.url_on_stand_in(&url.parse().unwrap());
            place.map(String::from)
        };
        assert_eq!(
            place("https://example.com/a%20b?c=d").as_deref(),
            Some("http://127.0.0.1:8080/a%20b?c=d")
        );
        for other in [
            "http://example.com/",
            "https://example.com:8443/",
            "https://www.example.com/",
            "https://example.com.evil.example/",
        ] {
            assert_eq!(place(other), None, "{other}");
        }
    }
}
