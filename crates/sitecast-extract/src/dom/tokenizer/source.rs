//! The input of the tokenizer.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// A page with line ends normalised.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a>(&'a str);

/// Prepares the text for a [`Source`]: drops the byte order mark and normalises line ends. HTML, "Preprocessing the input
/// stream".
pub(in crate::dom) fn preprocessed(html: &str) -> Cow<'_, str> {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    if memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut text = String::with_capacity(html.len());
    let mut lines = html.split('\r');
    text.push_str(lines.next().unwrap_or_default());
    for line in lines {
        text.push('\n');
        text.push_str(line.strip_prefix('\n').unwrap_or(line));
    }
    Cow::Owned(text)
}

impl<'a> Source<'a> {
    pub(super) fn new(page: &'a str) -> Self {
        Self(page)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.0.as_bytes().get(at).copied()
    }

    /// Returns the rest of the page from an offset, as bytes.
    pub(super) fn bytes_from(&self, at: usize) -> &'a [u8] {
        self.0.as_bytes().get(at..).unwrap_or_default()
    }

    /// Returns the rest of the page from an offset; empty if that is within a character.
    pub(super) fn text_from(&self, at: usize) -> &'a str {
        self.0.get(at..).unwrap_or_default()
    }

    pub(super) fn text(&self, range: Range<usize>) -> &'a str {
        self.0.get(range).unwrap_or_default()
    }
}
