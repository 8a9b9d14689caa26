//! `data-nosnippet`: parts of a page that must not be quoted.

use std::ops::Range;

use crate::dom::{Dom, Element};

/// The treatment of elements with `data-nosnippet`, which must not be quoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoSnippet {
    /// Leave them out of content, title, description and structured data.
    #[default]
    LeaveOut,
    /// Ignore the attribute.
    Disregard,
}

const ATTRIBUTE: &str = "data-nosnippet";

/// Returns the tree without the elements with `data-nosnippet`.
pub(crate) fn without_elements(dom: Dom) -> Dom {
    if dom.may_have(ATTRIBUTE) {
        dom.without(has_nosnippet)
    } else {
        dom
    }
}

/// Returns the node ranges of the outermost elements with `data-nosnippet`.
pub(crate) fn ranges(dom: &Dom) -> Vec<Range<usize>> {
    dom.outermost(has_nosnippet)
}

fn has_nosnippet(element: Element<'_>) -> bool {
    element.attribute(ATTRIBUTE).is_some()
}
