//! What the owner of a site says is content: marks in the page, and rules of the settings.
//!
//! These are orders: no judgement of texts and no template goes before them.
//!
//! | said by | module |
//! |---|---|
//! | `data-nosnippet` in the page | `nosnippet`: the element is taken out of the tree |
//! | `data-sitecast="include"` and `"exclude"` in the page | `orders` |
//! | rules for paths, with CSS selectors | `rules`, `selector` |
//!
//! The innermost element that something is said of decides; where a page and a rule say it of the same element, the
//! page does, and where two rules do, the one that leaves out.

mod nosnippet;
mod orders;
mod rules;
mod selector;

pub use nosnippet::NoSnippet;
pub(crate) use nosnippet::{hear as hear_nosnippet, parts as nosnippet_parts};
pub(crate) use orders::{Order, Orders, Said};
pub use rules::{Rule, RuleError, Rules, path_glob};
pub use selector::{Selector, SelectorError};
