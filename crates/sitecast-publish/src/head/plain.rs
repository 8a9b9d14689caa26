//! The head of a page as generators write it: nothing but what belongs there, every tag whole, in UTF-8.
//!
//! Most heads are like that, and to read one takes a small part of what it takes to set up a parser for all of HTML.
//! Whatever differs in the least is left to [`super::walk`], with the same results: a property test
//! holds the two together.

use std::borrow::Cow;
use std::ops::Range;

use super::walk::{HeadTag, Outcome, shown_title};

/// A head that was read completely.
pub(super) struct PlainHead<'h> {
    tags: Vec<Tag<'h>>,
    title: Option<&'h str>,
    end_of_head: usize,
}

struct Tag<'h> {
    /// In lower case.
    name: &'static str,
    range: Range<usize>,
    attributes: Vec<(&'h str, &'h str)>,
}

impl<'h> PlainHead<'h> {
    /// Reads from `start`, after the byte order mark if there is one.
    pub(super) fn read(html: &'h [u8], start: usize) -> Option<Self> {
        let mut scanner = Scanner { html, at: start };
        let mut head = Self {
            tags: Vec::new(),
            title: None,
            end_of_head: 0,
        };
        let mut begun = Begun::Nothing;
        loop {
            scanner.skip_space();
            let from = scanner.at;
            if scanner.take(b"<!--") {
                scanner.skip_comment()?;
            } else if scanner.take(b"<!") {
                if begun != Begun::Nothing || !scanner.take_word(b"doctype") {
                    return None;
                }
                scanner.skip_past(b'>')?;
            } else if scanner.take(b"</") {
                let is_end = begun == Begun::Head && scanner.take_word(b"head");
                scanner.skip_space();
                head.end_of_head = from;
                return (is_end && scanner.take(b">")).then_some(head);
            } else {
                let tag = scanner.tag(from)?;
                begun = match (tag.name, begun) {
                    ("html", Begun::Nothing) => Begun::Html,
                    ("head", Begun::Nothing | Begun::Html) => Begun::Head,
                    ("html" | "head", _) => return None,
                    (_, Begun::Head) => Begun::Head,
                    _ => return None,
                };
                match tag.name {
                    "meta" if tag.says_other_encoding() => return None,
                    "html" | "meta" | "link" | "base" => head.tags.push(tag),
                    "title" => {
                        let text = std::str::from_utf8(scanner.content(b"title")?).ok()?;
                        head.title = head.title.filter(|title| !title.is_empty()).or(Some(text));
                    }
                    "script" => {
                        let content = scanner.content(b"script")?;
                        // In a comment, the end of a script may not be one.
                        if memchr::memmem::find(content, b"<!--").is_some() {
                            return None;
                        }
                    }
                    "style" => {
                        scanner.content(b"style")?;
                    }
                    _ => {}
                }
            }
        }
    }

    /// Visits as [`super::walk`] does.
    pub(super) fn visit(self, mut visit: impl FnMut(&HeadTag<'_>)) -> Outcome {
        for tag in &self.tags {
            visit(&HeadTag {
                name: tag.name,
                range: tag.range.clone(),
                in_head: true,
                attribute: &|name| tag.attribute(name).map(Cow::Borrowed),
            });
        }
        Outcome {
            title: self.title.and_then(shown_title),
            end_of_head: self.end_of_head,
        }
    }
}

/// The part of the document that has begun.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    Nothing,
    Html,
    Head,
}

impl Tag<'_> {
    /// The first of its name counts.
    fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let (_, value) = attributes.find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    fn says_other_encoding(&self) -> bool {
        let is_utf8 = |value: &str| value.to_ascii_lowercase().contains("utf-8");
        let kind = self.attribute("http-equiv").unwrap_or_default();
        self.attribute("charset")
            .is_some_and(|value| !is_utf8(value))
            || (!kind.is_empty()
                && !kind.eq_ignore_ascii_case("refresh")
                && self.attribute("content").is_some_and(|content| {
                    content.to_ascii_lowercase().contains("charset") && !is_utf8(content)
                }))
    }
}

/// The elements that are read here.
const KNOWN: [&str; 8] = [
    "html", "head", "meta", "link", "base", "title", "script", "style",
];

struct Scanner<'h> {
    html: &'h [u8],
    at: usize,
}

impl<'h> Scanner<'h> {
    fn rest(&self) -> &'h [u8] {
        self.html.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.html.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        let spaces = self.rest().iter().take_while(|b| is_space(**b)).count();
        self.at += spaces;
    }

    fn take(&mut self, bytes: &[u8]) -> bool {
        let found = self.rest().starts_with(bytes);
        self.at += if found { bytes.len() } else { 0 };
        found
    }

    /// A name, in any case, with nothing of a name after it.
    fn take_word(&mut self, word: &[u8]) -> bool {
        let rest = self.rest();
        let is = rest
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word));
        let ends = rest
            .get(word.len())
            .is_some_and(|b| is_space(*b) || *b == b'>');
        if is && ends {
            self.at += word.len();
        }
        is && ends
    }

    fn skip_past(&mut self, byte: u8) -> Option<()> {
        self.at += memchr::memchr(byte, self.rest())? + 1;
        Some(())
    }

    /// To the end of a comment that begins and ends as it should.
    fn skip_comment(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest.starts_with(b">") || rest.starts_with(b"->") {
            return None;
        }
        let end = memchr::memmem::find(rest, b"--")?;
        if rest.get(end + 2) != Some(&b'>') {
            return None;
        }
        self.at += end + 3;
        Some(())
    }

    /// A start tag, from its `<` on.
    fn tag(&mut self, from: usize) -> Option<Tag<'h>> {
        if !self.take(b"<") {
            return None;
        }
        let name = KNOWN
            .into_iter()
            .find(|name| self.take_word(name.as_bytes()))?;
        let mut attributes = Vec::new();
        loop {
            self.skip_space();
            // An element that can have content has it in spite of the slash; such a head is not plain.
            let is_closed = matches!(name, "meta" | "link" | "base") && self.take(b"/>");
            if is_closed || self.take(b">") {
                return Some(Tag {
                    name,
                    range: from..self.at,
                    attributes,
                });
            }
            attributes.push(self.attribute()?);
        }
    }

    fn attribute(&mut self) -> Option<(&'h str, &'h str)> {
        let is_end = |b: &u8| is_space(*b) || matches!(b, b'=' | b'>' | b'/');
        let name = self.until(is_end)?;
        if name.is_empty() || name.contains(&0) {
            return None;
        }
        let name = std::str::from_utf8(name).ok()?;
        self.skip_space();
        if !self.take(b"=") {
            return Some((name, ""));
        }
        self.skip_space();
        let value = match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let value = self.until(|b| *b == quote)?;
                self.at += 1;
                if !self.peek().is_some_and(|b| is_space(b) || b == b'>') && !self.is_closing() {
                    return None;
                }
                value
            }
            // `dir=>`, as templates leave it, says nothing.
            _ => self.until(|b| is_space(*b) || *b == b'>')?,
        };
        // An encoding that says nothing of itself is not told here.
        let value = std::str::from_utf8(value).ok()?;
        (!value.contains('\0')).then_some((name, value))
    }

    fn is_closing(&self) -> bool {
        self.rest().starts_with(b"/>")
    }

    /// The bytes before the first of a kind, which is there.
    fn until(&mut self, is_end: impl Fn(&u8) -> bool) -> Option<&'h [u8]> {
        let rest = self.rest();
        let length = rest.iter().position(is_end)?;
        self.at += length;
        rest.get(..length)
    }

    /// All that is before an end tag, and past it.
    fn content(&mut self, name: &[u8]) -> Option<&'h [u8]> {
        let start = self.at;
        loop {
            let end = self.at + memchr::memmem::find(self.rest(), b"</")?;
            self.at = end + 2;
            if self.take_word(name) {
                self.skip_space();
                return self.take(b">").then(|| self.html.get(start..end))?;
            }
            // `</title/>` ends it as well; it is not for us.
            let after = self.rest().get(..name.len() + 1).unwrap_or_default();
            if let [start @ .., b'/'] = after
                && start.eq_ignore_ascii_case(name)
            {
                return None;
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::walk::walk_any;
    use super::*;

    #[test]
    fn heads_of_generators_are_plain() {
        for html in [
            "<!DOCTYPE html>\n<html lang=\"en-US\">\n<head>\n<meta charset=\"utf-8\">\n<title>Käse &amp; Tee</title>\n\
             <!-- made by hand -->\n<link rel=\"canonical\" href=\"https://example.com/\" />\n\
             <script async src='/a.js'></script><style>a>b{}</style>\n</head>",
            "<html><head><meta http-equiv=\"Content-Type\" content=\"text/html; charset=UTF-8\"/></head>",
            "<head><meta name=robots content=noindex></HEAD >",
        ] {
            assert!(PlainHead::read(html.as_bytes(), 0).is_some(), "{html}");
        }
    }

    #[test]
    fn what_differs_in_the_least_is_left_alone() {
        for html in [
            "",
            "<head>",
            "<html><head></html>",
            "<html><head>text</head>",
            "<html><head><div></div></head>",
            "<html><head><noscript></noscript></head>",
            "<html><head><template></template></head>",
            "<html><head><head></head>",
            "<head><!doctype html></head>",
            "<html><meta name=a></html>",
            "<head><meta charset=windows-1251></head>",
            "<head><meta http-equiv=content-type content='text/html; charset=koi8-r'></head>",
            "<head><!--></head>",
            "<head><!-- a --!></head>",
            "<head><script><!-- </script></head>",
            "<head><title></title/></head></title></head>",
            "<head><meta a='b'c></head>",
            "<head><meta =a></head>",
            "<head><meta a=\"</head>",
            "<head></head/>",
            "<svg><head></head>",
        ] {
            assert!(PlainHead::read(html.as_bytes(), 0).is_none(), "{html}");
        }
        assert!(PlainHead::read(b"<head><meta content=caf\xe9></head>", 0).is_none());
    }

    /// All that a visitor can see.
    fn seen(walk: impl FnOnce(&mut dyn FnMut(&HeadTag<'_>)) -> Outcome) -> String {
        let mut tags = Vec::new();
        let outcome = walk(&mut |tag| {
            let names = [
                "name",
                "content",
                "rel",
                "href",
                "charset",
                "http-equiv",
                "a",
                "b",
            ];
            let values = names.map(|name| (tag.text(name), tag.has(name)));
            tags.push((tag.name.to_owned(), tag.range.clone(), tag.in_head, values));
        });
        format!("{tags:?} {:?} {}", outcome.title, outcome.end_of_head)
    }

    fn head() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "\n",
            " \t",
            "<meta charset=utf-8>",
            "<meta name=robots content='noindex, follow'>",
            "<meta name=\"description\" content=\"a > b &amp; c\" />",
            "<META NAME=Robots CONTENT=none/>",
            "<meta http-equiv=refresh content='0; url=/x'>",
            "<meta content=a content=b a>",
            "<meta name=robots content=>",
            "<meta name= content=b>",
            "<meta name= >",
            "<link rel=\"canonical\" href=\"/x?a=1&amp;b=2\">",
            "<link rel=canonical href=/x/>",
            "<link a = \"b\"  rel='c' b >",
            "<base href=/b/>",
            "<title>a &lt; b </titl> c</title>",
            "<title>K\u{e4}se</TITLE >",
            "<title></title>",
            "<script>if (a < b) { c('</scr') }</script>",
            "<script src=/a.js async></script>",
            "<style>a > b { content: '<!--' }</style>",
            "<!-- a > b <meta> -->",
            "<!---->",
            "<!-- a -- b -->",
            "<script/>",
            "<meta/name=a>",
            "<noscript>",
            "</head>",
            "</head\n>",
            "<head>",
            "<",
            ">",
            "\"",
            "\0",
            "\u{e4}",
            "x",
        ]);
        let start = prop::sample::select(vec![
            "<!DOCTYPE html>\n<html lang=de>\n<head>",
            "<html><head>",
            "<html lang=de dir=>\n<head>",
            "<head a=b>",
            "<html xmlns='http://www.w3.org/1999/xhtml' a>\n<head>\n",
            "\u{feff}<!doctype html><html><head>",
            "<!-- made --><!doctype html><head>",
            "",
        ]);
        let end = prop::sample::select(vec!["</head>", "</HEAD >", "</head><body>x", ""]);
        (start, prop::collection::vec(piece, 0..8), end)
            .prop_map(|(start, pieces, end)| format!("{start}{}{end}", pieces.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_plain_head_is_read_as_any_other(html in head()) {
            let html = html.as_bytes();
            let mark = if html.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            if let Some(plain) = PlainHead::read(html, mark) {
                let plain = seen(|visit| plain.visit(visit));
                let any = seen(|visit| walk_any(html, mark, visit));
                prop_assert_eq!(plain, any);
            }
        }
    }
}
