use super::checked_string;

/// A well-formed BCP 47 language tag, such as `en`, `zh-Hans` or `de-CH-1996`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LanguageTag(String);

checked_string!(LanguageTag, "a BCP 47 language tag", is_well_formed);

impl LanguageTag {
    /// `und`: the language is not known.
    pub fn undetermined() -> Self {
        Self("und".to_owned())
    }

    /// Whether the tag also has the narrower spelling of the specification's JSON Schema:
    /// a lower-case language of two or three letters first. `EN` and `x-klingon` have not.
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
    // Nearly every page of a real site says one of these forms; the parser is for the rest.
    match text.as_bytes() {
        [a, b] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        [a, b, b'-', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_alphabetic()),
        _ => oxilangtag::LanguageTag::parse(text).is_ok(),
    }
}

/// `^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-[0-9A-Za-z]+)*$`: the last group takes
/// all that the two before it take, so only the first subtag is narrower than "alphanumeric".
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
    fn accepts_what_bcp_47_accepts() {
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
    fn the_fast_forms_agree_with_the_parser() {
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
    fn knows_the_schema_spelling() {
        assert!(has_schema_spelling("en-us") && has_schema_spelling("zh-Hans-CN"));
        assert!(!has_schema_spelling("EN") && !has_schema_spelling("x-private"));
    }
}
