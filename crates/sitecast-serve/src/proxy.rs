//! Trusted proxies and the client address that they forward.
//!
//! Any client can send `X-Forwarded-For`. So the header counts only if it comes from a trusted proxy, and within it
//! only the addresses that trusted proxies have added: the client is the rightmost address that does not belong to a
//! trusted proxy.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The trusted proxies, and the header in which they name the client.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    trusted: Vec<IpNet>,
    header: ForwardedHeader,
}

/// The header in which proxies name the client. Only one of them is read, because a proxy that writes one passes on the
/// other as the client sent it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[non_exhaustive]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`.
    #[default]
    #[serde(rename = "x-forwarded-for")]
    XForwardedFor,
    /// `Forwarded`, of RFC 7239.
    #[serde(rename = "forwarded")]
    Forwarded,
}

impl Proxies {
    /// Trusts proxies with these addresses or in these networks (`10.0.0.0/8`). The error is the first text that is
    /// neither.
    pub fn new<T: AsRef<str>>(trusted: &[T], header: ForwardedHeader) -> Result<Self, String> {
        let networks = trusted.iter().map(|text| {
            let text = text.as_ref();
            parse_network(text).ok_or_else(|| text.to_owned())
        });
        Ok(Self {
            trusted: networks.collect::<Result<_, _>>()?,
            header,
        })
    }

    pub(crate) fn trust(&self, address: IpAddr) -> bool {
        // A dual-stack socket reports IPv4 addresses as IPv6.
        let address = address.to_canonical();
        self.trusted
            .iter()
            .any(|network| network.contains(&address))
    }

    /// Returns the address of the client that sent a request.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.trust(peer) {
            return peer;
        }
        let mut client = peer;
        let values = match self.header {
            ForwardedHeader::XForwardedFor => headers.get_all(X_FORWARDED_FOR),
            ForwardedHeader::Forwarded => headers.get_all(FORWARDED),
        };
        for value in values.iter().rev() {
            let Ok(value) = value.to_str() else { break };
            for element in elements(value).into_iter().rev() {
                let address = match self.header {
                    ForwardedHeader::XForwardedFor => Some(element),
                    ForwardedHeader::Forwarded => forwarded_for(element),
                };
                // `unknown`, or an obfuscated name (RFC 7239 §6.3): the last known address has to do.
                let Some(address) = address.and_then(parse_address) else {
                    return client;
                };
                client = address;
                if !self.trust(client) {
                    return client;
                }
            }
        }
        client
    }
}

/// Parses `192.0.2.1`, `10.0.0.0/8`, `::1` or `fd00::/8`.
fn parse_network(text: &str) -> Option<IpNet> {
    let text = text.trim();
    let address = text.parse::<IpAddr>().map(IpNet::from);
    address.or_else(|_| text.parse()).ok()
}

/// Parses an address, with or without a port, and an IPv6 address also in brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let inside = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let address = inside.unwrap_or(text).parse::<IpAddr>();
    let address = address.or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    address.ok().map(|address| address.to_canonical())
}

/// Splits a list at commas outside of quotes.
fn elements(value: &str) -> Vec<&str> {
    split(value, ',')
}

fn split(value: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    value
        .split(move |c: char| {
            if is_escaped {
                is_escaped = false;
                return false;
            }
            match c {
                '\\' if is_quoted => is_escaped = true,
                '"' => is_quoted = !is_quoted,
                _ => {}
            }
            c == separator && !is_quoted
        })
        .collect()
}

/// The value of `for` in an element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<&str> {
    split(element, ';').into_iter().find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("for")
            .then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], header: &str, peer: &str, values: &[&str]) -> String {
        let kind = match header {
            "forwarded" => ForwardedHeader::Forwarded,
            _ => ForwardedHeader::XForwardedFor,
        };
        let proxies = Proxies::new(trusted, kind).unwrap();
        let mut headers = HeaderMap::new();
        let name: HeaderName = header.parse().unwrap();
        for value in values {
            headers.append(name.clone(), value.parse().unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn trusts_only_trusted_proxies() {
        let name = "x-forwarded-for";
        assert_eq!(client(&[], name, "10.0.0.1", &["192.0.2.1"]), "10.0.0.1");
        let trusted = ["10.0.0.0/8", "::1"];
        assert_eq!(
            client(&trusted, name, "192.0.2.9", &["192.0.2.1"]),
            "192.0.2.9"
        );
        assert_eq!(
            client(&trusted, name, "10.0.0.1", &["192.0.2.1"]),
            "192.0.2.1"
        );
        assert_eq!(client(&trusted, name, "::1", &["192.0.2.1"]), "192.0.2.1");
        assert_eq!(
            client(&trusted, name, "::ffff:10.0.0.1", &["192.0.2.1"]),
            "192.0.2.1"
        );
        // The other header is the client's own.
        assert_eq!(client(&trusted, "forwarded", "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn takes_the_rightmost_address_that_is_not_trusted() {
        let trusted = ["10.0.0.0/8"];
        for (values, expected) in [
            (&["198.51.100.7, 192.0.2.1"][..], "192.0.2.1"),
            (&["198.51.100.7, 192.0.2.1, 10.0.0.2"], "192.0.2.1"),
            (
                &["198.51.100.7", "192.0.2.1", "10.0.0.2,10.0.0.3"],
                "192.0.2.1",
            ),
            (&["10.0.0.5, 10.0.0.2"], "10.0.0.5"),
            (&["192.0.2.1:4711"], "192.0.2.1"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["[2001:db8::1]:80"], "2001:db8::1"),
            (&["192.0.2.1, unknown"], "10.0.0.1"),
            (&["192.0.2.1, rubbish, 10.0.0.2"], "10.0.0.2"),
            (&[""], "10.0.0.1"),
            (&[], "10.0.0.1"),
        ] {
            let found = client(&trusted, "x-forwarded-for", "10.0.0.1", values);
            assert_eq!(found, expected, "{values:?}");
        }
    }

    #[test]
    fn reads_the_header_of_rfc_7239() {
        let trusted = ["10.0.0.0/8"];
        for (values, expected) in [
            (&["for=192.0.2.1"][..], "192.0.2.1"),
            (&["For=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
            (
                &["for=198.51.100.7, for=192.0.2.1;proto=https;by=10.0.0.1"],
                "192.0.2.1",
            ),
            (
                &["proto=https; for = 192.0.2.1 , for=10.0.0.2"],
                "192.0.2.1",
            ),
            (&["for=\"a,for=192.0.2.1\""], "10.0.0.1"),
            (&["for=_hidden, for=10.0.0.2"], "10.0.0.2"),
            (&["by=10.0.0.1"], "10.0.0.1"),
        ] {
            let found = client(&trusted, "forwarded", "10.0.0.1", values);
            assert_eq!(found, expected, "{values:?}");
        }
    }

    #[test]
    fn names_the_invalid_network() {
        let error = Proxies::new(&["10.0.0.0/8", "10.0.0.0/33"], ForwardedHeader::default());
        assert_eq!(error.unwrap_err(), "10.0.0.0/33");
        assert!(Proxies::new(&["proxy.example"], ForwardedHeader::default()).is_err());
    }
}
