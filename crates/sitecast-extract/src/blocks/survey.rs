//! Facts about every element, collected in one walk before any block is written.

use foldhash::HashSet;

use super::class::{has_class, heading_level, is_presentational, is_visible};
use super::code::{is_gutter, is_listing_table};
use super::{Selection, embed, image, titles};
use crate::dom::{Dom, Element, NodeId, Step, Tag};
use crate::layout::{holds_page, is_hidden, is_unrendered};

/// A cell without a header that has more bytes of text arranges a page.
const CELL_TEXT: u32 = 1_500;
const CELL_PARAGRAPHS: u8 = 4;
/// A table whose cells all have at most this many bytes is data, even if some cells are headings.
const GRID_CELL_TEXT: u32 = 300;

/// Keep at most this much of a title: nodes, and bytes of text.
const TITLE_NODES: usize = 100;
const TITLE_TEXT: u32 = 300;

/// Flags for the content of an element.
pub(super) mod has {
    pub(crate) const MEDIA: u16 = 1;
    pub(crate) const HEADING: u16 = 2;
    /// A heading in a cell that is not a header cell.
    pub(crate) const HEADING_IN_CELL: u16 = 4;
    pub(crate) const TABLE: u16 = 8;
    pub(crate) const GUTTER: u16 = 16;
    pub(crate) const CODE: u16 = 32;
    pub(crate) const TERM: u16 = 64;
    pub(crate) const DEFINITION: u16 = 128;
    /// A definition of more than a sentence or two.
    pub(crate) const LONG_DEFINITION: u16 = 256;
    pub(crate) const QUOTE: u16 = 512;
    pub(crate) const ARTICLE: u16 = 1024;
    pub(crate) const DEFINITIONS: u16 = 2048;
    /// White space, or text that is not kept.
    pub(crate) const GAP: u16 = 4096;
}

/// Facts about one element and its content.
#[derive(Debug, Clone, Copy, Default)]
struct ElementFacts {
    /// Bytes of kept text.
    kept: u32,
    has: u16,
    paragraphs: u8,
}

impl ElementFacts {
    fn add(&mut self, inner: Self) {
        self.kept = self.kept.saturating_add(inner.kept);
        self.has |= inner.has;
        self.paragraphs = self.paragraphs.saturating_add(inner.paragraphs);
    }
}

pub(super) struct Survey {
    facts: Vec<ElementFacts>,
    /// Tables that only arrange their content.
    layout_tables: HashSet<NodeId>,
    /// Tables that hold code with line numbers.
    listings: HashSet<NodeId>,
    /// Table rows that are headings of the rows below.
    heading_rows: HashSet<NodeId>,
}

impl Survey {
    fn facts(&self, id: NodeId) -> ElementFacts {
        self.facts.get(id.index()).copied().unwrap_or_default()
    }

    /// Returns the bytes of kept text in an element.
    pub(super) fn kept(&self, id: NodeId) -> u32 {
        self.facts(id).kept
    }

    pub(super) fn has(&self, id: NodeId, what: u16) -> bool {
        self.facts(id).has & what != 0
    }

    /// Returns true if nothing in the element is kept.
    pub(super) fn is_bare(&self, id: NodeId) -> bool {
        self.kept(id) == 0 && !self.has(id, has::MEDIA)
    }

    pub(super) fn is_layout_table(&self, id: NodeId) -> bool {
        self.layout_tables.contains(&id)
    }

    pub(super) fn is_listing(&self, id: NodeId) -> bool {
        self.listings.contains(&id)
    }

    /// Returns true for a table row that consists of a heading.
    pub(super) fn is_heading_row(&self, id: NodeId) -> bool {
        self.heading_rows.contains(&id)
    }

    /// Returns true if a list only arranges parts with headings of their own: posts, comments, cards.
    pub(super) fn is_layout_list(&self, id: NodeId) -> bool {
        self.has(id, has::HEADING | has::ARTICLE)
    }

    /// Returns true if every term of a `dl` has a short definition.
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
            facts: vec![ElementFacts::default(); dom.len()],
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
    /// One for each open node.
    open: Vec<ElementFacts>,
    tables: Vec<TableShape>,
    survey: Survey,
}

/// Counts of one open table. Rows and cells count if something in them is kept.
#[derive(Default)]
struct TableShape {
    rows: u32,
    cells: u32,
    cells_in_row: u32,
    widest_row: u32,
    has_header: bool,
    /// The open row has a header cell.
    row_has_header: bool,
    /// Cells of the open row that consist of a heading.
    heading_cells_in_row: u32,
    /// Other cells of the open row.
    other_cells_in_row: u32,
    heading_rows: Vec<NodeId>,
    longest_cell: ElementFacts,
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
        let mut facts = ElementFacts::default();
        let mut into = true;
        if let Some(text) = self.dom.text(id) {
            into = false;
            let is_blank = !text.chars().any(is_visible);
            if !is_blank && self.selection.keeps_text(id) {
                facts.kept = u32::try_from(text.trim().len()).unwrap_or(u32::MAX);
            } else if !is_blank || text.chars().any(char::is_whitespace) {
                facts.has |= has::GAP;
            }
        } else if let Some(element) = self.dom.element(id) {
            into = self.enter_element(id, element, &mut facts);
        }
        self.open.push(facts);
        into
    }

    fn enter_element(
        &mut self,
        id: NodeId,
        element: Element<'_>,
        facts: &mut ElementFacts,
    ) -> bool {
        let is_image = image::is_image(element);
        if is_image || embed::is_player(element) {
            if !is_hidden(element) && self.selection.keeps_media(id) {
                facts.has |= has::MEDIA;
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
            Tag::Td | Tag::Th if is_gutter(self.dom, id, element) => facts.has |= has::GUTTER,
            Tag::Pre | Tag::Xmp => facts.has |= has::CODE,
            Tag::Article => facts.has |= has::ARTICLE,
            Tag::Td if has_class(element, &["code", "blob-code", "crayon-code", "de1"]) => {
                facts.has |= has::CODE;
            }
            // Images in it may replace lazy ones, even if nothing else is kept.
            Tag::Noscript => {}
            _ if is_unrendered(self.dom, id, element) => return false,
            _ => {}
        }
        true
    }

    fn leave(&mut self, id: NodeId) {
        let Some(mut facts) = self.open.pop() else {
            return;
        };
        if let Some(element) = self.dom.element(id) {
            self.leave_element(id, element, &mut facts);
        }
        if let Some(slot) = self.survey.facts.get_mut(id.index()) {
            *slot = facts;
        }
        // Flags that concern only the table or the list itself end here.
        match self.dom.tag(id) {
            Tag::Table => facts.has &= !(has::GUTTER | has::HEADING_IN_CELL),
            Tag::Dl => facts.has &= !(has::TERM | has::DEFINITION | has::LONG_DEFINITION),
            _ => {}
        }
        if let Some(parent) = self.open.last_mut() {
            parent.add(facts);
        }
    }

    fn leave_element(&mut self, id: NodeId, element: Element<'_>, facts: &mut ElementFacts) {
        if element.tag == Tag::Noscript && !holds_page(self.dom, id) {
            *facts = ElementFacts {
                has: facts.has & has::MEDIA,
                ..ElementFacts::default()
            };
            return;
        }
        if facts.kept > 0
            && let Some(title) = titles::title_of(self.dom, id, element)
        {
            facts.kept += self.keep_all(title);
        }
        let is_kept = facts.kept > 0;
        if is_kept && heading_level(self.dom, id, element).is_some() {
            facts.has |= has::HEADING;
        }
        match element.tag {
            Tag::P if is_kept => facts.paragraphs = facts.paragraphs.saturating_add(1),
            Tag::Dt if is_kept => facts.has |= has::TERM,
            Tag::Dd if is_kept => {
                facts.has |= has::DEFINITION;
                let long = has::HEADING | has::TABLE | has::CODE | has::QUOTE | has::DEFINITIONS;
                if facts.has & long != 0 || facts.paragraphs > 1 {
                    facts.has |= has::LONG_DEFINITION;
                }
            }
            Tag::Dl if is_kept => facts.has |= has::DEFINITIONS,
            Tag::Blockquote if is_kept => facts.has |= has::QUOTE,
            Tag::Td | Tag::Th => self.leave_cell(id, element, facts),
            Tag::Tr => {
                if let Some(table) = self.tables.last_mut() {
                    table.end_row(id, is_kept || facts.has & has::MEDIA != 0);
                }
            }
            Tag::Table => self.leave_table(id, element, facts),
            _ => {}
        }
    }

    /// Keeps all text in an element that has been left already. Returns the number of bytes added.
    fn keep_all(&mut self, top: NodeId) -> u32 {
        let mut added = 0;
        for id in self.dom.descendants(top).take(TITLE_NODES) {
            let Some(text) = self.dom.text(id) else {
                continue;
            };
            let is_kept = self.survey.kept(id) > 0;
            if is_kept || added > TITLE_TEXT || !text.chars().any(is_visible) {
                continue;
            }
            let length = u32::try_from(text.trim().len()).unwrap_or(u32::MAX);
            added = added.saturating_add(length);
            let outer = self.dom.ancestors(id).take_while(|outer| *outer != top);
            for id in outer.chain([top]) {
                if let Some(facts) = self.survey.facts.get_mut(id.index()) {
                    facts.kept = facts.kept.saturating_add(length);
                }
            }
        }
        added
    }

    /// Returns true for a cell in which only headings are kept.
    fn is_heading_alone(&self, cell: NodeId, facts: ElementFacts) -> bool {
        let is_heading = |id: NodeId| {
            let element = self.dom.element(id);
            element.is_some_and(|element| heading_level(self.dom, id, element).is_some())
        };
        facts.has & has::HEADING != 0
            && (self.dom.children(cell)).all(|id| self.survey.is_bare(id) || is_heading(id))
    }

    fn leave_cell(&mut self, id: NodeId, element: Element<'_>, facts: &mut ElementFacts) {
        let is_heading = self.is_heading_alone(id, *facts);
        let Some(table) = self.tables.last_mut() else {
            return;
        };
        table.cells_in_row += 1;
        if facts.kept == 0 && facts.has & has::MEDIA == 0 {
            return;
        }
        table.cells += 1;
        if is_heading {
            table.heading_cells_in_row += 1;
        } else {
            table.other_cells_in_row += 1;
        }
        table.longest_cell.kept = table.longest_cell.kept.max(facts.kept);
        table.longest_cell.paragraphs = table.longest_cell.paragraphs.max(facts.paragraphs);
        if element.tag == Tag::Th {
            table.row_has_header = true;
        } else if facts.has & has::HEADING != 0 {
            facts.has |= has::HEADING_IN_CELL;
        }
    }

    fn leave_table(&mut self, id: NodeId, element: Element<'_>, facts: &mut ElementFacts) {
        let shape = self.tables.pop().unwrap_or_default();
        if is_listing_table(element)
            || facts.has & (has::GUTTER | has::CODE) == has::GUTTER | has::CODE
        {
            self.survey.listings.insert(id);
            facts.has |= has::CODE;
            return;
        }
        let longest = shape.longest_cell;
        let is_page = longest.kept > CELL_TEXT || longest.paragraphs >= CELL_PARAGRAPHS;
        let is_line = shape.rows <= 1 || shape.widest_row <= 1;
        // In a grid of short cells, headings are bold text.
        let is_grid = shape.rows > 2 && !is_line && longest.kept <= GRID_CELL_TEXT;
        let is_headed = facts.has & has::HEADING_IN_CELL != 0 && !is_grid;
        if is_presentational(element)
            || facts.has & (has::TABLE | has::ARTICLE) != 0
            || is_headed
            || shape.cells <= 1
            || (!shape.has_header && (is_line || is_page))
        {
            self.survey.layout_tables.insert(id);
        } else if !shape.has_header {
            // Below a header, such a row is part of a table with the same columns.
            self.survey.heading_rows.extend(shape.heading_rows);
        }
        // Kept or not, a table inside another makes the outer one a layout.
        facts.has |= has::TABLE;
    }
}
