//! Footnotes and citations: a note keeps its number and loses its links back to the text.

use super::class::{has_class, short_text};
use crate::dom::{Dom, Element, NodeId, Tag};

/// Classes of links back to a citation: Sphinx, Python-Markdown, Pandoc, remark, kramdown.
const BACK_LINKS: &[&str] = &[
    "fn-backref",
    "footnote-backref",
    "footnote-back",
    "data-footnote-backref",
    "reversefootnote",
    "footnote-return",
];

/// Classes of links to a note.
const REFERENCES: &[&str] = &["footnote-ref", "footnote-reference", "footnote"];

/// The longest mark of a note, in characters: a number, a letter, a dagger.
const MARK: usize = 4;

/// Returns true for a link from a note back to its citation. The number of a note may be such a link, and is kept.
pub(super) fn is_back_link(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    match element.tag {
        Tag::Span => has_class(element, &["backrefs", "mw-cite-backlink"]),
        Tag::A => {
            let is_named = element.has_word("role", "doc-backlink")
                || element.has_word("rev", "footnote")
                || has_class(element, BACK_LINKS);
            let leads_back = || {
                element
                    .attribute("href")
                    .is_some_and(|href| href.contains('#'))
                    && short_text(dom, id, 8).is_some_and(|text| text.starts_with('↩'))
            };
            (is_named && !is_in_label(dom, id)) || leads_back()
        }
        _ => false,
    }
}

fn is_in_label(dom: &Dom, id: NodeId) -> bool {
    dom.ancestors(id)
        .skip(1)
        .take(3)
        .filter_map(|id| dom.element(id))
        .any(|outer| has_class(outer, &["label"]))
}

/// Returns true if a link or superscript is the bare number of a note. It gets brackets, so that it does not join the
/// word before it.
pub(super) fn is_bare_reference(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    if element.tag != Tag::A
        || !element
            .attribute("href")
            .is_some_and(|href| href.contains('#'))
    {
        return false;
    }
    let raises = |id: NodeId| dom.tag(id) == Tag::Sup;
    let is_reference = element.has_word("role", "doc-noteref")
        || has_class(element, REFERENCES)
        || dom.parent(id).is_some_and(raises)
        || dom.children(id).take(2).any(raises);
    is_reference
        && short_text(dom, id, MARK).is_some_and(|text| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            !text.is_empty() && (is_number || text.chars().count() == 1)
        })
}

/// Returns true if an element is the number of its footnote or the name of its citation.
pub(super) fn is_label(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    element.tag == Tag::Span
        && has_class(element, &["label"])
        && dom
            .parent(id)
            .and_then(|id| dom.element(id))
            .is_some_and(is_note)
}

/// Returns true if an element is a footnote or an entry of a bibliography.
pub(super) fn is_note(element: Element<'_>) -> bool {
    matches!(element.tag, Tag::Aside | Tag::Div | Tag::Li)
        && (["doc-footnote", "doc-endnote", "doc-biblioentry"]
            .iter()
            .any(|role| element.has_word("role", role))
            || has_class(element, &["footnote", "citation"]))
}
