//! Which addresses are out there, and which are ours or nobody's.
//!
//! What can come: a name or a literal that leads to this machine, its network or its cloud's metadata
//! service, in any spelling: private, loopback, link-local and shared IPv4, the same inside of IPv6
//! (mapped, translated, 6to4, Teredo), unique local and link-local IPv6. A resolver that filters
//! ([`Guard`]) hands only public addresses to the connector, so that what was checked is what is
//! connected to; literals, which no resolver sees, are checked before each request.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::{Addresses, FetchError};

/// Whether the address is a public one.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// By IANA's registry of special-purpose addresses.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0
        || a == 10
        || a == 127
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let low = Ipv4Addr::from((u32::from(g) << 16) | u32::from(h));
    match (a, b) {
        // IPv4 inside of IPv6: mapped and compatible, with `::` and `::1` among them.
        (0, 0) if [c, d, e] == [0; 3] && f == 0xffff => is_public_v4(low),
        (0, 0) => false,
        // Translated (NAT64), where a gateway leads on to the IPv4 address.
        (0x64, 0xff9b) if [c, d, e, f] == [0; 4] => is_public_v4(low),
        (0x64, 0xff9b) => false,
        // 6to4 has the address in front.
        (0x2002, _) => is_public_v4(Ipv4Addr::from((u32::from(b) << 16) | u32::from(c))),
        // Teredo, ORCHID, documentation, benchmarking and the rest of 2001::/23; documentation.
        (0x2001, b) if b < 0x200 || b == 0xdb8 => false,
        (0x3fff, b) if b < 0x1000 => false,
        // What is handed out at all (2000::/3); beside it are unique local, link-local, multicast.
        _ => a & 0xe000 == 0x2000,
    }
}

/// The URL's host, checked as far as it can be without asking for it.
pub(crate) fn check_url(url: &Url, allowed: &Addresses) -> Result<(), FetchError> {
    let not_http = || FetchError::NotHttp {
        url: url.to_string(),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(not_http());
    }
    // Before anybody looks the name up.
    if *allowed == Addresses::Nowhere {
        return Err(FetchError::Elsewhere {
            url: url.to_string(),
        });
    }
    let address = match url.host().ok_or_else(not_http)? {
        Host::Domain(_) => return Ok(()),
        Host::Ipv4(address) => IpAddr::V4(address),
        Host::Ipv6(address) => IpAddr::V6(address),
    };
    if !allowed.allow(address) {
        return Err(FetchError::Address {
            host: url.host_str().unwrap_or_default().to_owned(),
            address,
        });
    }
    Ok(())
}

/// A resolver that knows only addresses that may be gone to.
pub(crate) struct Guard(pub(crate) Addresses);

/// A resolver that knows a single address.
pub(crate) struct Only(pub(crate) SocketAddr);

impl Resolve for Only {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(std::iter::once(self.0));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// A name that leads to where we do not go. Found again in the error of the HTTP library.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) host: String,
    pub(crate) address: IpAddr,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a public address", self.address)
    }
}

impl std::error::Error for Refused {}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            // One private address among public ones is how a name is bound anew between two looks.
            if let Some(private) = found.iter().find(|address| !allowed.allow(address.ip())) {
                let address = private.ip();
                return Err(Refused { host, address }.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known_in_all_their_spellings() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "192.169.0.1",
            "198.17.0.1",
            "223.255.255.255",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn literals_are_checked_however_they_are_spelled() {
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:7f00:1]/",
            "http://169.254.169.254/latest/meta-data/",
        ] {
            let url = Url::parse(url).unwrap();
            assert!(
                matches!(
                    check_url(&url, &Addresses::Public),
                    Err(FetchError::Address { .. })
                ),
                "{url}"
            );
            assert!(check_url(&url, &Addresses::All).is_ok(), "{url}");
        }
        for url in ["ftp://example.com/", "file:///etc/passwd", "data:,x"] {
            let url = Url::parse(url).unwrap();
            assert!(
                matches!(
                    check_url(&url, &Addresses::All),
                    Err(FetchError::NotHttp { .. })
                ),
                "{url}"
            );
        }
    }
}
