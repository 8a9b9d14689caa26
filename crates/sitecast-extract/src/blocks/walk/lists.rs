//! Lists and glossaries.

use sitecast_scp::Block;

use super::{Closing, Gap, Level, ListBuilder, OpenBlock, Walker};
use crate::blocks::list::indent;
use crate::dom::{Element, NodeId, Tag};

impl Walker<'_> {
    pub(super) fn open_list(&mut self, id: NodeId, element: Element<'_>) {
        self.boundary();
        let is_block = self.open_blocks.is_empty();
        if is_block && self.survey.is_layout_list(id) {
            return self.on_leave(id, Closing::Boundary);
        }
        let level = Level::of(self.dom, id, element);
        if is_block {
            self.open_blocks
                .push(OpenBlock::List(ListBuilder::new(level.ordered)));
        }
        self.levels.push(level);
        self.on_leave(id, Closing::List { is_block });
    }

    pub(super) fn close_list(&mut self, is_block: bool) {
        self.levels.pop();
        if is_block {
            return self.end_list();
        }
        // The text after a nested list belongs to the outer item.
        let depth = self.levels.len();
        match self.open_blocks.last_mut() {
            Some(OpenBlock::List(list)) => list.begin(depth, None),
            _ => self.boundary(),
        }
    }

    fn end_list(&mut self) {
        let Some(OpenBlock::List(list)) = self.open_blocks.pop() else {
            return;
        };
        if self.output.is_in_quote() {
            let text = list.finish_as_text();
            return self.output.paragraph(text);
        }
        let Some(list) = list.finish() else {
            return self.output.flush_pending();
        };
        match &list.block {
            Block::List { items, .. } if self.output.take_chapters(items) => {
                self.output.flush_pending()
            }
            _ => self.output.emit(list),
        }
    }

    pub(super) fn open_item(&mut self, id: NodeId, element: Element<'_>) {
        let depth = self.levels.len().saturating_sub(1);
        let Some(level) = self.levels.last_mut() else {
            self.boundary();
            return self.on_leave(id, Closing::Boundary);
        };
        let mark = level.mark(element);
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
        match self.open_blocks.last_mut() {
            Some(OpenBlock::List(list)) => list.begin(depth, Some(mark)),
            _ => {
                let prose = self.prose();
                prose.widen(Gap::Line);
                prose.lead(indent(depth) + &mark);
            }
        }
        self.on_leave(id, Closing::Item);
    }

    pub(super) fn close_item(&mut self) {
        let depth = self.levels.len().saturating_sub(1);
        match self.open_blocks.last_mut() {
            Some(OpenBlock::List(list)) => list.begin(depth, None),
            _ => {
                let prose = self.prose();
                prose.lead(String::new());
                prose.widen(Gap::Line);
            }
        }
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
    }

    /// Counts an item that is not kept.
    pub(super) fn skip_item(&mut self, element: Element<'_>) {
        match self.levels.last_mut() {
            Some(level) => {
                level.mark(element);
            }
            None => self.boundary(),
        }
    }

    pub(super) fn open_definitions(&mut self, id: NodeId) {
        self.boundary();
        if !self.open_blocks.is_empty() || !self.survey.is_glossary(id) {
            return self.on_leave(id, Closing::Boundary);
        }
        self.open_blocks
            .push(OpenBlock::List(ListBuilder::glossary()));
        // One more level, so that lists inside are indented.
        let level = self.dom.element(id).map(|dl| Level::of(self.dom, id, dl));
        self.levels.extend(level);
        self.on_leave(id, Closing::Definitions);
    }

    pub(super) fn close_definitions(&mut self) {
        self.levels.pop();
        self.end_list();
    }

    pub(super) fn open_definition(&mut self, id: NodeId, element: Element<'_>) {
        let is_term = element.tag == Tag::Dt;
        let is_glossary = self.levels.len() == 1;
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
        match self.open_blocks.last_mut() {
            None => {
                self.boundary();
                self.on_leave(id, Closing::Boundary);
            }
            Some(OpenBlock::List(list)) if is_glossary && list.is_glossary() => {
                if is_term {
                    list.term();
                } else {
                    list.definition();
                }
            }
            Some(_) if is_term => {
                self.boundary();
                // The definition is joined to the term.
                self.on_leave(id, Closing::FlatCell);
            }
            Some(_) => {
                // A further definition of the same term has a line of its own.
                let prose = self.prose();
                if prose.gap() < Gap::Line {
                    prose.define();
                }
                self.on_leave(id, Closing::Boundary);
            }
        }
    }
}
