//! The content of a page as SCP blocks, in the order a reader meets them.
//!
//! Threats: tables that span themselves to millions of cells, nesting as deep as the parser
//! allows, the same text wanted by every list around it, links that are scripts. [`survey`] goes
//! through the tree once and knows for every element what is in it; [`walk`] goes through it a
//! second time and writes every text once. Nothing recurses, nothing is copied a level up, and
//! what spans repeat has a budget ([`table`]).
//!
//! SCP blocks are flat: a list has strings as items, a table has them as cells. What is nested in
//! them is written down the way plain-text conventions have it: an item of an inner list is an
//! item with two spaces of indent a level and its own `- ` or `1. `, code is fenced, the cells of
//! an inner row are parted by ` | `. Lists, tables and quotations that only arrange a page (with
//! headings in their cells, say) are not blocks; what is in them is.

mod admonition;
mod bound;
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

/// What of a page is content.
pub(crate) trait Selection {
    /// Whether a piece of text is. Not asked about white space, which belongs to its neighbours.
    fn keeps_text(&self, text_node: NodeId) -> bool;

    /// Whether an image, a player or a frame is: `img`, `picture`, `video`, `audio`, `iframe`,
    /// `embed`, `object`, and elements that a script makes one of these (`lite-youtube`).
    fn keeps_media(&self, element: NodeId) -> bool;
}

/// Which inline markup is noted beside the texts of blocks. The texts are the same in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marking {
    /// None: collections have no place for it.
    Nothing,
    /// All that Markdown has a place for; formulas in text where they have these delimiters.
    Inline(Delimiters),
}

/// The kept part of a page as blocks. `base` is what its relative URLs are relative to.
pub(crate) fn blocks(
    dom: &Dom,
    selection: &dyn Selection,
    base: &Url,
    marking: Marking,
) -> Vec<MarkedBlock> {
    let survey = survey::survey(dom, selection);
    walk::walk(dom, &survey, base, marking)
}
