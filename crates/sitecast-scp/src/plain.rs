//! A fast path for plain ASCII text, for code that processes the text of pages character by character.

/// Splits a text after its leading plain words: words of visible ASCII characters with single spaces between them. Most
/// text consists of such words, and needs no processing of single characters.
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
    // Treating the start as a space rejects a leading space, as no word begins with one.
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

/// Returns `None` unless all bytes are visible ASCII or single spaces; otherwise true if the last byte is a space.
fn are_words(bytes: [u8; 8], after_space: bool) -> Option<bool> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    let bytes = u64::from_le_bytes(bytes);
    // The highest bit of a byte is set if it is not ASCII; after adding 0x60, if it is 0x20 or more; after adding 1, if
    // it is 0x7f. For ASCII bytes neither addition carries into the next byte.
    let are_visible =
        bytes & HIGH == 0 && (bytes + 0x60 * EACH) & HIGH == HIGH && (bytes + EACH) & HIGH == 0;
    if !are_visible {
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

    /// The same, one byte at a time.
    fn split_bytewise(text: &str) -> &str {
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
        fn agrees_with_a_bytewise_split(text in "([!-~]{1,9} ?){0,8}([ -~]|\\PC|[\\x00-\\x7f]){0,40}") {
            prop_assert_eq!(split_plain_words(&text).0, split_bytewise(&text));
        }
    }

    #[test]
    fn splits_off_words_with_single_spaces() {
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
