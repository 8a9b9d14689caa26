//! A short way through plain text, for all who walk through the text of pages.

/// Splits off as many plain words as a text begins with, each one space from the next: of ASCII
/// that is seen, which is most of most texts and needs no look at each character.
///
/// ```
/// use sitecast_scp::split_plain_words;
///
/// assert_eq!(split_plain_words("two words  and more"), ("two words", "  and more"));
/// assert_eq!(split_plain_words("a caf\u{e9}"), ("a caf", "\u{e9}"));
/// assert_eq!(split_plain_words(" first a space"), ("", " first a space"));
/// ```
pub fn split_plain_words(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut start = 0;
    // No word may begin with a space, so that there is one before the first is all the same.
    let mut after_space = true;
    for some in bytes.as_chunks::<8>().0 {
        let Some(ends_with_space) = are_words(*some, after_space) else {
            break;
        };
        after_space = ends_with_space;
        start += some.len();
    }
    let mut end = start - usize::from(after_space && start > 0);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        if byte.is_ascii_graphic() {
            end = at + 1;
        } else if *byte != b' ' || at == 0 || end != at {
            break;
        }
    }
    text.split_at_checked(end).unwrap_or(("", text))
}

/// Whether these bytes are all seen, or single spaces; if so, whether the last of them is a space.
fn are_words(bytes: [u8; 8], after_space: bool) -> Option<bool> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let bytes = u64::from_le_bytes(bytes);
    // The highest bit of each byte is set by adding 0x60 if it is at least a space, by adding 1 if it is 0x7f, and
    // before that if it is not ASCII. With that ruled out, no byte carries over to the next.
    let are_seen =
        bytes & HIGH == 0 && (bytes + 0x60 * EACH) & HIGH == HIGH && (bytes + EACH) & HIGH == 0;
    if !are_seen {
        return None;
    }
    let spaces = (HIGH - (bytes ^ (u64::from(b' ') * EACH))) & HIGH;
    let before = (spaces << 8) | if after_space { 0x80 } else { 0 };
    (spaces & before == 0).then_some(spaces >> 63 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One byte after the other.
    fn plainly(text: &str) -> &str {
        let mut end = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte.is_ascii_graphic() {
                end = at + 1;
            } else if byte != b' ' || at == 0 || end != at {
                break;
            }
        }
        text.get(..end).unwrap()
    }

    proptest! {
        #[test]
        fn bytes_taken_together_are_split_as_one_by_one(text in "([!-~]{1,9} ?){0,8}([ -~]|\\PC|[\\x00-\\x7f]){0,40}") {
            prop_assert_eq!(split_plain_words(&text).0, plainly(&text));
        }
    }

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
            let (found, rest) = split_plain_words(text);
            assert_eq!(found, words);
            assert_eq!(format!("{found}{rest}"), text);
        }
    }
}
