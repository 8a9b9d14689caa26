//! Tables: as blocks, as layout, and as lines inside lists.

use sitecast_scp::Block;

use super::{Closing, Gap, OpenBlock, Prose, TableBuilder, Walker};
use crate::blocks::marked::{BlockMarks, Marked, MarkedBlock};
use crate::blocks::signature::{is_signature_table, joined};
use crate::blocks::table::Part;
use crate::dom::{Element, NodeId, Tag};

impl Walker<'_> {
    pub(super) fn open_table(&mut self, id: NodeId, element: Element<'_>) {
        self.boundary();
        if self.open_blocks.is_empty() && is_signature_table(element) {
            self.open_blocks
                .push(OpenBlock::Signature(Prose::new(Gap::Space)));
            return self.on_leave(id, Closing::Signature);
        }
        if !self.open_blocks.is_empty() || self.survey.is_layout_table(id) {
            return self.on_leave(id, Closing::Boundary);
        }
        self.output.flush_quote();
        self.open_blocks.push(OpenBlock::Table(TableBuilder::new()));
        self.on_leave(id, Closing::Table);
    }

    pub(super) fn close_table(&mut self) {
        let Some(OpenBlock::Table(table)) = self.open_blocks.pop() else {
            return;
        };
        let (caption, rows) = table.finish();
        if !caption.is_empty() {
            // The links of the caption are written after the table, with all others.
            let caption = MarkedBlock::of(caption, |text| Block::Text { text });
            self.output.blocks.push(caption);
        }
        if rows.is_empty() {
            self.output.flush_pending();
        } else {
            let mut cells = BlockMarks::default();
            let mut row = |row: Vec<Marked>| row.into_iter().map(|cell| cells.take(cell)).collect();
            let rows = rows.into_iter().map(&mut row).collect();
            self.output.emit(MarkedBlock {
                block: Block::Table { rows },
                marks: cells.marks,
            });
        }
    }

    pub(super) fn close_signature(&mut self) {
        if let Some(OpenBlock::Signature(mut prose)) = self.open_blocks.pop() {
            self.output.paragraph(joined(&prose.take()).into());
        }
    }

    /// Begins a new table for the rows after a heading inside a table.
    pub(super) fn open_rest_of_table(&mut self) {
        self.boundary();
        self.output.flush_quote();
        self.open_blocks.push(OpenBlock::Table(TableBuilder::new()));
    }

    /// Begins a row or a group of rows.
    pub(super) fn open_rows(&mut self, id: NodeId, element: Element<'_>) {
        if self.survey.is_heading_row(id)
            && matches!(self.open_blocks.last(), Some(OpenBlock::Table(_)))
        {
            self.close_table();
            return self.on_leave(id, Closing::HeadingRow);
        }
        let Some(OpenBlock::Table(table)) = self.open_blocks.last_mut() else {
            self.boundary();
            return self.on_leave(id, Closing::Boundary);
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
        match self.open_blocks.last() {
            Some(OpenBlock::Table(_)) => self.on_leave(id, Closing::Cell),
            Some(OpenBlock::Signature(_)) => self.space(),
            // A row in a list or a caption is a line; a wider gap here began with the row.
            Some(_) => {
                let prose = self.prose();
                if prose.gap() < Gap::Line {
                    prose.join(" | ");
                }
                self.on_leave(id, Closing::FlatCell);
            }
            None => {
                self.boundary();
                self.on_leave(id, Closing::Boundary);
            }
        }
    }

    pub(super) fn close_cell(&mut self, id: NodeId) {
        let element = self.dom.element(id);
        if let (Some(OpenBlock::Table(table)), Some(element)) =
            (self.open_blocks.last_mut(), element)
        {
            table.end_cell(element);
        }
    }

    /// Adds an empty cell or row in place of one that is not kept.
    pub(super) fn skip_cell(&mut self, element: Element<'_>) {
        match self.open_blocks.last_mut() {
            Some(OpenBlock::Table(table)) if element.tag == Tag::Tr => table.begin_row(),
            Some(OpenBlock::Table(table)) => table.end_cell(element),
            Some(_) => {}
            None => self.boundary(),
        }
    }

    pub(super) fn open_table_caption(&mut self, id: NodeId) {
        if let Some(OpenBlock::Table(_)) = self.open_blocks.last() {
            self.open_blocks
                .push(OpenBlock::Aside(Prose::new(Gap::Line)));
            self.on_leave(id, Closing::TableCaption);
        } else {
            self.boundary();
            self.on_leave(id, Closing::Boundary);
        }
    }

    pub(super) fn close_table_caption(&mut self) {
        let Some(OpenBlock::Aside(mut prose)) = self.open_blocks.pop() else {
            return;
        };
        if let Some(OpenBlock::Table(table)) = self.open_blocks.last_mut() {
            table.add_caption(prose.take_marked());
        }
    }
}
