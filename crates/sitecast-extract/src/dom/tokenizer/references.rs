//! Character references: HTML, "Character reference state".

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr2;

/// No name of a character is longer, in bytes; the longest is `CounterClockwiseContourIntegral;`.
const MAX_NAME_BYTES: usize = 40;

/// The context of a reference: in an attribute, `&copy=` is part of a URL and not a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceContext {
    Text,
    Attribute,
}

/// Returns true if the value of an attribute has references or U+0000 to decode.
pub(in crate::dom) fn needs_decoding(value: &str) -> bool {
    memchr2(b'&', b'\0', value.as_bytes()).is_some()
}

/// Appends the value of an attribute with its references decoded.
pub(in crate::dom) fn decode_value(value: &str, into: &mut String) {
    let mut rest = value;
    while let Some(at) = memchr2(b'&', b'\0', rest.as_bytes()) {
        let (before, special) = rest.split_at_checked(at).unwrap_or_default();
        into.push_str(before);
        rest = special.get(1..).unwrap_or_default();
        if special.starts_with('\0') {
            into.push(char::REPLACEMENT_CHARACTER);
        } else {
            match decode(rest, ReferenceContext::Attribute, into) {
                Some(length) => rest = rest.get(length..).unwrap_or_default(),
                None => into.push('&'),
            }
        }
    }
    into.push_str(rest);
}

/// Decodes a reference, where `text` is the input after its `&`. Appends the character and returns the length of the reference.
pub(super) fn decode(text: &str, context: ReferenceContext, into: &mut String) -> Option<usize> {
    match text.as_bytes().first()? {
        b'#' => numeric(text, into),
        byte if byte.is_ascii_alphanumeric() => named(text, context, into),
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
        // A number that is too large stays too large.
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

/// HTML, "Numeric character reference end state": replaces numbers that are not characters, and reads 0x80 to 0x9F as
/// windows-1252.
fn character(number: u32) -> char {
    let of_windows = number
        .checked_sub(0x80)
        .and_then(|index| *C1_REPLACEMENTS.get(index as usize)?);
    of_windows
        .or_else(|| char::from_u32(number).filter(|c| *c != '\0'))
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn named(text: &str, context: ReferenceContext, into: &mut String) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = bytes
        .iter()
        .take(MAX_NAME_BYTES)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    // A semicolon is the end of a name, so a longer name cannot match.
    if bytes.get(length) == Some(&b';')
        && let Some(found) = entity(text.get(..=length)?)
    {
        push(found, into);
        return Some(length + 1);
    }
    // The longest name that needs no semicolon. The table has all prefixes of names, too.
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
    if context == ReferenceContext::Attribute && (next == b'=' || next.is_ascii_alphanumeric()) {
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
    // Some names stand for two characters, a letter and a combining mark.
    into.extend(char::from_u32(second).filter(|c| *c != '\0'));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, context: ReferenceContext) -> Option<(String, usize)> {
        let mut into = String::new();
        let length = decode(text, context, &mut into)?;
        Some((into, length))
    }

    #[test]
    fn decodes_references_as_browsers_do() {
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
            assert_eq!(decoded(text, ReferenceContext::Text), expected, "{text}");
        }
        for text in [
            "", ";", " amp;", "#", "#;", "#x;", "#xg", "xyzzy;", "é;", "#é",
        ] {
            assert_eq!(decoded(text, ReferenceContext::Text), None, "{text}");
        }
    }

    #[test]
    fn keeps_attribute_names_without_semicolon_before_letters_and_equals() {
        for text in ["copy=1", "copyx", "copy1", "notit;"] {
            assert_eq!(decoded(text, ReferenceContext::Attribute), None, "{text}");
        }
        assert_eq!(
            decoded("copy", ReferenceContext::Attribute),
            Some(("©".into(), 4))
        );
        assert_eq!(
            decoded("copy;=1", ReferenceContext::Attribute),
            Some(("©".into(), 5))
        );
        assert_eq!(
            decoded("copy&x", ReferenceContext::Attribute),
            Some(("©".into(), 4))
        );
    }
}
