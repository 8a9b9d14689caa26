//! Is it HTML? A folder holds what it holds, whatever the names end in.

use std::borrow::Cow;

use sitecast_extract::{decode_html, foreign_format};

/// The bytes that are read: a page whose first tag comes later is not HTML.
const LOOKED_AT: usize = 64 * 1024;

/// Returns true if the bytes look like HTML: the extractor would take them, and they have a tag.
pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    let bytes = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    if is_utf16(bytes) {
        // One byte of each pair is zero in all markup: what is left is ASCII enough to look at.
        let ascii: Vec<u8> = bytes.iter().copied().filter(|&b| b != 0).collect();
        return has_tag(&ascii);
    }
    foreign_format(bytes).is_none() && has_tag(bytes)
}

/// Returns true if the bytes begin with the byte order mark of UTF-16 (or of UTF-32, which begins the same).
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

/// The bytes as they are, but for UTF-16: as UTF-8, since nothing else here reads that.
pub(crate) fn readable(html: &[u8]) -> Cow<'_, [u8]> {
    match is_utf16(html) {
        true => Cow::Owned(decode_html(html).into_owned().into_bytes()),
        false => Cow::Borrowed(html),
    }
}

/// A tag, or a document type: `a < b` and `<me@example.com>` are neither.
fn has_tag(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'<', bytes).any(|at| {
        let after = bytes.get(at + 1..).unwrap_or_default();
        if let Some(declaration) = after.strip_prefix(b"!") {
            return declaration
                .get(..7)
                .is_some_and(|word| word.eq_ignore_ascii_case(b"doctype"));
        }
        let name = after
            .iter()
            .position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b':'))
            .unwrap_or(after.len());
        let ends = matches!(
            after.get(name),
            Some(b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r' | b'\x0c')
        );
        ends && after.first().is_some_and(u8::is_ascii_alphabetic)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn pages_and_fragments_of_pages() {
        for html in [
            &b"<!doctype html>"[..],
            b"\xef\xbb\xbf<!DOCTYPE html><title>x</title>",
            b"<html>",
            b"<p>hello",
            b"text first, then <br/>",
            b"<!-- a comment --><x-widget a=b>",
            b"<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">",
            b"BM is a word <b\n>",
            b"caf\xe9 <em>in latin 1</em>",
            b"<title>one stray \0 NUL in a page of many more bytes, as broken scripts make them, does not matter</title>",
        ] {
            assert!(looks_like_html(html), "{}", html.escape_ascii());
        }
        assert!(looks_like_html(&utf16("<!doctype html><title>ä</title>")));
        let late = [vec![b' '; 1000], b"<p>".to_vec()].concat();
        assert!(looks_like_html(&late));
    }

    #[test]
    fn what_is_no_page() {
        for bytes in [
            &b""[..],
            b"plain text",
            b"a < b and b > c, <3, <me@example.com>, <-",
            b"{\"json\": true}",
            b"<",
            b"<p",
            b"</p>",
            b"<!-- only a comment -->",
            b"\x89PNG\r\n\x1a\n<p>",
            b"%PDF-1.7\n<p> in a document",
            b"\x1f\x8b\x08 <p>",
            b"PK\x03\x04 <p>",
            b"GIF89a <p>",
            b"BM\0\0\0\0<p>",
            b"\0\x01\0\0 <p>",
            b"<\0p\0>\0",
        ] {
            assert!(!looks_like_html(bytes), "{}", bytes.escape_ascii());
        }
        assert!(!looks_like_html(&utf16("no tag here")));
    }
}
