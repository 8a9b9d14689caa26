//! Text as a reader sees it: white space collapsed, breaks where breaks are.

use std::ops::Range;

use sitecast_scp::{Mark, MarkKind, split_plain_words};

use super::class::is_visible;
use super::marked::Marked;
use crate::dom::NodeId;
use crate::layout::would_run_together;

/// How many marks back the last mark of an element is looked for.
const MARKS_BACK: usize = 32;

/// An open element that sets its text apart in the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) element: NodeId,
    pub(super) kind: MarkKind,
}

impl Style {
    fn is_formula(self) -> bool {
        matches!(self.kind, MarkKind::Formula | MarkKind::DisplayFormula)
    }
}

/// A mark of a text in the making.
#[derive(Debug)]
struct Span {
    style: Style,
    range: Range<usize>,
}

/// What stands between two pieces of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    #[default]
    None,
    Space,
    Line,
}

/// A text in the making. A gap is written only once something comes after it, so that no text
/// ends in one and no line has space at its ends.
#[derive(Debug)]
pub(super) struct Prose {
    text: String,
    gap: Gap,
    widest: Gap,
    /// What to write in place of the gap.
    joint: Option<&'static str>,
    /// What to write after the gap: the marker of an item.
    lead: String,
    spans: Vec<Span>,
}

impl Prose {
    /// A text that has no wider gaps than this, which is a space or a line.
    pub(super) fn new(widest: Gap) -> Self {
        Self {
            text: String::new(),
            gap: Gap::None,
            widest,
            joint: None,
            lead: String::new(),
            spans: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn gap(&self) -> Gap {
        self.gap
    }

    /// Whether what comes next would be read as part of the last word.
    pub(super) fn would_run_into(&self, text: &str) -> bool {
        self.gap == Gap::None && would_run_together(&self.text, text)
    }

    /// Whether what comes next would touch a word or a bracket.
    pub(super) fn ends_in_word(&self) -> bool {
        self.gap == Gap::None
            && self.joint.is_none()
            && self
                .text
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']'))
    }

    /// Adds text, its white space collapsed and what nobody sees left out.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let (words, after) = split_plain_words(rest);
            if !words.is_empty() {
                self.settle();
                self.text.push_str(words);
            }
            let mut chars = after.chars();
            let Some(c) = chars.next() else {
                return;
            };
            rest = chars.as_str();
            if is_visible(c) {
                self.settle();
                self.text.push(c);
            } else if c.is_whitespace() {
                self.widen(Gap::Space);
            }
        }
    }

    /// Adds text that is in these elements.
    pub(super) fn push_styled(&mut self, text: &str, styles: &[Style]) {
        let Some(first) = text.find(is_visible) else {
            return self.push(text);
        };
        let (space, words) = text.split_at_checked(first).unwrap_or(("", text));
        self.push(space);
        self.settle();
        let start = self.text.len();
        self.push(words);
        self.mark(start, styles);
    }

    /// Marks what was written since `start`.
    fn mark(&mut self, start: usize, styles: &[Style]) {
        let end = self.text.len();
        for style in styles {
            let mut last = self.spans.iter_mut().rev().take(MARKS_BACK);
            let last = last.find(|span| span.style.element == style.element);
            // In a line an element is marked as a whole; its lines are marked each.
            let goes_on = |span: &&mut Span| {
                let gap = self.text.get(span.range.end..start);
                !style.is_formula() && gap.is_some_and(|gap| gap.is_empty() || gap == " ")
            };
            match last.filter(goes_on) {
                Some(span) => span.range.end = end,
                None => self.spans.push(Span {
                    style: *style,
                    range: start..end,
                }),
            }
        }
    }

    pub(super) fn widen(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap.min(self.widest));
    }

    /// Takes back whatever gap was to come.
    pub(super) fn close_gap(&mut self) {
        self.gap = Gap::None;
        self.joint = None;
    }

    /// What comes next is joined by this and by no gap.
    pub(super) fn join(&mut self, joint: &'static str) {
        self.gap = Gap::None;
        self.joint = Some(joint);
    }

    /// What comes next says what the text so far means.
    pub(super) fn define(&mut self) {
        self.join(if self.text.ends_with([':', '?']) {
            " "
        } else {
            ": "
        });
    }

    /// What comes next is an item with this marker, where items have lines of their own.
    pub(super) fn lead(&mut self, marker: String) {
        if self.widest >= Gap::Line {
            self.lead = marker;
        }
    }

    /// Adds a mark that touches what is before it; the gap comes after it.
    pub(super) fn glue(&mut self, mark: &str) {
        self.text.push_str(mark);
    }

    /// Adds such a mark that is in these elements.
    pub(super) fn glue_styled(&mut self, mark: &str, styles: &[Style]) {
        let start = self.text.len();
        self.glue(mark);
        self.mark(start, styles);
    }

    /// Adds program text, white space and all.
    pub(super) fn push_code(&mut self, language: Option<&str>, code: &str) {
        if self.widest < Gap::Line {
            return self.push(code);
        }
        let runs = code.split(|c| c != '`').map(str::len);
        let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
        self.widen(Gap::Line);
        self.settle();
        for part in [
            &fence,
            language.unwrap_or_default(),
            "\n",
            code,
            "\n",
            &fence,
        ] {
            self.text.push_str(part);
        }
        self.widen(Gap::Line);
    }

    /// The text, and a fresh start.
    pub(super) fn take(&mut self) -> String {
        self.gap = Gap::None;
        self.joint = None;
        self.lead.clear();
        self.spans.clear();
        std::mem::take(&mut self.text)
    }

    /// The text with its marks, and a fresh start.
    pub(super) fn take_marked(&mut self) -> Marked {
        let marks = self.spans.drain(..).map(|span| Mark {
            kind: span.style.kind,
            text: 0,
            range: span.range,
        });
        let marks = marks.collect();
        Marked {
            text: self.take(),
            marks,
        }
    }

    /// Writes what stands before the next character.
    #[inline]
    fn settle(&mut self) {
        if self.gap != Gap::None || self.joint.is_some() || !self.lead.is_empty() {
            self.write_gap();
        }
    }

    fn write_gap(&mut self) {
        let is_first = self.text.is_empty();
        if !is_first {
            self.text.push_str(match (self.joint, self.gap) {
                (Some(joint), _) => joint,
                (None, Gap::None) => "",
                (None, Gap::Space) => " ",
                (None, Gap::Line) => "\n",
            });
        }
        self.gap = Gap::None;
        self.joint = None;
        self.text.push_str(if is_first {
            self.lead.trim_start()
        } else {
            &self.lead
        });
        self.lead.clear();
    }
}

/// A short text of an attribute, on one line.
pub(super) fn tidy(text: &str) -> Option<String> {
    let mut prose = Prose::new(Gap::Space);
    prose.push(text);
    let text = prose.take();
    (!text.is_empty()).then_some(text)
}
