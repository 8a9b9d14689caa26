//! The way every page goes, alone or with its site: bytes, text, tree, layout, first judgement.

use sitecast_scp::HttpUrl;

use crate::content::Model;
use crate::decode::decode;
use crate::dom::{Dom, parse};
use crate::foreign::foreign_format;
use crate::layout::{Layout, lay_out_with};
use crate::owner::{NoSnippet, Orders, hear_nosnippet};
use crate::{ExtractError, Extractor, Html};

/// A page that was parsed and looked at.
pub(crate) struct Analysis {
    pub(crate) dom: Dom,
    pub(crate) layout: Layout,
    /// What the owner says of parts of it.
    pub(crate) orders: Orders,
    /// How likely each segment is content, as the page alone shows it.
    pub(crate) probabilities: Vec<f32>,
    pub(crate) encoding: &'static str,
}

/// A page that was parsed, not judged yet.
pub(crate) struct Parsed {
    pub(crate) dom: Dom,
    pub(crate) layout: Layout,
    orders: Orders,
    encoding: &'static str,
}

impl Parsed {
    /// Judges what is wanted of the page. What is not wanted has a probability that is no number.
    pub(crate) fn judged(
        self,
        url: &HttpUrl,
        model: &Model,
        wanted: impl Fn(usize) -> bool,
    ) -> Analysis {
        let probabilities = model.judge(&self.dom, &self.layout, url.as_str(), wanted);
        Analysis {
            dom: self.dom,
            layout: self.layout,
            orders: self.orders,
            probabilities,
            encoding: self.encoding,
        }
    }
}

pub(crate) fn analyze(
    html: &Html<'_>,
    extractor: &Extractor<'_>,
) -> Result<Analysis, ExtractError> {
    Ok(parsed(html, extractor)?.judged(html.url, extractor.model, |_| true))
}

pub(crate) fn parsed(html: &Html<'_>, extractor: &Extractor<'_>) -> Result<Parsed, ExtractError> {
    let limits = &extractor.limits;
    // The parser counts in 32 bits.
    let most = limits.bytes.min(i32::MAX as usize);
    let bytes = html.bytes.get(..most).unwrap_or(html.bytes);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.trim_ascii().is_empty() {
        return Err(ExtractError::Empty);
    }
    // A header may say that what has a zero in every character is text.
    let is_wide = html
        .content_type
        .is_some_and(|value| value.to_ascii_lowercase().contains("utf-16"));
    if !is_wide && let Some(found) = foreign_format(bytes) {
        return Err(ExtractError::NotHtml { found });
    }
    let (text, encoding) = decode(bytes, html.content_type, host_of(html.url));
    let mut dom = parse(&text, limits);
    if extractor.nosnippet == NoSnippet::LeaveOut {
        if dom.has_lost_nosnippet() {
            return Err(ExtractError::NoSnippet);
        }
        dom = hear_nosnippet(dom);
    }
    let orders = Orders::of(&dom, &extractor.rules.of(html.url));
    let layout = lay_out_with(&dom, &orders);
    Ok(Parsed {
        dom,
        layout,
        orders,
        encoding: encoding.name(),
    })
}

fn host_of(url: &HttpUrl) -> &str {
    let rest = url.as_str().split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}
