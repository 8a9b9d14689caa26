//! Parts of a page that are not to be quoted: elements with `data-nosnippet`.

use std::borrow::Cow;

use lol_html::{HtmlRewriter, MemorySettings, Settings, element, text};

const ATTRIBUTE: &[u8] = b"data-nosnippet";
/// Memory for the longest tag.
const MEMORY: usize = 16 << 20;

/// HTML without the elements that have the attribute. `None` if it has them and cannot be cut: nothing of it may be quoted then.
pub(crate) fn without_nosnippet(html: &[u8]) -> Option<Cow<'_, [u8]>> {
    if crate::head::is_utf16(html) {
        // The parser knows no UTF-16. One byte of each pair is zero in all markup.
        let ascii: Vec<u8> = html.iter().copied().filter(|byte| *byte != 0).collect();
        return (!mentions(&ascii)).then_some(Cow::Borrowed(html));
    }
    if !mentions(html) {
        return Some(Cow::Borrowed(html));
    }
    // What is text to this parser, and markup to those who run no scripts.
    let mut unseen = String::new();
    let (mut cut, mut found) = (Vec::with_capacity(html.len()), false);
    let remove = element!("[data-nosnippet]", |element| {
        found = true;
        element.remove();
        Ok(())
    });
    let noscript = text!("noscript", |chunk| {
        unseen.push_str(chunk.as_str());
        Ok(())
    });
    let settings = Settings::new()
        .with_strict(false)
        .with_adjust_charset_on_meta_tag(true)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_element_content_handler(remove)
        .append_element_content_handler(noscript);
    let mut rewriter = HtmlRewriter::new(settings, |bytes: &[u8]| cut.extend_from_slice(bytes));
    rewriter.write(html).ok()?;
    rewriter.end().ok()?;
    if mentions(unseen.as_bytes()) {
        return None;
    }
    Some(if found {
        Cow::Owned(cut)
    } else {
        Cow::Borrowed(html)
    })
}

fn mentions(html: &[u8]) -> bool {
    memchr::memchr_iter(b'-', html).any(|at| {
        let start = at.checked_sub(4);
        start
            .and_then(|start| html.get(start..start + ATTRIBUTE.len()))
            .is_some_and(|word| word.eq_ignore_ascii_case(ATTRIBUTE))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(html: &str) -> String {
        String::from_utf8(without_nosnippet(html.as_bytes()).unwrap().into_owned()).unwrap()
    }

    #[test]
    fn elements_with_the_attribute_are_cut() {
        for (html, expected) in [
            ("<p>a<span data-nosnippet>b</span>c</p>", "<p>ac</p>"),
            (
                "<div DATA-NoSnippet=\"\"><p>b<div>c</div></div><p>d",
                "<p>d",
            ),
            ("<p>about data-nosnippet</p>", "<p>about data-nosnippet</p>"),
            (
                "<!-- <p data-nosnippet> --><p>a",
                "<!-- <p data-nosnippet> --><p>a",
            ),
            ("<p>a", "<p>a"),
        ] {
            assert_eq!(cut(html), expected, "{html}");
        }
    }

    #[test]
    fn an_element_that_is_not_closed_takes_what_follows_along() {
        assert!(!cut("<main><p data-nosnippet>secret").contains("secret"));
    }

    #[test]
    fn what_cannot_be_cut_is_told() {
        let html = "<p>a<noscript><p Data-NoSnippet>secret</noscript><p data-nosnippet>b";
        assert!(without_nosnippet(html.as_bytes()).is_none());
        assert!(!cut("<noscript><p>a</noscript><p data-nosnippet>secret").contains("secret"));
        let utf16: Vec<u8> = "\u{feff}<p data-nosnippet>a"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(without_nosnippet(&utf16).is_none());
    }
}
