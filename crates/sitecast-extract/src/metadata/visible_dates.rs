//! Visible dates, in `time` elements and in text, with a score by their context.

use foldhash::{HashMap, HashSet};
use std::borrow::Cow;

use super::Survey;
use super::date_context::DateContext;
use super::dates::{FoundDate, Moment};
use super::text::last_chars;
use super::text_nodes::{CONTEXT_CHARS, TextNode, TextRange, names_of};
use crate::dom::{Dom, Element, NodeId, Tag};

/// The search stops after this many dates: the page is a calendar, and its own date would be among the first.
const MAX_CANDIDATES: usize = 5_000;

/// A visible date, with a score for being the page's own.
#[derive(Debug, Clone)]
pub(super) struct Candidate<'d> {
    pub(super) score: f64,
    pub(super) moment: Moment,
    /// The words before it, or the class or id of its element, mark it as the date of a change.
    pub(super) updated: bool,
    /// In the footer of the page, which may have the date when the site was built.
    pub(super) in_page_footer: bool,
    /// Characters after the title; negative before it.
    distance: f64,
    signature: Signature<'d>,
}

/// Tag, class and [`TextNode::aside`], which are equal for dates of the same part of a template.
type Signature<'d> = (Tag, &'d str, bool);

/// The scores that dates need.
pub(super) struct Threshold;

impl Threshold {
    /// Enough to override a stated date.
    pub(super) const STRONG: f64 = 4.0;

    pub(super) fn of(survey: &Survey<'_>) -> f64 {
        if survey.kind.is_written() { 1.5 } else { 2.6 }
    }
}

/// Returns the likeliest date of publication.
pub(super) fn likeliest<'c, 'd>(candidates: &'c [Candidate<'d>]) -> Option<&'c Candidate<'d>> {
    let of_publication =
        |candidate: &&Candidate<'_>| !candidate.updated && !candidate.in_page_footer;
    candidates
        .iter()
        .filter(of_publication)
        .reduce(|best, next| if next.score > best.score { next } else { best })
}

/// Returns all visible dates.
pub(super) fn visible_dates<'d>(
    survey: &Survey<'d>,
    title_range: Option<TextRange>,
) -> Vec<Candidate<'d>> {
    let dom = survey.source.dom;
    let mut candidates = Vec::new();
    for (at, text_node) in survey.text_nodes().list.iter().enumerate() {
        if text_node.prose
            || text_node.in_code
            || !(text_node.has_datetime || text_node.numbers.any())
        {
            continue;
        }
        let Some(read) = TextNodeDates::of(survey, at, text_node) else {
            continue;
        };
        let distance = title_range.map_or(300.0 + text_node.start as f64 / 3.0, |title_range| {
            title_range.distance_to(text_node.start)
        });
        let before = survey.text_nodes().before(at);
        for found in read.dates.iter().take(3) {
            candidates.push(read.candidate(dom, text_node, found, &before, distance));
        }
        if candidates.len() >= MAX_CANDIDATES {
            break;
        }
    }
    if !survey.kind.article {
        mark_down_lists(&mut candidates, survey.kind.forum);
    }
    candidates
}

/// Lowers the scores of dates in lists: four or more different dates with the same signature belong to other pages, or to the
/// posts of a thread, of which the first is the page's own.
fn mark_down_lists(candidates: &mut [Candidate<'_>], forum: bool) {
    let mut days: HashMap<Signature<'_>, HashSet<_>> = HashMap::default();
    for candidate in candidates.iter() {
        days.entry(candidate.signature)
            .or_default()
            .insert(candidate.moment.day);
    }
    let mut seen = HashSet::default();
    for candidate in candidates {
        let first = seen.insert(candidate.signature);
        if candidate.distance > 150.0
            && !(forum && first)
            && days
                .get(&candidate.signature)
                .is_some_and(|days| days.len() >= 4)
        {
            candidate.score -= 2.0;
        }
    }
}

/// The dates of a text node.
struct TextNodeDates<'p> {
    text: Cow<'p, str>,
    dates: Vec<FoundDate>,
    in_time_element: bool,
}

impl<'p> TextNodeDates<'p> {
    /// Reads the dates of a text node; `None` if there are none.
    fn of(survey: &Survey<'_>, at: usize, text_node: &'p TextNode<'_>) -> Option<Self> {
        let dom = survey.source.dom;
        let text = &*text_node.text;
        let around = || {
            dom.ancestors(text_node.parent)
                .take(3)
                .filter_map(|id| dom.element(id))
        };
        let stated = || {
            around().find_map(|element| {
                element
                    .attribute("datetime")
                    .filter(|value| !value.is_empty())
            })
        };
        let stated = text_node.has_datetime.then(stated).flatten();
        let read = |text: Cow<'p, str>, dates: Vec<FoundDate>| Self {
            text,
            dates,
            in_time_element: stated.is_some() || around().any(is_time),
        };
        if let Some(moment) = stated.and_then(|stated| survey.date_parser().read(stated)) {
            let whole = FoundDate {
                start: 0,
                end: text.len(),
                moment,
            };
            return Some(read(text.into(), vec![whole]));
        }
        let dates = survey.date_parser().find_among(text_node.numbers, text);
        if !dates.is_empty() {
            return Some(read(text.into(), dates));
        }
        if text.len() < 25 && text_node.numbers.any() {
            // Day, month and year may be in separate elements.
            for from in [at.saturating_sub(1), at] {
                if let Some(joined) = survey.text_nodes().joined(from, 60) {
                    let dates = survey.date_parser().find(&joined);
                    if !dates.is_empty() {
                        return Some(read(joined.into(), dates));
                    }
                }
            }
        }
        None
    }

    fn candidate<'d>(
        &self,
        dom: &'d Dom,
        text_node: &TextNode<'_>,
        found: &FoundDate,
        before: &str,
        distance: f64,
    ) -> Candidate<'d> {
        let before = format!(
            "{before}\n{}",
            self.text.get(..found.start).unwrap_or_default()
        );
        let context = DateContext::of(last_chars(&before, CONTEXT_CHARS));
        let updated =
            context.says_updated() || is_named_as_modification_date(dom, text_node.parent);
        let beside = self.text.chars().count()
            - self
                .text
                .get(found.start..found.end)
                .unwrap_or_default()
                .chars()
                .count();
        let near = (0.0..900.0).contains(&distance) || (distance > -150.0 && distance < 0.0);

        let mut score = if distance >= 0.0 {
            (3.0 - distance / 250.0).max(0.0)
        } else {
            (2.5 + distance / 80.0).max(-1.0)
        };
        if self.in_time_element {
            score += 1.5;
        }
        if is_named_as_date(dom, text_node.parent) {
            score += 1.5;
        }
        if updated {
            score -= 0.5;
        } else if context.says_published() {
            score += 1.5;
        }
        if text_node.aside {
            score -= if near { 1.0 } else { 3.0 };
        }
        if beside <= 25 {
            score += 1.5;
        }
        if context.says_something_else() {
            score -= 4.0;
        }
        // The date is inside a sentence.
        if beside > 60 {
            score -= 2.5;
        }
        if !(-600.0..=4_000.0).contains(&distance) {
            score -= 1.5;
        }
        let parent = dom.element(text_node.parent);
        Candidate {
            score,
            moment: found.moment,
            updated,
            in_page_footer: text_node.in_page_footer,
            distance,
            signature: (
                dom.tag(text_node.parent),
                parent
                    .and_then(|parent| parent.attribute("class"))
                    .unwrap_or_default(),
                text_node.aside,
            ),
        }
    }
}

fn is_time(element: Element<'_>) -> bool {
    element.tag == Tag::Time || element.name() == "date"
}

/// Returns true if class or id of the element or its parent mark the date of a change. `updated` does not count: many blogs use
/// it for the date of publication.
fn is_named_as_modification_date(dom: &Dom, id: NodeId) -> bool {
    dom.ancestors(id)
        .take(2)
        .filter_map(|id| dom.element(id))
        .filter(|element| element.has_attributes())
        .any(|element| {
            let names = names_of(element);
            let is_change = [
                "lastupdate",
                "last-update",
                "last_update",
                "lastmod",
                "last-mod",
                "last_mod",
                "revision-date",
                "modified",
            ]
            .iter()
            .any(|part| names.contains(part));
            is_change && !names.contains("publi") && !names.contains("created")
        })
}

/// Returns true if class or id of the element or its parent are typical for dates.
fn is_named_as_date(dom: &Dom, id: NodeId) -> bool {
    dom.ancestors(id)
        .take(2)
        .filter_map(|id| dom.element(id))
        .any(|element| {
            let names = names_of(element);
            [
                "date", "publish", "posted", "time", "byline", "meta", "info", "author", "created",
            ]
            .iter()
            .any(|part| names.contains(part))
        })
}
