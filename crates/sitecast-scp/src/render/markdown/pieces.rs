use std::borrow::Cow;

use crate::render::marks::Span;

/// Where a text stands, which decides what in it could be taken for markup.
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
    /// A text in one line, to be escaped.
    Text {
        text: Cow<'a, str>,
        place: Place,
        /// The marks in it.
        spans: Vec<Span>,
    },
}

/// A block in the making.
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
