//! Tables as rows of cells.

use super::class::whole_number;
use super::marked::Marked;
use super::prose::{Gap, Prose};
use crate::dom::Element;

/// A cell that spans more columns than this spans all of them.
const WIDE: usize = 50;

/// The limit for repeating spanned cells: this many times the cells and bytes of the table, plus a constant.
const REPEATED: usize = 4;
const FREE_CELLS: usize = 1_000;
const FREE_BYTES: usize = 65_536;

#[derive(Debug)]
struct Cell {
    text: Marked,
    columns: usize,
    rows: usize,
}

#[derive(Debug)]
struct Row {
    part: Part,
    /// The number of the `thead`, `tbody` or `tfoot`. Row spans end with it.
    group: usize,
    cells: Vec<Cell>,
}

/// The part of a table that holds a row, in the order browsers show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Head,
    Body,
    Foot,
}

/// A table block that is being built.
#[derive(Debug)]
pub(super) struct TableBuilder {
    rows: Vec<Row>,
    part: Part,
    group: usize,
    pub(super) cell: Prose,
    /// The captions, joined: some tables have two.
    caption: Marked,
}

impl TableBuilder {
    pub(super) fn new() -> Self {
        Self {
            rows: Vec::new(),
            part: Part::Body,
            group: 0,
            cell: Prose::new(Gap::Line),
            caption: Marked::default(),
        }
    }

    pub(super) fn begin_group(&mut self, part: Part) {
        self.part = part;
        self.group += 1;
    }

    pub(super) fn begin_row(&mut self) {
        self.rows.push(Row {
            part: self.part,
            group: self.group,
            cells: Vec::new(),
        });
    }

    /// Ends a cell with the text since the last one.
    pub(super) fn end_cell(&mut self, element: Element<'_>) {
        let span = |name| element.attribute(name).and_then(whole_number);
        let text = self.cell.take_marked();
        if self.rows.is_empty() {
            self.begin_row();
        }
        let Some(row) = self.rows.last_mut() else {
            return;
        };
        // HTML, "Forming a table": at most 1,000 columns and 65,534 rows. `rowspan=0` spans all remaining rows.
        let columns = span("colspan").unwrap_or(1).clamp(1, 1_000);
        let rows = match span("rowspan").unwrap_or(1).clamp(0, 65_534) {
            0 => 65_534,
            rows => rows,
        };
        row.cells.push(Cell {
            text,
            columns: usize::try_from(columns).unwrap_or(1),
            rows: usize::try_from(rows).unwrap_or(1),
        });
    }

    pub(super) fn add_caption(&mut self, text: Marked) {
        if !self.caption.is_empty() {
            self.caption.push_str("\n");
        }
        self.caption.append(text);
    }

    /// Returns the caption and the rows.
    pub(super) fn finish(mut self) -> (Marked, Vec<Vec<Marked>>) {
        self.rows.sort_by_key(|row| row.part);
        let mut rows = expand_spans(&self.rows).unwrap_or_else(|| without_spans(self.rows));
        remove_empty_columns(&mut rows);
        (self.caption, rows)
    }
}

/// Returns the cells as written, without their spans.
fn without_spans(rows: Vec<Row>) -> Vec<Vec<Marked>> {
    rows.into_iter()
        .filter(Row::has_text)
        .map(|row| row.cells.into_iter().map(|cell| cell.text).collect())
        .collect()
}

impl Row {
    fn has_text(&self) -> bool {
        self.cells.iter().any(|cell| !cell.text.is_empty())
    }

    fn columns(&self) -> usize {
        let columns = self.cells.iter().map(|cell| cell.columns);
        columns.map(|n| if n > WIDE { 1 } else { n }).sum()
    }
}

/// Returns the rows with each cell repeated across its span, or `None` if that exceeds the limit.
fn expand_spans(rows: &[Row]) -> Option<Vec<Vec<Marked>>> {
    let nothing = Marked::default();
    let cells = rows.iter().flat_map(|row| &row.cells);
    let bytes: usize = cells.clone().map(|cell| cell.text.text.len()).sum();
    let max_cells = cells.count() * REPEATED + FREE_CELLS;
    let max_bytes = bytes * REPEATED + FREE_BYTES;
    let widest = rows.iter().map(Row::columns).max().unwrap_or(0);

    let (mut cells, mut bytes, mut width) = (0, 0, 0);
    let mut lines: Vec<Vec<&Marked>> = Vec::new();
    // For each column: how many more rows the cell above spans, and its text.
    let mut above: Vec<(usize, &Marked)> = Vec::new();
    let mut group = 0;
    for row in rows {
        if row.group != group {
            above.clear();
            group = row.group;
        }
        let mut line: Vec<&Marked> = Vec::new();
        for cell in &row.cells {
            while let Some((more @ 1.., text)) = above.get_mut(line.len()) {
                *more -= 1;
                line.push(text);
            }
            width = width.max(line.len() + 1);
            for _ in 0..cell.columns.min(widest) {
                if above.len() <= line.len() {
                    above.resize(line.len() + 1, (0, &nothing));
                }
                if let Some(slot) = above.get_mut(line.len()) {
                    *slot = (cell.rows - 1, &cell.text);
                }
                bytes += cell.text.text.len();
                line.push(&cell.text);
            }
            if line.len() > max_cells || bytes > max_bytes {
                return None;
            }
        }
        for (more, text) in above.iter_mut().skip(line.len()) {
            let reaches = *more > 0;
            *more = more.saturating_sub(1);
            line.push(if reaches { text } else { &nothing });
        }
        cells += line.len().max(width);
        bytes += line.iter().map(|cell| cell.text.len()).sum::<usize>();
        if cells > max_cells || bytes > max_bytes.saturating_mul(2) {
            return None;
        }
        // A row may consist of nothing but cells that span it from above.
        if row.has_text() {
            lines.push(line);
        }
    }
    if lines.len().saturating_mul(width) > max_cells {
        return None;
    }
    let line = |mut line: Vec<_>| {
        // Drop columns in which no cell begins, which repeat the one before, and pad short rows.
        line.resize(width, &nothing);
        line.into_iter().cloned().collect()
    };
    Some(lines.into_iter().map(line).collect())
}

fn remove_empty_columns(rows: &mut [Vec<Marked>]) {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut used = vec![false; width];
    for row in rows.iter() {
        for (cell, used) in row.iter().zip(&mut used) {
            *used |= !cell.is_empty();
        }
    }
    if used.iter().all(|used| *used) {
        return;
    }
    for row in rows {
        let mut columns = used.iter();
        row.retain(|_| columns.next().copied().unwrap_or(true));
    }
}
