//! What is content or not whatever it looks like.

use std::borrow::Cow;

use crate::Reason;
use crate::analysis::Analysis;
use crate::owner::{Order, Said};

/// A segment of which it is known beforehand whether it is content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decided<'a> {
    pub(crate) segment: usize,
    pub(crate) keep: bool,
    why: Why<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Why<'a> {
    Said(&'a Said),
    Template(Templates),
}

/// What the template of a site says of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Templates {
    /// It is in a container of content.
    InContainer,
    /// It is in a part of a container that is not content.
    OtherPart,
    /// It is beside a container that has all of the content.
    BesideContainer,
    /// The template says it on many pages.
    Repeated,
}

impl Decided<'_> {
    /// What the template says of a segment.
    pub(crate) fn by_template(segment: usize, keep: bool, why: Templates) -> Self {
        Self {
            segment,
            keep,
            why: Why::Template(why),
        }
    }

    /// Whether the owner of the site said so.
    pub(crate) fn is_the_owners(&self) -> bool {
        matches!(self.why, Why::Said(_))
    }

    /// Whether nobody misses the segment if it is left out.
    pub(crate) fn is_no_loss(&self) -> bool {
        self.is_the_owners() || matches!(self.why, Why::Template(Templates::Repeated))
    }

    pub(crate) fn reason(&self) -> Reason {
        match self.why {
            Why::Said(Said::InPage) => Reason::DataSitecast,
            Why::Said(Said::ByRule(selector)) => Reason::Rule {
                selector: selector.clone(),
            },
            Why::Said(Said::Elsewhere(selector)) => Reason::OutsideContent {
                selector: selector.clone(),
            },
            Why::Template(Templates::InContainer) => Reason::InContainer,
            Why::Template(Templates::OtherPart) => Reason::OtherPart,
            Why::Template(Templates::BesideContainer) => Reason::BesideContainer,
            Why::Template(Templates::Repeated) => Reason::Repeated,
        }
    }
}

/// How likely each segment of a page is content, and what the template of its site decides.
pub(crate) struct Judged<'a> {
    pub(crate) probabilities: Cow<'a, [f32]>,
    pub(crate) by_template: Vec<Decided<'static>>,
}

impl<'a> Judged<'a> {
    /// As the page alone shows it.
    pub(crate) fn alone(analysis: &'a Analysis) -> Self {
        Self {
            probabilities: Cow::Borrowed(&analysis.probabilities),
            by_template: Vec::new(),
        }
    }
}

/// All decided segments of a page; on most pages alone there are none. The owner of the site has the last word.
pub(crate) fn decided<'a>(analysis: &'a Analysis, judged: &Judged<'_>) -> Vec<Decided<'a>> {
    let ordered = analysis.orders.of_segments(&analysis.layout);
    let ordered = ordered.into_iter().map(|(segment, order, said)| Decided {
        segment,
        keep: order == Order::Include,
        why: Why::Said(said),
    });
    judged.by_template.iter().copied().chain(ordered).collect()
}
