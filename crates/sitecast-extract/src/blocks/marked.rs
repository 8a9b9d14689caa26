//! Texts and blocks with their inline markup. The texts are plain; the marks are ranges in them, which Markdown can
//! show.

use sitecast_scp::{Block, Mark};

/// A text with its marks, which are empty unless the caller asked for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) text: String,
    pub(super) marks: Vec<Mark>,
}

impl Marked {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn append(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.marks.extend(other.marks.into_iter().map(|mut mark| {
            mark.range = mark.range.start + start..mark.range.end + start;
            mark
        }));
    }

    /// Inserts a text at the beginning.
    pub(super) fn prefix(&mut self, text: &str) {
        let rest = std::mem::take(self);
        self.push_str(text);
        self.append(rest);
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        self.marks.retain_mut(|mark| {
            mark.range.end = mark.range.end.min(length);
            !mark.range.is_empty()
        });
    }
}

/// Makes a text without marks.
impl From<String> for Marked {
    fn from(text: String) -> Self {
        Self {
            text,
            marks: Vec::new(),
        }
    }
}

/// A block with the marks of its texts.
#[derive(Debug)]
pub(crate) struct MarkedBlock {
    pub(crate) block: Block,
    pub(crate) marks: Vec<Mark>,
}

impl MarkedBlock {
    /// Makes a block with one text.
    pub(super) fn of(text: Marked, block: impl FnOnce(String) -> Block) -> Self {
        Self {
            block: block(text.text),
            marks: text.marks,
        }
    }
}

/// Makes a block without marks.
impl From<Block> for MarkedBlock {
    fn from(block: Block) -> Self {
        Self {
            block,
            marks: Vec::new(),
        }
    }
}

/// Collects the marks of all texts of one block. Each mark has the number of its text.
#[derive(Debug, Default)]
pub(super) struct BlockMarks {
    pub(super) marks: Vec<Mark>,
    count: usize,
}

impl BlockMarks {
    /// Takes the marks of the next text of the block and returns the text.
    pub(super) fn take(&mut self, text: Marked) -> String {
        let number = self.count;
        self.count += 1;
        self.marks.extend(text.marks.into_iter().map(|mut mark| {
            mark.text = number;
            mark
        }));
        text.text
    }
}

#[cfg(test)]
#[allow(clippy::string_slice)]
mod tests {
    use super::*;
    use sitecast_scp::MarkKind;

    fn marked(text: &str, range: std::ops::Range<usize>) -> Marked {
        let kind = MarkKind::Code;
        Marked {
            text: text.to_owned(),
            marks: vec![Mark {
                kind,
                text: 0,
                range,
            }],
        }
    }

    #[test]
    fn marks_stay_on_their_words() {
        let mut text = marked("one two", 4..7);
        text.prefix("- ");
        text.push_str(", ");
        text.append(marked("three", 0..5));
        let words: Vec<&str> = text
            .marks
            .iter()
            .map(|mark| &text.text[mark.range.clone()])
            .collect();
        assert_eq!(words, ["two", "three"]);
        text.truncate(13);
        let words: Vec<&str> = text
            .marks
            .iter()
            .map(|mark| &text.text[mark.range.clone()])
            .collect();
        assert_eq!(words, ["two", "th"]);
        text.truncate(5);
        assert_eq!(text, Marked::from("- one".to_owned()));
    }
}
