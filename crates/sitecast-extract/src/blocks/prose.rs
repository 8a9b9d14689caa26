//! Visible text: white space collapsed, line breaks where a browser breaks lines.

use std::ops::Range;

use sitecast_scp::{Mark, MarkKind, split_plain_words};

use super::class::is_visible;
use super::marked::Marked;
use crate::dom::NodeId;
use crate::layout::would_run_together;

/// Search this many marks back for the last mark of an element.
const MARKS_BACK: usize = 32;

/// An open element with inline markup.
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

/// A mark of a text that is being built.
#[derive(Debug)]
struct Span {
    style: Style,
    range: Range<usize>,
}

/// Space between two runs of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    #[default]
    None,
    Space,
    Line,
}

/// Builds a text. A gap is written only when text follows it, so that neither the text nor a line begins or ends with
/// space.
#[derive(Debug)]
pub(super) struct Prose {
    text: String,
    gap: Gap,
    widest: Gap,
    /// Text to write in place of the gap.
    joint: Option<&'static str>,
    /// The marker of an item, to write after the gap.
    lead: String,
    spans: Vec<Span>,
}

impl Prose {
    /// Makes an empty text whose gaps are at most this wide: a space or a line break.
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

    /// Returns true if `text` would read as part of the last word.
    pub(super) fn would_run_into(&self, text: &str) -> bool {
        self.gap == Gap::None && would_run_together(&self.text, text)
    }

    /// Returns true if the next text would touch a word or a bracket.
    pub(super) fn ends_in_word(&self) -> bool {
        self.gap == Gap::None
            && self.joint.is_none()
            && self
                .text
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']'))
    }

    /// Adds text, with white space collapsed and without invisible characters.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let (words, after) = split_plain_words(rest);
            if !words.is_empty() {
                self.flush_gap();
                self.text.push_str(words);
            }
            let mut chars = after.chars();
            let Some(c) = chars.next() else {
                return;
            };
            rest = chars.as_str();
            if is_visible(c) {
                self.flush_gap();
                self.text.push(c);
            } else if c.is_whitespace() {
                self.widen(Gap::Space);
            }
        }
    }

    /// Adds text inside the elements of `styles`.
    pub(super) fn push_styled(&mut self, text: &str, styles: &[Style]) {
        let Some(first) = text.find(is_visible) else {
            return self.push(text);
        };
        let (space, words) = text.split_at_checked(first).unwrap_or(("", text));
        self.push(space);
        self.flush_gap();
        let start = self.text.len();
        self.push(words);
        self.mark(start, styles);
    }

    /// Marks the text since `start`.
    fn mark(&mut self, start: usize, styles: &[Style]) {
        let end = self.text.len();
        for style in styles {
            let mut last = self.spans.iter_mut().rev().take(MARKS_BACK);
            let last = last.find(|span| span.style.element == style.element);
            // An element has one mark for each line it covers.
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

    /// Discards the pending gap.
    pub(super) fn close_gap(&mut self) {
        self.gap = Gap::None;
        self.joint = None;
    }

    /// Joins the next text with `joint` in place of a gap.
    pub(super) fn join(&mut self, joint: &'static str) {
        self.gap = Gap::None;
        self.joint = Some(joint);
    }

    /// Joins the next text as a definition of the text so far.
    pub(super) fn define(&mut self) {
        self.join(if self.text.ends_with([':', '?']) {
            " "
        } else {
            ": "
        });
    }

    /// Begins an item with this marker, if items have lines of their own.
    pub(super) fn lead(&mut self, marker: String) {
        if self.widest >= Gap::Line {
            self.lead = marker;
        }
    }

    /// Adds characters that touch the text before them; the pending gap comes after them.
    pub(super) fn glue(&mut self, mark: &str) {
        self.text.push_str(mark);
    }

    /// Adds such characters inside the elements of `styles`.
    pub(super) fn glue_styled(&mut self, mark: &str, styles: &[Style]) {
        let start = self.text.len();
        self.glue(mark);
        self.mark(start, styles);
    }

    /// Adds code in a fence with its white space. Without line breaks it is added as text.
    pub(super) fn push_code(&mut self, language: Option<&str>, code: &str) {
        if self.widest < Gap::Line {
            return self.push(code);
        }
        let runs = code.split(|c| c != '`').map(str::len);
        let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
        self.widen(Gap::Line);
        self.flush_gap();
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

    /// Returns the text and starts again.
    pub(super) fn take(&mut self) -> String {
        self.gap = Gap::None;
        self.joint = None;
        self.lead.clear();
        self.spans.clear();
        std::mem::take(&mut self.text)
    }

    /// Returns the text with its marks and starts again.
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

    /// Writes the pending gap, joint and marker.
    #[inline]
    fn flush_gap(&mut self) {
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

/// Returns the text of an attribute on one line, or `None` if it is empty.
pub(super) fn tidy(text: &str) -> Option<String> {
    let mut prose = Prose::new(Gap::Space);
    prose.push(text);
    let text = prose.take();
    (!text.is_empty()).then_some(text)
}
