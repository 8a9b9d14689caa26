//! A short way through plain text.

/// Splits off as many plain words as a text begins with, each one space from the next: of ASCII
/// that is seen, which is most of most texts and needs no look at each character.
pub(crate) fn split_words(text: &str) -> (&str, &str) {
    let mut end = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_graphic() {
            end = at + 1;
        } else if byte != b' ' || at == 0 || end != at {
            break;
        }
    }
    text.split_at_checked(end).unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_off_as_long_as_one_space_is_between_them() {
        for (text, words) in [
            ("", ""),
            ("one", "one"),
            ("one two", "one two"),
            ("one two ", "one two"),
            ("one  two", "one"),
            ("one two\nthree", "one two"),
            (" one", ""),
            ("one na\u{ef}ve", "one na"),
            ("one \u{ef}", "one"),
            ("a\u{200b}b", "a"),
            ("a\u{7f}b", "a"),
            ("~! ~", "~! ~"),
        ] {
            let (found, rest) = split_words(text);
            assert_eq!(found, words);
            assert_eq!(format!("{found}{rest}"), text);
        }
    }
}
