//! Program text in a line: words in code, and the signatures of reference manuals.

use super::class::has_class;
use crate::dom::{Element, Tag};

/// Names of signatures: Sphinx's, rustdoc's, Javadoc's.
const SIGNATURES: &[&str] = &["sig", "code-header", "member-signature", "type-signature"];

/// Whether an element is program text, whose spans touch each other as they do in the source: no
/// style sheet puts a gap between `sphinx.config.` and `Config`.
pub(super) fn is_program_text(element: Element<'_>) -> bool {
    match element.tag {
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt | Tag::Var => true,
        Tag::Dt | Tag::Div | Tag::H3 | Tag::H4 | Tag::H5 => has_class(element, SIGNATURES),
        _ => false,
    }
}

/// Whether a table is a signature, a parameter in every row, as Doxygen lays it out.
pub(super) fn is_signature_table(element: Element<'_>) -> bool {
    element.tag == Tag::Table && has_class(element, &["memname"])
}

/// The cells of such a table as its author wrote them: brackets and commas touch what they are at.
pub(super) fn joined(cells: &str) -> String {
    let mut text = String::with_capacity(cells.len());
    let mut chars = cells.chars().peekable();
    while let Some(c) = chars.next() {
        let touches = text.ends_with('(') || chars.peek().is_some_and(|next| "(),".contains(*next));
        if c != ' ' || !touches {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn brackets_and_commas_touch_what_they_are_at() {
        assert_eq!(
            joined("void Hawk::fly ( int height, bool fast ) const"),
            "void Hawk::fly(int height, bool fast) const"
        );
        assert_eq!(joined("Hawk::Hawk ( )"), "Hawk::Hawk()");
        assert_eq!(joined(""), "");
    }
}
