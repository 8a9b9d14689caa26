//! Character references: HTML, "Character reference state".

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr2;

/// Longer than all names of characters; the longest is `CounterClockwiseContourIntegral;`.
const LONGEST_NAME: usize = 40;

/// Where a reference stands: in an attribute `&copy=` is part of a URL, and `&copy` elsewhere not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Attribute,
}

/// Whether the value of an attribute is not what it stands for.
pub(in crate::dom) fn needs_decoding(value: &str) -> bool {
    memchr2(b'&', b'\0', value.as_bytes()).is_some()
}

/// Appends the value of an attribute, with references decoded.
pub(in crate::dom) fn decode_value(value: &str, into: &mut String) {
    let mut rest = value;
    while let Some(at) = memchr2(b'&', b'\0', rest.as_bytes()) {
        let (before, special) = rest.split_at_checked(at).unwrap_or_default();
        into.push_str(before);
        rest = special.get(1..).unwrap_or_default();
        if special.starts_with('\0') {
            into.push(char::REPLACEMENT_CHARACTER);
        } else {
            match decode(rest, Place::Attribute, into) {
                Some(length) => rest = rest.get(length..).unwrap_or_default(),
                None => into.push('&'),
            }
        }
    }
    into.push_str(rest);
}

/// Appends the character that a reference stands for and tells how long the reference is, where
/// one comes after the `&` that `text` begins behind.
pub(super) fn decode(text: &str, place: Place, into: &mut String) -> Option<usize> {
    match text.as_bytes().first()? {
        b'#' => numeric(text, into),
        byte if byte.is_ascii_alphanumeric() => named(text, place, into),
        _ => None,
    }
}

fn numeric(text: &str, into: &mut String) -> Option<usize> {
    let is_hex = matches!(text.as_bytes().get(1), Some(b'x' | b'X'));
    let (start, radix) = if is_hex { (2, 16) } else { (1, 10) };
    let digits = text.get(start..)?;
    let mut number: u32 = 0;
    let mut length = 0;
    for digit in digits.bytes().map_while(|b| char::from(b).to_digit(radix)) {
        // What has become too large stays too large.
        number = number.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    if length == 0 {
        return None;
    }
    let end = start + length;
    into.push(character(number));
    Some(end + usize::from(text.as_bytes().get(end) == Some(&b';')))
}

/// "Numeric character reference end state": what is no character is replaced, and the numbers of
/// windows-1252 are read as such.
fn character(number: u32) -> char {
    let of_windows = number
        .checked_sub(0x80)
        .and_then(|index| *C1_REPLACEMENTS.get(index as usize)?);
    of_windows
        .or_else(|| char::from_u32(number).filter(|c| *c != '\0'))
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn named(text: &str, place: Place, into: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = bytes
        .iter()
        .take(LONGEST_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    // A semicolon ends all names that have one, so nothing longer can match.
    if bytes.get(length) == Some(&b';')
        && let Some(found) = entity(text.get(..=length)?)
    {
        push(found, into);
        return Some(length + 1);
    }
    // The longest name that needs no semicolon. All beginnings of names are in the table, too.
    let mut longest = None;
    for end in 1..=length {
        let Some(found) = text.get(..end).and_then(|name| NAMED_ENTITIES.get(name)) else {
            break;
        };
        if found.0 != 0 {
            longest = Some((end, *found));
        }
    }
    let (end, found) = longest?;
    let next = bytes.get(end).copied().unwrap_or_default();
    if place == Place::Attribute && (next == b'=' || next.is_ascii_alphanumeric()) {
        return None;
    }
    push(found, into);
    Some(end)
}

fn entity(name: &str) -> Option<(u32, u32)> {
    NAMED_ENTITIES
        .get(name)
        .copied()
        .filter(|(first, _)| *first != 0)
}

fn push((first, second): (u32, u32), into: &mut String) {
    into.extend(char::from_u32(first));
    // Some are two characters, a letter and what is over it.
    into.extend(char::from_u32(second).filter(|c| *c != '\0'));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, place: Place) -> Option<(String, usize)> {
        let mut into = String::new();
        let length = decode(text, place, &mut into)?;
        Some((into, length))
    }

    #[test]
    fn references_are_read_as_browsers_read_them() {
        for (text, character, length) in [
            ("amp;x", "&", 4),
            ("amp x", "&", 3),
            ("ampx", "&", 3),
            ("notit;", "¬", 3),
            ("notin;", "∉", 6),
            ("NotEqualTilde;", "≂\u{338}", 14),
            ("#65;", "A", 4),
            ("#65x", "A", 3),
            ("#x41;", "A", 5),
            ("#X41", "A", 4),
            ("#150;", "–", 5),
            ("#129;", "\u{81}", 5),
            ("#0;", "\u{fffd}", 3),
            ("#xD800;", "\u{fffd}", 7),
            ("#x110000;", "\u{fffd}", 9),
            ("#99999999999999999999;", "\u{fffd}", 22),
        ] {
            let expected = Some((character.to_owned(), length));
            assert_eq!(decoded(text, Place::Text), expected, "{text}");
        }
        for text in [
            "", ";", " amp;", "#", "#;", "#x;", "#xg", "xyzzy;", "é;", "#é",
        ] {
            assert_eq!(decoded(text, Place::Text), None, "{text}");
        }
    }

    #[test]
    fn in_an_attribute_a_name_without_semicolon_is_left_alone_before_letters_and_equals() {
        for text in ["copy=1", "copyx", "copy1", "notit;"] {
            assert_eq!(decoded(text, Place::Attribute), None, "{text}");
        }
        assert_eq!(decoded("copy", Place::Attribute), Some(("©".into(), 4)));
        assert_eq!(decoded("copy;=1", Place::Attribute), Some(("©".into(), 5)));
        assert_eq!(decoded("copy&x", Place::Attribute), Some(("©".into(), 4)));
    }
}
