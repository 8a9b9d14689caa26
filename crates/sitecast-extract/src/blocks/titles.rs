//! Titles that are kept together with their content: of admonitions, of code, of footnotes.
//!
//! A title is a word or two. Only its place distinguishes it from a label in a menu.

use super::class::{classes, has_class};
use super::{admonition, note};
use crate::dom::{Dom, Element, NodeId, Tag};

/// Look for the title among this many first child elements.
const NEAR: usize = 4;

/// Returns the title of an element.
pub(super) fn title_of(dom: &Dom, id: NodeId, element: Element<'_>) -> Option<NodeId> {
    if !matches!(
        element.tag,
        Tag::Div | Tag::Aside | Tag::Details | Tag::Section | Tag::Blockquote | Tag::Figure
    ) || !element.has_attributes()
    {
        return None;
    }
    if admonition::is_admonition(element) {
        return admonition::title(dom, id);
    }
    let is_note = note::is_note(element);
    let mut first = dom.children(id).filter(|id| dom.element(*id).is_some());
    first.by_ref().take(NEAR).find(|child| {
        dom.element(*child).is_some_and(|inner| match inner.tag {
            Tag::Span if is_note => has_class(inner, &["label"]),
            Tag::Span => has_class(inner, &["filename"]),
            Tag::Div => {
                has_class(inner, &["code-block-caption"])
                    // Docusaurus: `codeBlockTitle_Ktv7`, with a suffix from the build.
                    || classes(inner).any(|word| word.starts_with("codeBlockTitle"))
            }
            _ => false,
        })
    })
}
