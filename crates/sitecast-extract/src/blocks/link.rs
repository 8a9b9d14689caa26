//! Links, and the resolution of every URL on a page.

use sitecast_scp::HttpUrl;
use url::Url;

use super::prose::{Gap, Prose, tidy};
use crate::dom::Element;

/// Resolves a reference to an absolute http(s) URL.
pub(crate) fn resolve(base: &Url, reference: &str) -> Option<HttpUrl> {
    let reference = reference.trim();
    if reference.is_empty() {
        return None;
    }
    if let Some(url) = canonical(base, reference)
        && url.is_strict()
    {
        return Some(url);
    }
    let url = base.join(reference).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let found = HttpUrl::new(url.as_str()).ok()?;
    if found.is_strict() {
        return Some(found);
    }
    HttpUrl::new(escaped(&url)).ok()
}

/// Returns the URL of a reference that is already spelled as the parser would spell it. Most are, and parsing is slow.
/// `None` if it may differ.
fn canonical(base: &Url, reference: &str) -> Option<HttpUrl> {
    let after_scheme = reference
        .strip_prefix("https://")
        .or_else(|| reference.strip_prefix("http://"));
    if let Some(rest) = after_scheme {
        let (host, tail) = rest.split_at_checked(rest.find('/')?)?;
        return (is_plain_host(host) && is_plain_tail(tail))
            .then(|| HttpUrl::new(reference).ok())?;
    }
    if !reference.starts_with('/')
        || reference.starts_with("//")
        || !matches!(base.scheme(), "http" | "https")
        || !is_plain_tail(reference)
    {
        return None;
    }
    let site = &base[..url::Position::BeforePath];
    HttpUrl::new([site, reference].concat()).ok()
}

/// Returns true if a host is a lower-case ASCII name: no IP address, no port, no punycode.
fn is_plain_host(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    last.starts_with(|c: char| c.is_ascii_lowercase())
        && host.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with("xn--")
                && label
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        })
}

/// Returns true if the parser would change nothing in a path with or without a fragment: no dot segment, no
/// percent-encoding.
fn is_plain_tail(tail: &str) -> bool {
    let mut fragments = 0;
    let mut before = b' ';
    tail.bytes().all(|byte| {
        fragments += u32::from(byte == b'#');
        let is_dot_segment = byte == b'.' && before == b'/';
        before = byte;
        let is_plain =
            byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~' | b'#');
        is_plain && !is_dot_segment && fragments <= 1
    })
}

/// Percent-encodes characters that browsers leave in a URL although RFC 3986 does not allow them, such as `|`, `[` and
/// a `%` without two hex digits.
fn escaped(url: &Url) -> String {
    let text = url.as_str();
    let start = url[url::Position::BeforePath..].len();
    let (authority, tail) = text
        .split_at_checked(text.len() - start)
        .unwrap_or((text, ""));
    let mut out = authority.to_owned();
    let mut in_fragment = false;
    let mut rest = tail;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let encodes = || {
            let mut digits = after.bytes().take(2).filter(u8::is_ascii_hexdigit);
            digits.next().is_some() && digits.next().is_some()
        };
        let stays = match c {
            '#' => !std::mem::replace(&mut in_fragment, true),
            '%' => encodes(),
            '[' | ']' | '|' | '^' | '{' | '}' | '"' | '<' | '>' | '`' | '\\' | ' ' => false,
            _ => c.is_ascii(),
        };
        if stays {
            out.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
        rest = after;
    }
    out
}

/// A link before its end tag.
#[derive(Debug)]
pub(super) struct OpenLink {
    url: HttpUrl,
    rel: Vec<String>,
    label: Option<String>,
    pub(super) prose: Prose,
    /// The first heading in it. Cards are links with a heading, which names them.
    pub(super) heading: Option<String>,
    /// The `alt` text of the first image in it.
    pub(super) image: Option<String>,
}

/// A link to another page.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) url: HttpUrl,
    pub(super) text: String,
    pub(super) rel: Vec<String>,
}

impl OpenLink {
    /// Begins the link of an `a`. Returns `None` if it has no URL or leads to another place on the same page.
    pub(super) fn of(element: Element<'_>, base: &Url) -> Option<Self> {
        let reference = element.attribute("href")?.trim();
        if reference.starts_with('#') {
            return None;
        }
        let url = resolve(base, reference)?;
        if is_same_page(base, url.as_str()) {
            return None;
        }
        let mut rel: Vec<String> = Vec::new();
        let words = element.attribute("rel").unwrap_or_default();
        // No page needs more `rel` values.
        for word in words.split_ascii_whitespace().take(16) {
            let word = word.to_ascii_lowercase();
            if !rel.contains(&word) {
                rel.push(word);
            }
        }
        Some(Self {
            url,
            rel,
            label: ["aria-label", "title"]
                .iter()
                .find_map(|name| tidy(element.attribute(name)?)),
            prose: Prose::new(Gap::Space),
            heading: None,
            image: None,
        })
    }

    /// Ends the link. Returns `None` if it has no text, heading, image or label to name it.
    pub(super) fn close(mut self) -> Option<Link> {
        let text = Some(self.prose.take()).filter(|text| !text.is_empty());
        Some(Link {
            text: self.heading.or(text).or(self.image).or(self.label)?,
            url: self.url,
            rel: self.rel,
        })
    }
}

/// Returns true if the URL differs from the page's own by a fragment only.
fn is_same_page(base: &Url, url: &str) -> bool {
    let base = base.as_str().split('#').next().unwrap_or_default();
    url.split_once('#').is_some_and(|(page, _)| page == base)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_parsing(base: &Url, reference: &str) -> Option<String> {
        Some(base.join(reference).ok()?.as_str().to_owned())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn canonical_urls_equal_parsed_urls(
            base in prop::sample::select(vec![
                "https://example.com/a/b?c#d",
                "http://user:word@example.com:8080/",
                "https://[::1]/x",
                "file:///a/b",
                "data:text/html,x",
            ]),
            start in prop::sample::select(vec!["", "/", "//", "http://", "https://", "HTTPS://"]),
            host in "(([a-z0-9-]{1,4}|xn--[a-z]{1,3}|1|0x1|A)\\.?){0,3}(:[0-9]{1,2})?",
            tail in "[/a-zA-Z0-9._~#?%:@ -]{0,12}",
        ) {
            let base: Url = base.parse().unwrap();
            for reference in [format!("{start}{host}/{tail}"), format!("{start}{tail}")] {
                if let Some(url) = canonical(&base, &reference) {
                    prop_assert_eq!(Some(url.as_str().to_owned()), by_parsing(&base, &reference));
                }
            }
        }
    }

    #[test]
    fn most_references_are_canonical() {
        let base: Url = "https://example.com/a/b".parse().unwrap();
        for reference in [
            "/a/b-c_d/e.html#f",
            "https://docs.rs/url/2.5/url/",
            "http://a.b1/",
        ] {
            assert!(canonical(&base, reference).is_some(), "{reference}");
        }
    }
}
