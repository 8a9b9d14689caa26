//! Links between pages, machine pages, sitemaps and policy: `Link` headers (RFC 8288) and `<link>` elements.

use std::borrow::Cow;

use url::Url;

/// The default path of the JSON sitemap.
pub const SITEMAP_PATH: &str = "/llm-sitemap.json";
/// The well-known path of the JSON sitemap, for agents without a `Link` header.
pub const WELL_KNOWN_SITEMAP_PATH: &str = "/.well-known/llm-sitemap.json";
/// The default path of the policy.
pub const POLICY_PATH: &str = "/llm-policy.json";

/// The `Cache-Control` that the draft asks for on machine pages and JSON sitemaps.
pub const CACHE_CONTROL: &str =
    "max-age=0, must-revalidate, stale-while-revalidate=60, stale-if-error=86400";

/// Returns the `Link` header from a machine page to the page for people, which is required.
///
/// ```
/// let link = sitecast_tct::canonical_link("https://example.com/post/");
/// assert_eq!(link, "<https://example.com/post/>; rel=\"canonical\"");
/// ```
pub fn canonical_link(url: &str) -> String {
    format!("<{}>; rel=\"canonical\"", target(url))
}

/// Returns the `Link` header from a page to the JSON sitemap.
pub fn index_link(url: &str) -> String {
    format!(
        "<{}>; rel=\"index\"; type=\"application/json\"",
        target(url)
    )
}

/// Returns the `Link` header to the policy.
pub fn policy_link(url: &str) -> String {
    format!(
        "<{}>; rel=\"describedby\"; type=\"application/json\"",
        target(url)
    )
}

/// Returns the `Link` header from a page for people to its machine page.
pub fn alternate_link(url: &str) -> String {
    format!(
        "<{}>; rel=\"alternate\"; type=\"application/json\"",
        target(url)
    )
}

/// Returns the `<link>` element for the `<head>` of a page for people, with its machine page.
///
/// ```
/// let element = sitecast_tct::alternate_element("https://example.com/post/llm/");
/// assert_eq!(element, r#"<link rel="alternate" type="application/json" href="https://example.com/post/llm/">"#);
/// ```
pub fn alternate_element(url: &str) -> String {
    let url = target(url).replace('&', "&amp;");
    format!("<link rel=\"alternate\" type=\"application/json\" href=\"{url}\">")
}

/// Percent-encodes a URL for a header or an attribute, so that nothing in it can end the value.
fn target(url: &str) -> String {
    let mut safe = String::with_capacity(url.len());
    for c in url.chars() {
        if c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '\\' | '`') {
            safe.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                safe.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    safe
}

/// Returns the absolute targets of a relation in the `Link` headers of a response. With `media_type`, only links that
/// declare it.
///
/// ```
/// let base = "https://example.com/".parse().unwrap();
/// let found = sitecast_tct::find_links(["</llm-sitemap.json>; rel=\"index\"; type=\"application/json\""], &base, "index", Some("application/json"));
/// assert_eq!(found[0].as_str(), "https://example.com/llm-sitemap.json");
/// ```
pub fn find_links<'h>(
    headers: impl IntoIterator<Item = &'h str>,
    base: &Url,
    relation: &str,
    media_type: Option<&str>,
) -> Vec<Url> {
    let mut found = Vec::new();
    for header in headers {
        for link in (Links { rest: header }) {
            let of_type = |wanted: &str| {
                let declared = link.parameter("type").unwrap_or_default();
                let essence = declared.split(';').next().unwrap_or_default();
                essence.trim().eq_ignore_ascii_case(wanted)
            };
            // A link with another anchor has another context.
            let about_this = link
                .parameter("anchor")
                .is_none_or(|anchor| base.join(&anchor).is_ok_and(|anchor| anchor == *base));
            if link.has_relation(relation)
                && about_this
                && media_type.is_none_or(of_type)
                && let Ok(target) = base.join(link.target)
            {
                found.push(target);
            }
        }
    }
    found
}

/// One link of a header.
struct Link<'h> {
    target: &'h str,
    parameters: Vec<(&'h str, Cow<'h, str>)>,
}

impl Link<'_> {
    /// Returns the first parameter of this name; later ones are ignored (RFC 8288 §3.3).
    fn parameter(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut parameters = self.parameters.iter();
        let (_, value) = parameters.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(Cow::Borrowed(value))
    }

    fn has_relation(&self, relation: &str) -> bool {
        self.parameter("rel").is_some_and(|relations| {
            let mut relations = relations.split_ascii_whitespace();
            relations.any(|known| known.eq_ignore_ascii_case(relation))
        })
    }
}

/// Iterates over the links of a header by the algorithm of RFC 8288, appendix B.2. A malformed link ends the list.
struct Links<'h> {
    rest: &'h str,
}

const SPACES: [char; 2] = [' ', '\t'];

impl<'h> Iterator for Links<'h> {
    type Item = Link<'h>;

    fn next(&mut self) -> Option<Link<'h>> {
        self.rest = self.rest.trim_start_matches([' ', '\t', ',']);
        let (target, rest) = self.rest.strip_prefix('<')?.split_once('>')?;
        self.rest = rest;
        let mut parameters = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches(SPACES);
            let Some(rest) = self.rest.strip_prefix(';') else {
                break;
            };
            self.rest = rest.trim_start_matches(SPACES);
            parameters.extend(self.parameter());
        }
        // Skips unexpected text up to the next link.
        self.rest = self
            .rest
            .find(',')
            .map_or("", |at| self.rest.get(at..).unwrap_or_default());
        Some(Link { target, parameters })
    }
}

impl<'h> Links<'h> {
    fn parameter(&mut self) -> Option<(&'h str, Cow<'h, str>)> {
        let end = self.rest.find(['=', ';', ',']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        let Some(value) = rest.strip_prefix('=') else {
            // A parameter without a value, such as `crossorigin`.
            return Some((name.trim(), Cow::Borrowed("")));
        };
        let value = value.trim_start_matches(SPACES);
        if let Some(quoted) = value.strip_prefix('"') {
            return Some((name.trim(), self.quoted(quoted)));
        }
        let end = value.find([';', ',']).unwrap_or(value.len());
        let (token, rest) = value.split_at_checked(end)?;
        self.rest = rest;
        Some((name.trim(), Cow::Borrowed(token.trim())))
    }

    /// Parses a quoted string after its opening quote.
    fn quoted(&mut self, text: &'h str) -> Cow<'h, str> {
        let mut value = String::new();
        let mut characters = text.char_indices();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.rest = text.get(at + 1..).unwrap_or_default();
                    return Cow::Owned(value);
                }
                '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
                c => value.push(c),
            }
        }
        self.rest = "";
        Cow::Owned(value)
    }
}

/// The result of checking the canonical link of a machine page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Canonical {
    /// The link names the expected page.
    Matches,
    /// There is no canonical link.
    Missing,
    /// The links name another page, or more than one.
    Differs(Vec<Url>),
}

impl Canonical {
    /// Compares the canonical link with the expected URL. An agent must do so before it uses a machine page.
    ///
    /// ```
    /// use sitecast_tct::Canonical;
    ///
    /// let page = "https://example.com/post/".parse().unwrap();
    /// let machine = "https://example.com/post/llm/".parse().unwrap();
    /// let link = "<https://example.com/post/>; rel=\"canonical\"";
    /// assert_eq!(Canonical::check([link], &machine, &page), Canonical::Matches);
    /// assert_eq!(Canonical::check([], &machine, &page), Canonical::Missing);
    /// ```
    pub fn check<'h>(
        headers: impl IntoIterator<Item = &'h str>,
        machine_url: &Url,
        expected: &Url,
    ) -> Self {
        let found = find_links(headers, machine_url, "canonical", None);
        if found.is_empty() {
            Self::Missing
        } else if found.iter().all(|url| url == expected) {
            Self::Matches
        } else {
            Self::Differs(found)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn finds_written_links() {
        let base = url("https://example.com/post/llm/");
        for page in [
            "https://example.com/post/",
            "https://example.com/a,b;c?d=\"e\"&f=<g>",
            "https://example.com/ü",
        ] {
            let headers = [
                canonical_link(page),
                index_link("/llm-sitemap.json"),
                policy_link("/llm-policy.json"),
                alternate_link(page),
            ];
            let joined = headers.join(", ");
            for headers in [
                headers.iter().map(String::as_str).collect::<Vec<_>>(),
                vec![joined.as_str()],
            ] {
                let find =
                    |relation, kind| find_links(headers.iter().copied(), &base, relation, kind);
                assert_eq!(find("canonical", None), [url(page)], "{page}");
                assert_eq!(
                    find("index", Some("application/json")),
                    [url("https://example.com/llm-sitemap.json")]
                );
                assert_eq!(
                    find("describedby", None),
                    [url("https://example.com/llm-policy.json")]
                );
                assert_eq!(find("alternate", Some("application/json")).len(), 1);
                assert_eq!(find("alternate", Some("text/html")), []);
            }
        }
    }

    #[test]
    fn finds_links_next_to_malformed_ones() {
        let base = url("https://example.com/");
        for header in [
            "</f.woff2>; rel=preload; as=font; crossorigin, </a>; rel=\"index\"",
            "</f>; rel=preload; crossorigin; title=\"a, b; \\\" <é>\" , </a>; rel=index,",
            ",, </a> ; REL = index junk",
            "</x>; rel=index; anchor=\"/other\", </a>; rel=index; rel=next",
            "<http://[bad>; rel=index, </a>; rel=\"next index\"",
        ] {
            assert_eq!(
                find_links([header], &base, "index", None),
                [url("https://example.com/a")],
                "{header}"
            );
        }
        for header in [
            "",
            "a",
            "<",
            "</a",
            "</a>",
            "</a>;",
            "</a>; rel",
            "</a>; rel=",
            "</a>; rel=\"index",
            "x </a>; rel=index",
        ] {
            let found = find_links([header], &base, "index", None);
            assert_eq!(found.is_empty(), header != "</a>; rel=\"index", "{header}");
        }
    }

    #[test]
    fn agents_must_verify_the_canonical_link() {
        let machine = url("https://example.com/post/llm/");
        let page = url("https://example.com/post/");
        let check = |headers: &[&str]| Canonical::check(headers.iter().copied(), &machine, &page);
        assert_eq!(check(&["<..>; rel=canonical"]), Canonical::Matches);
        assert_eq!(
            check(&["<https://EXAMPLE.com/post/>; rel=\"nofollow Canonical\""]),
            Canonical::Matches
        );
        assert_eq!(
            check(&["</x>; rel=\"next\"", "rubbish"]),
            Canonical::Missing
        );
        let evil = "<https://evil.example/post/>; rel=\"canonical\"";
        assert!(matches!(check(&[evil]), Canonical::Differs(_)));
        assert!(matches!(
            check(&["<..>; rel=canonical", evil]),
            Canonical::Differs(_)
        ));
    }

    #[test]
    fn escapes_urls_in_headers_and_attributes() {
        let evil = "https://example.com/\"><script>\r\nSet-Cookie: a=b";
        for text in [canonical_link(evil), alternate_element(evil)] {
            assert!(
                !text.contains("<script") && !text.contains(['\r', '\n']),
                "{text}"
            );
        }
    }
}
