//! Tables (HTML, "The "in table" insertion mode" and the modes for parts of a table).

use html5ever::tokenizer::states::RawKind;

use super::body::bounds_button_scope;
use super::{ContentModel, DirectBuilder, Mode};
use crate::dom::Tag;

impl DirectBuilder {
    pub(super) fn start_table(&mut self) -> ContentModel {
        if self.is_in_scope(Tag::P, bounds_button_scope) {
            // In quirks mode the table is part of the paragraph.
            if !self.is_standard {
                self.give_up();
            }
            self.close_paragraph();
        }
        self.mode = Mode::InTable;
        self.insert(Tag::Table)
    }

    /// Handles a start tag in a table; `None` if the caller must handle it again in a new mode.
    pub(super) fn start_in_table(&mut self, tag: Tag) -> Option<ContentModel> {
        match self.mode {
            Mode::InCell if is_table_part(tag) => self.end_cell(),
            Mode::InCaption if is_table_part(tag) => self.end_caption(),
            Mode::InCell | Mode::InCaption => return Some(self.start_in_body(tag)),
            Mode::InColumnGroup => match tag {
                Tag::Col => {
                    self.insert_void(tag);
                    return Some(ContentModel::Markup);
                }
                Tag::Template => return Some(self.start_template()),
                _ => self.leave(Mode::InTable),
            },
            Mode::InRow => match tag {
                Tag::Td | Tag::Th => return Some(self.enter(tag, Mode::InCell)),
                _ if is_table_part(tag) => self.leave(Mode::InTableBody),
                _ => return Some(self.start_between_cells(tag)),
            },
            Mode::InTableBody => match tag {
                Tag::Tr => return Some(self.enter(tag, Mode::InRow)),
                Tag::Td | Tag::Th => self.enter_implied(Tag::Tr, Mode::InRow),
                _ if is_table_part(tag) => self.leave(Mode::InTable),
                _ => return Some(self.start_between_cells(tag)),
            },
            _ => match tag {
                Tag::Caption => return Some(self.enter(tag, Mode::InCaption)),
                Tag::Colgroup => return Some(self.enter(tag, Mode::InColumnGroup)),
                Tag::Tbody | Tag::Thead | Tag::Tfoot => {
                    return Some(self.enter(tag, Mode::InTableBody));
                }
                Tag::Col => self.enter_implied(Tag::Colgroup, Mode::InColumnGroup),
                Tag::Td | Tag::Th | Tag::Tr => self.enter_implied(Tag::Tbody, Mode::InTableBody),
                _ => return Some(self.start_between_cells(tag)),
            },
        }
        None
    }

    /// Handles a start tag outside of cells. HTML puts elements other than these before the table.
    fn start_between_cells(&mut self, tag: Tag) -> ContentModel {
        match tag {
            Tag::Style => self.insert_raw(tag, RawKind::Rawtext),
            Tag::Script => self.insert_raw(tag, RawKind::ScriptData),
            Tag::Template => self.start_template(),
            _ => {
                self.give_up();
                ContentModel::Markup
            }
        }
    }

    fn enter(&mut self, tag: Tag, mode: Mode) -> ContentModel {
        self.mode = mode;
        if matches!(mode, Mode::InCell | Mode::InCaption) {
            self.formatting.mark();
        }
        self.insert(tag)
    }

    fn enter_implied(&mut self, tag: Tag, mode: Mode) {
        self.mode = mode;
        self.insert_implied(tag);
    }

    /// Closes the current table part.
    fn leave(&mut self, mode: Mode) {
        self.mode = mode;
        self.close_current();
    }

    fn end_cell(&mut self) {
        self.mode = Mode::InRow;
        self.close_implied(None);
        while !self.has_given_up {
            let is_cell = matches!(self.current(), Tag::Td | Tag::Th);
            self.close_current();
            if is_cell {
                break;
            }
        }
        self.formatting.clear_to_mark();
    }

    fn end_caption(&mut self) {
        self.mode = Mode::InTable;
        self.close_implied(None);
        self.pop_until(Tag::Caption);
        self.formatting.clear_to_mark();
    }

    fn end_table(&mut self) {
        self.pop_until(Tag::Table);
        self.mode = self.mode_of_stack();
    }

    /// HTML, "reset the insertion mode appropriately".
    pub(super) fn mode_of_stack(&self) -> Mode {
        let mut tags = self.stack.iter().rev().map(|open| open.tag);
        let mode = tags.find_map(|tag| match tag {
            Tag::Td | Tag::Th => Some(Mode::InCell),
            Tag::Tr => Some(Mode::InRow),
            Tag::Tbody | Tag::Thead | Tag::Tfoot => Some(Mode::InTableBody),
            Tag::Caption => Some(Mode::InCaption),
            Tag::Colgroup => Some(Mode::InColumnGroup),
            Tag::Table => Some(Mode::InTable),
            Tag::Template => self.template_modes.last().copied(),
            Tag::Head => Some(Mode::InHead),
            Tag::Body => Some(Mode::InBody),
            _ => None,
        });
        mode.unwrap_or(Mode::InBody)
    }

    pub(super) fn end_in_table(&mut self, tag: Tag, name: &str) {
        match (self.mode, tag) {
            (Mode::InCell, Tag::Td | Tag::Th) => {
                if self.is_in_scope(tag, bounds_table_scope) {
                    self.close_implied(None);
                    self.pop_until(tag);
                    self.formatting.clear_to_mark();
                    self.mode = Mode::InRow;
                }
            }
            (Mode::InCell, Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr) => {
                if self.is_in_scope(tag, bounds_table_scope) {
                    self.end_cell();
                    self.end_in_table(tag, name);
                }
            }
            (Mode::InCell, Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html) => {}
            (Mode::InCaption, Tag::Caption) => self.end_caption(),
            (Mode::InCaption, Tag::Table) => {
                self.end_caption();
                self.end_in_table(tag, name);
            }
            (Mode::InCaption, _) if is_table_part(tag) || matches!(tag, Tag::Body | Tag::Html) => {}
            (Mode::InCell | Mode::InCaption, _) => self.end_in_body(tag, name),
            (Mode::InColumnGroup, Tag::Colgroup) => self.leave(Mode::InTable),
            (Mode::InColumnGroup, Tag::Col) => {}
            (Mode::InColumnGroup, _) => {
                self.leave(Mode::InTable);
                self.end_in_table(tag, name);
            }
            (Mode::InRow, Tag::Tr) => self.leave(Mode::InTableBody),
            (Mode::InRow, Tag::Table) => {
                self.leave(Mode::InTableBody);
                self.end_in_table(tag, name);
            }
            (Mode::InRow, Tag::Tbody | Tag::Tfoot | Tag::Thead) => {
                if self.is_in_scope(tag, bounds_table_scope) {
                    self.leave(Mode::InTableBody);
                    self.end_in_table(tag, name);
                }
            }
            (Mode::InTableBody, Tag::Tbody | Tag::Tfoot | Tag::Thead) => {
                if self.is_in_scope(tag, bounds_table_scope) {
                    self.leave(Mode::InTable);
                }
            }
            (Mode::InTableBody, Tag::Table) => {
                self.leave(Mode::InTable);
                self.end_table();
            }
            (_, Tag::Table) => self.end_table(),
            (_, Tag::Body | Tag::Html) => {}
            _ if is_table_part(tag) => {}
            _ => self.give_up(),
        }
    }
}

/// Returns true for the parts of a table.
pub(super) fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Caption
            | Tag::Col
            | Tag::Colgroup
            | Tag::Tbody
            | Tag::Td
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Tr
    )
}

/// HTML, "have a particular element in table scope".
fn bounds_table_scope(tag: Tag) -> bool {
    matches!(tag, Tag::Html | Tag::Table | Tag::Template)
}
