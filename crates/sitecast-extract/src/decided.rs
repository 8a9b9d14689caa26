//! What is content or not whatever it looks like.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::Analysis;
use crate::article::{Statement, in_stated_text, stated_article};
use crate::content::{Recall, is_prose, weight};
use crate::layout::Layout;
use crate::owner::{Order, Said};
use crate::{Comments, Reason};

/// A stated article of at most this many words keeps every text that may be content. A list or a block of code is a large part of
/// it, and what is too much is a few words.
const SHORT: f32 = 150.0;
/// A text that is less likely than this to be content is not kept for that reason.
const DOUBTFUL: f32 = 0.3;

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
    Article(Statement),
    InShortArticle(Statement),
    InStatedText,
    Comment,
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
        self.is_the_owners()
            || matches!(
                self.why,
                Why::Template(Templates::Repeated) | Why::Article(_) | Why::Comment
            )
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
            Why::Article(statement) => Reason::OutsideArticle {
                statement: statement.name(),
            },
            Why::InShortArticle(statement) => Reason::InShortArticle {
                statement: statement.name(),
            },
            Why::InStatedText => Reason::InArticleBody,
            Why::Comment => Reason::Comment,
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
    /// What the template says, or, where it is not known, the page about where its article is.
    pub(crate) beforehand: Vec<Decided<'static>>,
    pub(crate) recall: Recall,
    pub(crate) context: Context,
}

/// What is known of a page beside itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// Nothing.
    Alone,
    /// The template of its site.
    InSite,
}

impl<'a> Judged<'a> {
    /// As the page alone shows it.
    pub(crate) fn alone(analysis: &'a Analysis) -> Self {
        let Analysis {
            dom,
            layout,
            probabilities,
            ..
        } = analysis;
        let mut beforehand = Vec::new();
        if let Some((article, statement)) = stated_article(dom, layout, probabilities) {
            let all = 0..layout.segments.len();
            let outside = all.filter(|at| !article.contains(at));
            beforehand.extend(outside.map(|segment| Decided {
                segment,
                keep: false,
                why: Why::Article(statement),
            }));
            let likely = |at: &usize| {
                probabilities
                    .get(*at)
                    .is_some_and(|likely| *likely >= DOUBTFUL)
            };
            if words(layout, article.clone()) <= SHORT {
                beforehand.extend(article.filter(likely).map(|segment| Decided {
                    segment,
                    keep: true,
                    why: Why::InShortArticle(statement),
                }));
            }
        }
        let stated = in_stated_text(dom, layout).into_iter();
        beforehand.extend(stated.map(|segment| Decided {
            segment,
            keep: true,
            why: Why::InStatedText,
        }));
        Self {
            probabilities: Cow::Borrowed(probabilities),
            beforehand,
            recall: analysis.recall,
            context: Context::Alone,
        }
    }
}

/// The number of words in a range of segments.
fn words(layout: &Layout, range: Range<usize>) -> f32 {
    let segments = layout.segments.get(range).unwrap_or_default().iter();
    segments
        .map(|segment| weight(segment.words, segment.chars))
        .sum()
}

/// All decided segments of a page. The owner of the site has the last word.
pub(crate) fn decided<'a>(analysis: &'a Analysis, judged: &Judged<'_>) -> Vec<Decided<'a>> {
    let ordered = analysis.orders.of_segments(&analysis.layout);
    let ordered = ordered.into_iter().map(|(segment, order, said)| Decided {
        segment,
        keep: order == Order::Include,
        why: Why::Said(said),
    });
    let beforehand = judged.beforehand.iter().copied();
    beforehand
        .chain(comments(analysis))
        .chain(ordered)
        .collect()
}

/// What becomes of the comments of readers: names and buttons among them are for the model to judge where they are kept.
fn comments<'a>(analysis: &Analysis) -> impl Iterator<Item = Decided<'a>> {
    let (comments, sections) = &analysis.comments;
    let keep = *comments == Comments::Include;
    let segments = sections.iter().cloned().flatten();
    let is_said = move |segment: &usize| {
        let found = analysis.layout.segments.get(*segment);
        found.is_some_and(|found| is_prose(found, analysis.layout.text_of(found)))
    };
    let decided = segments.filter(move |segment| !keep || is_said(segment));
    decided.map(move |segment| Decided {
        segment,
        keep,
        why: Why::Comment,
    })
}
