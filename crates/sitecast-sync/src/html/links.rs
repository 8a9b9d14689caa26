//! Where a page leads to.

use std::cell::{Cell, RefCell};

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};
use url::Url;

use crate::machine_pages::JSON;

/// Enough for the longest tag of an honest page.
const MEMORY: usize = 4 << 20;
/// Links of one page that are followed.
const MOST: usize = 5_000;

/// What a page links to.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The http(s) targets of its links, each in the order of its first occurrence; none if it is not to be
    /// followed.
    pub(super) pages: Vec<Url>,
    /// Its version for machines: `<link rel="alternate" type="application/json">`.
    pub(super) machine_page: Option<Url>,
}

pub(super) fn links(html: &[u8], url: &str) -> Links {
    let Ok(own) = Url::parse(url) else {
        return Links::default();
    };
    let base = RefCell::new(own);
    let found = RefCell::new(Vec::new());
    let machine_page = RefCell::new(None);
    let refused = Cell::new(false);
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_element_content_handler(element!("base[href]", |element| {
            let href = element.get_attribute("href").unwrap_or_default();
            let joined = base.borrow().join(&href);
            if let Ok(joined) = joined {
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
                *machine_page.borrow_mut() = target.ok();
            }
            Ok(())
        }))
        .append_element_content_handler(element!("a[href]", |element| {
            let href = element.get_attribute("href").unwrap_or_default();
            let rel = element.get_attribute("rel").unwrap_or_default();
            let follow = !rel
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("nofollow"));
            if follow && found.borrow().len() < MOST {
                let href = htmlize_href(&href);
                let target = base.borrow().join(&href);
                if let Ok(mut target) = target
                    && matches!(target.scheme(), "http" | "https")
                {
                    target.set_fragment(None);
                    found.borrow_mut().push(target);
                }
            }
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    // What was found before the markup broke is the answer.
    let _ = rewriter.write(html);
    drop(rewriter);
    let pages = if refused.get() {
        Vec::new()
    } else {
        found.into_inner()
    };
    Links {
        pages,
        machine_page: machine_page.into_inner(),
    }
}

/// The one entity that URLs have for good reason.
fn htmlize_href(href: &str) -> String {
    href.trim().replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(html: &str) -> Vec<String> {
        links(html.as_bytes(), "https://example.com/a/")
            .pages
            .into_iter()
            .map(String::from)
            .collect()
    }

    #[test]
    fn links_are_absolute_and_what_should_not_be_followed_is_not() {
        let html = "<a href='b'>x</a><a href=/c?a=1&amp;b=2#top>y</a><a href='mailto:a@b.c'>z</a>\
            <a rel='nofollow noopener' href=/no>n</a><a>none</a><p><a href='https://other.example/'>o";
        assert_eq!(
            found(html),
            [
                "https://example.com/a/b",
                "https://example.com/c?a=1&b=2",
                "https://other.example/"
            ]
        );
        assert_eq!(
            found("<base href=/docs/><a href=b>x</a>"),
            ["https://example.com/docs/b"]
        );
        assert!(found("<meta name=ROBOTS content='noindex, nofollow'><a href=b>x</a>").is_empty());
    }

    #[test]
    fn a_page_may_name_its_version_for_machines() {
        let named = |html: &str| {
            let found = links(html.as_bytes(), "https://example.com/a/");
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
        fn whatever_a_page_is_its_links_are_of_the_web(html in "(<(a|link|base|meta)( (href|rel|type|name|content)=('[^>]{0,12}'|[a-z:/.#&;]{0,12})){0,4}>|[ -~\u{e9}]){0,12}") {
            let found = links(html.as_bytes(), "https://example.com/a/");
            prop_assert!(found.pages.iter().all(|url| matches!(url.scheme(), "http" | "https")));
        }

        #[test]
        fn bytes_that_are_no_html_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            links(&bytes, "https://example.com/");
        }
    }
}
