//! Directives of the owner of a site about content: attributes in the page, and rules in the settings.
//!
//! Directives take precedence over the classifier and over the site's template.
//!
//! | directive | module |
//! |---|---|
//! | `data-nosnippet` in the page | `nosnippet`: the element is removed from the tree |
//! | `data-sitecast="include"` and `"exclude"` in the page | `directives` |
//! | rules for paths, with CSS selectors | `rules`, `selector` |
//!
//! The directive on the innermost element applies. If several apply to the same element, the page takes precedence over rules,
//! and `exclude` rules over others.

mod directives;
mod nosnippet;
mod rules;
mod selector;

pub(crate) use directives::{Directive, DirectiveSource, Directives};
pub use nosnippet::NoSnippet;
pub(crate) use nosnippet::{ranges as nosnippet_ranges, without_elements as without_nosnippet};
pub use rules::{Rule, RuleError, Rules, path_glob};
pub use selector::{Selector, SelectorError};
