//! What is in every element, found in one walk before any block is made.

use foldhash::HashSet;

use super::class::{has_class, heading_level, is_presentational, is_visible};
use super::code::{is_gutter, is_listing_table};
use super::{Selection, bound, embed, image};
use crate::dom::{Dom, Element, NodeId, Step, Tag};
use crate::layout::{holds_page, is_hidden, is_silent};

/// More in one cell without a header is a page, not a datum.
const CELL_TEXT: u32 = 1_500;
const CELL_PARAGRAPHS: u8 = 4;
/// A table whose cells are all shorter is data, even if some are headings.
const GRID_CELL_TEXT: u32 = 300;

/// How much of a title is looked at.
const BOUND_NODES: usize = 100;
const BOUND_TEXT: u32 = 300;

/// Things that an element can have in it.
pub(super) mod has {
    pub(crate) const MEDIA: u16 = 1;
    pub(crate) const HEADING: u16 = 2;
    /// A heading in a cell that is no header.
    pub(crate) const HEADING_IN_CELL: u16 = 4;
    pub(crate) const TABLE: u16 = 8;
    pub(crate) const GUTTER: u16 = 16;
    pub(crate) const CODE: u16 = 32;
    pub(crate) const TERM: u16 = 64;
    pub(crate) const DEFINITION: u16 = 128;
    /// A definition that is more than a sentence or two.
    pub(crate) const LONG_DEFINITION: u16 = 256;
    pub(crate) const QUOTE: u16 = 512;
    pub(crate) const ARTICLE: u16 = 1024;
    pub(crate) const DEFINITIONS: u16 = 2048;
    /// White space, or text that is not kept.
    pub(crate) const GAP: u16 = 4096;
}

/// What is in an element.
#[derive(Debug, Clone, Copy, Default)]
struct Note {
    /// Bytes of kept text.
    kept: u32,
    has: u16,
    paragraphs: u8,
}

impl Note {
    fn add(&mut self, inner: Self) {
        self.kept = self.kept.saturating_add(inner.kept);
        self.has |= inner.has;
        self.paragraphs = self.paragraphs.saturating_add(inner.paragraphs);
    }
}

pub(super) struct Survey {
    notes: Vec<Note>,
    /// Tables that only arrange.
    layout_tables: HashSet<NodeId>,
    /// Tables that are code with line numbers.
    listings: HashSet<NodeId>,
    /// Rows of tables that are headings of the rows below.
    heading_rows: HashSet<NodeId>,
}

impl Survey {
    fn note(&self, id: NodeId) -> Note {
        self.notes.get(id.index()).copied().unwrap_or_default()
    }

    /// Bytes of kept text in it.
    pub(super) fn kept(&self, id: NodeId) -> u32 {
        self.note(id).kept
    }

    pub(super) fn has(&self, id: NodeId, what: u16) -> bool {
        self.note(id).has & what != 0
    }

    /// Whether nothing in it is kept.
    pub(super) fn is_bare(&self, id: NodeId) -> bool {
        self.kept(id) == 0 && !self.has(id, has::MEDIA)
    }

    pub(super) fn is_layout_table(&self, id: NodeId) -> bool {
        self.layout_tables.contains(&id)
    }

    pub(super) fn is_listing(&self, id: NodeId) -> bool {
        self.listings.contains(&id)
    }

    /// Tells rows of tables that are nothing but a heading.
    pub(super) fn is_heading_row(&self, id: NodeId) -> bool {
        self.heading_rows.contains(&id)
    }

    /// Whether a list only arranges what has headings of its own: posts, comments, cards.
    pub(super) fn is_layout_list(&self, id: NodeId) -> bool {
        self.has(id, has::HEADING | has::ARTICLE)
    }

    /// Whether a `dl` can be told in a line or two a term.
    pub(super) fn is_glossary(&self, id: NodeId) -> bool {
        self.has(id, has::TERM)
            && self.has(id, has::DEFINITION)
            && !self.has(id, has::LONG_DEFINITION)
    }
}

pub(super) fn survey(dom: &Dom, selection: &dyn Selection) -> Survey {
    let mut surveyor = Surveyor {
        dom,
        selection,
        open: Vec::new(),
        tables: Vec::new(),
        survey: Survey {
            notes: vec![Note::default(); dom.len()],
            layout_tables: HashSet::default(),
            listings: HashSet::default(),
            heading_rows: HashSet::default(),
        },
    };
    let mut next = Some(Step::Enter(NodeId::ROOT));
    while let Some(step) = next {
        let into = match step {
            Step::Enter(id) => surveyor.enter(id),
            Step::Leave(id) => {
                surveyor.leave(id);
                true
            }
        };
        next = dom.step(NodeId::ROOT, step, into);
    }
    surveyor.survey
}

struct Surveyor<'a> {
    dom: &'a Dom,
    selection: &'a dyn Selection,
    /// One for every open node.
    open: Vec<Note>,
    tables: Vec<TableShape>,
    survey: Survey,
}

/// Rows and cells with something kept in them, of one open table.
#[derive(Default)]
struct TableShape {
    rows: u32,
    cells: u32,
    cells_in_row: u32,
    widest_row: u32,
    has_header: bool,
    /// Of the open row: a cell of it is a header, …
    row_has_header: bool,
    /// … so many of its cells are headings alone, …
    heading_cells_in_row: u32,
    /// … and so many are something else.
    other_cells_in_row: u32,
    heading_rows: Vec<NodeId>,
    longest_cell: Note,
}

impl TableShape {
    fn begin_row(&mut self) {
        self.cells_in_row = 0;
        self.heading_cells_in_row = 0;
        self.other_cells_in_row = 0;
        self.row_has_header = false;
    }

    fn end_row(&mut self, row: NodeId, is_kept: bool) {
        if self.heading_cells_in_row == 1 && self.other_cells_in_row == 0 {
            // A row before the first heading names the columns of all rows.
            if self.rows == 0 || !self.heading_rows.is_empty() {
                self.heading_rows.push(row);
            }
        } else {
            self.has_header |= self.row_has_header;
        }
        if is_kept {
            self.rows += 1;
            self.widest_row = self.widest_row.max(self.cells_in_row);
        }
    }
}

impl Surveyor<'_> {
    fn enter(&mut self, id: NodeId) -> bool {
        let mut note = Note::default();
        let mut into = true;
        if let Some(text) = self.dom.text(id) {
            into = false;
            let is_blank = !text.chars().any(is_visible);
            if !is_blank && self.selection.keeps_text(id) {
                note.kept = u32::try_from(text.trim().len()).unwrap_or(u32::MAX);
            } else if !is_blank || text.chars().any(char::is_whitespace) {
                note.has |= has::GAP;
            }
        } else if let Some(element) = self.dom.element(id) {
            into = self.enter_element(id, element, &mut note);
        }
        self.open.push(note);
        into
    }

    fn enter_element(&mut self, id: NodeId, element: Element<'_>, note: &mut Note) -> bool {
        let is_image = image::is_image(element);
        if is_image || embed::is_player(element) {
            if !is_hidden(element) && self.selection.keeps_media(id) {
                note.has |= has::MEDIA;
            }
            return false;
        }
        match element.tag {
            Tag::Table => self.tables.push(TableShape::default()),
            Tag::Tr => {
                if let Some(table) = self.tables.last_mut() {
                    table.begin_row();
                }
            }
            Tag::Td | Tag::Th if is_gutter(self.dom, id, element) => note.has |= has::GUTTER,
            Tag::Pre | Tag::Xmp => note.has |= has::CODE,
            Tag::Article => note.has |= has::ARTICLE,
            Tag::Td if has_class(element, &["code", "blob-code", "crayon-code", "de1"]) => {
                note.has |= has::CODE;
            }
            // Pictures in it are looked at even if nothing else is.
            Tag::Noscript => {}
            _ if is_silent(self.dom, id, element) => return false,
            _ => {}
        }
        true
    }

    fn leave(&mut self, id: NodeId) {
        let Some(mut note) = self.open.pop() else {
            return;
        };
        if let Some(element) = self.dom.element(id) {
            self.leave_element(id, element, &mut note);
        }
        if let Some(slot) = self.survey.notes.get_mut(id.index()) {
            *slot = note;
        }
        // What only the element itself is to know does not go further up.
        match self.dom.tag(id) {
            Tag::Table => note.has &= !(has::GUTTER | has::HEADING_IN_CELL),
            Tag::Dl => note.has &= !(has::TERM | has::DEFINITION | has::LONG_DEFINITION),
            _ => {}
        }
        if let Some(parent) = self.open.last_mut() {
            parent.add(note);
        }
    }

    fn leave_element(&mut self, id: NodeId, element: Element<'_>, note: &mut Note) {
        if element.tag == Tag::Noscript && !holds_page(self.dom, id) {
            *note = Note {
                has: note.has & has::MEDIA,
                ..Note::default()
            };
            return;
        }
        if note.kept > 0
            && let Some(title) = bound::title_of(self.dom, id, element)
        {
            note.kept += self.keep_all(title);
        }
        let is_kept = note.kept > 0;
        if is_kept && heading_level(self.dom, id, element).is_some() {
            note.has |= has::HEADING;
        }
        match element.tag {
            Tag::P if is_kept => note.paragraphs = note.paragraphs.saturating_add(1),
            Tag::Dt if is_kept => note.has |= has::TERM,
            Tag::Dd if is_kept => {
                note.has |= has::DEFINITION;
                let long = has::HEADING | has::TABLE | has::CODE | has::QUOTE | has::DEFINITIONS;
                if note.has & long != 0 || note.paragraphs > 1 {
                    note.has |= has::LONG_DEFINITION;
                }
            }
            Tag::Dl if is_kept => note.has |= has::DEFINITIONS,
            Tag::Blockquote if is_kept => note.has |= has::QUOTE,
            Tag::Td | Tag::Th => self.leave_cell(id, element, note),
            Tag::Tr => {
                if let Some(table) = self.tables.last_mut() {
                    table.end_row(id, is_kept || note.has & has::MEDIA != 0);
                }
            }
            Tag::Table => self.leave_table(id, element, note),
            _ => {}
        }
    }

    /// Keeps all text in an element that was left before. Answers how much of it was not kept yet.
    fn keep_all(&mut self, top: NodeId) -> u32 {
        let mut added = 0;
        for id in self.dom.descendants(top).take(BOUND_NODES) {
            let Some(text) = self.dom.text(id) else {
                continue;
            };
            let is_kept = self.survey.kept(id) > 0;
            if is_kept || added > BOUND_TEXT || !text.chars().any(is_visible) {
                continue;
            }
            let length = u32::try_from(text.trim().len()).unwrap_or(u32::MAX);
            added = added.saturating_add(length);
            let outer = self.dom.ancestors(id).take_while(|outer| *outer != top);
            for id in outer.chain([top]) {
                if let Some(note) = self.survey.notes.get_mut(id.index()) {
                    note.kept = note.kept.saturating_add(length);
                }
            }
        }
        added
    }

    /// Tells cells in which nothing but headings is kept.
    fn is_heading_alone(&self, cell: NodeId, note: Note) -> bool {
        let is_heading = |id: NodeId| {
            let element = self.dom.element(id);
            element.is_some_and(|element| heading_level(self.dom, id, element).is_some())
        };
        note.has & has::HEADING != 0
            && (self.dom.children(cell)).all(|id| self.survey.is_bare(id) || is_heading(id))
    }

    fn leave_cell(&mut self, id: NodeId, element: Element<'_>, note: &mut Note) {
        let is_heading = self.is_heading_alone(id, *note);
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        table.cells_in_row += 1;
        if note.kept == 0 && note.has & has::MEDIA == 0 {
            return;
        }
        table.cells += 1;
        if is_heading {
            table.heading_cells_in_row += 1;
        } else {
            table.other_cells_in_row += 1;
        }
        table.longest_cell.kept = table.longest_cell.kept.max(note.kept);
        table.longest_cell.paragraphs = table.longest_cell.paragraphs.max(note.paragraphs);
        if element.tag == Tag::Th {
            table.row_has_header = true;
        } else if note.has & has::HEADING != 0 {
            note.has |= has::HEADING_IN_CELL;
        }
    }

    fn leave_table(&mut self, id: NodeId, element: Element<'_>, note: &mut Note) {
        let shape = self.tables.pop().unwrap_or_default();
        if is_listing_table(element)
            || note.has & (has::GUTTER | has::CODE) == has::GUTTER | has::CODE
        {
            self.survey.listings.insert(id);
            note.has |= has::CODE;
            return;
        }
        let longest = shape.longest_cell;
        let is_page = longest.kept > CELL_TEXT || longest.paragraphs >= CELL_PARAGRAPHS;
        let is_line = shape.rows <= 1 || shape.widest_row <= 1;
        // Headings in a grid of short cells are a way to make them bold.
        let is_grid = shape.rows > 2 && !is_line && longest.kept <= GRID_CELL_TEXT;
        let is_headed = note.has & has::HEADING_IN_CELL != 0 && !is_grid;
        if is_presentational(element)
            || note.has & (has::TABLE | has::ARTICLE) != 0
            || is_headed
            || shape.cells <= 1
            || (!shape.has_header && (is_line || is_page))
        {
            self.survey.layout_tables.insert(id);
        } else if !shape.has_header {
            // Below a header, such a row is a part of the table that has the same columns.
            self.survey.heading_rows.extend(shape.heading_rows);
        }
        // Kept or not: what has a table in it is a layout.
        note.has |= has::TABLE;
    }
}
