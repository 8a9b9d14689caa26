//! The content of a page as SCP blocks, in reading order.
//!
//! Threats: tables that span themselves to millions of cells, nesting as deep as the parser allows, the same text
//! copied by every list around it, links to scripts. [`survey`] goes through the tree once and computes facts about
//! every element; [`walk`] goes through it a second time and writes every text once. Neither recurses nor copies text
//! one level up, and [`table`] limits the cells that spans repeat.
//!
//! SCP blocks are flat: the items of a list and the cells of a table are strings. Nested content follows plain-text
//! conventions: an item of an inner list is an item with two spaces of indent for each level and its own `- ` or
//! `1. `, code is fenced, the cells of an inner row are separated by ` | `. Lists, tables and quotations that only arrange
//! a page (with headings in their cells, for example) do not become blocks; their content does.

mod admonition;
mod class;
mod code;
mod embed;
mod formulas;
mod image;
mod link;
mod list;
mod marked;
mod math;
mod noise;
mod note;
mod output;
mod player;
mod prose;
mod signature;
mod srcset;
mod survey;
mod table;
mod tabs;
mod titles;
mod transcript;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use class::is_inline;
pub(crate) use formulas::Delimiters;
pub(crate) use link::resolve;
pub(crate) use marked::MarkedBlock;

use url::Url;

use crate::dom::{Dom, NodeId};

/// The parts of a page that are content.
pub(crate) trait Selection {
    /// Returns true if a text node is content. Never called for white space, which belongs to its neighbours.
    fn keeps_text(&self, text_node: NodeId) -> bool;

    /// Returns true if an image, a player or a frame is content: `img`, `picture`, `video`, `audio`, `iframe`,
    /// `embed`, `object`, and elements that a script replaces by one of these (`lite-youtube`).
    fn keeps_media(&self, element: NodeId) -> bool;
}

/// The inline markup to note beside the texts of blocks. The texts are the same in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marking {
    /// No markup: collections cannot hold it.
    Nothing,
    /// All markup that Markdown can express; formulas in text between these delimiters.
    Inline(Delimiters),
}

/// Returns the kept part of a page as blocks. Relative URLs are resolved against `base`.
pub(crate) fn blocks(
    dom: &Dom,
    selection: &dyn Selection,
    base: &Url,
    marking: Marking,
) -> Vec<MarkedBlock> {
    let survey = survey::survey(dom, selection);
    walk::walk(dom, &survey, base, marking)
}
