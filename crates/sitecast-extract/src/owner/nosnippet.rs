use std::ops::Range;

use crate::dom::{Dom, Element};

/// Whether parts of a page that are not to be quoted, elements with `data-nosnippet`, are left out of everything:
/// content, title, description and structured data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NoSnippet {
    /// They are.
    #[default]
    LeaveOut,
    /// The mark is disregarded.
    Disregard,
}

const ATTRIBUTE: &str = "data-nosnippet";

/// Takes the elements that are not to be quoted out of a page.
pub(crate) fn hear(dom: Dom) -> Dom {
    if dom.may_have(ATTRIBUTE) {
        dom.without(is_not_to_be_quoted)
    } else {
        dom
    }
}

/// Where these elements are in a page that has them still.
pub(crate) fn parts(dom: &Dom) -> Vec<Range<usize>> {
    dom.outermost(is_not_to_be_quoted)
}

fn is_not_to_be_quoted(element: Element<'_>) -> bool {
    element.attribute(ATTRIBUTE).is_some()
}
