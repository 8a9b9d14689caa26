//! What a file is, by its content and never by its name.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

/// How much of a file is looked at.
const HEAD: usize = 64 << 10;

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
    let format = if gzip {
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

fn format_of(bytes: &[u8]) -> Format {
    // UTF-16 is a thing of XML and robots.txt alone.
    if let [0xff, 0xfe, rest @ ..] | [0xfe, 0xff, rest @ ..] = bytes {
        return match rest.iter().find(|byte| **byte != 0) {
            Some(b'<') => Format::Sitemap,
            _ => Format::Robots,
        };
    }
    if matches!(bytes, [b'<', 0, ..] | [0, b'<', ..]) {
        return Format::Sitemap;
    }
    let mut text = bytes;
    while let Some(rest) = text.strip_prefix(b"\xef\xbb\xbf") {
        text = rest;
    }
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'<') => Format::Sitemap,
        Some(b'{') => format_of_json(text),
        Some(b'[' | b'"') | None => Format::Collection,
        Some(_) => format_of_text(text),
    }
}

fn format_of_text(text: &[u8]) -> Format {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        // The head may end within a character.
        Err(error) if error.error_len().is_none() => {
            let valid = text.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        // Neither compressed nor text, so somebody thinks it is a collection.
        Err(_) => return Format::Collection,
    };
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
    let mut format = Format::Collection;
    for (name, value) in members {
        format = match (name, value) {
            (b"collection", _) => return Format::Collection,
            (b"items" | b"sitemaps", Some(b'[')) => return Format::JsonSitemap,
            (b"canonical_url" | b"llm_url", _) => return Format::MachinePage,
            (b"purposes" | b"policy_urls" | b"rate_hints" | b"requirements", Some(b'{')) => {
                return Format::Policy;
            }
            // A page of a collection has an array there.
            (b"content", Some(b'"')) | (b"hash", Some(b'"')) => Format::MachinePage,
            (b"profile", Some(b'"')) if format == Format::Collection => Format::MachinePage,
            _ => format,
        };
    }
    if format == Format::MachinePage && contains(text, b"tct-policy-") {
        return Format::Policy;
    }
    format
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
            ("{\"a\":1}", Format::Collection),
            ("<?xml version='1.0'?><urlset/>", Format::Sitemap),
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
        assert_eq!(format_of(b"\xff\xfb\x90\x00"), Format::Collection);
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
