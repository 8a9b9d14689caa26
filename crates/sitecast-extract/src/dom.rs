//! The document as a tree in one vector.
//!
//! Threats: nesting a million deep, a million attributes on one element, unclosed formatting that
//! the parser opens again in every paragraph, more elements than memory. [`tokenizer`] keeps only
//! attributes that it knows, [`guard`] stops the others before the tree builder sees them; walks
//! here never recurse. [`orderly`] builds the trees of most pages without that tree builder, and
//! leaves it those that come near a limit.

mod attribute;
mod builder;
mod guard;
#[cfg(any(test, feature = "oracle"))]
pub(crate) mod oracle;
mod order;
mod orderly;
mod prune;
mod sink;
mod store;
mod tag;
mod tokenizer;
mod tree;

use crate::Limits;
use guard::Guard;
use orderly::Orderly;
use tokenizer::{Unread, preprocessed, tokenize};

pub(crate) use attribute::kept_name as kept_attribute;
pub(crate) use tag::Tag;
pub(crate) use tree::{Dom, Element, NodeId, Step};

/// Parses a document as browsers do.
pub(crate) fn parse(html: &str, limits: &Limits) -> Dom {
    let page = preprocessed(html);
    tokenize(&page, Orderly::new(limits, &page), Unread::Skip).unwrap_or_else(|| {
        let dom = tokenize(&page, Guard::new(limits, &page), Unread::Skip);
        dom.unwrap_or_default()
    })
}

#[cfg(test)]
mod tests;
