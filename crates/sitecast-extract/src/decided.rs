//! Decisions about segments that override their probabilities.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::Analysis;
use crate::article::{Statement, in_stated_text, stated_article};
use crate::content::{Recall, is_prose, weight};
use crate::layout::Layout;
use crate::owner::{Directive, DirectiveSource};
use crate::{Comments, Reason};

/// A stated article of at most this many words keeps every text that may be content. A list or a block of code is a large part of
/// it, and what is too much is a few words.
const SHORT: f32 = 150.0;
/// A text that is less likely than this to be content is not kept for that reason.
const DOUBTFUL: f32 = 0.3;

/// A segment that is kept or left out whatever its probability.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decided<'a> {
    pub(crate) segment: usize,
    pub(crate) keep: bool,
    why: DecisionReason<'a>,
}

#[derive(Debug, Clone, Copy)]
enum DecisionReason<'a> {
    Owner(&'a DirectiveSource),
    Template(TemplateDecision),
    Article(Statement),
    InShortArticle(Statement),
    InStatedText,
    Comment,
}

/// A decision by the template of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemplateDecision {
    /// The segment is in a container.
    InContainer,
    /// The segment is in a part of a container that is not content.
    OtherPart,
    /// The segment is outside of a container that has all of the content.
    BesideContainer,
    /// The template repeats the text on many pages.
    Repeated,
}

impl Decided<'_> {
    /// Makes a decision by the template.
    pub(crate) fn by_template(segment: usize, keep: bool, why: TemplateDecision) -> Self {
        Self {
            segment,
            keep,
            why: DecisionReason::Template(why),
        }
    }

    /// Returns true if the owner of the site decided.
    pub(crate) fn is_by_owner(&self) -> bool {
        matches!(self.why, DecisionReason::Owner(_))
    }

    /// Returns true if the segment does not count as missing when it is left out.
    pub(crate) fn is_uncounted(&self) -> bool {
        self.is_by_owner()
            || matches!(
                self.why,
                DecisionReason::Template(TemplateDecision::Repeated)
                    | DecisionReason::Article(_)
                    | DecisionReason::Comment
            )
    }

    pub(crate) fn reason(&self) -> Reason {
        match self.why {
            DecisionReason::Owner(DirectiveSource::Attribute) => Reason::DataSitecast,
            DecisionReason::Owner(DirectiveSource::Rule(selector)) => Reason::Rule {
                selector: selector.clone(),
            },
            DecisionReason::Owner(DirectiveSource::OutsideContent(selector)) => {
                Reason::OutsideContent {
                    selector: selector.clone(),
                }
            }
            DecisionReason::Article(statement) => Reason::OutsideArticle {
                statement: statement.name(),
            },
            DecisionReason::InShortArticle(statement) => Reason::InShortArticle {
                statement: statement.name(),
            },
            DecisionReason::InStatedText => Reason::InArticleBody,
            DecisionReason::Comment => Reason::Comment,
            DecisionReason::Template(TemplateDecision::InContainer) => Reason::InContainer,
            DecisionReason::Template(TemplateDecision::OtherPart) => Reason::OtherPart,
            DecisionReason::Template(TemplateDecision::BesideContainer) => Reason::BesideContainer,
            DecisionReason::Template(TemplateDecision::Repeated) => Reason::Repeated,
        }
    }
}

/// The probability of each segment of a page, and the decisions of its site's template.
pub(crate) struct Scores<'a> {
    pub(crate) probabilities: Cow<'a, [f32]>,
    /// Decisions of the template or, if the site is unknown, of the page's markup about its article.
    pub(crate) beforehand: Vec<Decided<'static>>,
    pub(crate) recall: Recall,
    pub(crate) context: Context,
}

/// The information about a page's site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// The site is unknown.
    Alone,
    /// The template of the site is known.
    InSite,
}

impl<'a> Scores<'a> {
    /// Uses the page alone.
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
                why: DecisionReason::Article(statement),
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
                    why: DecisionReason::InShortArticle(statement),
                }));
            }
        }
        let stated = in_stated_text(dom, layout).into_iter();
        beforehand.extend(stated.map(|segment| Decided {
            segment,
            keep: true,
            why: DecisionReason::InStatedText,
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

/// Returns all decisions about a page. Those of the owner come last and prevail.
pub(crate) fn decided<'a>(analysis: &'a Analysis, scores: &Scores<'_>) -> Vec<Decided<'a>> {
    let ordered = analysis.directives.of_segments(&analysis.layout);
    let ordered = ordered.into_iter().map(|(segment, order, by)| Decided {
        segment,
        keep: order == Directive::Include,
        why: DecisionReason::Owner(by),
    });
    let beforehand = scores.beforehand.iter().copied();
    beforehand
        .chain(comments(analysis))
        .chain(ordered)
        .collect()
}

/// Returns decisions about readers' comments. If they are kept, the model still decides about names and buttons among
/// them.
fn comments<'a>(analysis: &Analysis) -> impl Iterator<Item = Decided<'a>> {
    let (comments, sections) = &analysis.comments;
    let keep = *comments == Comments::Include;
    let segments = sections.iter().cloned().flatten();
    let is_prose = move |segment: &usize| {
        let found = analysis.layout.segments.get(*segment);
        found.is_some_and(|found| is_prose(found, analysis.layout.text_of(found)))
    };
    let decided = segments.filter(move |segment| !keep || is_prose(segment));
    decided.map(move |segment| Decided {
        segment,
        keep,
        why: DecisionReason::Comment,
    })
}
