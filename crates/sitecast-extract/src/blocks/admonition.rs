//! Admonitions: highlighted boxes of a kind, such as a note or a warning.

use super::class::{classes, has_class};
use crate::dom::{Dom, Element, NodeId, Tag};

/// Classes of admonitions: Sphinx and MkDocs, VitePress, Docusaurus, GitHub, Asciidoctor, Starlight, mdBook, Quarto.
const BOXES: &[&str] = &[
    "admonition",
    "custom-block",
    "theme-admonition",
    "markdown-alert",
    "admonitionblock",
    "starlight-aside",
    "blockquote-tag",
    "callout",
];

const TITLES: &[&str] = &[
    "admonition-title",
    "custom-block-title",
    "markdown-alert-title",
    "starlight-aside__title",
    "blockquote-tag-title",
    "callout-header",
    "callout-title",
];

/// Kinds by the name in their class, with their titles.
const KINDS: &[(&str, &str)] = &[
    ("note", "Note"),
    ("tip", "Tip"),
    ("hint", "Hint"),
    ("info", "Info"),
    ("important", "Important"),
    ("warning", "Warning"),
    ("caution", "Caution"),
    ("danger", "Danger"),
    ("attention", "Attention"),
    ("error", "Error"),
    ("success", "Success"),
    ("failure", "Failure"),
    ("question", "Question"),
    ("example", "Example"),
    ("abstract", "Abstract"),
    ("summary", "Summary"),
    ("bug", "Bug"),
    ("todo", "Todo"),
    ("seealso", "See also"),
];

pub(super) fn is_admonition(element: Element<'_>) -> bool {
    match element.tag {
        Tag::Div | Tag::Aside | Tag::Section | Tag::Blockquote => has_class(element, BOXES),
        Tag::Details => has_class(element, BOXES) || kind(element).is_some(),
        _ => false,
    }
}

/// Returns the element that holds the title of an admonition: its kind, or a title of its own.
pub(super) fn title(dom: &Dom, admonition: NodeId) -> Option<NodeId> {
    let mut first = dom
        .children(admonition)
        .filter(|id| dom.element(*id).is_some());
    first.by_ref().take(3).find(|id| {
        dom.element(*id).is_some_and(|element| {
            element.tag == Tag::Summary
                || has_class(element, TITLES)
                // Docusaurus: `admonitionHeading_Gvgb`, with a suffix from the build.
                || classes(element).any(|word| word.starts_with("admonitionHeading"))
        })
    })
}

/// Returns the title that an admonition's kind implies, if the page shows none.
pub(super) fn implied_title(
    dom: &Dom,
    admonition: NodeId,
    element: Element<'_>,
) -> Option<&'static str> {
    if element.tag == Tag::Details || title(dom, admonition).is_some() {
        return None;
    }
    // Asciidoctor shows the kind as the title of an icon, or as text.
    let says_kind = |id: NodeId| {
        dom.element(id)
            .is_some_and(|inner| has_class(inner, &["title", "alert-heading"]))
    };
    if dom.descendants(admonition).take(16).any(says_kind) {
        return None;
    }
    kind(element)
}

fn kind(element: Element<'_>) -> Option<&'static str> {
    classes(element).find_map(|word| {
        let name = BOXES
            .iter()
            .find_map(|name| word.strip_prefix(name))
            .map_or(word, |rest| rest.trim_start_matches('-'));
        let known = KINDS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, title)| *title)
    })
}
