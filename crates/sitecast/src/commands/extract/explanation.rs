//! Why each piece of a page's text is kept or left out.

mod columns;
mod groups;
mod list;

use std::io::Write;

use serde::Serialize;
use sitecast_extract::{ExplainedSegment, Reason};
use sitecast_publish::TemplateOrigin;

use super::{Looked, forbidding};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Writes the explanation of the page that has this name on the command line.
pub(super) fn write(name: &str, page: &Looked, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        as_json(name, page, output)
    } else {
        list::write(name, page, output)
    }
}

/// The words of a page that have the same verdict for the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Share<'a> {
    kept: bool,
    #[serde(flatten)]
    reason: ReasonShape<'a>,
    segments: u64,
    words: u64,
}

/// A reason for programs: its code and what else it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct ReasonShape<'a> {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'static str>,
}

impl<'a> ReasonShape<'a> {
    fn of(reason: &'a Reason) -> Self {
        let mut shape = Self {
            reason: reason.code(),
            selector: None,
            part: None,
            statement: None,
        };
        match reason {
            Reason::Rule { selector } | Reason::OutsideContent { selector } => {
                shape.selector = Some(selector);
            }
            Reason::BelongsToText { part } => shape.part = Some(part),
            Reason::OutsideArticle { statement } | Reason::InShortArticle { statement } => {
                shape.statement = Some(statement);
            }
            _ => {}
        }
        shape
    }
}

/// Words by verdict and reason, in the order in which they come first.
fn shares(segments: &[ExplainedSegment]) -> Vec<(Share<'_>, &Reason)> {
    let mut shares: Vec<(Share<'_>, &Reason)> = Vec::new();
    for segment in segments {
        let same = |(share, reason): &&mut (Share<'_>, &Reason)| {
            share.kept == segment.kept && **reason == segment.reason
        };
        let words = u64::from(segment.words);
        match shares.iter_mut().find(same) {
            Some((share, _)) => {
                share.segments += 1;
                share.words += words;
            }
            None => {
                let share = Share {
                    kept: segment.kept,
                    reason: ReasonShape::of(&segment.reason),
                    segments: 1,
                    words,
                };
                shares.push((share, &segment.reason));
            }
        }
    }
    shares
}

/// All words of a page, and those of them that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Words {
    all: u64,
    kept: u64,
}

impl Words {
    fn of(segments: &[ExplainedSegment]) -> Self {
        let words = |segment: &ExplainedSegment| u64::from(segment.words);
        let kept = segments.iter().filter(|segment| segment.kept);
        Self {
            all: segments.iter().map(words).sum(),
            kept: kept.map(words).sum(),
        }
    }
}

#[derive(Serialize)]
struct Shape<'a> {
    version: u32,
    target: &'a str,
    url: Option<&'a str>,
    title: &'a str,
    site: Option<SiteShape<'a>>,
    left_out: Option<LeftOut<'a>>,
    words: Words,
    shares: Vec<Share<'a>>,
    segments: Vec<SegmentShape<'a>>,
}

#[derive(Serialize)]
struct SiteShape<'a> {
    folder: &'a str,
    template: &'static str,
    files: usize,
    sampled: usize,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    reason: &'a str,
    message: String,
}

#[derive(Serialize)]
struct SegmentShape<'a> {
    text: &'a str,
    words: u32,
    place: &'a str,
    probability: Option<f64>,
    kept: bool,
    #[serde(flatten)]
    reason: ReasonShape<'a>,
}

fn as_json(name: &str, page: &Looked, output: &mut Output) -> Result<(), Failure> {
    let by_publish = page.left_out.as_ref().map(|reason| LeftOut {
        reason: reason.code(),
        message: reason.to_string(),
    });
    let by_page = || {
        let directive = forbidding(page)?;
        Some(LeftOut {
            reason: "noindex",
            message: format!("it says `{directive}`"),
        })
    };
    let site = page.site.as_ref().map(|site| SiteShape {
        folder: &site.folder,
        template: match site.template {
            TemplateOrigin::Learnt => "learnt",
            TemplateOrigin::LastPublication => "last-publication",
        },
        files: site.files,
        sampled: site.sampled,
    });
    let segments = page.segments.iter().map(|segment| SegmentShape {
        text: &segment.text,
        words: segment.words,
        place: &segment.place,
        probability: segment.probability.map(rounded),
        kept: segment.kept,
        reason: ReasonShape::of(&segment.reason),
    });
    let shape = Shape {
        version: 1,
        target: name,
        url: page.url.as_ref().map(|url| url.as_str()),
        title: &page.extracted.page.title,
        site,
        left_out: by_publish.or_else(by_page),
        words: Words::of(&page.segments),
        shares: shares(&page.segments)
            .into_iter()
            .map(|(share, _)| share)
            .collect(),
        segments: segments.collect(),
    };
    let text = serde_json::to_string(&shape).map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("cannot write the explanation: {error}"),
        )
    })?;
    writeln!(output.out(), "{text}")?;
    Ok(())
}

/// A probability with three digits: more say nothing.
fn rounded(probability: f32) -> f64 {
    (f64::from(probability) * 1000.0).round() / 1000.0
}
