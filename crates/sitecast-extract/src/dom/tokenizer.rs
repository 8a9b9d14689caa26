//! HTML text to tags and text, as the HTML standard has it ("Tokenization"), for the tree builder
//! of html5ever.
//!
//! html5ever has a tokenizer of its own, which is made for input that comes in pieces and looks at
//! it character by character; it took more than a third of all time. Here the page is there as a
//! whole, so this one jumps from one `<` to the next. It makes the same tree (`oracle` compares
//! them), but for what nobody here reads: comments, attributes that are not
//! [kept](super::attribute), scripts, styles and drawings.
//!
//! Threats: every step goes forward and nothing is looked at twice, but for the beginning of a
//! drawing, of which [`MOST_ENDLESS`] are looked for in vain. Unclosed comments, quotes and scripts
//! take the rest of the page with them, as they do in browsers.

mod declaration;
mod drawing;
mod raw_text;
mod references;
mod source;
mod tag;

use std::ops::Range;

use html5ever::tokenizer::states::RawKind;
use memchr::{memchr, memchr2, memmem};

use super::builder::{Builder, Follows, Piece};
use super::{Dom, Tag};
use declaration::{doctype, end_of_comment};
use drawing::end_of_drawing;
use raw_text::{RawText, end_of_raw_text};
use references::Place;
pub(super) use references::{decode_value, needs_decoding};
use source::Source;
pub(super) use source::preprocessed;
use tag::{ReadTag, Wanted, read_tag};

/// Drawings whose end was looked for in vain before no more are looked for.
const MOST_ENDLESS: u32 = 32;

/// What to do with scripts, styles and drawings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    Skip,
    /// To compare with a tokenizer that knows nothing of skipping.
    #[cfg_attr(not(any(test, feature = "oracle")), expect(dead_code))]
    Keep,
}

/// Reads all of a page that was [`preprocessed`] and lets `builder` build the tree, unless that
/// gives up.
pub(super) fn tokenize<B: Builder>(page: &str, builder: B, unread: Unread) -> Option<Dom> {
    let mut tokenizer = Tokenizer {
        source: Source::new(page),
        at: 0,
        builder,
        unread,
        endless: 0,
        scratch: String::new(),
    };
    while tokenizer.at < tokenizer.source.len() && !tokenizer.builder.has_given_up() {
        tokenizer.text();
        tokenizer.markup();
    }
    tokenizer.builder.finish()
}

/// How a run of text is to be read.
#[derive(Debug, Clone, Copy)]
struct Reading {
    references: bool,
    null: Null,
}

/// What becomes of U+0000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Null {
    /// The tree builder decides.
    Token,
    /// U+FFFD.
    Replaced,
}

struct Tokenizer<'a, B> {
    source: Source<'a>,
    at: usize,
    builder: B,
    unread: Unread,
    endless: u32,
    scratch: String,
}

impl<'a, B: Builder> Tokenizer<'a, B> {
    /// Text up to the next `<` that begins anything. HTML, "Data state".
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
        let reading = Reading {
            references: true,
            null: Null::Token,
        };
        self.emit(self.at..end, reading);
        self.at = end;
    }

    /// Whether the `<` at `at` begins a tag, a comment or the like.
    fn is_markup(&self, at: usize) -> bool {
        match self.source.byte(at + 1) {
            Some(b'!' | b'?') => true,
            Some(b'/') => self.source.byte(at + 2).is_some(),
            Some(byte) => byte.is_ascii_alphabetic(),
            None => false,
        }
    }

    fn emit(&mut self, range: Range<usize>, reading: Reading) {
        if range.is_empty() {
            return;
        }
        let raw = self.source.text(range.clone());
        let special = |text: &str| {
            if reading.references {
                memchr2(b'&', b'\0', text.as_bytes())
            } else {
                memchr(b'\0', text.as_bytes())
            }
        };
        if special(raw).is_none() {
            let at = range.start;
            self.builder.text(Piece { text: raw, at });
            return;
        }
        self.scratch.clear();
        let mut rest = raw;
        while let Some(at) = special(rest) {
            let (before, here) = rest.split_at_checked(at).unwrap_or_default();
            self.scratch.push_str(before);
            rest = here.get(1..).unwrap_or_default();
            if here.starts_with('&') {
                match references::decode(rest, Place::Text, &mut self.scratch) {
                    Some(length) => rest = rest.get(length..).unwrap_or_default(),
                    None => self.scratch.push('&'),
                }
            } else if reading.null == Null::Replaced {
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

    /// What begins with the `<` that comes next, if any does. HTML, "Tag open state".
    fn markup(&mut self) {
        let name = self.at + 1;
        match self.source.byte(name) {
            Some(b'!') => self.declaration(),
            Some(b'?') => self.bogus_comment(),
            Some(b'/') => match self.source.byte(name + 1) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(name + 1),
                // `</>` is nothing at all.
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
            let reading = Reading {
                references: false,
                null: Null::Token,
            };
            self.emit(text..end, reading);
            self.at = found.map_or(end, |_| end + 3);
        } else {
            self.bogus_comment();
        }
    }

    /// Reads the tag whose name begins at `at`. One that is cut off takes the rest with it.
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
        if self.unread == Unread::Skip && self.skip(&tag) {
            return self.builder.forget();
        }
        match self.builder.start_tag(tag.tag, tag.name, tag.self_closing) {
            Follows::Markup => {}
            Follows::Text(kind) => self.raw_text(kind, tag.name),
            Follows::Plaintext => {
                let reading = Reading {
                    references: false,
                    null: Null::Replaced,
                };
                self.emit(self.at..self.source.len(), reading);
                self.at = self.source.len();
            }
        }
    }

    /// The text of an element that has nothing but text; its end tag comes next.
    fn raw_text(&mut self, kind: RawKind, element: &str) {
        let script = match kind {
            RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => RawText::Script,
            RawKind::Rcdata | RawKind::Rawtext => RawText::Plain,
        };
        let end = end_of_raw_text(self.source.bytes_from(self.at), element, script);
        let end = end.map_or(self.source.len(), |length| self.at + length);
        let reading = Reading {
            references: kind == RawKind::Rcdata,
            null: Null::Replaced,
        };
        self.emit(self.at..end, reading);
        self.at = end;
    }

    /// Passes over an element that nobody reads, with its end tag, if it is one.
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
            Tag::Svg if !tag.self_closing && self.endless < MOST_ENDLESS => {
                let end = end_of_drawing(rest);
                self.at += end.unwrap_or(0);
                self.endless += u32::from(end.is_none());
                end.is_some()
            }
            _ => false,
        }
    }

    /// Whether a tag begins structured data, the one kind of script that is read.
    fn is_json_ld(&self, tag: &ReadTag<'_>) -> bool {
        tag.tag == Tag::Script
            && self.builder.pending_attribute("type").is_some_and(|kind| {
                let kind = kind.split(';').next().unwrap_or_default();
                kind.trim().eq_ignore_ascii_case("application/ld+json")
            })
    }
}
