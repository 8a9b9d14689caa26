//! URLs in sitemaps.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use url::Url;

/// The protocol's limit of characters in a URL.
pub const MAX_LOCATION: usize = 2_048;

/// An absolute http(s) URL in the form required in sitemaps: ASCII, percent-encoded by RFC 3986, with an
/// internationalized host in its ASCII form, and at most [`MAX_LOCATION`] characters.
///
/// ```
/// use sitecast_sitemap::Location;
///
/// let location: Location = "https://bücher.example/straße?q=a b".parse()?;
/// assert_eq!(location.as_str(), "https://xn--bcher-kva.example/stra%C3%9Fe?q=a%20b");
/// # Ok::<(), sitecast_sitemap::LocationProblem>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location(String);

/// The reason why a text is not a valid URL in a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocationProblem {
    /// The text is empty.
    #[error("is empty")]
    Empty,
    /// The URL is relative.
    #[error("is not absolute: it lacks `https://` and the host")]
    Relative,
    /// The scheme is not http or https.
    #[error("has the scheme `{0}`, not http or https")]
    Scheme(String),
    /// The URL has a user name or password.
    #[error("contains a user name or password")]
    Credentials,
    /// The URL is longer than the protocol allows.
    #[error("is {0} characters long; the maximum is {MAX_LOCATION}")]
    TooLong(usize),
    /// The text is not a URL.
    #[error("is not a URL: {0}")]
    Malformed(String),
    /// The text had bytes that are not UTF-8.
    #[error("is not UTF-8")]
    NotText,
}

impl Location {
    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Location {
    type Err = LocationProblem;

    fn from_str(text: &str) -> Result<Self, LocationProblem> {
        let location = match absolute(text, None)? {
            Cow::Borrowed(plain) => plain.to_owned(),
            Cow::Owned(url) => percent_encode(&url),
        };
        if location.len() > MAX_LOCATION {
            return Err(LocationProblem::TooLong(location.len()));
        }
        Ok(Self(location))
    }
}

impl AsRef<str> for Location {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parses a text as an absolute http(s) URL, resolving it against `base` if it is relative. A plain URL is returned
/// unchanged, any other in the form in which a browser would request it.
pub(crate) fn absolute<'a>(
    text: &'a str,
    base: Option<&Url>,
) -> Result<Cow<'a, str>, LocationProblem> {
    if is_plain(text) {
        return Ok(Cow::Borrowed(text));
    }
    let text = text.trim();
    if text.is_empty() {
        return Err(LocationProblem::Empty);
    }
    if text.contains('\u{fffd}') {
        return Err(LocationProblem::NotText);
    }
    // Browsers skip any number of slashes before the host, but such a URL has no host.
    if let Some((scheme, rest)) = text.split_once("://")
        && scheme.to_ascii_lowercase().starts_with("http")
        && rest.starts_with(['/', '\\'])
    {
        return Err(LocationProblem::Malformed("empty host".to_owned()));
    }
    let url = match Url::parse(text) {
        Err(url::ParseError::RelativeUrlWithoutBase) => base
            .ok_or(LocationProblem::Relative)?
            .join(text)
            .map_err(|error| LocationProblem::Malformed(error.to_string()))?,
        result => result.map_err(|error| LocationProblem::Malformed(error.to_string()))?,
    };
    if !matches!(url.scheme(), "http" | "https") {
        // By the grammar the scheme of `example.com:80/a` is `example.com`, but the author meant a host.
        return Err(if url.scheme().contains('.') {
            LocationProblem::Relative
        } else {
            LocationProblem::Scheme(url.scheme().chars().take(40).collect())
        });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(LocationProblem::Credentials);
    }
    Ok(Cow::Owned(url.into()))
}

/// Encodes the characters that browsers leave unchanged but RFC 3986 does not allow. Does not change the host, because
/// only there brackets are allowed.
fn percent_encode(url: &str) -> String {
    let host = url.find("://").map_or(0, |at| at + 3);
    let path = url
        .get(host..)
        .and_then(|rest| rest.find(['/', '?', '#']))
        .map_or(url.len(), |at| host + at);
    let (origin, rest) = url.split_at_checked(path).unwrap_or((url, ""));
    let mut encoded = String::with_capacity(url.len());
    encoded.push_str(origin);
    let mut fragment = false;
    for (at, byte) in rest.bytes().enumerate() {
        let allowed = match byte {
            b'%' => is_escape(rest.as_bytes(), at),
            // Only the first one begins the fragment.
            b'#' => !std::mem::replace(&mut fragment, true),
            byte => is_allowed(byte) && !matches!(byte, b'[' | b']'),
        };
        if allowed {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Returns true if RFC 3986 allows every byte of the text in a URL.
pub(crate) fn is_correctly_encoded(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, &byte)| match byte {
        b'%' => is_escape(bytes, at),
        byte => is_allowed(byte),
    })
}

/// Returns true if RFC 3986 allows the byte in a URL; `%` is not included.
fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte)
}

/// Returns true if two hexadecimal digits follow the `%` at `at`.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at + 1..at + 3)
        .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// The class of a byte in the test for plain URLs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A character that parsers leave unchanged in a path or query.
    Plain,
    Slash,
    Dot,
    Percent,
    /// A byte that needs the URL parser.
    Other,
}

// Indexed at compile time, when an index out of bounds fails the build.
#[allow(clippy::indexing_slicing)]
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~:?@!$&()*+,;=";
    let mut at = 0;
    while at < plain.len() {
        classes[plain[at] as usize] = Class::Plain;
        at += 1;
    }
    classes[b'/' as usize] = Class::Slash;
    classes[b'.' as usize] = Class::Dot;
    classes[b'%' as usize] = Class::Percent;
    classes
};

/// Returns true only if a URL parser would leave the text unchanged; false means that the parser has to decide. This
/// fast path is worthwhile because nearly all URLs in sitemaps are this simple.
fn is_plain(text: &str) -> bool {
    let Some(rest) = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
    else {
        return false;
    };
    let mut bytes = rest.bytes().enumerate();
    // A host whose last label begins or ends with a digit can be an IP address in one of many
    // notations (`0x7f`), and one with two hyphens can be an invalid encoded name. Leave both to the parser.
    let mut last = b'.';
    let mut label_begins_with = b'.';
    loop {
        match bytes.next() {
            Some((_, byte @ (b'a'..=b'z' | b'0'..=b'9'))) => {
                if last == b'.' {
                    label_begins_with = byte;
                }
                last = byte;
            }
            Some((_, byte @ (b'-' | b'.'))) if last.is_ascii_alphanumeric() => last = byte,
            Some((length, b'/'))
                if last.is_ascii_lowercase()
                    && label_begins_with.is_ascii_lowercase()
                    && length <= 253 =>
            {
                break;
            }
            _ => return false,
        }
    }
    let mut last = Class::Slash;
    for (at, byte) in bytes {
        let class = CLASSES
            .get(usize::from(byte))
            .copied()
            .unwrap_or(Class::Other);
        match class {
            Class::Plain | Class::Slash => {}
            // The parser removes `/./` and `/../`, even with encoded dots.
            Class::Dot if last != Class::Slash => {}
            Class::Percent if is_escape(rest.as_bytes(), at) && !is_escaped_dot(rest, at) => {}
            Class::Dot | Class::Percent | Class::Other => return false,
        }
        last = class;
    }
    true
}

fn is_escaped_dot(text: &str, at: usize) -> bool {
    let escape = text.as_bytes().get(at..at + 3);
    escape.is_some_and(|escape| escape.eq_ignore_ascii_case(b"%2e"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn encodes_by_rfc_3986() {
        for (text, location) in [
            ("https://example.com", "https://example.com/"),
            ("HTTPS://Example.COM/A", "https://example.com/A"),
            (
                "https://例え.jp/ö?ü=ñ#é",
                "https://xn--r8jz45g.jp/%C3%B6?%C3%BC=%C3%B1#%C3%A9",
            ),
            ("https://example.com/a b", "https://example.com/a%20b"),
            ("https://example.com/a%20b", "https://example.com/a%20b"),
            ("https://example.com/100%", "https://example.com/100%25"),
            ("https://example.com/100%zz", "https://example.com/100%25zz"),
            (
                "https://example.com/?a[]=1&b=|^`{}",
                "https://example.com/?a%5B%5D=1&b=%7C%5E%60%7B%7D",
            ),
            ("https://example.com/it's", "https://example.com/it's"),
            ("https://example.com/?it's", "https://example.com/?it%27s"),
            (
                "https://example.com/\"<>\\",
                "https://example.com/%22%3C%3E/",
            ),
            ("https://example.com:443/", "https://example.com/"),
            ("https://example.com:8443/a", "https://example.com:8443/a"),
            ("https://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
            ("https://example.com/a/../b", "https://example.com/b"),
            ("https://example.com/a\n/b", "https://example.com/a/b"),
            ("https://example.com/#a#b", "https://example.com/#a%23b"),
            ("https://example.com/😀", "https://example.com/%F0%9F%98%80"),
        ] {
            assert_eq!(
                text.parse::<Location>().unwrap().as_str(),
                location,
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_urls_that_are_invalid_in_sitemaps() {
        use LocationProblem::*;
        for (text, problem) in [
            ("", Empty),
            ("  ", Empty),
            ("/a", Relative),
            ("example.com/a", Relative),
            ("example.com:80/a", Relative),
            ("//example.com/a", Relative),
            ("ftp://example.com/", Scheme("ftp".into())),
            ("javascript:alert(1)", Scheme("javascript".into())),
            ("https://me@example.com/", Credentials),
            ("https://:secret@example.com/", Credentials),
            ("https://example.com/\u{fffd}", NotText),
        ] {
            assert_eq!(text.parse::<Location>(), Err(problem), "{text}");
        }
        for text in [
            "https://",
            "https:///a",
            "https://exa mple.com/",
            "https://example.com:99999/",
        ] {
            assert!(
                matches!(text.parse::<Location>(), Err(Malformed(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn loc_must_not_exceed_2048_characters() {
        let longest = format!("https://example.com/{}", "a".repeat(2_048 - 20));
        assert_eq!(longest.parse::<Location>().unwrap().as_str(), longest);
        let longer = format!("{longest}a");
        assert_eq!(
            longer.parse::<Location>(),
            Err(LocationProblem::TooLong(2_049))
        );
        // The limit applies to the encoded form, in which each of these takes six characters.
        let umlauts = format!("https://example.com/{}", "ü".repeat(400));
        assert!(matches!(
            umlauts.parse::<Location>(),
            Err(LocationProblem::TooLong(2_420))
        ));
    }

    #[test]
    fn resolves_relative_urls_against_the_base() {
        let base = Url::parse("https://example.com/maps/sitemap.xml").unwrap();
        for (text, location) in [
            ("/a", "https://example.com/a"),
            ("a b", "https://example.com/maps/a%20b"),
            ("//other.example/a", "https://other.example/a"),
        ] {
            assert_eq!(absolute(text, Some(&base)).unwrap(), location, "{text}");
        }
    }

    proptest! {
        /// The fast path never changes the result.
        #[test]
        fn fast_path_agrees_with_the_parser(
            host in "([a-z0-9.-]|0x|xn--){1,12}", path in "(/|%2e|%2E|%|[a-z0-9A-Z._~:/?@!$&'()*+,;=-]){0,12}"
        ) {
            let text = format!("https://{host}/{path}");
            if is_plain(&text) {
                let url = Url::parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
                prop_assert_eq!(url.as_str(), &text);
                prop_assert_eq!(percent_encode(url.as_str()), text);
            }
        }

        #[test]
        fn encoding_is_idempotent(text in "https://[a-zé.]{1,8}/\\PC{0,30}") {
            if let Ok(location) = text.parse::<Location>() {
                prop_assert!(location.as_str().bytes().all(|byte| is_allowed(byte) || byte == b'%'));
                prop_assert_eq!(location.as_str().parse::<Location>().unwrap(), location);
            }
        }
    }
}
