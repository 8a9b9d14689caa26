//! Tabs: each panel gets its label before it.

use foldhash::HashMap;

use super::class::{has_class, short_text};
use crate::dom::{Dom, Element, NodeId, Tag};

/// The longest label, in characters. With a longer one the elements do not count as tabs.
const LABEL: usize = 80;
/// The most tabs in one list.
const TABS: usize = 64;

/// Returns true if an element holds the labels of tabs, by its role or its class in MkDocs and VitePress.
pub(super) fn is_tab_list(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    if !matches!(element.tag, Tag::Div | Tag::Ul | Tag::Nav) {
        return false;
    }
    element.has_word("role", "tablist")
        || has_class(element, &["tabbed-labels"])
        || (has_class(element, &["tabs"])
            && dom
                .parent(id)
                .and_then(|id| dom.element(id))
                .is_some_and(|outer| has_class(outer, &["vp-code-group"])))
}

/// Returns the panels of a list of tabs with their labels, if there is one panel for each label.
pub(super) fn labelled_panels(dom: &Dom, list: NodeId) -> Option<HashMap<NodeId, String>> {
    let labels: Vec<String> = dom
        .elements(list)
        .skip(1)
        .filter(|(_, element)| {
            element.has_word("role", "tab") || (element.tag == Tag::Label && !in_tab(dom, list))
        })
        .take(TABS)
        .map(|(id, _)| short_text(dom, id, LABEL))
        .collect::<Option<_>>()?;
    let panels = panels(dom, list);
    let fits = !labels.is_empty() && labels.len() == panels.len();
    fits.then(|| panels.into_iter().zip(labels).collect())
}

/// Returns true if the list has a role. Its tabs then have roles, too, and a `label` in it is part of a tab.
fn in_tab(dom: &Dom, list: NodeId) -> bool {
    dom.attribute(list, "role").is_some()
}

/// Returns the panels after a list of tabs: its siblings, or the children of its next sibling.
fn panels(dom: &Dom, list: NodeId) -> Vec<NodeId> {
    let siblings = |first: Option<NodeId>| {
        std::iter::successors(first, |id| dom.next_sibling(*id))
            .filter(|id| dom.element(*id).is_some())
            .take(TABS)
    };
    let is_panel = |id: &NodeId| {
        dom.element(*id).is_some_and(|element| {
            element.has_word("role", "tabpanel")
                || has_class(element, &["tabbed-block"])
                || (element.tag == Tag::Div
                    && dom
                        .parent(*id)
                        .and_then(|id| dom.element(id))
                        .is_some_and(|outer| has_class(outer, &["blocks"])))
        })
    };
    let beside: Vec<NodeId> = siblings(dom.next_sibling(list)).filter(is_panel).collect();
    if !beside.is_empty() {
        return beside;
    }
    let Some(wrapper) = siblings(dom.next_sibling(list)).next() else {
        return Vec::new();
    };
    dom.children(wrapper)
        .take(TABS * 2)
        .filter(is_panel)
        .collect()
}
