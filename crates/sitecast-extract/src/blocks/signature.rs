//! Code in a line: words in `code`, and the signatures of reference manuals.

use super::class::has_class;
use crate::dom::{Element, Tag};

/// Classes of signatures: Sphinx, rustdoc, Javadoc.
const SIGNATURES: &[&str] = &["sig", "code-header", "member-signature", "type-signature"];

/// Returns true for program text. Its spans touch each other as in the source: style sheets put no gap between
/// `sphinx.config.` and `Config`.
pub(super) fn is_program_text(element: Element<'_>) -> bool {
    match element.tag {
        Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt | Tag::Var => true,
        Tag::Dt | Tag::Div | Tag::H3 | Tag::H4 | Tag::H5 => has_class(element, SIGNATURES),
        _ => false,
    }
}

/// Returns true for a table that Doxygen uses for a signature, with a parameter in every row.
pub(super) fn is_signature_table(element: Element<'_>) -> bool {
    element.tag == Tag::Table && has_class(element, &["memname"])
}

/// Removes the spaces between the cells of such a table, as in source code: none before `)`, `(` or `,` and none after
/// `(`.
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
    fn removes_spaces_at_brackets_and_commas() {
        assert_eq!(
            joined("void Hawk::fly ( int height, bool fast ) const"),
            "void Hawk::fly(int height, bool fast) const"
        );
        assert_eq!(joined("Hawk::Hawk ( )"), "Hawk::Hawk()");
        assert_eq!(joined(""), "");
    }
}
