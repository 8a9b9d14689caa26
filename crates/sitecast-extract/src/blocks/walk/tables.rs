//! Tables, those that only arrange, and those in lists.

use sitecast_scp::Block;

use super::{Closing, Gap, Holder, Prose, TableBuilder, Walker};
use crate::blocks::marked::{Marked, MarkedBlock, Numbered};
use crate::blocks::signature::{is_signature_table, joined};
use crate::blocks::table::Part;
use crate::dom::{Element, NodeId, Tag};

impl Walker<'_> {
    pub(super) fn open_table(&mut self, id: NodeId, element: Element<'_>) {
        self.boundary();
        if self.holders.is_empty() && is_signature_table(element) {
            self.holders.push(Holder::Signature(Prose::new(Gap::Space)));
            return self.when_left(id, Closing::Signature);
        }
        if !self.holders.is_empty() || self.survey.is_layout_table(id) {
            return self.when_left(id, Closing::Boundary);
        }
        self.output.make_way();
        self.holders.push(Holder::Table(TableBuilder::new()));
        self.when_left(id, Closing::Table);
    }

    pub(super) fn close_table(&mut self) {
        let Some(Holder::Table(table)) = self.holders.pop() else {
            return;
        };
        let (caption, rows) = table.finish();
        if !caption.is_empty() {
            // Its links wait for the table with all others.
            let caption = MarkedBlock::of(caption, |text| Block::Text { text });
            self.output.blocks.push(caption);
        }
        if rows.is_empty() {
            self.output.settle();
        } else {
            let mut cells = Numbered::default();
            let mut row = |row: Vec<Marked>| row.into_iter().map(|cell| cells.take(cell)).collect();
            let rows = rows.into_iter().map(&mut row).collect();
            self.output.emit(MarkedBlock {
                block: Block::Table { rows },
                marks: cells.marks,
            });
        }
    }

    pub(super) fn close_signature(&mut self) {
        if let Some(Holder::Signature(mut prose)) = self.holders.pop() {
            self.output.paragraph(joined(&prose.take()).into());
        }
    }

    /// Begins a table for the rows that come after a heading among the rows of a table.
    pub(super) fn open_rest_of_table(&mut self) {
        self.boundary();
        self.output.make_way();
        self.holders.push(Holder::Table(TableBuilder::new()));
    }

    /// A part of a table, or a row.
    pub(super) fn open_rows(&mut self, id: NodeId, element: Element<'_>) {
        if self.survey.is_heading_row(id) && matches!(self.holders.last(), Some(Holder::Table(_))) {
            self.close_table();
            return self.when_left(id, Closing::HeadingRow);
        }
        let Some(Holder::Table(table)) = self.holders.last_mut() else {
            self.boundary();
            return self.when_left(id, Closing::Boundary);
        };
        match element.tag {
            Tag::Thead => table.begin_group(Part::Head),
            Tag::Tfoot => table.begin_group(Part::Foot),
            Tag::Tbody => table.begin_group(Part::Body),
            _ => table.begin_row(),
        }
    }

    pub(super) fn open_cell(&mut self, id: NodeId) {
        if let Some(link) = self.links.last_mut() {
            link.prose.widen(Gap::Space);
        }
        match self.holders.last() {
            Some(Holder::Table(_)) => self.when_left(id, Closing::Cell),
            Some(Holder::Signature(_)) => self.space(),
            // A row in a list or a caption is a line; whatever gap is here began with the row.
            Some(_) => {
                let prose = self.prose();
                if prose.gap() < Gap::Line {
                    prose.join(" | ");
                }
                self.when_left(id, Closing::FlatCell);
            }
            None => {
                self.boundary();
                self.when_left(id, Closing::Boundary);
            }
        }
    }

    pub(super) fn close_cell(&mut self, id: NodeId) {
        let element = self.dom.element(id);
        if let (Some(Holder::Table(table)), Some(element)) = (self.holders.last_mut(), element) {
            table.end_cell(element);
        }
    }

    /// A row or a cell that is not kept holds its place.
    pub(super) fn skip_cell(&mut self, element: Element<'_>) {
        match self.holders.last_mut() {
            Some(Holder::Table(table)) if element.tag == Tag::Tr => table.begin_row(),
            Some(Holder::Table(table)) => table.end_cell(element),
            Some(_) => {}
            None => self.boundary(),
        }
    }

    pub(super) fn open_table_caption(&mut self, id: NodeId) {
        if let Some(Holder::Table(_)) = self.holders.last() {
            self.holders.push(Holder::Aside(Prose::new(Gap::Line)));
            self.when_left(id, Closing::TableCaption);
        } else {
            self.boundary();
            self.when_left(id, Closing::Boundary);
        }
    }

    pub(super) fn close_table_caption(&mut self) {
        let Some(Holder::Aside(mut prose)) = self.holders.pop() else {
            return;
        };
        if let Some(Holder::Table(table)) = self.holders.last_mut() {
            table.add_caption(prose.take_marked());
        }
    }
}
