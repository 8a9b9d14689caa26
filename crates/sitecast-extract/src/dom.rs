//! The document as a tree in one vector.
//!
//! Threats: nesting a million deep, a million attributes on one element, unclosed formatting that
//! the parser opens again in every paragraph, more elements than memory. [`guard`] stops all four
//! before the parser sees them; walks here never recurse.

mod guard;
mod parse;
mod sink;
mod skip;
mod tag;
mod tree;

pub(crate) use parse::parse;
pub(crate) use tag::Tag;
pub(crate) use tree::{Dom, Element, NodeId, Step};
