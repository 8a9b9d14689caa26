//! Noise: elements inside the content that are not part of it.

use super::class::{classes, has_class, is_true, short_text};
use super::code::is_copy_button;
use super::math::is_copy_of_formula;
use super::note::is_back_link;
use super::survey::Survey;
use crate::dom::{Dom, Element, NodeId, Tag};

/// Classes of links from a heading to itself that are used for nothing else.
const PERMALINKS: &[&str] = &[
    "headerlink",
    "header-anchor",
    "heading-anchor",
    "hash-link",
    "anchorjs-link",
    "anchor-heading",
    "sl-anchor-link",
    "toclink-anchor",
    "doc-anchor",
];

/// Classes of such links that other links have, too.
const ANCHORS: &[&str] = &[
    "header-link",
    "heading-link",
    "anchor",
    "anchor-link",
    "anchorlink",
    "permalink",
    "direct-link",
];

/// Classes of links from a signature to the source code and back.
const SOURCE_LINKS: &[&str] = &["viewcode-link", "viewcode-back"];

/// Returns true if an element should be left out. `heading` is the heading it is in.
pub(super) fn is_noise(
    dom: &Dom,
    survey: &Survey,
    id: NodeId,
    element: Element<'_>,
    heading: Option<NodeId>,
) -> bool {
    match element.tag {
        Tag::A => {
            is_permalink(dom, survey, id, element, heading)
                || is_source_link(dom, id, element)
                // Sphinx makes a heading a link back to its entry in a table of contents.
                || (heading.is_none() && is_back_link(dom, id, element))
        }
        Tag::Button => is_copy_button(dom, id, element),
        // Without attributes, only the tag could mark an element as noise.
        tag if tag != Tag::Other && !element.has_attributes() => false,
        _ => {
            is_copy_of_formula(dom, id, element)
                || element.name() == "clipboard-copy"
                || has_class(
                    element,
                    &[
                        "mw-editsection",
                        "line-numbers-wrapper",
                        "copybtn",
                        "line-numbers-rows",
                    ],
                )
                || (element.tag == Tag::Span && has_class(element, SOURCE_LINKS))
                || is_back_link(dom, id, element)
                || is_language_label(dom, id, element)
        }
    }
}

fn is_permalink(
    dom: &Dom,
    survey: &Survey,
    id: NodeId,
    element: Element<'_>,
    heading: Option<NodeId>,
) -> bool {
    let leads_into_page = element
        .attribute("href")
        .is_none_or(|href| href.contains('#'));
    if !leads_into_page {
        return false;
    }
    let is_permalink = has_class(element, PERMALINKS);
    let is_named = is_permalink || has_class(element, ANCHORS);
    // Unicode counts as a letter the circled i that rustdoc puts behind signatures.
    let is_letter = |c: char| c.is_alphanumeric() && c != 'ⓘ';
    let says_nothing = || short_text(dom, id, 8).is_some_and(|text| !text.chars().any(is_letter));
    match heading {
        // A link that covers the whole heading is the heading, whatever its class.
        Some(heading) => {
            survey.kept(heading) > survey.kept(id)
                && (is_named || is_true(element, "aria-hidden") || says_nothing())
        }
        // Sphinx also has them on definitions and captions, some with "Link to this definition" for screen readers.
        None => is_permalink || (is_named && says_nothing()),
    }
}

/// Returns true for a link from a signature to the source code: Sphinx's `[source]`, rustdoc's `Source`.
fn is_source_link(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    has_class(element, SOURCE_LINKS)
        || (has_class(element, &["src", "srclink"])
            && short_text(dom, id, 8).is_some_and(|text| {
                text.eq_ignore_ascii_case("source") || text.eq_ignore_ascii_case("src")
            }))
}

/// Returns true for the name of a language that VitePress and others show in a corner of the code.
fn is_language_label(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    element.tag == Tag::Span
        && has_class(element, &["lang", "code-lang"])
        && dom
            .parent(id)
            .and_then(|id| dom.element(id))
            .is_some_and(|parent| classes(parent).any(|word| word.starts_with("language-")))
}
