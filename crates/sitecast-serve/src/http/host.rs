//! Validation of `Host` and the host in the request target.

use std::net::Ipv6Addr;

use hyper::Version;
use hyper::header::HOST;
use hyper::http::request::Parts as RequestParts;

/// Returns the reason to refuse a request because of its host (RFC 9112 §3.2, RFC 9113 §8.3.1).
pub(crate) fn problem(request: &RequestParts) -> Option<&'static str> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let host = hosts.next();
    if hosts.next().is_some() {
        return Some("The request has several Host headers.\n");
    }
    if host.is_none() && request.version == Version::HTTP_11 {
        return Some("The request has no Host header.\n");
    }
    if host.is_some_and(|host| !is_valid(host.as_bytes())) {
        return Some("The Host header is not a host name.\n");
    }
    let authority = request.uri.authority()?.as_str().as_bytes();
    if !is_valid(authority) {
        return Some("The host of the request target is not a host name.\n");
    }
    // In HTTP/1.1 the target takes precedence over `Host` (RFC 9112 §3.2.2).
    if request.version == Version::HTTP_2
        && host.is_some_and(|host| !is_same(host.as_bytes(), authority))
    {
        return Some("The Host header and `:authority` name different hosts.\n");
    }
    None
}

/// Compares two hosts without case. The default ports, 80 and 443, may be left out.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    fn without_port(host: &[u8]) -> &[u8] {
        let usual = [&b":80"[..], b":443"];
        let mut shorter = usual.iter().filter_map(|port| host.strip_suffix(*port));
        shorter.next().unwrap_or(host)
    }
    without_port(one).eq_ignore_ascii_case(without_port(other))
}

/// Checks the syntax of `uri-host [ ":" port ]` (RFC 3986 §3.2.2). An empty host is valid: clients send it for URLs
/// without one.
pub(crate) fn is_valid(value: &[u8]) -> bool {
    let (is_host, port) = match value.strip_prefix(b"[") {
        Some(rest) => {
            let Some(end) = memchr::memchr(b']', rest) else {
                return false;
            };
            let (address, port) = rest.split_at_checked(end).unwrap_or_default();
            (is_address(address), port.get(1..).unwrap_or_default())
        }
        None => {
            let end = memchr::memchr(b':', value).unwrap_or(value.len());
            let (name, port) = value.split_at_checked(end).unwrap_or_default();
            (is_name(name), port)
        }
    };
    let is_port = match port.split_first() {
        None => true,
        Some((b':', digits)) => digits.iter().all(u8::is_ascii_digit),
        Some(_) => false,
    };
    is_host && is_port
}

/// Checks a registered name. An IPv4 address matches the same grammar.
fn is_name(name: &[u8]) -> bool {
    let mut rest = name;
    while let Some((&first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'%', [high, low, after @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                after
            }
            (b'%', _) => return false,
            (b'-' | b'.' | b'_' | b'~', _) => after,
            (b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=', _) => {
                after
            }
            _ if first.is_ascii_alphanumeric() => after,
            _ => return false,
        };
    }
    true
}

/// Checks the text between brackets. `IPvFuture` addresses (`v1.…`) are rejected: none are defined.
fn is_address(address: &[u8]) -> bool {
    std::str::from_utf8(address).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_valid_hosts() {
        for host in [
            "",
            "localhost",
            "example.com",
            "EXAMPLE.com:8080",
            "example.com:",
            "a_b.example",
            "xn--kse-qla.example",
            "k%C3%A4se.example",
            "192.0.2.1:80",
            "[::1]",
            "[2001:db8::1]:8443",
            "a!$&'()*+,;=~b",
        ] {
            assert!(is_valid(host.as_bytes()), "{host}");
        }
    }

    #[test]
    fn ignores_case_and_default_ports_of_hosts() {
        assert!(is_same(b"Example.com:443", b"example.com"));
        assert!(!is_same(b"example.com:8080", b"example.com"));
    }

    #[test]
    fn rejects_invalid_hosts() {
        for host in [
            "a b/\\@c",
            "a b",
            "a/b",
            "a\\b",
            "user@example.com",
            "http://example.com",
            "example.com:80:80",
            "example.com:8o",
            "example.com:-1",
            "a?b",
            "a#b",
            "a%",
            "a%2",
            "a%zz",
            "[::1",
            "::1",
            "[::1]80",
            "[fe80::1%eth0]",
            "[]",
            "a[b]",
            "a<b>",
            "a\tb",
            "a|b",
            "käse.example",
        ] {
            assert!(!is_valid(host.as_bytes()), "{host}");
        }
        assert!(!is_valid(b"a\xffb"));
    }
}
