//! The address guard: refuses hosts with private, local or reserved addresses (server-side request forgery).
//!
//! A site can name a host, or an address literal in any spelling, that leads to this machine, its network or the
//! metadata service of its cloud: private, loopback, link-local and shared IPv4, the same inside IPv6 (mapped,
//! translated, 6to4, Teredo), unique local and link-local IPv6. The connector itself resolves names with a filtering
//! resolver ([`FilteringResolver`]), so that it connects to the very address that was checked (no DNS rebinding). No
//! resolver sees literals: they are checked before each request.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::{Addresses, FetchError};

/// Returns true for globally routable addresses.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Follows IANA's registry of special-purpose addresses.
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
        // IPv4 inside IPv6: mapped and compatible, which includes `::` and `::1`.
        (0, 0) if [c, d, e] == [0; 3] && f == 0xffff => is_public_v4(low),
        (0, 0) => false,
        // NAT64: a gateway forwards to the IPv4 address.
        (0x64, 0xff9b) if [c, d, e, f] == [0; 4] => is_public_v4(low),
        (0x64, 0xff9b) => false,
        // 6to4 carries the IPv4 address after its prefix.
        (0x2002, _) => is_public_v4(Ipv4Addr::from((u32::from(b) << 16) | u32::from(c))),
        // 2001::/23 (Teredo, ORCHID, benchmarking) and the two documentation prefixes.
        (0x2001, b) if b < 0x200 || b == 0xdb8 => false,
        (0x3fff, b) if b < 0x1000 => false,
        // Only 2000::/3 is global unicast; outside it are unique local, link-local and multicast addresses.
        _ => a & 0xe000 == 0x2000,
    }
}

/// Checks the URL's scheme, and its host as far as that is possible without resolving it.
pub(crate) fn check_url(url: &Url, allowed: &Addresses) -> Result<(), FetchError> {
    let not_http = || FetchError::NotHttp {
        url: url.to_string(),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(not_http());
    }
    // Here, and not in the resolver, so that no DNS query is sent.
    if *allowed == Addresses::StandInOnly {
        return Err(FetchError::OtherSite {
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

/// A resolver that fails for names with an address that is not allowed.
pub(crate) struct FilteringResolver(pub(crate) Addresses);

/// A resolver that returns one address for every name.
pub(crate) struct FixedResolver(pub(crate) SocketAddr);

impl Resolve for FixedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(std::iter::once(self.0));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// The error for a name with a forbidden address. `explain` looks for it among the causes of the HTTP library's error.
#[derive(Debug, Clone)]
pub(crate) struct RefusedAddress {
    pub(crate) host: String,
    pub(crate) address: IpAddr,
}

impl fmt::Display for RefusedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a public address", self.address)
    }
}

impl std::error::Error for RefusedAddress {}

impl Resolve for FilteringResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self.0.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            // One private address is enough to refuse the name: DNS rebinding mixes private and public ones.
            if let Some(private) = found.iter().find(|address| !allowed.allow(address.ip())) {
                let address = private.ip();
                return Err(RefusedAddress { host, address }.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_special_purpose_addresses() {
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
    fn refuses_private_literals_in_every_spelling() {
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
