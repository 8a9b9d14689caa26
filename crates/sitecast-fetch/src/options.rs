use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use url::Url;

use crate::address::is_public;

/// How to behave as a guest, and what to put up with as a host does as it likes.
///
/// ```
/// use sitecast_fetch::{Addresses, Options};
///
/// let options = Options::new("examplebot/1.0 (+https://example.com/bot)");
/// assert_eq!(options.addresses, Addresses::Public);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Who is asking. Its first word up to a slash is what robots.txt calls us.
    pub user_agent: String,
    /// Where to go at all.
    pub addresses: Addresses,
    /// A server that is asked in place of a site's own.
    pub stand_in: Option<StandIn>,
    /// Time between the beginnings of two requests to one host, once [`Self::burst`] is used up. A
    /// longer `Crawl-delay` of robots.txt counts instead.
    pub delay: Duration,
    /// Requests to one host that need not wait, where robots.txt asks for no delay.
    pub burst: u32,
    /// The longest `Crawl-delay` that is obeyed; it would be easy to keep us waiting forever.
    pub longest_delay: Duration,
    /// Attempts for one answer.
    pub attempts: u32,
    /// How long to wait before the second attempt; twice as long before each that follows, and
    /// each time a random part less.
    pub backoff: Duration,
    /// The longest wait before another attempt, whoever asks for it: a server that wants more is
    /// left alone.
    pub longest_wait: Duration,
    /// Time to find the host and connect.
    pub connect: Duration,
    /// Time in which something has to come.
    pub silence: Duration,
    /// Bytes a second that a body has to come with, after [`Self::grace`].
    pub least_rate: u64,
    /// Time that every body has.
    pub grace: Duration,
    /// Time for one URL, with all its attempts and redirects. Every [`Self::least_rate`] bytes that come add
    /// a second; waits that the site asks for do not count.
    pub url_time: Duration,
    /// Time for one visit, which begins with [`Client::counted`](crate::Client::counted).
    pub visit_time: Duration,
    /// Bytes that a download leaves free on its disk.
    pub free_bytes: u64,
    /// Redirects that are followed, one after the other. RFC 9309 asks for five.
    pub redirects: usize,
    /// Whether a redirect may lead to another host. Without it a redirect stays on the host and port that were
    /// asked for, but for the step from http to https.
    pub leaves_host: bool,
}

/// Where to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addresses {
    /// Only to public addresses.
    Public,
    /// To public addresses and to these.
    PublicAnd(Vec<IpAddr>),
    /// Also to this machine and its network.
    All,
    /// Nowhere, but for a [`StandIn`]: a rehearsal that nobody else notices.
    Nowhere,
}

impl Addresses {
    /// Whether it may be gone to.
    pub fn allow(&self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::PublicAnd(others) => is_public(address) || others.contains(&address),
            Self::All => true,
            Self::Nowhere => false,
        }
    }
}

/// A server that is asked in place of a site's own: a site can be tried as it will be, under its own URLs, before
/// it is there.
///
/// Whoever sets it vouches for the address; what [`Addresses`] says is for all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandIn {
    /// A URL of the site; all with its scheme, host and port are meant.
    pub site: Url,
    /// Where the server is.
    pub address: SocketAddr,
    /// Which scheme it speaks, whatever that of the site is.
    pub speaks: Speaks,
}

/// How a [`StandIn`] is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaks {
    /// In plain HTTP.
    Http,
    /// In HTTPS: it has to have a certificate for the site's name.
    Https,
}

impl StandIn {
    /// Where to ask for something of the site; `None` for what belongs to others.
    pub(crate) fn place_of(&self, url: &Url) -> Option<Url> {
        if url.origin() != self.site.origin() {
            return None;
        }
        let mut place = url.clone();
        match self.speaks {
            Speaks::Http => {
                place.set_scheme("http").ok()?;
                place.set_ip_host(self.address.ip()).ok()?;
                place.set_port(Some(self.address.port())).ok()?;
            }
            // The name stays, for the certificate. Without a port in the URL, that of the address counts.
            Speaks::Https => {
                place.set_scheme("https").ok()?;
                place.set_port(None).ok()?;
            }
        }
        Some(place)
    }
}

impl Options {
    /// The defaults, under a name.
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
    fn a_stand_in_is_for_one_site_only() {
        let stand_in = StandIn {
            site: "https://example.com/blog/".parse().unwrap(),
            address: SocketAddr::from(([127, 0, 0, 1], 8080)),
            speaks: Speaks::Http,
        };
        let place = |url: &str| {
            let place = stand_in.place_of(&url.parse().unwrap());
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
