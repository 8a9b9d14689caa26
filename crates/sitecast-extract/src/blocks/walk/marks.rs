//! Inline markup, noted beside the text if the caller wants it.

use sitecast_scp::MarkKind;

use super::{Closing, Marking, OpenBlock, Style, Walker};
use crate::blocks::class::{classes, style};
use crate::blocks::formulas;
use crate::blocks::math::Formula;
use crate::dom::{Element, NodeId, Tag};

/// Look for the class of a display formula on this many elements around it.
const AROUND: usize = 4;

impl Walker<'_> {
    pub(super) fn open_style(&mut self, id: NodeId, element: Element<'_>) {
        let Some(kind) = self.kind_of(element) else {
            return;
        };
        let is_within = |outer: &Style| outer.kind == kind || outer.kind == MarkKind::Code;
        if self.styles.iter().any(is_within) {
            return;
        }
        self.styles.push(Style { element: id, kind });
        self.on_leave(id, Closing::Style);
    }

    pub(super) fn close_style(&mut self) {
        self.styles.pop();
    }

    fn kind_of(&self, element: Element<'_>) -> Option<MarkKind> {
        let is = |property: &str, values: &[&str]| {
            style(element, property).is_some_and(|value| values.contains(&value))
        };
        match element.tag {
            Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt => Some(MarkKind::Code),
            Tag::Del | Tag::S | Tag::Strike => Some(MarkKind::Deleted),
            // In a signature, emphasis only means a colour.
            _ if self.program_text > 0 => None,
            Tag::Em | Tag::I if !is("font-style", &["normal"]) => Some(MarkKind::Emphasis),
            // Google Docs wraps documents in a `b` of normal weight.
            Tag::Strong | Tag::B if !is("font-weight", &["normal", "400"]) => {
                Some(MarkKind::Strong)
            }
            Tag::Span if classes(element).any(|word| word == "MathJax_Preview") => {
                Some(MarkKind::Formula)
            }
            _ => None,
        }
    }

    /// Writes text of the page with the formulas in it.
    pub(super) fn write_text(&mut self, id: NodeId, text: &str) {
        let Marking::Inline(delimiters) = self.marking else {
            return self.write(text);
        };
        let is_listing = self.program_text > 0
            || matches!(self.open_blocks.last(), Some(OpenBlock::Signature(_)));
        if is_listing {
            return self.write(text);
        }
        let mut done = 0;
        for (range, kind) in formulas::in_text(text, delimiters) {
            self.write(text.get(done..range.start).unwrap_or_default());
            self.write_as(id, kind, text.get(range.clone()).unwrap_or_default());
            done = range.end;
        }
        self.write(text.get(done..).unwrap_or_default());
    }

    pub(super) fn write_formula(&mut self, id: NodeId, formula: &Formula) {
        match formula {
            Formula::Tex(tex) if self.marking != Marking::Nothing => {
                self.write_as(id, self.kind_of_formula(id), tex);
            }
            Formula::Tex(text) | Formula::Characters(text) => self.write(text),
        }
    }

    fn write_as(&mut self, element: NodeId, kind: MarkKind, text: &str) {
        self.styles.push(Style { element, kind });
        self.write(text);
        self.styles.pop();
    }

    /// Returns the kind of a formula. KaTeX, MathJax and MediaWiki mark display formulas on an element around them.
    fn kind_of_formula(&self, id: NodeId) -> MarkKind {
        let is_display = |id: NodeId| {
            self.dom.element(id).is_some_and(|outer| {
                classes(outer).any(|word| {
                    matches!(
                        word,
                        "katex-display" | "MathJax_Display" | "mwe-math-element-block"
                    ) || word.starts_with("mwe-math-mathml-display")
                })
            })
        };
        if self.dom.ancestors(id).take(AROUND).any(is_display) {
            MarkKind::DisplayFormula
        } else {
            MarkKind::Formula
        }
    }
}
