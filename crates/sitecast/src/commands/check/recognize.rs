//! What a file is, by its content and never by its name.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

/// How much of a file is looked at.
const HEAD: usize = 256 << 10;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Collection,
    /// XML, text or a feed: the reader tells.
    Sitemap,
    JsonSitemap,
    MachinePage,
    Policy,
    Robots,
    /// A page for people.
    Html,
    Unknown,
}

/// The beginning of a file and what it says.
pub(super) struct Recognized {
    /// As stored.
    pub(super) head: Vec<u8>,
    pub(super) format: Format,
    pub(super) gzip: bool,
}

pub(super) fn recognize(source: &mut impl Read) -> io::Result<Recognized> {
    let mut head = Vec::new();
    source.take(HEAD as u64).read_to_end(&mut head)?;
    let gzip = head.starts_with(&[0x1f, 0x8b]);
    let format = if is_zstd(&head) {
        // Only collections are stored so.
        Format::Collection
    } else if gzip {
        let mut text = Vec::new();
        let mut decoder = MultiGzDecoder::new(head.as_slice()).take(HEAD as u64);
        // The head of a stream ends in the middle; what came out of it is enough.
        let _ = decoder.read_to_end(&mut text);
        format_of(&text)
    } else {
        format_of(&head)
    };
    Ok(Recognized { head, format, gzip })
}

/// A frame of zstd, or one that its readers skip.
fn is_zstd(head: &[u8]) -> bool {
    matches!(
        head,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]
    )
}

fn format_of(bytes: &[u8]) -> Format {
    let wide: Option<fn([u8; 2]) -> u16> = match bytes {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] | [0, b'<', ..] => Some(u16::from_be_bytes),
        _ => None,
    };
    if let Some(unit) = wide {
        let units = bytes
            .chunks_exact(2)
            .filter_map(|pair| pair.first_chunk().copied());
        let text: String = char::decode_utf16(units.map(unit))
            .map(|c| c.unwrap_or('\u{fffd}'))
            .collect();
        // One that ends in the middle of a character is text still.
        let text = text.trim_end_matches('\u{fffd}');
        return if text.contains('\u{fffd}') {
            Format::Unknown
        } else {
            format_of(text.as_bytes())
        };
    }
    let mut text = bytes;
    while let Some(rest) = text.strip_prefix(b"\xef\xbb\xbf") {
        text = rest;
    }
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'<') if is_html(text) => Format::Html,
        Some(b'<') => Format::Sitemap,
        Some(b'{') => format_of_json(text),
        Some(b'[' | b'"') | None => Format::Collection,
        Some(_) => format_of_text(text),
    }
}

/// Whether the first element, or the type of the document, is HTML's.
fn is_html(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| byte == b'<') {
        rest = rest.get(at + 1..).unwrap_or_default();
        let begins = |name: &[u8]| {
            let start = rest.get(..name.len()).unwrap_or_default();
            start.eq_ignore_ascii_case(name)
        };
        if begins(b"!--") {
            let end = rest.windows(3).position(|window| window == b"-->");
            rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
        } else if !rest.starts_with(b"?") {
            return [&b"!doctype html"[..], b"html", b"head", b"body"]
                .into_iter()
                .any(begins);
        }
    }
    false
}

fn format_of_text(text: &[u8]) -> Format {
    // Latin-1 is common in robots.txt.
    let text = String::from_utf8_lossy(text);
    let is_binary = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}');
    if text.contains(is_binary) {
        return Format::Unknown;
    }
    let mut lines = text.split(['\n', '\r']).map(str::trim);
    let is_rule = |line: &str| {
        let name = line.split(':').next().unwrap_or_default().trim();
        ["user-agent", "disallow", "allow", "sitemap", "crawl-delay"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
            && line.contains(':')
    };
    let is_url = |line: &str| line.starts_with("http://") || line.starts_with("https://");
    match lines.find(|line| is_rule(line) || is_url(line)) {
        Some(line) if is_url(line) => Format::Sitemap,
        Some(_) => Format::Robots,
        // Nothing but comments is a robots.txt that allows everything.
        None if text
            .lines()
            .all(|line| line.trim().is_empty() || line.trim().starts_with('#')) =>
        {
            Format::Robots
        }
        None => Format::Unknown,
    }
}

fn format_of_json(text: &[u8]) -> Format {
    let members = Members {
        rest: text,
        depth: 0,
    };
    let mut profile = false;
    let mut page = false;
    let mut collection = false;
    for (name, value) in members {
        match (name, value) {
            (b"collection", _) => return Format::Collection,
            (b"items" | b"sitemaps", Some(b'[')) => return Format::JsonSitemap,
            (b"canonical_url" | b"llm_url", _) => return Format::MachinePage,
            (b"purposes" | b"policy_urls" | b"rate_hints" | b"requirements", Some(b'{')) => {
                return Format::Policy;
            }
            // A page of a collection has an array there.
            (b"content" | b"hash", Some(b'"')) => page = true,
            (b"profile", Some(b'"')) => profile = true,
            (b"url" | b"content" | b"modified" | b"section" | b"generated", _) => collection = true,
            _ => {}
        }
    }
    if page {
        Format::MachinePage
    } else if profile && contains(text, b"tct-policy-") {
        Format::Policy
    } else if profile && contains(text, b"\"title\"") {
        Format::MachinePage
    } else if profile {
        Format::JsonSitemap
    } else if !collection && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok() {
        // One whole document that has nothing of any of them.
        Format::Unknown
    } else {
        Format::Collection
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The members of the first object of a text that may be cut short: their names, and the first
/// byte of their values.
struct Members<'t> {
    rest: &'t [u8],
    depth: usize,
}

impl<'t> Iterator for Members<'t> {
    type Item = (&'t [u8], Option<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.checked_sub(1)?;
                    if self.depth == 0 {
                        return None;
                    }
                }
                b'"' => {
                    let name = self.string()?;
                    let after = self.rest.trim_ascii_start();
                    if self.depth == 1
                        && let Some(value) = after.strip_prefix(b":")
                    {
                        self.rest = value.trim_ascii_start();
                        return Some((name, self.rest.first().copied()));
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'t> Members<'t> {
    /// Takes a string whose opening quote is gone.
    fn string(&mut self) -> Option<&'t [u8]> {
        let mut escaped = false;
        let end = self.rest.iter().position(|&byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest.get(1..)?;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_content() {
        for (text, format) in [
            (
                "{\"collection\":{\"id\":1}}\n{\"url\":1}",
                Format::Collection,
            ),
            (
                "{\"url\":\"x\",\"content\":[{\"type\":\"text\"}]}",
                Format::Collection,
            ),
            ("", Format::Collection),
            ("{\"url\":\"x\"}", Format::Collection),
            ("{\"a\":1", Format::Collection),
            ("{\n \"name\": \"a package\"\n}\n", Format::Unknown),
            (
                "{\"version\":1,\"profile\":\"tct-1\",\"items\":{}}",
                Format::JsonSitemap,
            ),
            ("\u{89}PNG\r\n\u{1a}\n\0", Format::Unknown),
            ("<?xml version='1.0'?><urlset/>", Format::Sitemap),
            ("<!-- <html> --><urlset/>", Format::Sitemap),
            ("<!DOCTYPE html><title>x</title>", Format::Html),
            (
                "<?xml version='1.0'?>\n<!doctype HTML PUBLIC '-//W3C'>",
                Format::Html,
            ),
            ("<!-- a site --><HTML lang=en>", Format::Html),
            ("<rss><channel/></rss>", Format::Sitemap),
            ("\u{feff}\n <sitemapindex>", Format::Sitemap),
            (
                "https://example.com/\nhttps://example.com/b",
                Format::Sitemap,
            ),
            ("{\"version\":1,\"items\":[]}", Format::JsonSitemap),
            (
                "{ \"profile\": \"tct-1\",\n \"sitemaps\" : [",
                Format::JsonSitemap,
            ),
            (
                "{\"x\":{\"items\":[]},\"canonical_url\":\"\"}",
                Format::MachinePage,
            ),
            (
                "{\"title\":\"a \\\" b\",\"content\":\"cut sho",
                Format::MachinePage,
            ),
            (
                "{\"profile\":\"tct-1\",\"title\":\"a\"}",
                Format::MachinePage,
            ),
            ("{\"profile\":\"tct-policy-1\"}", Format::Policy),
            ("{\"version\":1,\"purposes\":{}}", Format::Policy),
            ("User-agent: *\nDisallow: /", Format::Robots),
            (
                "# comment\n\nsitemap : https://example.com/s.xml",
                Format::Robots,
            ),
            ("# only a comment\n", Format::Robots),
            ("What is this?", Format::Unknown),
            ("Allowing nothing", Format::Unknown),
        ] {
            assert_eq!(format_of(text.as_bytes()), format, "{text}");
        }
        let utf16: Vec<u8> = "\u{feff}<urlset>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(format_of(&utf16), Format::Sitemap);
        assert_eq!(format_of(b"\xff\xfb\x90\x00"), Format::Unknown);
        assert_eq!(format_of(b"\xff\xfe\x01\x02\x03\x04"), Format::Unknown);
        let robots: Vec<u8> = "\u{feff}User-agent: *"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(format_of(&robots), Format::Robots);
        let prose: Vec<u8> = "\u{feff}Dear Sir"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(format_of(&prose), Format::Unknown);
        assert_eq!(
            format_of(b"User-agent: *\nDisallow: /caf\xe9\n"),
            Format::Robots
        );
    }

    #[test]
    fn any_beginning_is_told_without_a_panic() {
        let text =
            r#"{"a\"b":[{"items":[1]}],"content":"x","profile":"tct-policy-1","sitemaps":[]}"#;
        for length in 0..text.len() {
            format_of(text.get(..length).unwrap().as_bytes());
        }
    }
}
