//! Decoding bytes to text, with the encoding that a browser would use.
//!
//! In order: a byte order mark; UTF-16 in the HTTP header; valid UTF-8; the charset of the HTTP header; a `<meta>` in the first
//! 4,096 bytes (browsers look at 1,024, but real pages have it later); UTF-8 with a few broken bytes; a guess from the bytes.
//! Valid UTF-8 overrides a declared encoding: sites often convert their pages to UTF-8 and forget the declarations.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

/// Bytes in which a declaration is looked for.
const DECLARATION_WITHIN: usize = 4_096;
/// Bytes from which the encoding is guessed.
const GUESS_FROM: usize = 262_144;

/// Decodes a page, and returns its text and encoding.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    content_type: Option<&str>,
    host: &str,
) -> (Cow<'a, str>, &'static Encoding) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(mark..).unwrap_or_default();
        return (encoding.decode_without_bom_handling(rest).0, encoding);
    }
    let header = content_type.and_then(charset_of_content_type);
    if let Some(encoding) = header
        && (encoding == UTF_16LE || encoding == UTF_16BE)
    {
        return (encoding.decode_without_bom_handling(bytes).0, encoding);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        // ASCII with escape sequences may be ISO-2022-JP.
        if !text.is_ascii() || !bytes.contains(&0x1b) {
            return (Cow::Borrowed(text), UTF_8);
        }
    }
    let declared = header.or_else(|| declared_in_meta(bytes));
    let encoding = match declared {
        Some(encoding) if encoding != UTF_8 => encoding,
        // UTF-8 with a few broken bytes is read as UTF-8, declared or not.
        _ if mostly_utf8(bytes) => UTF_8,
        _ => guess(bytes, host),
    };
    (encoding.decode_without_bom_handling(bytes).0, encoding)
}

/// Decodes HTML without an HTTP header, with the encoding that a browser would use.
pub fn decode_html(bytes: &[u8]) -> Cow<'_, str> {
    decode(bytes, None, "").0
}

fn charset_of_content_type(value: &str) -> Option<&'static Encoding> {
    let (_, parameters) = value.split_once(';')?;
    parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| Encoding::for_label(unquoted(value).as_bytes()))?
    })
}

fn unquoted(label: &str) -> &str {
    label.trim().trim_matches(['"', '\''])
}

/// Returns the encoding of a label that the page itself declares.
fn for_label(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(unquoted(label).as_bytes())?;
    // HTML, "prescan a byte stream to determine its encoding": a declaration that is readable as ASCII is not in UTF-16.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// Returns the encoding of `<meta charset>`, `<meta http-equiv>` or an XML declaration.
fn declared_in_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION_WITHIN).unwrap_or(bytes);
    let lower = head.to_ascii_lowercase();
    let in_xml = lower.starts_with(b"<?xml").then(|| {
        let end = memmem::find(&lower, b"?>").unwrap_or(0);
        value_after(lower.get(..end).unwrap_or_default(), b"encoding")
    });
    if let Some(Some(encoding)) = in_xml {
        return Some(encoding);
    }
    memmem::find_iter(&lower, b"<meta").find_map(|at| {
        let tag = lower.get(at..)?;
        let end = memchr::memchr(b'>', tag).unwrap_or(tag.len());
        value_after(tag.get(..end)?, b"charset")
    })
}

/// Returns the encoding that is named after `name` and `=`.
fn value_after(text: &[u8], name: &[u8]) -> Option<&'static Encoding> {
    let at = memmem::find(text, name)? + name.len();
    let rest = std::str::from_utf8(text.get(at..)?).ok()?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '/' | '?' | '>'))
        .unwrap_or(value.len());
    for_label(value.get(..end)?)
}

/// Returns true if at most one in a hundred of the bytes beyond ASCII is not valid UTF-8.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let mut good = 0;
    let mut bad = 0;
    for chunk in bytes.utf8_chunks() {
        good += chunk
            .valid()
            .bytes()
            .filter(|byte| !byte.is_ascii())
            .count();
        bad += chunk.invalid().len();
    }
    good > 0 && bad * 100 <= good
}

fn guess(bytes: &[u8], host: &str) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    // Text beyond the first part rarely improves the guess.
    let start = bytes.get(..GUESS_FROM).unwrap_or(bytes);
    detector.feed(start, start.len() == bytes.len());
    let domain = host
        .rsplit('.')
        .next()
        .filter(|domain| domain.bytes().all(|byte| byte.is_ascii_lowercase()));
    let domain = domain
        .map(str::as_bytes)
        .filter(|domain| !domain.is_empty());
    detector.guess(domain, chardetng::Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], content_type: Option<&str>) -> (String, &'static str) {
        let (text, encoding) = decode(bytes, content_type, "example.com");
        (text.into_owned(), encoding.name())
    }

    #[test]
    fn byte_order_mark_takes_precedence() {
        assert_eq!(
            decoded(
                b"\xef\xbb\xbf<p>\xc3\xa4",
                Some("text/html; charset=koi8-r")
            ),
            ("<p>ä".to_owned(), "UTF-8")
        );
        assert_eq!(
            decoded(b"\xff\xfe<\0p\0>\0\xe4\0", None),
            ("<p>ä".to_owned(), "UTF-16LE")
        );
        assert_eq!(
            decoded(b"\xfe\xff\0<\0p\0>\0\xe4", None),
            ("<p>ä".to_owned(), "UTF-16BE")
        );
    }

    #[test]
    fn header_takes_precedence_over_declaration() {
        let page = b"<meta charset=koi8-r><p>\xe4";
        assert_eq!(
            decoded(page, Some("text/html; Charset=\"ISO-8859-1\"")).1,
            "windows-1252"
        );
        assert_eq!(decoded(page, Some("text/html")).1, "KOI8-R");
    }

    #[test]
    fn finds_declarations_in_all_spellings() {
        for (declaration, name) in [
            (
                "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=Windows-1251'>",
                "windows-1251",
            ),
            ("<meta charset = \"euc-kr\" />", "EUC-KR"),
            (
                "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><html>",
                "Shift_JIS",
            ),
            ("<meta name=viewport content=x><meta charset=gb2312>", "GBK"),
            ("<meta charset=utf-16>", "windows-1252"),
        ] {
            let mut page = declaration.as_bytes().to_vec();
            page.extend_from_slice(b"<p>\xe4\xe4 caf\xe9 ");
            assert_eq!(decoded(&page, None).1, name, "{declaration}");
        }
    }

    #[test]
    fn valid_utf_8_overrides_declaration() {
        let page = "<meta charset=iso-8859-1><p>schön, 日本語".as_bytes();
        assert_eq!(decoded(page, None).1, "UTF-8");
    }

    #[test]
    fn guesses_undeclared_encodings() {
        let (text, _, _) = encoding_rs::WINDOWS_1251
            .encode("<p>Привет, это обычная страница на русском языке без объявления кодировки.");
        assert_eq!(decoded(&text, None).1, "windows-1251");
        let (text, _, _) = encoding_rs::EUC_KR
            .encode("<p>이것은 인코딩 선언이 없는 평범한 한국어 페이지입니다. 안녕하세요.");
        assert_eq!(decoded(&text, None).1, "EUC-KR");
        let (text, _, _) = encoding_rs::SHIFT_JIS
            .encode("<p>これは文字コードの宣言がない普通の日本語のページです。");
        assert_eq!(decoded(&text, None).1, "Shift_JIS");
    }

    #[test]
    fn accepts_utf_16_in_header_only() {
        let (text, _, _) = encoding_rs::UTF_8.encode("<p>x");
        assert_eq!(
            decoded(b"<\0p\0>\0x\0", Some("text/html; charset=utf-16le")),
            ("<p>x".to_owned(), "UTF-16LE")
        );
        assert_eq!(
            decoded(&text, Some("text/html; charset=utf-8")),
            ("<p>x".to_owned(), "UTF-8")
        );
    }

    #[test]
    fn reads_escape_sequences_as_iso_2022_jp() {
        let (text, _, _) = encoding_rs::ISO_2022_JP.encode("<p>これは普通の日本語のページです。");
        assert_eq!(decoded(&text, None).1, "ISO-2022-JP");
    }

    #[test]
    fn reads_utf_8_with_few_broken_bytes() {
        let mut page =
            "<p>Überall Umlaute: äöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöüäöü"
                .as_bytes()
                .to_vec();
        page.push(0xff);
        let (text, name) = decoded(&page, None);
        assert_eq!(name, "UTF-8");
        assert!(text.ends_with("äöü\u{fffd}"));
        assert_eq!(decoded(b"", None), (String::new(), "UTF-8"));
    }
}
