//! The text that is being read.

use std::ops::Range;

use html5ever::tendril::StrTendril;
use memchr::{memchr, memchr2};

use super::references::{self, Place};

/// A page with line ends normalised: HTML, "Preprocessing the input stream". What is taken out of
/// it unchanged shares its memory.
pub(super) struct Source<'a> {
    shared: &'a StrTendril,
    text: &'a str,
}

/// The text as a [`Source`] wants it.
pub(super) fn preprocessed(html: &str) -> StrTendril {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    if memchr(b'\r', html.as_bytes()).is_none() {
        return StrTendril::from_slice(html);
    }
    let mut text = String::with_capacity(html.len());
    let mut lines = html.split('\r');
    text.push_str(lines.next().unwrap_or_default());
    for line in lines {
        text.push('\n');
        text.push_str(line.strip_prefix('\n').unwrap_or(line));
    }
    StrTendril::from(text)
}

impl<'a> Source<'a> {
    pub(super) fn new(shared: &'a StrTendril) -> Self {
        Self {
            shared,
            text: shared,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// What comes at a place, as bytes.
    pub(super) fn bytes_from(&self, at: usize) -> &'a [u8] {
        self.text.as_bytes().get(at..).unwrap_or_default()
    }

    /// What comes at a place; nothing if that is within a character.
    pub(super) fn text_from(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// A piece, without a copy of it.
    pub(super) fn piece(&self, range: Range<usize>) -> StrTendril {
        // A page has at most 2³¹ bytes.
        match (u32::try_from(range.start), u32::try_from(range.len())) {
            (Ok(start), Ok(length)) => self
                .shared
                .try_subtendril(start, length)
                .unwrap_or_default(),
            _ => StrTendril::new(),
        }
    }

    /// The value of an attribute, with references decoded.
    pub(super) fn value(&self, range: Range<usize>, scratch: &mut String) -> StrTendril {
        let raw = self.text(range.clone());
        if memchr2(b'&', b'\0', raw.as_bytes()).is_none() {
            return self.piece(range);
        }
        scratch.clear();
        let mut rest = raw;
        while let Some(at) = memchr2(b'&', b'\0', rest.as_bytes()) {
            let (before, special) = rest.split_at_checked(at).unwrap_or_default();
            scratch.push_str(before);
            rest = special.get(1..).unwrap_or_default();
            if special.starts_with('\0') {
                scratch.push(char::REPLACEMENT_CHARACTER);
            } else {
                match references::decode(rest, Place::Attribute, scratch) {
                    Some(length) => rest = rest.get(length..).unwrap_or_default(),
                    None => scratch.push('&'),
                }
            }
        }
        scratch.push_str(rest);
        StrTendril::from_slice(scratch)
    }
}
