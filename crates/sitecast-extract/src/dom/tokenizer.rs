//! The tokenizer: splits HTML into tags and text (HTML, "Tokenization") for a [`Builder`].
//!
//! html5ever's own tokenizer accepts input in chunks and reads it character by character; it took more than a third of the time
//! of extraction. This one has the whole page and jumps from one `<` to the next. The resulting tree is the same (`oracle`
//! compares them), except for parts that extraction never reads: comments, attributes that are not [kept](super::attribute),
//! scripts, styles and drawings.
//!
//! Threats: quadratic time. Every step goes forward and reads no byte twice, except for drawings: it searches at most
//! [`MAX_UNCLOSED_DRAWINGS`] times in vain for the end of one. Unclosed comments, quotes and scripts swallow the rest of the
//! page, as in browsers.

mod declaration;
mod drawing;
mod raw_text;
mod references;
mod source;
mod tag;

use std::ops::Range;

use html5ever::tokenizer::states::RawKind;
use memchr::{memchr, memchr2, memmem};

use super::builder::{Builder, ContentModel, SourceText};
use super::{Dom, Tag};
use declaration::{doctype, end_of_comment};
use drawing::end_of_drawing;
use raw_text::{RawText, end_of_raw_text};
use references::ReferenceContext;
pub(super) use references::{decode_value, needs_decoding};
use source::Source;
pub(super) use source::preprocessed;
use tag::{ReadTag, Wanted, read_tag};

/// After this many drawings without an end, drawings are no longer skipped.
const MAX_UNCLOSED_DRAWINGS: u32 = 32;

/// The treatment of scripts, styles and drawings, which extraction does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnreadElements {
    Skip,
    /// Keep them, to compare with html5ever's tokenizer, which does not skip.
    #[cfg_attr(not(any(test, feature = "oracle")), expect(dead_code))]
    Keep,
}

/// Reads a page that was [`preprocessed`] and returns the tree of `builder`; `None` if that gives up.
pub(super) fn tokenize<B: Builder>(page: &str, builder: B, unread: UnreadElements) -> Option<Dom> {
    let mut tokenizer = Tokenizer {
        source: Source::new(page),
        at: 0,
        builder,
        unread,
        unclosed_drawings: 0,
        scratch: String::new(),
    };
    while tokenizer.at < tokenizer.source.len() && !tokenizer.builder.has_given_up() {
        tokenizer.text();
        tokenizer.markup();
    }
    tokenizer.builder.finish()
}

/// Rules for reading a run of text.
#[derive(Debug, Clone, Copy)]
struct TextRules {
    /// Decode character references.
    references: bool,
    null: NullHandling,
}

/// The treatment of U+0000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NullHandling {
    /// The tree builder drops or replaces it.
    PassOn,
    /// It becomes U+FFFD.
    Replace,
}

struct Tokenizer<'a, B> {
    source: Source<'a>,
    at: usize,
    builder: B,
    unread: UnreadElements,
    /// Drawings whose end was not found.
    unclosed_drawings: u32,
    scratch: String,
}

impl<'a, B: Builder> Tokenizer<'a, B> {
    /// Reads text up to the next `<` that begins markup. HTML, "Data state".
    fn text(&mut self) {
        let mut end = self.at;
        loop {
            match memchr(b'<', self.source.bytes_from(end)) {
                None => end = self.source.len(),
                Some(length) => {
                    end += length;
                    if !self.is_markup(end) {
                        end += 1;
                        continue;
                    }
                }
            }
            break;
        }
        let rules = TextRules {
            references: true,
            null: NullHandling::PassOn,
        };
        self.emit(self.at..end, rules);
        self.at = end;
    }

    /// Returns true if the `<` at `at` begins a tag, a comment or a declaration.
    fn is_markup(&self, at: usize) -> bool {
        match self.source.byte(at + 1) {
            Some(b'!' | b'?') => true,
            Some(b'/') => self.source.byte(at + 2).is_some(),
            Some(byte) => byte.is_ascii_alphabetic(),
            None => false,
        }
    }

    fn emit(&mut self, range: Range<usize>, rules: TextRules) {
        if range.is_empty() {
            return;
        }
        let raw = self.source.text(range.clone());
        let special = |text: &str| {
            if rules.references {
                memchr2(b'&', b'\0', text.as_bytes())
            } else {
                memchr(b'\0', text.as_bytes())
            }
        };
        if special(raw).is_none() {
            let at = range.start;
            self.builder.text(SourceText { text: raw, at });
            return;
        }
        self.scratch.clear();
        let mut rest = raw;
        while let Some(at) = special(rest) {
            let (before, here) = rest.split_at_checked(at).unwrap_or_default();
            self.scratch.push_str(before);
            rest = here.get(1..).unwrap_or_default();
            if here.starts_with('&') {
                match references::decode(rest, ReferenceContext::Text, &mut self.scratch) {
                    Some(length) => rest = rest.get(length..).unwrap_or_default(),
                    None => self.scratch.push('&'),
                }
            } else if rules.null == NullHandling::Replace {
                self.scratch.push(char::REPLACEMENT_CHARACTER);
            } else {
                self.flush();
                self.builder.null();
            }
        }
        self.scratch.push_str(rest);
        self.flush();
    }

    fn flush(&mut self) {
        if !self.scratch.is_empty() {
            self.builder.decoded(&self.scratch);
            self.scratch.clear();
        }
    }

    /// Reads the markup that begins with the next `<`, if there is one. HTML, "Tag open state".
    fn markup(&mut self) {
        let name = self.at + 1;
        match self.source.byte(name) {
            Some(b'!') => self.declaration(),
            Some(b'?') => self.bogus_comment(),
            Some(b'/') => match self.source.byte(name + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(name + 1),
                // `</>` is dropped.
                _ => self.bogus_comment(),
            },
            Some(_) => self.start_tag(name),
            None => self.at = self.source.len(),
        }
    }

    fn bogus_comment(&mut self) {
        let end = memchr(b'>', self.source.bytes_from(self.at));
        self.at = end.map_or(self.source.len(), |end| self.at + end + 1);
    }

    /// HTML, "Markup declaration open state".
    fn declaration(&mut self) {
        let start = self.at + 2;
        let rest = self.source.bytes_from(start);
        if let Some(comment) = rest.strip_prefix(b"--") {
            let end = end_of_comment(comment);
            self.at = end.map_or(self.source.len(), |end| start + 2 + end);
        } else if rest
            .get(..7)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"))
        {
            let (doctype, length) = doctype(self.source.text_from(start + 7));
            self.builder.doctype(doctype);
            self.at = start + 7 + length;
        } else if rest.starts_with(b"[CDATA[") && self.builder.is_in_foreign_content() {
            let text = start + 7;
            let found = memmem::find(self.source.bytes_from(text), b"]]>");
            let end = found.map_or(self.source.len(), |length| text + length);
            let rules = TextRules {
                references: false,
                null: NullHandling::PassOn,
            };
            self.emit(text..end, rules);
            self.at = found.map_or(end, |_| end + 3);
        } else {
            self.bogus_comment();
        }
    }

    /// Reads the tag whose name begins at `at`. An unfinished tag swallows the rest of the page.
    fn read(&mut self, at: usize, wanted: Wanted) -> Option<ReadTag<'a>> {
        let read = read_tag(self.source, at, wanted, &mut self.builder);
        let (tag, end) = read.unzip();
        self.at = end.unwrap_or(self.source.len());
        tag
    }

    fn end_tag(&mut self, name: usize) {
        if let Some(tag) = self.read(name, Wanted::NameOnly) {
            self.builder.end_tag(tag.tag, tag.name);
        }
    }

    fn start_tag(&mut self, name: usize) {
        let Some(tag) = self.read(name, Wanted::Attributes) else {
            return self.builder.forget();
        };
        if self.unread == UnreadElements::Skip && self.skip(&tag) {
            return self.builder.forget();
        }
        match self.builder.start_tag(tag.tag, tag.name, tag.self_closing) {
            ContentModel::Markup => {}
            ContentModel::Text(kind) => self.raw_text(kind, tag.name),
            ContentModel::Plaintext => {
                let rules = TextRules {
                    references: false,
                    null: NullHandling::Replace,
                };
                self.emit(self.at..self.source.len(), rules);
                self.at = self.source.len();
            }
        }
    }

    /// Reads the text of an element that contains only text, up to its end tag.
    fn raw_text(&mut self, kind: RawKind, element: &str) {
        let script = match kind {
            RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => RawText::Script,
            RawKind::Rcdata | RawKind::Rawtext => RawText::Plain,
        };
        let end = end_of_raw_text(self.source.bytes_from(self.at), element, script);
        let end = end.map_or(self.source.len(), |length| self.at + length);
        let rules = TextRules {
            references: kind == RawKind::Rcdata,
            null: NullHandling::Replace,
        };
        self.emit(self.at..end, rules);
        self.at = end;
    }

    /// Skips an element that extraction does not read, with its end tag; returns false for all other elements.
    fn skip(&mut self, tag: &ReadTag<'_>) -> bool {
        let rest = self.source.bytes_from(self.at);
        match tag.tag {
            Tag::Script | Tag::Style => {
                let (name, kind) = if tag.tag == Tag::Style {
                    ("style", RawText::Plain)
                } else {
                    ("script", RawText::Script)
                };
                if self.is_json_ld(tag)
                    || (tag.self_closing && self.builder.is_in_foreign_content())
                {
                    return false;
                }
                match end_of_raw_text(rest, name, kind) {
                    Some(length) => {
                        self.at += length;
                        let name = self.at + "</".len();
                        self.read(name, Wanted::NameOnly);
                    }
                    None => self.at = self.source.len(),
                }
                true
            }
            Tag::Svg if !tag.self_closing && self.unclosed_drawings < MAX_UNCLOSED_DRAWINGS => {
                let end = end_of_drawing(rest);
                self.at += end.unwrap_or(0);
                self.unclosed_drawings += u32::from(end.is_none());
                end.is_some()
            }
            _ => false,
        }
    }

    /// Returns true if a tag begins JSON-LD, the only kind of script that extraction reads.
    fn is_json_ld(&self, tag: &ReadTag<'_>) -> bool {
        tag.tag == Tag::Script
            && self.builder.pending_attribute("type").is_some_and(|kind| {
                let kind = kind.split(';').next().unwrap_or_default();
                kind.trim().eq_ignore_ascii_case("application/ld+json")
            })
    }
}
