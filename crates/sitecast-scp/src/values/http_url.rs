//! Absolute `http` and `https` URLs.
//!
//! Threats: `javascript:` and other schemes, URLs that parsers split differently (control
//! characters, backslashes), authorities that are not hosts. Scheme, authority and control characters decide if
//! a URL is usable; the rest decides only if it is a valid URI by RFC 3986.

use std::fmt;

use super::checked_string;

/// An absolute `http` or `https` URL with a host.
///
/// The text is kept unchanged. It may contain characters that should be percent-encoded by RFC 3986,
/// if all parsers agree on its meaning; see [`HttpUrl::is_strict`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HttpUrl(String);

checked_string!(HttpUrl, "an absolute http or https URL", |text: &str| {
    classify_url(text).is_ok()
});

impl HttpUrl {
    /// Returns true if the text is a URI by RFC 3986, as the specification's schema requires:
    /// a lower-case scheme, ASCII only, other characters percent-encoded.
    pub fn is_strict(&self) -> bool {
        classify_url(&self.0) == Ok(UrlForm::Strict)
    }
}

/// The spelling of a usable URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlForm {
    /// A URI by RFC 3986.
    Strict,
    /// With an upper-case scheme, or with characters that should have been percent-encoded.
    Loose,
}

/// The reason why a URL is not usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlProblem {
    /// The URL does not begin with `http://` or `https://`.
    NotHttp,
    /// The host is missing or invalid.
    BadHost,
    /// The port is not a number up to 65535.
    BadPort,
    /// The URL contains a control character, which some parsers drop and others keep.
    ControlCharacter,
}

impl fmt::Display for UrlProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHttp => "is not an absolute http or https URL",
            Self::BadHost => "has no valid host",
            Self::BadPort => "has no valid port",
            Self::ControlCharacter => "contains a control character",
        })
    }
}

/// Checks that `text` is a usable URL, and returns its spelling.
pub(crate) fn classify_url(text: &str) -> Result<UrlForm, UrlProblem> {
    let bytes = text.as_bytes();
    let after_scheme = strip_http(bytes).ok_or(UrlProblem::NotHttp)?;
    let end = after_scheme
        .iter()
        .position(|b| matches!(b, b'/' | b'?' | b'#'))
        .unwrap_or(after_scheme.len());
    let (authority, tail) = after_scheme
        .split_at_checked(end)
        .unwrap_or((after_scheme, b""));

    let authority_form = classify_authority(authority)?;
    let tail_form = classify_tail(tail)?;
    // RFC 3986 allows any case; the schema's pattern is lower case.
    if !bytes.starts_with(b"http://") && !bytes.starts_with(b"https://") {
        return Ok(UrlForm::Loose);
    }
    Ok(if authority_form == UrlForm::Strict {
        tail_form
    } else {
        UrlForm::Loose
    })
}

fn strip_http(bytes: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = bytes.split_at_checked(4)?;
    if !scheme.eq_ignore_ascii_case(b"http") {
        return None;
    }
    let rest = match rest.split_first() {
        Some((b's' | b'S', rest)) => rest,
        _ => rest,
    };
    rest.strip_prefix(b"://")
}

// The parts of a URL in which a byte is allowed, as bit flags. One table look-up for each byte keeps this as fast as
// the JSON scanner.
const PCHAR: u8 = 1; // unreserved, sub-delims, `:`, `@`, and `/` and `?`, which are allowed anywhere after the authority
const REG_NAME: u8 = 2; // unreserved, sub-delims
const USERINFO: u8 = 4; // REG_NAME and `:`
const CONTROL: u8 = 8;

// Indexed at compile time, when an index out of bounds fails the build.
#[allow(clippy::indexing_slicing)]
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = match b {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                PCHAR | REG_NAME | USERINFO
            }
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => {
                PCHAR | REG_NAME | USERINFO
            }
            b':' => PCHAR | USERINFO,
            b'@' | b'/' | b'?' => PCHAR,
            0..=0x1f | 0x7f => CONTROL,
            _ => 0,
        };
        byte += 1;
    }
    table
};

fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(0)
}

fn classify_authority(authority: &[u8]) -> Result<UrlForm, UrlProblem> {
    let (userinfo, host_port) = match authority.iter().rposition(|&b| b == b'@') {
        Some(at) => (
            authority.get(..at).unwrap_or_default(),
            authority.get(at + 1..).unwrap_or_default(),
        ),
        None => (&b""[..], authority),
    };
    let (host, port) = if host_port.first() == Some(&b'[') {
        let close = host_port
            .iter()
            .position(|&b| b == b']')
            .ok_or(UrlProblem::BadHost)?;
        host_port
            .split_at_checked(close + 1)
            .unwrap_or((host_port, b""))
    } else {
        let colon = host_port
            .iter()
            .position(|&b| b == b':')
            .unwrap_or(host_port.len());
        host_port
            .split_at_checked(colon)
            .unwrap_or((host_port, b""))
    };
    check_port(port)?;
    // WHATWG parsers end the authority at a backslash, RFC 3986 parsers do not: they would read different hosts.
    if userinfo
        .iter()
        .any(|&b| b.is_ascii() && class(b) & USERINFO == 0 && b != b'%')
    {
        return Err(UrlProblem::BadHost);
    }
    let host_form = classify_host(host)?;
    let userinfo_form = classify_run(userinfo, USERINFO)?;
    Ok(if userinfo_form == UrlForm::Strict {
        host_form
    } else {
        UrlForm::Loose
    })
}

/// Checks the port after the host: nothing, or `:` and digits. An empty port is valid.
fn check_port(port: &[u8]) -> Result<(), UrlProblem> {
    let Some(digits) = port.strip_prefix(b":") else {
        return if port.is_empty() {
            Ok(())
        } else {
            Err(UrlProblem::BadHost)
        };
    };
    let mut number = 0u32;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(UrlProblem::BadPort);
        }
        number = number * 10 + u32::from(digit - b'0');
        if number > 65_535 {
            return Err(UrlProblem::BadPort);
        }
    }
    Ok(())
}

fn classify_host(host: &[u8]) -> Result<UrlForm, UrlProblem> {
    if let Some(inner) = host.strip_prefix(b"[") {
        let address = inner
            .strip_suffix(b"]")
            .and_then(|ip| std::str::from_utf8(ip).ok());
        let valid = address.is_some_and(|ip| ip.parse::<std::net::Ipv6Addr>().is_ok());
        return if valid {
            Ok(UrlForm::Strict)
        } else {
            Err(UrlProblem::BadHost)
        };
    }
    if host.is_empty() {
        return Err(UrlProblem::BadHost);
    }
    // A host that is not ASCII is an internationalized name, to be mapped by IDNA. ASCII outside of RFC 3986's
    // reg-name (a space, a backslash, a quote) is never valid in a host, and parsers disagree on
    // percent-encoded characters.
    if host
        .iter()
        .any(|&b| b.is_ascii() && class(b) & REG_NAME == 0)
    {
        return Err(UrlProblem::BadHost);
    }
    classify_run(host, REG_NAME)
}

/// Path, query and fragment: one run of allowed bytes with at most one `#`.
fn classify_tail(tail: &[u8]) -> Result<UrlForm, UrlProblem> {
    match tail.iter().position(|&b| b == b'#') {
        None => classify_run(tail, PCHAR),
        Some(hash) => {
            let before = classify_run(tail.get(..hash).unwrap_or_default(), PCHAR)?;
            let after = classify_run(tail.get(hash + 1..).unwrap_or_default(), PCHAR)?;
            Ok(if before == UrlForm::Strict {
                after
            } else {
                UrlForm::Loose
            })
        }
    }
}

fn classify_run(bytes: &[u8], allowed: u8) -> Result<UrlForm, UrlProblem> {
    if bytes.iter().all(|&b| class(b) & allowed != 0) {
        return Ok(UrlForm::Strict);
    }
    let mut form = UrlForm::Strict;
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if class(byte) & CONTROL != 0 {
            return Err(UrlProblem::ControlCharacter);
        }
        let encoded = byte == b'%'
            && matches!(after, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
        if class(byte) & allowed == 0 && !encoded {
            form = UrlForm::Loose;
        }
    }
    Ok(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classifies_strict_urls() {
        for text in [
            "https://example.com",
            "http://example.com/",
            "https://EXAMPLE.com/a?b=c#d",
            "https://example.com:8443/",
            "https://user:pw@example.com/",
            "https://[2001:db8::1]:80/x",
            "https://127.0.0.1/",
            "https://example.com:/",
            "https://example.com/%C3%A4?q=a/b?c",
            "https://a_b.example.com/~x;y=1,2",
        ] {
            assert_eq!(classify_url(text), Ok(UrlForm::Strict), "{text}");
        }
    }

    #[test]
    fn classifies_loose_urls() {
        for text in [
            "https://example.com/ä",
            "HTTPS://example.com/",
            "https://bücher.example/",
            "https://example.com/a b",
            "https://example.com/{x}",
            "https://example.com/100%",
            "https://example.com/a|b",
            "https://example.com/#a#b",
            "https://example.com/\\x",
            "https://example.com/[1]",
            "https://example.com/\"",
        ] {
            assert_eq!(classify_url(text), Ok(UrlForm::Loose), "{text}");
        }
    }

    #[test]
    fn rejects_unusable_urls() {
        for (text, problem) in [
            ("", UrlProblem::NotHttp),
            ("/about", UrlProblem::NotHttp),
            ("//example.com/", UrlProblem::NotHttp),
            ("example.com", UrlProblem::NotHttp),
            ("javascript:alert(1)", UrlProblem::NotHttp),
            ("ftp://example.com/", UrlProblem::NotHttp),
            ("https:/example.com", UrlProblem::NotHttp),
            ("https:example.com", UrlProblem::NotHttp),
            (" https://example.com/", UrlProblem::NotHttp),
            ("https://", UrlProblem::BadHost),
            ("https:///path", UrlProblem::BadHost),
            ("https://?q", UrlProblem::BadHost),
            ("https://user@/", UrlProblem::BadHost),
            ("https://us er@example.com/", UrlProblem::BadHost),
            ("https://a@b@example.com/", UrlProblem::BadHost),
            ("https://exa mple.com/", UrlProblem::BadHost),
            ("https://example.com\\@evil.example/", UrlProblem::BadHost),
            ("https://a%2fb/", UrlProblem::BadHost),
            ("https://[::1", UrlProblem::BadHost),
            ("https://[::g]/", UrlProblem::BadHost),
            ("https://[::1]x/", UrlProblem::BadHost),
            ("https://a]b/", UrlProblem::BadHost),
            ("https://example.com:x/", UrlProblem::BadPort),
            ("https://example.com:65536/", UrlProblem::BadPort),
            ("https://example.com:99999999999999/", UrlProblem::BadPort),
            ("https://example.com/a\nb", UrlProblem::ControlCharacter),
            ("https://example.com/\0", UrlProblem::ControlCharacter),
        ] {
            assert_eq!(classify_url(text).err(), Some(problem), "{text:?}");
        }
    }
}
