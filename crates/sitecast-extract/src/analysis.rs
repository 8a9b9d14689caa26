//! Analysis of one page, alone or with its site: decoding, parsing, layout, the first probabilities.

use std::ops::Range;

use sitecast_scp::HttpUrl;

use crate::comments::{Comments, sections};
use crate::content::{Model, PageFacts, Recall};
use crate::decode::decode;
use crate::dom::{Dom, parse};
use crate::foreign::foreign_format;
use crate::layout::{Layout, lay_out_with};
use crate::owner::{Directives, NoSnippet, without_nosnippet};
use crate::{ExtractError, Extractor, Html};

/// A page that was parsed and whose segments have probabilities.
pub(crate) struct Analysis {
    pub(crate) dom: Dom,
    pub(crate) layout: Layout,
    /// The owner's instructions for parts of the page.
    pub(crate) directives: Directives,
    /// The probability of each segment to be content, as this page alone shows it. NaN where it was not asked for.
    pub(crate) probabilities: Vec<f32>,
    /// The weight of missing text, if the page is extracted alone.
    pub(crate) recall: Recall,
    /// The setting for readers' comments, and the segments of their sections.
    pub(crate) comments: (Comments, Vec<Range<usize>>),
    pub(crate) encoding: &'static str,
}

/// A page that was parsed and has no probabilities yet.
pub(crate) struct Parsed {
    pub(crate) dom: Dom,
    pub(crate) layout: Layout,
    directives: Directives,
    comments: (Comments, Vec<Range<usize>>),
    facts: PageFacts,
    encoding: &'static str,
}

impl Parsed {
    /// Computes the probabilities of the segments for which `wanted` returns true; the others get NaN.
    pub(crate) fn scored(self, model: &Model, wanted: impl Fn(usize) -> bool) -> Analysis {
        let probabilities = model.score(&self.dom, &self.layout, &self.facts, wanted);
        self.with(probabilities)
    }

    fn with(self, probabilities: Vec<f32>) -> Analysis {
        Analysis {
            dom: self.dom,
            layout: self.layout,
            directives: self.directives,
            probabilities,
            recall: if self.facts.may_be_article() {
                Recall::OF_ARTICLE
            } else {
                Recall::EVEN
            },
            comments: self.comments,
            encoding: self.encoding,
        }
    }
}

/// Parses a page of an unknown site and computes the probabilities of its segments.
pub(crate) fn analyze(
    html: &Html<'_>,
    extractor: &Extractor<'_>,
) -> Result<Analysis, ExtractError> {
    let parsed = parsed(html, extractor)?;
    let Parsed {
        dom, layout, facts, ..
    } = &parsed;
    let probabilities = extractor.model.score_alone(dom, layout, facts);
    Ok(parsed.with(probabilities))
}

pub(crate) fn parsed(html: &Html<'_>, extractor: &Extractor<'_>) -> Result<Parsed, ExtractError> {
    let limits = &extractor.limits;
    // The parser counts bytes in 32 bits.
    let most = limits.bytes.min(i32::MAX as usize);
    let bytes = html.bytes.get(..most).unwrap_or(html.bytes);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.trim_ascii().is_empty() {
        return Err(ExtractError::Empty);
    }
    // UTF-16 text has zero bytes, which `foreign_format` takes for a sign of a binary format.
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
        dom = without_nosnippet(dom);
    }
    let directives = Directives::of(&dom, &extractor.rules.of(html.url));
    let layout = lay_out_with(&dom, &directives);
    let facts = PageFacts::of(&dom, html.url.as_str());
    let sections = if facts.states_article() {
        sections(&dom, &layout)
    } else {
        Vec::new()
    };
    Ok(Parsed {
        comments: (extractor.comments, sections),
        facts,
        dom,
        layout,
        directives,
        encoding: encoding.name(),
    })
}

fn host_of(url: &HttpUrl) -> &str {
    let rest = url.as_str().split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    host.split(':').next().unwrap_or_default()
}
