//! Inline elements.

use super::{Closing, Marking, OpenLink, Walker, note};
use crate::blocks::class::short_text;
use crate::dom::{Dom, Element, NodeId, Tag};

/// Returns the quotation marks of the page's language.
pub(super) fn quotation_marks(dom: &Dom) -> [&'static str; 2] {
    let html = dom
        .children(NodeId::ROOT)
        .find(|id| dom.tag(*id) == Tag::Html);
    let language = html
        .and_then(|id| dom.attribute(id, "lang"))
        .unwrap_or_default()
        .to_ascii_lowercase();
    match language.split(['-', '_']).next().unwrap_or_default() {
        "de" | "cs" | "sk" | "sl" | "is" | "lt" | "bg" | "ka" => ["„", "“"],
        "pl" | "hu" | "ro" | "hr" | "sr" | "nl" => ["„", "”"],
        "fr" | "es" | "it" | "pt" | "ru" | "uk" | "be" | "no" | "nb" | "nn" | "el" | "ca"
        | "fa" => ["«", "»"],
        "sv" | "fi" => ["”", "”"],
        "ja" | "zh" => ["「", "」"],
        _ => ["“", "”"],
    }
}

impl Walker<'_> {
    pub(super) fn open_inline(&mut self, id: NodeId, element: Element<'_>) {
        let has_text = self.survey.kept(id) > 0;
        if has_text && self.marking != Marking::Nothing {
            self.open_style(id, element);
        }
        match element.tag {
            Tag::A => {
                if has_text && note::is_bare_reference(self.dom, id, element) {
                    self.write("[");
                    self.on_leave(id, Closing::Mark("]"));
                    return;
                }
                if let Some(link) = OpenLink::of(element, self.base) {
                    self.links.push(link);
                    self.on_leave(id, Closing::Link);
                }
            }
            Tag::Q if has_text => {
                let [open, close] = self.quotation_marks;
                self.write(open);
                self.on_leave(id, Closing::Mark(close));
            }
            // The pronunciation of the text before it.
            Tag::Rt if has_text => {
                self.prose().close_gap();
                self.glue("(");
                self.on_leave(id, Closing::Mark(")"));
            }
            Tag::Span if note::is_label(self.dom, id, element) => {
                self.on_leave(id, Closing::NoteLabel);
            }
            Tag::Sup if self.is_power(id) => self.glue("^"),
            _ => {}
        }
    }

    /// Returns true if superscript digits would read as part of the number or word before them. Digits in a link
    /// belong to a footnote and mostly have brackets.
    fn is_power(&mut self, id: NodeId) -> bool {
        let is_number = |text: String| {
            let digits = text.trim_start_matches(['-', '−', '+']);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        };
        self.prose().ends_in_word()
            && short_text(self.dom, id, 4).is_some_and(is_number)
            && !self
                .dom
                .descendants(id)
                .any(|id| self.dom.tag(id) == Tag::A)
    }

    /// Writes a closing mark, unless a block inside the element has taken its text away.
    pub(super) fn close_mark(&mut self, mark: &str) {
        if !self.prose().is_empty() {
            self.glue(mark);
        }
    }

    pub(super) fn close_link(&mut self) {
        let link = self.links.pop().and_then(OpenLink::close);
        self.add_link(link);
        if self.open_blocks.is_empty() && self.run.is_empty() {
            self.output.flush_pending();
        }
    }

    /// Writes the check box of an item in a list of tasks. Check boxes that can be clicked belong to forms.
    pub(super) fn check_box(&mut self, element: Element<'_>) {
        let is_task =
            element.has_word("type", "checkbox") && element.attribute("disabled").is_some();
        if is_task && !self.levels.is_empty() {
            let is_done = element.attribute("checked").is_some();
            self.write(if is_done { "[x] " } else { "[ ] " });
        }
    }
}
