//! Inline markup of a page's texts, kept beside the page because texts in SCP are plain.

use std::cmp::Reverse;
use std::ops::Range;

/// A kind of inline markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MarkKind {
    /// Code, keyboard input or program output, from `code`, `kbd`, `samp`, `tt`.
    Code,
    /// Emphasis, from `em`, `i`.
    Emphasis,
    /// Strong emphasis, from `strong`, `b`.
    Strong,
    /// Strikethrough, from `del`, `s`, `strike`.
    Deleted,
    /// An inline formula: TeX with its delimiters (`\(`, `$`) or without.
    Formula,
    /// A formula on a line of its own: TeX with its delimiters (`\[`, `$$`) or without.
    DisplayFormula,
}

/// Inline markup of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The kind of markup.
    pub kind: MarkKind,
    /// The index of the text in its block, from 0: of an item in a list; of a cell in a table, counted row
    /// by row; 0 in a paragraph, a heading or a quotation.
    pub text: usize,
    /// The byte range in that text.
    pub range: Range<usize>,
}

/// The inline markup of a page, for [`to_marked_markdown`](crate::to_marked_markdown).
///
/// Marks of missing texts, and ranges that are not on character boundaries, are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    blocks: Vec<Vec<Mark>>,
}

impl Marks {
    /// Takes the marks of each block, in the order of [`Page::content`](crate::Page::content).
    pub fn new(mut blocks: Vec<Vec<Mark>>) -> Self {
        for marks in &mut blocks {
            marks.sort_by_key(|mark| (mark.text, mark.range.start, Reverse(mark.range.end)));
        }
        Self { blocks }
    }

    pub(super) fn of(&self, block: usize) -> BlockMarks<'_> {
        BlockMarks(self.blocks.get(block).map_or(&[], Vec::as_slice))
    }

    pub(super) fn has_formula(&self) -> bool {
        let mut all = self.blocks.iter().flatten();
        all.any(|mark| matches!(mark.kind, MarkKind::Formula | MarkKind::DisplayFormula))
    }
}

/// The marks of a block, in order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BlockMarks<'m>(&'m [Mark]);

impl<'m> BlockMarks<'m> {
    /// The marks of the text with index `text`, for a caller that skips its first `start` bytes.
    pub(super) fn of(self, text: usize, start: usize) -> TextMarks<'m> {
        let from = self.0.partition_point(|mark| mark.text < text);
        let to = self.0.partition_point(|mark| mark.text <= text);
        TextMarks {
            start,
            coming: self.0.get(from..to).unwrap_or_default(),
            open: Vec::new(),
        }
    }
}

/// A mark within a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) kind: MarkKind,
    pub(super) range: Range<usize>,
}

/// The marks of a text that is processed line by line, from beginning to end.
#[derive(Debug, Clone, Default)]
pub(super) struct TextMarks<'m> {
    start: usize,
    /// Marks that begin after the lines processed so far.
    coming: &'m [Mark],
    /// Marks that began in the lines processed so far and may continue.
    open: Vec<&'m Mark>,
}

impl TextMarks<'_> {
    /// Returns the parts of the marks within `part`, relative to its start. The caller asks for parts in order.
    pub(super) fn within(&mut self, part: Range<usize>) -> Vec<Span> {
        if self.coming.is_empty() && self.open.is_empty() {
            return Vec::new();
        }
        let part = part.start + self.start..part.end + self.start;
        while let Some((mark, after)) = self.coming.split_first()
            && mark.range.start < part.end
        {
            self.open.push(mark);
            self.coming = after;
        }
        self.open.retain(|mark| mark.range.end > part.start);
        let spans = self.open.iter().map(|mark| Span {
            kind: mark.kind,
            range: mark.range.start.max(part.start) - part.start
                ..mark.range.end.min(part.end) - part.start,
        });
        spans.filter(|span| !span.range.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: usize, range: Range<usize>) -> Mark {
        Mark {
            kind: MarkKind::Code,
            text,
            range,
        }
    }

    #[test]
    fn splits_marks_at_line_ends() {
        let marks = Marks::new(vec![vec![mark(1, 2..9), mark(0, 0..4), mark(1, 0..3)]]);
        let ranges = |marks: &mut TextMarks<'_>, part| -> Vec<(usize, usize)> {
            let spans = marks.within(part).into_iter();
            spans
                .map(|span| (span.range.start, span.range.end))
                .collect()
        };
        let mut second = marks.of(0).of(1, 0);
        assert_eq!(ranges(&mut second, 0..4), [(0, 3), (2, 4)]);
        assert_eq!(ranges(&mut second, 5..8), [(0, 3)]);
        assert_eq!(ranges(&mut second, 9..12), []);
        let mut later = marks.of(0).of(1, 2);
        assert_eq!(ranges(&mut later, 0..4), [(0, 1), (0, 4)]);
        assert_eq!(ranges(&mut marks.of(0).of(2, 0), 0..4), []);
        assert_eq!(ranges(&mut marks.of(1).of(0, 0), 0..4), []);
    }
}
