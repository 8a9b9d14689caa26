//! Quotations, and figures, whose captions may name the source of a quotation.

use super::{Closing, Gap, OpenBlock, Prose, Walker, resolve};
use crate::blocks::class::is_visible;
use crate::blocks::survey::has;
use crate::dom::{Element, NodeId, Tag};

impl Walker<'_> {
    pub(super) fn open_quote(&mut self, id: NodeId) {
        self.boundary();
        // A quotation with headings exists for its indent.
        if !self.open_blocks.is_empty() || self.survey.has(id, has::HEADING) {
            return self.on_leave(id, Closing::Boundary);
        }
        self.output.open_quote();
        self.on_leave(id, Closing::Quote);
    }

    pub(super) fn close_quote(&mut self, id: NodeId) {
        self.end_paragraph();
        let source = self.dom.attribute(id, "cite");
        let source = source.and_then(|source| resolve(self.base, source));
        self.output.close_quote(source);
    }

    /// Returns true for the source of a quotation: a `footer`, or a `cite` that is not part of a sentence.
    pub(super) fn is_citation(&self, id: NodeId, element: Element<'_>) -> bool {
        if !self.open_blocks.is_empty() || !self.output.captions_are_citations() {
            return false;
        }
        let Some(parent) = self.dom.parent(id) else {
            return false;
        };
        let goes_on = self.dom.next_sibling(id).and_then(|id| self.dom.text(id));
        let goes_on = goes_on.is_some_and(|text| text.chars().any(is_visible));
        element.tag == Tag::Footer
            || (self.run.is_empty()
                && !goes_on
                && (self.dom.tag(parent) == Tag::Blockquote
                    || self.survey.kept(parent) == self.survey.kept(id)))
    }

    pub(super) fn open_citation(&mut self, id: NodeId) {
        self.boundary();
        self.open_blocks
            .push(OpenBlock::Aside(Prose::new(Gap::Space)));
        self.on_leave(id, Closing::Citation);
    }

    pub(super) fn close_citation(&mut self) {
        if let Some(OpenBlock::Aside(mut prose)) = self.open_blocks.pop() {
            self.output.cite(prose.take());
        }
    }

    pub(super) fn open_figure(&mut self, id: NodeId) {
        self.boundary();
        if self.open_blocks.is_empty() {
            self.output.open_figure();
            self.on_leave(id, Closing::Figure);
        } else {
            self.on_leave(id, Closing::Boundary);
        }
    }

    pub(super) fn close_figure(&mut self) {
        self.end_paragraph();
        self.output.close_figure();
    }

    pub(super) fn open_caption(&mut self, id: NodeId) {
        self.boundary();
        if !self.open_blocks.is_empty() {
            return self.on_leave(id, Closing::Boundary);
        }
        if self.output.captions_are_citations() {
            return self.open_citation(id);
        }
        if !self.output.is_in_figure() {
            return self.on_leave(id, Closing::Boundary);
        }
        let figure = self.dom.parent(id);
        let quote_follows = figure.is_some_and(|figure| self.survey.has(figure, has::QUOTE));
        self.open_blocks
            .push(OpenBlock::Aside(Prose::new(Gap::Line)));
        self.on_leave(id, Closing::FigureCaption { quote_follows });
    }

    pub(super) fn close_caption(&mut self, quote_follows: bool) {
        if let Some(OpenBlock::Aside(mut prose)) = self.open_blocks.pop() {
            self.output.caption(prose.take_marked(), quote_follows);
        }
    }
}
