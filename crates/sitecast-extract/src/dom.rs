//! The document as a tree in one vector.
//!
//! Threats: nesting a million deep, a million attributes on one element, unclosed formatting that
//! the parser opens again in every paragraph, more elements than memory. [`tokenizer`] keeps only
//! attributes that it knows, [`guard`] stops the others before the tree builder sees them; walks
//! here never recurse.

mod attribute;
mod guard;
#[cfg(any(test, feature = "oracle"))]
pub(crate) mod oracle;
mod order;
mod sink;
mod tag;
mod tokenizer;
mod tree;

use crate::Limits;
use guard::Guard;
use tokenizer::{Unread, tokenize};

pub(crate) use tag::Tag;
pub(crate) use tree::{Dom, Element, NodeId, Step};

/// Parses a document as browsers do.
pub(crate) fn parse(html: &str, limits: &Limits) -> Dom {
    tokenize(html, Guard::new(limits, html.len()), Unread::Skip)
}

#[cfg(test)]
mod tests;
