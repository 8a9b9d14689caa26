//! Links, and the URLs of everything else.

use sitecast_scp::HttpUrl;
use url::Url;

use super::prose::{Gap, Prose, tidy};
use crate::dom::Element;

/// The absolute http(s) URL that a page means by `reference`.
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

/// The URL of a reference that is spelled as it would be after parsing: most are, and parsing is
/// slow. `None` for any that may not be.
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

/// Whether a host is a name in lower case: no number, no port, nothing in another script.
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

/// Whether a path, with a fragment or without, has nothing that is resolved or encoded.
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

/// Percent-encodes what browsers leave in a URL though RFC 3986 has no place for it, such as `|`,
/// `[` and a `%` that encodes nothing.
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

/// A link whose end was not met yet.
#[derive(Debug)]
pub(super) struct OpenLink {
    url: HttpUrl,
    rel: Vec<String>,
    label: Option<String>,
    pub(super) prose: Prose,
    /// The first heading in it: the name of a card.
    pub(super) heading: Option<String>,
    /// What the first image in it shows.
    pub(super) image: Option<String>,
}

/// A link to somewhere else.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) url: HttpUrl,
    pub(super) text: String,
    pub(super) rel: Vec<String>,
}

impl OpenLink {
    /// The link that an `a` begins, unless it leads nowhere or to another place on the page.
    pub(super) fn of(element: Element<'_>, base: &Url) -> Option<Self> {
        let reference = element.attribute("href")?.trim();
        if reference.starts_with('#') {
            return None;
        }
        let url = resolve(base, reference)?;
        if leads_to_same_page(base, url.as_str()) {
            return None;
        }
        let mut rel: Vec<String> = Vec::new();
        let words = element.attribute("rel").unwrap_or_default();
        // A handful: those beyond say nothing.
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

    /// The link, if it has anything to be called by.
    pub(super) fn close(mut self) -> Option<Link> {
        let text = Some(self.prose.take()).filter(|text| !text.is_empty());
        Some(Link {
            text: self.heading.or(text).or(self.image).or(self.label)?,
            url: self.url,
            rel: self.rel,
        })
    }
}

/// Whether only a fragment is between a URL and the page it is on.
fn leads_to_same_page(base: &Url, url: &str) -> bool {
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
        fn what_is_canonical_is_what_parsing_makes_of_it(
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
