//! The links of an HTML page.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};
use sitecast_sitemap::MAX_LOCATION;
use url::Url;

use crate::machine_pages::JSON;
use crate::scope::Scope;

/// The memory of the parser in bytes: enough for the longest tag of an ordinary page.
const MEMORY: usize = 4 << 20;
/// The most links of one page.
const MAX_LINKS: usize = 5_000;
/// The most bytes of their absolute URLs, which are long if the base URL is.
const MAX_LINK_BYTES: usize = 512 << 10;

/// The links of a page.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// Links to pages of the site, without duplicates, in order; empty if the page says `nofollow`.
    pub(super) pages: Vec<Url>,
    /// The machine page: `<link rel="alternate" type="application/json">`.
    pub(super) machine_page: Option<Url>,
}

/// Finds the links of a page to pages of `follow`. Leaves out URLs that are longer than [`MAX_LOCATION`].
pub(super) fn links(html: &[u8], url: &str, follow: Option<&Scope>) -> Links {
    let Ok(own) = Url::parse(url) else {
        return Links::default();
    };
    let base = RefCell::new(own);
    let found = RefCell::new(Found::default());
    let machine_page = RefCell::new(None);
    let refused = Cell::new(false);
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_element_content_handler(element!("base[href]", |element| {
            let href = element.get_attribute("href").unwrap_or_default();
            let joined = base.borrow().join(&href);
            if let Ok(joined) = joined
                && joined.as_str().len() <= MAX_LOCATION
            {
                *base.borrow_mut() = joined;
            }
            Ok(())
        }))
        .append_element_content_handler(element!("meta[name=robots i]", |element| {
            let content = element.get_attribute("content").unwrap_or_default();
            let content = content.to_ascii_lowercase();
            if content.contains("nofollow") || content.trim() == "none" {
                refused.set(true);
            }
            Ok(())
        }))
        .append_element_content_handler(element!("link[rel][href]", |element| {
            let attribute = |name| element.get_attribute(name).unwrap_or_default();
            let rel = attribute("rel");
            let alternate = rel
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("alternate"));
            let kind = attribute("type");
            let kind = kind.split(';').next().unwrap_or_default().trim();
            if alternate && kind.eq_ignore_ascii_case(JSON) && machine_page.borrow().is_none() {
                let target = base.borrow().join(&htmlize_href(&attribute("href")));
                *machine_page.borrow_mut() = target
                    .ok()
                    .filter(|target| target.as_str().len() <= MAX_LOCATION);
            }
            Ok(())
        }))
        .append_element_content_handler(element!("a[href]", |element| {
            let href = element.get_attribute("href").unwrap_or_default();
            let rel = element.get_attribute("rel").unwrap_or_default();
            let refused = rel
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("nofollow"));
            if let Some(follow) = follow
                && !refused
                && href.len() <= MAX_LOCATION
                && !found.borrow().is_full()
            {
                let href = htmlize_href(&href);
                let target = base.borrow().join(&href);
                if let Ok(mut target) = target
                    && matches!(target.scheme(), "http" | "https")
                    && target.as_str().len() <= MAX_LOCATION
                    && follow.has(&target)
                {
                    target.set_fragment(None);
                    found.borrow_mut().add(target);
                }
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // After an error of the parser, the links before it are used.
    let _ = rewriter.write(html);
    drop(rewriter);
    let pages = if refused.get() {
        Vec::new()
    } else {
        found.into_inner().pages
    };
    Links {
        pages,
        machine_page: machine_page.into_inner(),
    }
}

/// The links found so far.
#[derive(Default)]
struct Found {
    pages: Vec<Url>,
    bytes: usize,
    seen: HashSet<String>,
}

impl Found {
    fn is_full(&self) -> bool {
        self.pages.len() >= MAX_LINKS || self.bytes >= MAX_LINK_BYTES
    }

    fn add(&mut self, target: Url) {
        if self.seen.insert(target.to_string()) {
            self.bytes += target.as_str().len();
            self.pages.push(target);
        }
    }
}

/// Decodes `&amp;`, the only character reference that is common in URLs.
fn htmlize_href(href: &str) -> String {
    href.trim().replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn own() -> Scope {
        Scope::new(&"https://example.com/".parse().unwrap())
    }

    fn found(html: &str) -> Vec<String> {
        links(html.as_bytes(), "https://example.com/a/", Some(&own()))
            .pages
            .into_iter()
            .map(String::from)
            .collect()
    }

    #[test]
    fn links_are_absolute_and_exclude_nofollow() {
        let html = "<a href='b'>x</a><a href=/c?a=1&amp;b=2#top>y</a><a href='mailto:a@b.c'>z</a>\
            <a rel='nofollow noopener' href=/no>n</a><a>none</a><p><a href='https://other.example/'>o";
        assert_eq!(
            found(html),
            ["https://example.com/a/b", "https://example.com/c?a=1&b=2"]
        );
        assert_eq!(
            found("<base href=/docs/><a href=b>x</a>"),
            ["https://example.com/docs/b"]
        );
        assert!(found("<meta name=ROBOTS content='noindex, nofollow'><a href=b>x</a>").is_empty());
    }

    #[test]
    fn links_are_bounded_in_number_length_and_bytes() {
        let many: String = (0..6_000).map(|n| format!("<a href=/{n}>x</a>")).collect();
        assert_eq!(found(&many).len(), MAX_LINKS);
        // Repeated links count once.
        assert_eq!(found(&"<a href=/x>x</a>".repeat(6_000)).len(), 1);
        let long = format!("<a href=/{}>x</a><a href=/y>y</a>", "x".repeat(2_048));
        assert_eq!(found(&long), ["https://example.com/y"]);
        // Short links become long with a long base URL.
        let base = format!("<base href=/{}/>", "x".repeat(1_900));
        let links: String = (0..5_000).map(|n| format!("<a href={n}>x</a>")).collect();
        let bytes: usize = found(&(base + &links)).iter().map(String::len).sum();
        assert!(
            bytes < MAX_LINK_BYTES + 4_096 && bytes > MAX_LINK_BYTES / 2,
            "{bytes}"
        );
    }

    #[test]
    fn finds_the_link_to_the_machine_page() {
        let named = |html: &str| {
            let found = links(html.as_bytes(), "https://example.com/a/", Some(&own()));
            found.machine_page.map(String::from)
        };
        let expected = Some("https://example.com/a/llm/".to_owned());
        for html in [
            "<link rel=alternate type=application/json href=llm/>",
            "<LINK REL='Alternate' TYPE='application/JSON; charset=utf-8' HREF='/a/llm/'>",
            "<link rel=alternate type='application/json+oembed' href=/oembed><link rel='alternate' type=application/json href=llm/>",
        ] {
            assert_eq!(named(html), expected, "{html}");
        }
        for html in [
            "<link rel=alternate type='application/rss+xml' href=feed>",
            "<link rel=stylesheet type=application/json href=x>",
            "<!-- <link rel=alternate type=application/json href=llm/> -->",
        ] {
            assert_eq!(named(html), None, "{html}");
        }
    }

    proptest! {
        #[test]
        fn links_of_random_markup_are_http(html in "(<(a|link|base|meta)( (href|rel|type|name|content)=('[^>]{0,12}'|[a-z:/.#&;]{0,12})){0,4}>|[ -~\u{e9}]){0,12}") {
            let found = links(html.as_bytes(), "https://example.com/a/", Some(&own()));
            prop_assert!(found.pages.iter().all(|url| matches!(url.scheme(), "http" | "https")));
        }

        #[test]
        fn arbitrary_bytes_cause_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            links(&bytes, "https://example.com/", Some(&own()));
        }
    }
}
