//! A walk over the tags of a page until its head is over.
//!
//! lol_html finds tags as browsers do (comments, scripts, quotes); which of them are in the head is decided
//! here, as the HTML standard's "in head" insertion mode does: at the first element that is not one of the
//! head's, and at the first text, the body has begun, whatever `<head>` and `</head>` claim.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use lol_html::html_content::{Element, EndTag, TextChunk, TextType};
use lol_html::{HandlerResult, HtmlRewriter, MemorySettings, Settings, doc_text, doctype, element};

use super::plain::PlainHead;

/// Enough for the longest tag or comment of an honest page.
const MEMORY: usize = 4 * 1024 * 1024;

const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// A start tag before the end of the head.
pub(crate) struct HeadTag<'t> {
    /// Its name in lower case: `html` or one of the elements that have no content, `meta` for one.
    pub(crate) name: &'t str,
    /// Its range in the input.
    pub(crate) range: Range<usize>,
    /// True if browsers have it in the head; false after a mistake within an explicit `<head>`.
    pub(crate) in_head: bool,
    /// An attribute as it is written.
    pub(super) attribute: &'t dyn Fn(&str) -> Option<Cow<'t, str>>,
}

impl HeadTag<'_> {
    /// The value of an attribute, entities decoded, white space around it gone; `None` where nothing is left.
    pub(crate) fn text(&self, attribute: &str) -> Option<String> {
        let value = (self.attribute)(attribute)?;
        let value = htmlize::unescape_attribute(&*value);
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }

    /// Returns true if the tag has the attribute.
    pub(crate) fn has(&self, attribute: &str) -> bool {
        (self.attribute)(attribute).is_some()
    }

    /// Returns true if an attribute has this value, in any case.
    pub(crate) fn is(&self, attribute: &str, value: &str) -> bool {
        self.text(attribute)
            .is_some_and(|text| text.eq_ignore_ascii_case(value))
    }

    /// Returns true if this is among the words of an attribute, in any case.
    pub(crate) fn has_word(&self, attribute: &str, word: &str) -> bool {
        self.text(attribute).is_some_and(|text| {
            text.split_ascii_whitespace()
                .any(|one| one.eq_ignore_ascii_case(word))
        })
    }
}

/// The result of a walk.
pub(crate) struct Outcome {
    /// The text of `<title>`.
    pub(crate) title: Option<String>,
    /// The position at which a new element is the last of the head.
    pub(crate) end_of_head: usize,
}

/// Visits `<html>` and the elements without content before the end of the head.
pub(crate) fn walk(html: &[u8], visit: impl FnMut(&HeadTag<'_>)) -> Outcome {
    // The mark would be taken for text, and so for the beginning of the body.
    let mark = if html.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    match PlainHead::read(html, mark) {
        Some(head) => head.visit(visit),
        None => walk_any(html, mark, visit),
    }
}

/// The same for heads of any kind.
pub(super) fn walk_any(html: &[u8], mark: usize, mut visit: impl FnMut(&HeadTag<'_>)) -> Outcome {
    let progress = Rc::new(RefCell::new(Progress::default()));
    if !super::is_utf16(html) {
        let on_element =
            |element: &mut Element<'_, '_>| Progress::element(&progress, element, mark, &mut visit);
        let settings = Settings::new()
            .with_strict(false)
            .with_adjust_charset_on_meta_tag(true)
            .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
            .append_document_content_handler(doctype!(|doctype| {
                progress
                    .borrow_mut()
                    .passed(doctype.source_location().bytes().end);
                Ok(())
            }))
            .append_document_content_handler(doc_text!(|text| progress.borrow_mut().text(text)))
            .append_element_content_handler(element!("*", on_element));
        let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
        // An error is how the walk ends, and where it cannot go on.
        if rewriter.write(html.get(mark..).unwrap_or_default()).is_ok() {
            let _ = rewriter.end();
        }
    }
    let progress = progress.take();
    Outcome {
        title: progress.title.as_deref().and_then(shown_title),
        end_of_head: mark + progress.end_of_head.unwrap_or(progress.passed),
    }
}

/// A title as it is shown; `None` where nothing is left of it.
pub(super) fn shown_title(text: &str) -> Option<String> {
    let title = htmlize::unescape(text.trim());
    let title = title.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// The head is over; nothing more is to be read.
#[derive(Debug, thiserror::Error)]
#[error("the head is over")]
struct Over;

/// The state of a walk. Positions do not count the byte order mark.
#[derive(Default)]
struct Progress {
    /// `<head>` was there, so that `</head>` or `<body>` can be expected.
    explicit: bool,
    /// Browsers have begun the body in spite of that.
    strayed: bool,
    /// The number of open `<template>` elements.
    templates: usize,
    /// The end of the last thing that belongs to the head or comes before it.
    passed: usize,
    /// The beginning of the `</head>` that ends it.
    end_of_head: Option<usize>,
    title: Option<String>,
    in_title: bool,
}

impl Progress {
    fn passed(&mut self, position: usize) {
        if !self.strayed && self.templates == 0 {
            self.passed = position;
        }
    }

    /// Something that the head cannot hold.
    fn stray(&mut self) -> HandlerResult {
        self.strayed = true;
        if self.explicit {
            Ok(())
        } else {
            Err(Over.into())
        }
    }

    fn text(&mut self, text: &TextChunk<'_>) -> HandlerResult {
        if self.in_title {
            self.title.get_or_insert_default().push_str(text.as_str());
            return Ok(());
        }
        let is_shown = text.text_type() == TextType::Data
            && self.templates == 0
            && !text.as_str().trim_ascii().is_empty();
        if is_shown { self.stray() } else { Ok(()) }
    }

    fn element(
        this: &Rc<RefCell<Self>>,
        element: &mut Element<'_, '_>,
        mark: usize,
        visit: &mut impl FnMut(&HeadTag<'_>),
    ) -> HandlerResult {
        let mut progress = this.borrow_mut();
        let name = element.tag_name();
        let tag = element.source_location().bytes();
        if progress.templates > 0 {
            if name == "template" {
                progress.templates += 1;
                element.on_end_tag(Box::new(Self::end_of_content(this)))?;
            }
            return Ok(());
        }
        // A drawing has titles and scripts of its own. Before anything strayed there can be none but one that
        // was left open in a template, whose end closed it.
        if progress.strayed && element.namespace_uri() != HTML_NAMESPACE {
            return Ok(());
        }
        match name.as_str() {
            "body" | "frameset" => return Err(Over.into()),
            "html" | "head" => {
                progress.explicit |= name == "head";
                progress.passed(tag.end);
                element.on_end_tag(Box::new(Self::end_of_head(this)))?;
                if name == "head" {
                    return Ok(());
                }
            }
            "title" | "script" | "style" | "noscript" | "noframes" | "template" => {
                progress.templates += usize::from(name == "template");
                // After a stray element it may be the title of a drawing.
                progress.in_title =
                    name == "title" && progress.title.is_none() && !progress.strayed;
                return element.on_end_tag(Box::new(Self::end_of_content(this)));
            }
            "base" | "basefont" | "bgsound" | "link" | "meta" => progress.passed(tag.end),
            _ => return progress.stray(),
        }
        visit(&HeadTag {
            name: &name,
            range: tag.start + mark..tag.end + mark,
            in_head: !progress.strayed,
            attribute: &|name| element.get_attribute(name).map(Cow::Owned),
        });
        Ok(())
    }

    /// Handles the end of an element with content, which may be the end of one around it.
    fn end_of_content(
        this: &Rc<RefCell<Self>>,
    ) -> impl FnOnce(&mut EndTag<'_>) -> HandlerResult + 'static {
        let this = Rc::clone(this);
        move |tag| {
            let mut progress = this.borrow_mut();
            progress.in_title = false;
            // Inside of a template browsers ignore the ends of what is around it.
            if progress.templates > 0 && tag.name() == "template" {
                progress.templates -= 1;
            }
            progress.passed(tag.source_location().bytes().end);
            Ok(())
        }
    }

    fn end_of_head(
        this: &Rc<RefCell<Self>>,
    ) -> impl FnOnce(&mut EndTag<'_>) -> HandlerResult + 'static {
        let this = Rc::clone(this);
        move |tag| {
            let mut progress = this.borrow_mut();
            if tag.name() == "head" && progress.templates == 0 && !progress.strayed {
                progress.end_of_head = Some(tag.source_location().bytes().start);
            }
            Err(Over.into())
        }
    }
}
