//! Code listings, in the markup of many highlighters.

mod language;
mod lines;

pub(super) use language::language_around;
pub(super) use lines::{Listing, read};

use super::class::{classes, has_class, is_true, short_text, style};
use super::survey::{Survey, has};
use crate::dom::{Dom, Element, NodeId, Tag};

/// Classes of elements that a script puts in place of a `pre`.
const EDITORS: &[&str] = &[
    "syntaxhighlighter",
    "crayon-syntax",
    "crayon-pre",
    "codemirror-code",
    "codemirror-lines",
    "cm-content",
    "view-lines",
    "ace_text-layer",
    "enlighter",
];

/// Classes of tables with a line of code in every row, or with line numbers in one cell and all code in the other.
const TABLES: &[&str] = &[
    "highlighttable",
    "rouge-table",
    "lntable",
    "hljs-ln",
    "crayon-table",
    "js-file-line-container",
    "code-table",
    "codehilitetable",
];

/// Classes of line numbers beside the code.
const GUTTERS: &[&str] = &[
    "gutter",
    "lineno",
    "linenos",
    "linenodiv",
    "lnt",
    "linenumber",
    "linenumbers",
    "line-number",
    "line-numbers-rows",
    "line-numbers-wrapper",
    "hljs-ln-numbers",
    "hljs-ln-n",
    "rouge-gutter",
    "blob-num",
    "crayon-nums",
    "codemirror-linenumber",
    "codemirror-gutter-wrapper",
    "cm-gutters",
    "react-syntax-highlighter-line-number",
    "react-code-line-number",
    "code-line-number",
];

pub(super) fn is_listing_table(element: Element<'_>) -> bool {
    has_class(element, TABLES)
}

/// Returns true if an element holds line numbers and no code.
pub(super) fn is_gutter(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    // On a `pre` such a class is a request for line numbers.
    if element.tag != Tag::Pre && element.tag != Tag::Code {
        // Docusaurus: `codeLineNumber_Tfdd`, with a suffix from the build.
        let is_built = |word: &str| word.starts_with("codeLineNumber");
        if has_class(element, GUTTERS) || classes(element).any(is_built) {
            return true;
        }
    }
    let may_be_numbers = element.attribute("data-line-number").is_some()
        || is_true(element, "aria-hidden")
        || has_class(element, &["ln", "line-numbers"]);
    may_be_numbers
        && short_text(dom, id, 400)
            .is_some_and(|text| text.chars().all(|c| c.is_ascii_digit() || c == ' '))
}

/// Returns true if an element in a listing is not part of the program.
fn is_extra(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    is_gutter(dom, id, element)
        || element.tag == Tag::Button
        || is_copy_button(dom, id, element)
        // Doxygen puts the notes that appear over a name at the end of the listing.
        || (element.tag == Tag::Div && has_class(element, &["ttc"]))
        // rustdoc's sign behind a signature opens a note about the traits of its type.
        || (has_class(element, &["tooltip"]) && short_text(dom, id, 8).as_deref() == Some("ⓘ"))
        || ["user-select", "-webkit-user-select"]
            .iter()
            .any(|property| style(element, property) == Some("none"))
}

/// Returns true if the element copies code to the clipboard when clicked.
pub(super) fn is_copy_button(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    if element.name() == "clipboard-copy" {
        return true;
    }
    let is_button = element.tag == Tag::Button || element.has_word("role", "button");
    if !is_button {
        return has_class(
            element,
            &[
                "copybtn",
                "copy-button",
                "copy-btn",
                "btn-clipboard",
                "md-clipboard",
            ],
        );
    }
    classes(element).any(says_copy)
        || ["aria-label", "title", "data-title"]
            .iter()
            .any(|name| element.attribute(name).is_some_and(says_copy))
        || element.attribute("data-clipboard-target").is_some()
        || element.attribute("data-clipboard-text").is_some()
        || short_text(dom, id, 16).is_some_and(|text| {
            ["copy", "copied", "copied!", "copy code"]
                .iter()
                .any(|label| text.eq_ignore_ascii_case(label))
        })
}

fn says_copy(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("clipboard") || text.starts_with("copy") || text.contains("-copy")
}

/// Returns the markup style of a listing if the element is a block of code.
pub(super) fn listing(
    dom: &Dom,
    survey: &Survey,
    id: NodeId,
    element: Element<'_>,
) -> Option<Listing> {
    match element.tag {
        Tag::Pre | Tag::Xmp => Some(Listing::Preformatted),
        // The source of a diagram that a script draws.
        Tag::Div if has_class(element, &["mermaid"]) && !survey.has(id, has::CODE) => {
            Some(Listing::Preformatted)
        }
        Tag::Table if survey.is_listing(id) => Some(Listing::Lines),
        Tag::Div if has_class(element, &["fragment"]) && has_line(dom, id) => Some(Listing::Lines),
        Tag::Code if is_block_of_code(dom, id, element) => Some(Listing::Preformatted),
        Tag::Div | Tag::Table if has_class(element, EDITORS) => {
            // A `pre` in it holds the code, except in editors, which have one `pre` for each line.
            let has_pre = survey.has(id, has::CODE);
            let pre_is_line = has_class(element, &["codemirror-code", "codemirror-lines"]);
            (!has_pre || pre_is_line || element.tag == Tag::Table).then_some(Listing::Lines)
        }
        Tag::Other if matches!(element.name(), "listing" | "plaintext") => {
            Some(Listing::Preformatted)
        }
        _ => None,
    }
}

/// Returns true for elements with a child element for each line, as in Doxygen's listings.
fn has_line(dom: &Dom, id: NodeId) -> bool {
    let elements = dom.children(id).filter_map(|id| dom.element(id));
    let mut first = elements.take(2);
    first.any(|element| element.tag == Tag::Div && has_class(element, &["line"]))
}

/// Returns true if a `code` outside of a `pre` is more than a word in a sentence.
fn is_block_of_code(dom: &Dom, id: NodeId, element: Element<'_>) -> bool {
    let says_so = language::of_classes(element).is_some()
        || has_class(element, &["hljs"])
        || style(element, "white-space").is_some_and(|value| value.starts_with("pre"))
        || style(element, "display").is_some_and(|value| value.eq_ignore_ascii_case("block"));
    says_so
        && dom.descendants(id).any(|id| {
            dom.tag(id) == Tag::Br
                || dom
                    .text(id)
                    .is_some_and(|text| text.trim_matches('\n').contains('\n'))
        })
}
