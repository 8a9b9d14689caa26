//! Undoing escapes: an address may be written with percent escapes in URLs, backslashes in JSON, entities in XML and
//! HTML, and several of these at once.

use std::borrow::Cow;

/// Layers of escapes that are undone: `%252f` has two, an escaped JSON escape within XML has three.
const MAX_LAYERS: usize = 4;

/// Decodes percent escapes; malformed escapes stay.
pub(super) fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

/// Calls `is_enough` with the text in lower case, as it is and with one to four layers of escapes undone, until it
/// returns true.
pub(super) fn for_each_decoding(text: &[u8], mut is_enough: impl FnMut(&str) -> bool) {
    let mut text = as_utf8(text).trim_start_matches('\u{feff}').to_owned();
    for _ in 0..=MAX_LAYERS {
        if is_enough(&text.to_lowercase()) {
            return;
        }
        let plain = unescape_once(&text);
        if plain == text {
            return;
        }
        text = plain;
    }
}

/// Decodes UTF-8, or UTF-16 if the first characters look like it. Unfolds the lines of calendars and address books.
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
        // No byte order mark, but two ASCII characters.
        [1..=127, 0, 1..=127, 0, ..] => Cow::Owned(units(u16::from_le_bytes)),
        [0, 1..=127, 0, 1..=127, ..] => Cow::Owned(units(u16::from_be_bytes)),
        _ => String::from_utf8_lossy(text),
    };
    // RFC 5545 §3.1: a line that begins with a space continues the previous one.
    if text.contains("BEGIN:V") {
        let lines = text.replace("\r\n", "\n");
        return Cow::Owned(lines.replace("\n ", "").replace("\n\t", ""));
    }
    text
}

/// Undoes one layer of each kind of escape.
fn unescape_once(text: &str) -> String {
    let plain = percent_decoded(text);
    let plain = unescape_backslashes(&plain);
    htmlize::unescape(plain.as_str()).into_owned()
}

/// Returns true if a text has a link that begins with `link`: in Markdown, or in quotes, tags, or fields of a table if
/// it continues as an address does.
pub(super) fn links_to(text: &str, link: &str) -> bool {
    text.match_indices(link).any(|(at, _)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or_default();
        let before = before.strip_suffix("./").unwrap_or(before);
        let after = rest.strip_prefix(link).unwrap_or_default();
        // An extension as in `tea.html`, not the end of a sentence.
        let has_ending = after
            .strip_prefix('.')
            .is_some_and(|end| end.starts_with(|c: char| c.is_ascii_alphanumeric()));
        let goes_on = has_ending || after.starts_with(['/', '?', '#']);
        let begins_after = |ends: &[char]| before.is_empty() || before.ends_with(ends);
        match before.ends_with("](") {
            true => goes_on || after.starts_with([')', ' ']),
            // A word in a sentence may equal the name of a folder, so between blanks only a slash marks an address.
            false if after.starts_with('/') => begins_after(&[
                '"', '\'', '<', '>', '=', ',', '\t', '\0', ' ', '\n', '\r', '|', '(', ';',
            ]),
            false => {
                goes_on && begins_after(&['"', '\'', '<', '>', '=', ',', '\t', '\0', '\n', '\r'])
            }
        }
    })
}

/// Undoes `\/`, `\u00e4`, `\u{e4}` and `\x2f`, the escapes of JSON, YAML and scripts.
fn unescape_backslashes(text: &str) -> String {
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
