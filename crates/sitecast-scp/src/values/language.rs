//! Language tags.

use super::checked_string;

/// A well-formed BCP 47 language tag, such as `en`, `zh-Hans` or `de-CH-1996`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LanguageTag(String);

checked_string!(LanguageTag, "a BCP 47 language tag", is_well_formed);

impl LanguageTag {
    /// The tag `und`, for an unknown language.
    pub fn undetermined() -> Self {
        Self("und".to_owned())
    }

    /// Returns true if the tag also matches the narrower pattern of the specification's JSON Schema, which
    /// requires a lower-case language of two or three letters first. `EN` and `x-klingon` do not match.
    pub fn has_schema_spelling(&self) -> bool {
        Self::is_schema_spelling(&self.0)
    }

    pub(crate) fn is_well_formed(text: &str) -> bool {
        is_well_formed(text)
    }

    pub(crate) fn is_schema_spelling(text: &str) -> bool {
        has_schema_spelling(text)
    }
}

fn is_well_formed(text: &str) -> bool {
    // Nearly all pages of real sites have a tag in one of the first two forms, which need no parser.
    match text.as_bytes() {
        [a, b] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        [a, b, b'-', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_alphabetic()),
        _ => oxilangtag::LanguageTag::parse(text).is_ok(),
    }
}

/// Matches `^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-[0-9A-Za-z]+)*$`. The last group also matches
/// everything that the two groups before it match, so only the first subtag is narrower than "alphanumeric".
fn has_schema_spelling(text: &str) -> bool {
    let mut subtags = text.split('-');
    subtags.next().is_some_and(|primary| {
        matches!(primary.len(), 2 | 3) && primary.bytes().all(|b| b.is_ascii_lowercase())
    }) && subtags
        .all(|subtag| !subtag.is_empty() && subtag.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_bcp_47_tags() {
        for text in [
            "en",
            "en-US",
            "zh-Hans",
            "zh-Hans-CN",
            "de-CH-1996",
            "x-private",
            "i-klingon",
            "EN",
            "sl-rozaj-biske",
        ] {
            assert!(LanguageTag::new(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "e",
            "english language",
            "en_US",
            "en-",
            "-en",
            "en-abcdefghijk",
            "1n",
            "e1",
        ] {
            assert!(LanguageTag::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn fast_path_agrees_with_the_parser() {
        let bytes = b"aZ1-_ ";
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            texts = texts
                .iter()
                .flat_map(|t| bytes.iter().map(move |&b| format!("{t}{}", char::from(b))))
                .collect();
            for text in &texts {
                let parsed = oxilangtag::LanguageTag::parse(text.as_str()).is_ok();
                assert_eq!(is_well_formed(text), parsed, "{text:?}");
            }
        }
    }

    #[test]
    fn recognizes_the_schema_spelling() {
        assert!(has_schema_spelling("en-us") && has_schema_spelling("zh-Hans-CN"));
        assert!(!has_schema_spelling("EN") && !has_schema_spelling("x-private"));
    }
}
