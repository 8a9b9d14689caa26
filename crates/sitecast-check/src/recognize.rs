//! Recognises the format of a file by its content, never by its name.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

/// Bytes at the beginning of a file that are examined.
const HEAD: usize = 256 << 10;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Collection,
    /// XML, text or a feed; the reader distinguishes them.
    Sitemap,
    JsonSitemap,
    MachinePage,
    Policy,
    Robots,
    /// A page of HTML, which is for people.
    Html,
    Unknown,
}

/// The beginning of a file, and the format that it has.
pub(crate) struct Recognized {
    /// The bytes as stored.
    pub(crate) head: Vec<u8>,
    pub(crate) format: Format,
    pub(crate) gzip: bool,
}

/// Reads the beginning of a source and recognises its format.
pub(crate) fn recognize(source: &mut impl Read) -> io::Result<Recognized> {
    let mut head = Vec::new();
    source.take(HEAD as u64).read_to_end(&mut head)?;
    let gzip = head.starts_with(&[0x1f, 0x8b]);
    let format = if is_zstd(&head) {
        // Only collections are compressed with zstd.
        Format::Collection
    } else if gzip {
        let mut text = Vec::new();
        let mut decoder = MultiGzDecoder::new(head.as_slice()).take(HEAD as u64);
        // The head ends in the middle of the stream, so the decoder fails after the bytes that it could decode.
        let _ = decoder.read_to_end(&mut text);
        format_of(&text)
    } else {
        format_of(&head)
    };
    Ok(Recognized { head, format, gzip })
}

/// Returns true for a zstd frame, also a skippable one.
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
        // The head can end in the middle of a character.
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

/// Returns true if the first element or the document type is HTML.
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
        // A robots.txt of comments alone allows everything.
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
            // In the page of a collection, `content` is an array.
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
        // A whole JSON document without a member of any format.
        Format::Unknown
    } else {
        Format::Collection
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Iterates over the members of the first object of a text that may be cut short: names, and first bytes of values.
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
    /// Reads a string after its opening quote.
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
mod tests;
