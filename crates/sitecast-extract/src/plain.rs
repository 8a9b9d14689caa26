//! A short way through plain text.

/// Splits off what of a text is plain at its beginning: ASCII that is seen, which is most of most
/// texts and needs no look at each character.
pub(crate) fn split_plain(text: &str) -> (&str, &str) {
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_graphic())
        .count();
    text.split_at_checked(length).unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_ends_at_space_and_at_the_first_character_of_another_alphabet() {
        for (text, plain) in [
            ("", ""),
            ("one two", "one"),
            (" one", ""),
            ("na\u{ef}ve", "na"),
            ("a\u{200b}b", "a"),
            ("a\u{7f}b", "a"),
            ("~!", "~!"),
        ] {
            let (found, rest) = split_plain(text);
            assert_eq!(found, plain);
            assert_eq!(format!("{found}{rest}"), text);
        }
    }
}
