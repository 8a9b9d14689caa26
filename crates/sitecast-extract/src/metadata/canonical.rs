//! The canonical URL of a page, and the base URL of its links.

use sitecast_scp::HttpUrl;
use url::Url;

use super::metadata_elements::MetadataElements;
use crate::blocks::resolve;

/// A longer `<base href>` is ignored.
const MAX_BASE_BYTES: usize = 2_000;

/// Returns the base of relative URLs on the page: its `<base href>`, or else its own URL.
pub(crate) fn base_url(metadata_elements: &MetadataElements<'_>, url: &HttpUrl) -> Url {
    let own = Url::parse(url.as_str());
    let stated = metadata_elements
        .base
        // Every resolved link would repeat it.
        .filter(|href| href.len() <= MAX_BASE_BYTES)
        .and_then(|href| match &own {
            Ok(own) => own.join(href.trim()).ok(),
            Err(_) => Url::parse(href.trim()).ok(),
        })
        .filter(|base| matches!(base.scheme(), "http" | "https"));
    // `HttpUrl` accepts some URLs that `Url` refuses, for example with hosts that are invalid in IDNA. Links on such a page
    // are resolved against a URL that does not exist.
    stated.or(own.ok()).unwrap_or_else(unknown)
}

#[expect(clippy::expect_used, reason = "a constant, parsed in a test")]
fn unknown() -> Url {
    Url::parse("http://invalid.invalid/").expect("is a URL")
}

/// Returns the URL in `<link rel="canonical">`, absolute and without fragment. `og:url` is ignored: many sites put the URL of
/// their front page there on every page.
pub(super) fn canonical(metadata_elements: &MetadataElements<'_>, base: &Url) -> Option<HttpUrl> {
    metadata_elements
        .canonicals
        .iter()
        .filter_map(|element| element.attribute("href"))
        .map(str::trim)
        .filter(|href| !href.is_empty())
        .find_map(|href| {
            let whole = href.split('#').next()?;
            resolve(base, whole)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    fn canonical_of(html: &str) -> Option<String> {
        let dom = parse(html, &Limits::default());
        let metadata_elements = MetadataElements::of(&dom);
        let base = base_url(
            &metadata_elements,
            &"https://example.com/a/b".parse().unwrap(),
        );
        canonical(&metadata_elements, &base).map(|url| url.to_string())
    }

    #[test]
    fn reads_canonical_links() {
        for (html, url) in [
            (
                "<link rel=canonical href='https://example.org/x'>",
                Some("https://example.org/x"),
            ),
            (
                "<link rel='nofollow CANONICAL' href='/x'>",
                Some("https://example.com/x"),
            ),
            (
                "<link rel=canonical href=' x#y '>",
                Some("https://example.com/a/x"),
            ),
            (
                "<link rel=canonical href='//example.org/ä b'>",
                Some("https://example.org/%C3%A4%20b"),
            ),
            (
                "<base href='/c/'><link rel=canonical href='x'>",
                Some("https://example.com/c/x"),
            ),
            (
                "<link rel=canonical href=''><link rel=canonical href='/y'>",
                Some("https://example.com/y"),
            ),
            ("<link rel=canonical href='javascript:x'>", None),
            ("<link rel=canonical href='http://'>", None),
            ("<link rel=canonical>", None),
            ("<link rel=alternate href='/x'>", None),
            (
                "<meta property=og:url content='https://example.com/'>",
                None,
            ),
        ] {
            assert_eq!(canonical_of(html).as_deref(), url, "{html}");
        }
    }

    #[test]
    fn finds_base_urls() {
        let base = |html: &str, url: &str| {
            let dom = parse(html, &Limits::default());
            base_url(&MetadataElements::of(&dom), &url.parse().unwrap()).to_string()
        };
        assert_eq!(base("", "https://example.com/a"), "https://example.com/a");
        assert_eq!(
            base(
                "<base target=x><base href='../b/'>",
                "https://example.com/a/"
            ),
            "https://example.com/b/"
        );
        assert_eq!(
            base("<base href='javascript:x'>", "https://example.com/a"),
            "https://example.com/a"
        );
        assert_eq!(
            base("<base href='data:x'>", "https://example.com/a"),
            "https://example.com/a"
        );
        assert_eq!(base("", "https://xn--a/"), "http://invalid.invalid/");
    }
}
