//! The document as a tree in one vector.
//!
//! Threats: nesting a million deep, a million attributes on one element, unclosed formatting elements that the parser
//! reconstructs in every paragraph, more elements than memory. [`tokenizer`] keeps only known attributes, and [`guard`] drops
//! tags beyond the limits before html5ever's tree builder sees them. Walks over the tree never recurse. [`direct`] builds the
//! trees of most pages without html5ever, and leaves pages near a limit to it.

mod attribute;
mod builder;
mod direct;
mod document_order;
mod guard;
#[cfg(any(test, feature = "oracle"))]
pub(crate) mod oracle;
mod prune;
mod sink;
mod store;
mod tag;
mod tokenizer;
mod tree;

use crate::Limits;
use direct::DirectBuilder;
use guard::Guard;
use tokenizer::{UnreadElements, preprocessed, tokenize};

pub(crate) use attribute::kept_name as kept_attribute;
pub(crate) use tag::Tag;
pub(crate) use tree::{Dom, Element, NodeId, Step};

/// Parses a document as browsers do: with [`direct`], or with html5ever where that gives up.
pub(crate) fn parse(html: &str, limits: &Limits) -> Dom {
    let page = preprocessed(html);
    tokenize(
        &page,
        DirectBuilder::new(limits, &page),
        UnreadElements::Skip,
    )
    .unwrap_or_else(|| {
        let dom = tokenize(&page, Guard::new(limits, &page), UnreadElements::Skip);
        dom.unwrap_or_default()
    })
}

#[cfg(test)]
mod tests;
