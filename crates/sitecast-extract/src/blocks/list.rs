//! Lists, flattened into items.

use sitecast_scp::Block;

use super::class::whole_number;
use super::marked::{BlockMarks, Marked, MarkedBlock};
use super::prose::{Gap, Prose};
use crate::dom::{Dom, Element, NodeId, Tag};

/// Items at deeper levels have the same indent: the indent of every item costs bytes.
const MAX_INDENT: usize = 10;

/// One of several nested lists.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) ordered: bool,
    next: i64,
    step: i64,
}

impl Level {
    pub(super) fn of(dom: &Dom, id: NodeId, element: Element<'_>) -> Self {
        let ordered = element.tag == Tag::Ol;
        let start = element.attribute("start").and_then(whole_number);
        let is_reversed = ordered && element.attribute("reversed").is_some();
        let next = start.unwrap_or_else(|| {
            // HTML, "the ol element": a reversed list begins with the number of its items.
            if is_reversed {
                let items = dom.children(id).filter(|id| dom.tag(*id) == Tag::Li);
                i64::try_from(items.count()).unwrap_or(i64::MAX)
            } else {
                1
            }
        });
        Self {
            ordered,
            next,
            step: if is_reversed { -1 } else { 1 },
        }
    }

    /// Returns the marker of the next item.
    pub(super) fn mark(&mut self, item: Element<'_>) -> String {
        if let Some(value) = item.attribute("value").and_then(whole_number) {
            self.next = value;
        }
        let number = self.next;
        self.next = self.next.saturating_add(self.step);
        if self.ordered {
            format!("{number}. ")
        } else {
            "- ".to_owned()
        }
    }
}

pub(super) fn indent(depth: usize) -> String {
    "  ".repeat(depth.min(MAX_INDENT))
}

/// The last part of a `dl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Nothing,
    Term,
    Definition,
}

/// A list block that is being built, with all lists nested in it.
#[derive(Debug)]
pub(super) struct ListBuilder {
    ordered: bool,
    items: Vec<Marked>,
    /// The marker of each item. `finish` drops the markers where the items count from one.
    marks: Vec<String>,
    pub(super) item: Prose,
    lead: String,
    mark: String,
    part: Part,
    is_glossary: bool,
}

impl ListBuilder {
    pub(super) fn glossary() -> Self {
        Self {
            is_glossary: true,
            ..Self::new(false)
        }
    }

    pub(super) fn is_glossary(&self) -> bool {
        self.is_glossary
    }

    pub(super) fn new(ordered: bool) -> Self {
        Self {
            ordered,
            is_glossary: false,
            items: Vec::new(),
            marks: Vec::new(),
            item: Prose::new(Gap::Line),
            lead: String::new(),
            mark: String::new(),
            part: Part::Nothing,
        }
    }

    /// Ends the open item. The next one is an item at `depth`, or, without a `mark`, the rest of an item one level up.
    pub(super) fn begin(&mut self, depth: usize, mark: Option<String>) {
        let mut item = self.item.take_marked();
        if !item.is_empty() {
            if !self.lead.is_empty() {
                item.prefix(&self.lead);
            }
            self.items.push(item);
            self.marks.push(std::mem::take(&mut self.mark));
        }
        self.lead = indent(depth);
        match mark {
            Some(mark) if depth == 0 => self.mark = mark,
            Some(mark) => {
                self.lead.push_str(&mark);
                self.mark.clear();
            }
            None => self.mark.clear(),
        }
    }

    pub(super) fn term(&mut self) {
        if self.part == Part::Term {
            self.item.join(", ");
        } else {
            self.begin(0, None);
        }
        self.part = Part::Term;
    }

    pub(super) fn definition(&mut self) {
        match self.part {
            Part::Term => self.item.define(),
            Part::Definition => self.item.widen(Gap::Line),
            Part::Nothing => self.begin(0, None),
        }
        self.part = Part::Definition;
    }

    /// Returns the list. It is `ordered` only if it counts from one, as its readers will; otherwise the items begin
    /// with their numbers.
    pub(super) fn finish(mut self) -> Option<MarkedBlock> {
        self.begin(0, None);
        if self.items.is_empty() {
            return None;
        }
        let mut count = 0;
        let counts = self.ordered
            && self.items.iter().zip(&self.marks).all(|(item, mark)| {
                item.text.starts_with(' ') || {
                    count += 1;
                    *mark == format!("{count}. ")
                }
            });
        if self.ordered && !counts {
            for (item, mark) in self.items.iter_mut().zip(&self.marks) {
                item.prefix(mark);
            }
        }
        let mut numbered = BlockMarks::default();
        let items = self
            .items
            .into_iter()
            .map(|item| numbered.take(item))
            .collect();
        Some(MarkedBlock {
            block: Block::List {
                ordered: counts,
                items,
            },
            marks: numbered.marks,
        })
    }

    /// Returns the list as plain text.
    pub(super) fn finish_as_text(mut self) -> Marked {
        self.begin(0, None);
        let mut text = Marked::default();
        for (mark, item) in self.marks.iter().zip(self.items) {
            if !text.is_empty() {
                text.push_str("\n");
            }
            text.push_str(mark);
            text.append(item);
        }
        text
    }
}
