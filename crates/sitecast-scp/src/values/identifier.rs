//! Names of collections and sections.

use super::checked_string;

/// The name of a collection or of a section: one or more ASCII letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identifier(String);

checked_string!(
    Identifier,
    "a name of letters, digits, `-` and `_`",
    |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_schema_pattern() {
        assert!(Identifier::new("blog-2025_Q1").is_ok());
        for text in ["", "blog posts", "bl/og", "blög", "a\n"] {
            assert!(Identifier::new(text).is_err(), "{text:?}");
        }
    }
}
