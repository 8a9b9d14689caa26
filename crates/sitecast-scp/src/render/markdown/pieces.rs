//! The pieces of a block before its links are placed: markup and text.

use std::borrow::Cow;

use crate::render::marks::Span;

/// The place of a text, which determines the characters that need escaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A line, or the beginning of one.
    LineStart,
    /// Within a line.
    Inline,
    /// A cell of a table.
    Cell,
    /// The end of the line of a heading.
    Heading,
}

/// A piece of a block.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    Markup(Cow<'static, str>),
    /// Text without line breaks, not yet escaped.
    Text {
        text: Cow<'a, str>,
        place: Place,
        /// The marks in the text.
        spans: Vec<Span>,
    },
}

/// The pieces of a block.
#[derive(Debug, Default)]
pub(super) struct Pieces<'a>(pub(super) Vec<Piece<'a>>);

impl<'a> Pieces<'a> {
    pub(super) fn markup(&mut self, markup: impl Into<Cow<'static, str>>) {
        let markup = markup.into();
        if !markup.is_empty() {
            self.0.push(Piece::Markup(markup));
        }
    }

    pub(super) fn text(&mut self, text: Cow<'a, str>, place: Place) {
        self.marked(text, place, Vec::new());
    }

    pub(super) fn marked(&mut self, text: Cow<'a, str>, place: Place, spans: Vec<Span>) {
        if !text.is_empty() {
            self.0.push(Piece::Text { text, place, spans });
        }
    }
}
