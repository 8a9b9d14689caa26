//! Bytes to text, by the encoding that a browser would find.
//!
//! In order: a byte order mark; the charset of the HTTP header; a `<meta>` in the first 1,024
//! bytes (looked for in 4,096, since real pages have them later); being valid UTF-8; a guess from
//! the bytes. A declared encoding is not believed where the bytes are UTF-8 beyond chance: pages
//! are moved to UTF-8 more often than their declarations are.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

/// How far to look for a declaration.
const DECLARATION_WITHIN: usize = 4_096;
/// How many bytes are enough to guess from.
const GUESS_FROM: usize = 262_144;

/// The text of a page, and the name of the encoding it was in.
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
        // Plain ASCII with escape sequences is what ISO-2022-JP looks like.
        if !text.is_ascii() || !bytes.contains(&0x1b) {
            return (Cow::Borrowed(text), UTF_8);
        }
    }
    let declared = header.or_else(|| declared_in_meta(bytes));
    let encoding = match declared {
        Some(encoding) if encoding != UTF_8 => encoding,
        // Declared or not, UTF-8 with a few broken bytes is still UTF-8.
        _ if mostly_utf8(bytes) => UTF_8,
        _ => guess(bytes, host),
    };
    (encoding.decode_without_bom_handling(bytes).0, encoding)
}

/// The text of HTML, by the encoding that a browser would find where no header names one.
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

/// The encoding of a declaration in the page itself.
fn for_label(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(unquoted(label).as_bytes())?;
    // HTML, "prescan a byte stream": a declaration that can be read as ASCII is not UTF-16.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// The encoding of `<meta charset>`, `<meta http-equiv>` or an XML declaration.
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

/// The encoding named after `name` and `=`.
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

/// Whether at most one in a hundred of the bytes that are not ASCII are no UTF-8.
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
    // Markup is ASCII and tells nothing; text beyond the first part rarely tells more.
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
    fn a_byte_order_mark_decides() {
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
    fn the_header_comes_before_the_declaration() {
        let page = b"<meta charset=koi8-r><p>\xe4";
        assert_eq!(
            decoded(page, Some("text/html; Charset=\"ISO-8859-1\"")).1,
            "windows-1252"
        );
        assert_eq!(decoded(page, Some("text/html")).1, "KOI8-R");
    }

    #[test]
    fn declarations_are_found_however_they_are_written() {
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
    fn a_declaration_that_the_bytes_contradict_is_not_believed() {
        let page = "<meta charset=iso-8859-1><p>schön, 日本語".as_bytes();
        assert_eq!(decoded(page, None).1, "UTF-8");
    }

    #[test]
    fn undeclared_bytes_are_guessed() {
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
    fn a_header_may_say_utf_16_and_a_page_may_not() {
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
    fn escape_sequences_are_japanese() {
        let (text, _, _) = encoding_rs::ISO_2022_JP.encode("<p>これは普通の日本語のページです。");
        assert_eq!(decoded(&text, None).1, "ISO-2022-JP");
    }

    #[test]
    fn broken_bytes_do_not_make_a_page_unreadable() {
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
