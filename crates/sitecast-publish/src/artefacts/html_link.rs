//! The element in a page that names its machine page, spliced into the bytes of the page.
//!
//! The page belongs to its author: no other byte of it changes, and taking the element out again gives back
//! what was there. It goes to the end of the head, not to its beginning: the character encoding has to be
//! declared within the first 1,024 bytes, and must not be pushed out of them. The end is where browsers see
//! it, so that a stray `<div>` in the head does not put it into the body.

use std::borrow::Cow;
use std::ops::Range;

use sitecast_tct::alternate_element;
use url::Url;

use crate::head::{HeadTag, is_utf16, looks_like_html, walk};

/// The page with the element that names `machine_url`. `None` where it is there already, and for what it
/// cannot be put into: UTF-16, whose bytes are others, and anything but HTML.
///
/// An element that names another machine page (the page has moved) is replaced where it stands. Links to JSON of
/// other kinds stay, WordPress's `/wp-json/` for one.
pub(crate) fn add_alternate(html: &[u8], machine_url: &str) -> Option<Vec<u8>> {
    if is_utf16(html) || !looks_like_html(html) {
        return None;
    }
    let page = Page::read(html);
    if page
        .links
        .iter()
        .any(|link| link.names(machine_url, page.base.as_deref()))
    {
        return None;
    }
    let element = if page.is_xml {
        // A parser of XML wants to see the end of it; one of HTML does not mind.
        alternate_element(machine_url).replace('>', "/>")
    } else {
        alternate_element(machine_url)
    };
    let place = match page.links.first() {
        Some(link) => link.range.clone(),
        None => page.end_of_head..page.end_of_head,
    };
    let mut changed = Vec::with_capacity(html.len() + element.len());
    changed.extend_from_slice(html.get(..place.start)?);
    changed.extend_from_slice(element.as_bytes());
    changed.extend_from_slice(html.get(place.end..)?);
    Some(changed)
}

/// The page as it was before, without elements that [`add_alternate`] would replace.
pub(crate) fn without_alternate(html: &[u8]) -> Cow<'_, [u8]> {
    // Most pages that were never published can be told without looking at their tags.
    if memchr::memmem::find(html, MACHINE_NAME.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let links = Page::read(html).links;
    if links.is_empty() {
        return Cow::Borrowed(html);
    }
    let mut rest = Vec::with_capacity(html.len());
    let mut taken = 0;
    for link in links {
        rest.extend_from_slice(html.get(taken..link.range.start).unwrap_or_default());
        taken = link.range.end;
    }
    rest.extend_from_slice(html.get(taken..).unwrap_or_default());
    Cow::Owned(rest)
}

/// The end of the names of all machine pages; a longer name has a dot before it.
const MACHINE_NAME: &str = "llm.json";

/// The positions in a page that matter.
#[derive(Default)]
struct Page {
    links: Vec<MachineLink>,
    base: Option<String>,
    is_xml: bool,
    end_of_head: usize,
}

impl Page {
    fn read(html: &[u8]) -> Self {
        let mut page = Self::default();
        let outcome = walk(html, |tag| page.take(tag));
        page.end_of_head = outcome.end_of_head;
        page
    }

    fn take(&mut self, tag: &HeadTag<'_>) {
        match tag.name {
            "html" => self.is_xml |= tag.has("xmlns"),
            "base" if self.base.is_none() => self.base = tag.text("href"),
            "link" if tag.in_head => self.links.extend(MachineLink::of(tag)),
            _ => {}
        }
    }
}

/// An element that names a machine page.
struct MachineLink {
    href: String,
    range: Range<usize>,
}

impl MachineLink {
    fn of(tag: &HeadTag<'_>) -> Option<Self> {
        let href = tag.text("href")?;
        let path = href.split(['?', '#']).next().unwrap_or_default();
        let before = path.strip_suffix(MACHINE_NAME)?;
        let is_ours = (before.is_empty() || before.ends_with(['/', '.']))
            && tag.has_word("rel", "alternate")
            && tag.is("type", "application/json");
        is_ours.then(|| Self {
            href,
            range: tag.range.clone(),
        })
    }

    /// Returns true if it leads to the machine page. A relative one is resolved against the machine page, which is in
    /// the same folder as the page, unless the page has a base.
    fn names(&self, machine_url: &str, base: Option<&str>) -> bool {
        let Ok(machine_url) = Url::parse(machine_url) else {
            return self.href == machine_url;
        };
        let base = match base.map(|base| machine_url.join(base)) {
            Some(Ok(base)) => base,
            _ => machine_url.clone(),
        };
        base.join(&self.href).is_ok_and(|url| url == machine_url)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::head::tests::soup;

    const URL: &str = "https://example.com/tea/llm.json";
    const LINK: &str =
        r#"<link rel="alternate" type="application/json" href="https://example.com/tea/llm.json">"#;

    fn added(html: &str) -> Option<String> {
        add_alternate(html.as_bytes(), URL).map(|html| String::from_utf8(html).unwrap())
    }

    /// Returns true if the link is a child of the head in the tree that a browser makes of the page.
    fn browsers_find_it(html: &[u8]) -> bool {
        use html5ever_of_rcdom::tendril::TendrilSink;
        use markup5ever_rcdom::{NodeData, RcDom};

        let dom = html5ever_of_rcdom::parse_document(RcDom::default(), Default::default())
            .from_utf8()
            .read_from(&mut &html[..])
            .unwrap();
        let child = |node: &markup5ever_rcdom::Handle, wanted: &str, href: Option<&str>| {
            let children = node.children.borrow();
            let found = children.iter().find(|child| match &child.data {
                NodeData::Element { name, attrs, .. } => {
                    let mut attrs = attrs.borrow().clone().into_iter();
                    &*name.local == wanted
                        && href.is_none_or(|href| attrs.any(|attr| &*attr.value == href))
                }
                _ => false,
            });
            found.cloned()
        };
        child(&dom.document, "html", None)
            .and_then(|html| child(&html, "head", None))
            .and_then(|head| child(&head, "link", Some(URL)))
            .is_some()
    }

    #[test]
    fn it_becomes_the_last_of_the_head() {
        for marked in [
            "<!doctype html><html><head><meta charset=utf-8><title>t</title>@</head><body></body></html>",
            "<head>\n  <title>t</title>\n  @</head>",
            "<HEAD>@</HEAD>",
            "<head>@</head ><body>",
            "\u{feff}<!doctype html>\n<head>\n@</head>",
            "<head><script>'</head>'</script><!-- </head> -->@</head>",
            "<head><title></head></title>@</head>",
            "<head><template><link></template>@</head>",
            // The end of the head is left out.
            "<head><title>t</title>@<body>",
            "<head><meta charset=utf-8>@\n<body>",
            "<html><head>@<body>",
            "<title>t</title>@</head><body>",
            "<!doctype html><title>t</title>@<p>text",
            "<!doctype html><title>t</title><script></script>@text",
            "<!doctype html><html lang=en>@<p>",
            "<!doctype html>@<p>text",
            "\u{feff}@<p>text",
            "@text<br>",
            "<!-- comment -->\n<!doctype html>@<p>",
            "<html><title>t</title>@</html>",
            // Browsers have begun the body before `</head>`.
            "<head><title>t</title>@<div></div><meta name=a></head>",
            "<head><title>t</title>@text</head>",
            "<head>@<template></head>",
            "@<template><!doctype html>",
            "<template><svg></template>@",
            // An element that is not closed takes everything that follows.
            "<head><meta name=a>@<title>t</head><body>",
            "<head><meta name=a>@<script></head><body>",
            "<head><meta name=a>@<!-- </head><body>",
            "<head><meta name=a>@<link href='</head>",
        ] {
            let html = marked.replace('@', "");
            let expected = marked.replace('@', LINK);
            assert_eq!(added(&html), Some(expected.clone()), "{marked}");
            assert_eq!(added(&expected), None, "{marked}");
            let before = without_alternate(expected.as_bytes());
            assert_eq!(before, html.as_bytes(), "{marked}");
            assert!(browsers_find_it(expected.as_bytes()), "{marked}");
        }
    }

    #[test]
    fn it_is_there_already() {
        for html in [
            LINK,
            "<link rel=alternate type=application/json href=https://example.com/tea/llm.json>",
            "<LINK HREF='/tea/llm.json' TYPE='Application/JSON' REL='nofollow ALTERNATE'/>",
            "<link rel=alternate type=application/json href=llm.json>",
            "<base href=/tea/><link rel=alternate type=application/json href=llm.json>",
        ] {
            assert_eq!(
                added(&format!("<head>{html}<title>t</title></head>")),
                None,
                "{html}"
            );
        }
    }

    #[test]
    fn one_that_names_another_page_is_replaced_where_it_stands() {
        for old in [
            "<link rel=\"alternate\" type=\"application/json\" href=\"https://example.com/coffee/llm.json\">",
            "<link rel=alternate type=application/json href=/coffee.llm.json />",
            "<base href=/coffee/><link rel=alternate type=application/json href=llm.json>",
        ] {
            let html = format!("<head>{old}<title>t</title></head>");
            let link = old.strip_prefix("<base href=/coffee/>").unwrap_or(old);
            assert_eq!(added(&html), Some(html.replace(link, LINK)), "{old}");
            let rest = html.replace(link, "");
            assert_eq!(without_alternate(html.as_bytes()), rest.as_bytes(), "{old}");
        }
    }

    #[test]
    fn links_of_others_stay() {
        for foreign in [
            "<link rel=alternate type=application/json href=https://example.com/wp-json/wp/v2/pages/7>",
            "<link rel=alternate type=application/json href=/feed.json>",
            "<link rel=alternate type=application/json href=/nollm.json>",
            "<link rel=alternate type=text/html href=/tea/llm.json>",
            "<link rel=preload type=application/json href=/tea/llm.json>",
            "<!-- <link rel=alternate type=application/json href=/tea/llm.json> -->",
        ] {
            let html = format!("<head>{foreign}</head>");
            assert_eq!(
                added(&html),
                Some(format!("<head>{foreign}{LINK}</head>")),
                "{foreign}"
            );
            assert_eq!(without_alternate(html.as_bytes()), html.as_bytes());
        }
    }

    #[test]
    fn pages_that_are_xml_stay_well_formed() {
        let html = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>t</title></head></html>";
        let link = LINK.replace('>', "/>");
        let expected = html.replace("</head>", &format!("{link}</head>"));
        assert_eq!(added(html), Some(expected.clone()));
        assert_eq!(added(&expected), None);
        assert_eq!(without_alternate(expected.as_bytes()), html.as_bytes());
    }

    #[test]
    fn urls_are_escaped() {
        let url = "https://example.com/a&b.llm.json";
        let html = add_alternate(b"<head></head>", url).unwrap();
        assert_eq!(
            String::from_utf8(html.clone()).unwrap(),
            "<head><link rel=\"alternate\" type=\"application/json\" href=\"https://example.com/a&amp;b.llm.json\"></head>"
        );
        assert_eq!(add_alternate(&html, url), None);
    }

    #[test]
    fn what_is_no_page_is_left_alone() {
        let units = "\u{feff}<head></head>".encode_utf16();
        let utf16: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        assert_eq!(add_alternate(&utf16, URL), None);
        for bytes in [
            &b""[..],
            b"text",
            b"%PDF-1.7 <head></head>",
            b"<\0h\0e\0a\0d\0>\0",
        ] {
            assert_eq!(add_alternate(bytes, URL), None, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn other_encodings_stay_as_they_are() {
        let html = b"<head><meta charset=shift_jis><title>\x93\xfa\x96{</title></head>\x83\x5c";
        let changed = add_alternate(html, URL).unwrap();
        assert_eq!(changed.len(), html.len() + LINK.len());
        assert_eq!(without_alternate(&changed), &html[..]);
    }

    #[test]
    fn large_heads_have_an_end_too() {
        let html = format!("<head><style>{}</style></head>", "a{}".repeat(1 << 20));
        let changed = added(&html).unwrap();
        assert!(changed.ends_with(&format!("</style>{LINK}</head>")));
        assert_eq!(added(&changed), None);
    }

    fn holds(html: &[u8]) -> Result<(), TestCaseError> {
        let before = without_alternate(html);
        // A second removal finds nothing.
        prop_assert_eq!(without_alternate(&before), &before[..]);
        if let Some(changed) = add_alternate(html, URL) {
            prop_assert_eq!(add_alternate(&changed, URL), None);
            prop_assert_eq!(without_alternate(&changed), &before[..]);
            // Moved: replaced where it is.
            let moved = add_alternate(&changed, "https://example.com/other.llm.json").unwrap();
            prop_assert_eq!(without_alternate(&moved), &before[..]);
            prop_assert_eq!(add_alternate(&moved, URL), Some(changed));
        }
        if let Some(changed) = add_alternate(&before, URL) {
            prop_assert_eq!(without_alternate(&changed), &before[..]);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_was_added_can_be_taken_out_of_tag_soup(html in soup()) {
            holds(&html)?;
        }

        #[test]
        fn what_was_added_can_be_taken_out_of_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            holds(&bytes)?;
            holds(&[b"<p>", &bytes[..]].concat())?;
        }
    }
}
