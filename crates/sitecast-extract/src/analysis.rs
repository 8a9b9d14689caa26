//! The way every page goes, alone or with its site: bytes, text, tree, layout, first judgement.

use sitecast_scp::HttpUrl;

use crate::content::{Model, PageFacts};
use crate::decode::decode;
use crate::dom::{Dom, parse};
use crate::layout::{Layout, lay_out};
use crate::{ExtractError, Html, Limits};

/// A page that was parsed and looked at.
pub(crate) struct Analysis {
    pub(crate) dom: Dom,
    pub(crate) layout: Layout,
    /// How likely each segment is content, as the page alone shows it.
    pub(crate) probabilities: Vec<f32>,
    pub(crate) encoding: &'static str,
}

pub(crate) fn analyze(
    html: &Html<'_>,
    model: &Model,
    limits: &Limits,
) -> Result<Analysis, ExtractError> {
    // The parser counts in 32 bits.
    let most = limits.bytes.min(i32::MAX as usize);
    let bytes = html.bytes.get(..most).unwrap_or(html.bytes);
    if let Some(found) = foreign_format(bytes) {
        return Err(ExtractError::NotHtml { found });
    }
    let (text, encoding) = decode(bytes, html.content_type, host_of(html.url));
    let dom = parse(&text, limits);
    let layout = lay_out(&dom);
    let facts = PageFacts::of(&dom, html.url.as_str());
    let probabilities = model.judge(&dom, &layout, &facts);
    Ok(Analysis {
        dom,
        layout,
        probabilities,
        encoding: encoding.name(),
    })
}

fn host_of(url: &HttpUrl) -> &str {
    let rest = url.as_str().split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}

/// What the bytes are, where they plainly are something else: files get wrong names.
fn foreign_format(bytes: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 11] = [
        (b"%PDF-", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"GIF8", "a GIF picture"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b", "gzip data"),
        (b"\x28\xb5\x2f\xfd", "zstd data"),
        (b"\x7fELF", "a program"),
        (b"wOFF", "a font"),
        (b"wOF2", "a font"),
        (b"RIFF", "a media file"),
    ];
    FORMATS
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, what)| *what)
}
