//! Where a page leads to.

use std::cell::{Cell, RefCell};

use lol_html::{HtmlRewriter, MemorySettings, Settings, element};
use url::Url;

/// Enough for the longest tag of an honest page.
const MEMORY: usize = 4 << 20;
/// Links of one page that are followed.
const MOST: usize = 5_000;

/// The http(s) targets of a page's links, each in the order of its first occurrence. Of a page that is not
/// to be followed, none.
pub(super) fn links(html: &[u8], url: &str) -> Vec<Url> {
    let Ok(own) = Url::parse(url) else {
        return Vec::new();
    };
    let base = RefCell::new(own);
    let found = RefCell::new(Vec::new());
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
    if refused.get() {
        return Vec::new();
    }
    found.into_inner()
}

/// The one entity that URLs have for good reason.
fn htmlize_href(href: &str) -> String {
    href.trim().replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Vec<String> {
        links(html.as_bytes(), "https://example.com/a/")
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
}
