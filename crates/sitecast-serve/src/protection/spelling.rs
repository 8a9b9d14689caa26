//! The same address is spelt in many ways: with percent signs in URLs, with backslashes in JSON, with `&amp;` in XML.

/// With the percent escapes of a URL undone; what is no escape stays.
pub(super) fn decoded(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text.as_bytes())).into_owned()
}

/// A text as it may be meant, in small letters: as it stands, and with its escapes undone.
pub(super) fn readings(text: &[u8]) -> [String; 2] {
    let lower = |text: &[u8]| String::from_utf8_lossy(text).to_lowercase();
    let plain = unescaped(text);
    let plain = String::from_utf8_lossy(&plain);
    let plain = unslashed(&plain).replace("&amp;", "&").to_lowercase();
    [lower(text), plain]
}

/// Whether a text has a link that begins so: in Markdown, or in quotes or tags, where it goes on as an address does.
pub(super) fn links_to(text: &str, link: &str) -> bool {
    text.match_indices(link).any(|(at, _)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or_default();
        let before = before.strip_suffix("./").unwrap_or(before);
        let after = rest.strip_prefix(link).unwrap_or_default();
        let goes_on = after.starts_with(['/', '.', '?', '#']);
        match before.ends_with("](") {
            true => goes_on || after.starts_with([')', ' ']),
            false => goes_on && before.ends_with(['"', '\'', '<', '>']),
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

/// With `\/` and `\u00e4` undone, as JSON has them.
fn unslashed(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut pieces = text.split('\\');
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let escaped = piece.strip_prefix('u').and_then(|piece| {
            let (digits, rest) = piece.split_at_checked(4)?;
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        });
        match escaped {
            Some((character, rest)) => {
                plain.push(character);
                plain.push_str(rest);
            }
            None => plain.push_str(piece),
        }
    }
    plain
}
