//! Inline markup of a page's texts. SCP's texts are plain, so it stands beside them.

use std::cmp::Reverse;
use std::ops::Range;

/// A kind of inline markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MarkKind {
    /// Program text or a key, from `code`, `kbd`, `samp`, `tt`.
    Code,
    /// Emphasis, from `em`, `i`.
    Emphasis,
    /// Strong emphasis, from `strong`, `b`.
    Strong,
    /// Struck out, from `del`, `s`, `strike`.
    Deleted,
    /// A formula in a line: TeX with its delimiters (`\(`, `$`) or without.
    Formula,
    /// A formula with a line to itself: TeX with its delimiters (`\[`, `$$`) or without.
    DisplayFormula,
}

/// Inline markup of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its kind.
    pub kind: MarkKind,
    /// Which text of its block it is in: the number of an item in a list, the number of a cell in a table, counted row
    /// by row; 0 in a paragraph, a heading or a quotation.
    pub text: usize,
    /// The bytes of that text.
    pub range: Range<usize>,
}

/// The inline markup of a page, for [`to_marked_markdown`](crate::to_marked_markdown).
///
/// Marks of texts that the page does not have, and of bytes that no character begins at, mean nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    blocks: Vec<Vec<Mark>>,
}

impl Marks {
    /// The marks of each block, in the order of [`Page::content`](crate::Page::content).
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
    /// The marks of one of its texts. `start` is where in it the part begins that is to be gone through.
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

/// A mark of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) kind: MarkKind,
    pub(super) range: Range<usize>,
}

/// The marks of a text that is gone through from its beginning to its end.
#[derive(Debug, Clone, Default)]
pub(super) struct TextMarks<'m> {
    start: usize,
    coming: &'m [Mark],
    /// Marks that reach beyond what was gone through so far.
    open: Vec<&'m Mark>,
}

impl TextMarks<'_> {
    /// What of the marks is in a part of the text, relative to that. Parts are asked for in their order.
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
    fn marks_are_cut_where_lines_are() {
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
