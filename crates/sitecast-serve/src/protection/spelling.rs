//! The same address is spelt in many ways: with percent signs in URLs, with backslashes in JSON, with entities in XML and
//! HTML, and with several of these at once.

use std::borrow::Cow;

/// How often escapes are undone: `%252f` takes two rounds, an escaped escape of JSON within XML three.
const ROUNDS: usize = 4;

/// With the percent escapes of a URL undone; what is no escape stays.
pub(super) fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text.as_bytes())).into_owned()
}

/// Shows the ways to read a text until enough was seen: as it stands, and with its escapes undone once and again; in
/// small letters.
pub(super) fn read_in_all_ways(text: &[u8], mut is_enough: impl FnMut(&str) -> bool) {
    let mut text = as_utf8(text).trim_start_matches('\u{feff}').to_owned();
    for _ in 0..=ROUNDS {
        if is_enough(&text.to_lowercase()) {
            return;
        }
        let plain = undone(&text);
        if plain == text {
            return;
        }
        text = plain;
    }
}

/// A text in UTF-8 or, by its first characters, in UTF-16; with the lines of a calendar or an address book joined that
/// were folded.
fn as_utf8(text: &[u8]) -> Cow<'_, str> {
    let units = |read: fn([u8; 2]) -> u16| {
        let units = text.chunks_exact(2);
        let units = units.map(|pair| pair.try_into().map_or(0, read));
        char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect::<String>()
    };
    let text = match text {
        [0xff, 0xfe, ..] => Cow::Owned(units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Cow::Owned(units(u16::from_be_bytes)),
        // Without a mark, but beginning with two letters of ASCII.
        [1..=127, 0, 1..=127, 0, ..] => Cow::Owned(units(u16::from_le_bytes)),
        [0, 1..=127, 0, 1..=127, ..] => Cow::Owned(units(u16::from_be_bytes)),
        _ => String::from_utf8_lossy(text),
    };
    // RFC 5545, section 3.1: a line that begins with a space goes on with the one before.
    if text.contains("BEGIN:V") {
        let lines = text.replace("\r\n", "\n");
        return Cow::Owned(lines.replace("\n ", "").replace("\n\t", ""));
    }
    text
}

/// With one layer of all escapes undone.
fn undone(text: &str) -> String {
    let plain = decoded(text);
    let plain = unslashed(&plain);
    htmlize::unescape(plain.as_str()).into_owned()
}

/// Whether a text has a link that begins so: in Markdown, or in quotes, tags, or the fields of a table, where it goes on
/// as an address does.
pub(super) fn links_to(text: &str, link: &str) -> bool {
    text.match_indices(link).any(|(at, _)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or_default();
        let before = before.strip_suffix("./").unwrap_or(before);
        let after = rest.strip_prefix(link).unwrap_or_default();
        // `tea.html`, and not the end of a sentence.
        let has_ending = after
            .strip_prefix('.')
            .is_some_and(|end| end.starts_with(|c: char| c.is_ascii_alphanumeric()));
        let goes_on = has_ending || after.starts_with(['/', '?', '#']);
        let begins_after = |ends: &[char]| before.is_empty() || before.ends_with(ends);
        match before.ends_with("](") {
            true => goes_on || after.starts_with([')', ' ']),
            // A word of a sentence may be the name of a folder: between blanks a slash tells that it is an address.
            false if after.starts_with('/') => begins_after(&[
                '"', '\'', '<', '>', '=', ',', '\t', '\0', ' ', '\n', '\r', '|', '(', ';',
            ]),
            false => {
                goes_on && begins_after(&['"', '\'', '<', '>', '=', ',', '\t', '\0', '\n', '\r'])
            }
        }
    })
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = match (digit(after.first()), digit(after.get(1))) {
            (Some(high), Some(low)) if byte == b'%' => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(byte));
        let read = if escaped.is_some() { 2 } else { 0 };
        rest = after.get(read..).unwrap_or_default();
    }
    bytes
}

/// With `\/`, `\u00e4`, `\u{e4}` and `\x2f` undone, as JSON, YAML and scripts have them.
fn unslashed(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split('\\');
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let code = |start: char, length: usize| {
            let (digits, rest) = piece.strip_prefix(start)?.split_at_checked(length)?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        };
        let braced = || {
            let (digits, rest) = piece.strip_prefix("u{")?.split_once('}')?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        };
        match code('u', 4).or_else(|| code('x', 2)).or_else(braced) {
            Some((character, rest)) => {
                plain.push(character);
                plain.push_str(rest);
            }
            None => plain.push_str(piece),
        }
    }
    plain
}
