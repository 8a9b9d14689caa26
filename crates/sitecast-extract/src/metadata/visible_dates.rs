//! Dates that readers see: in `time` elements and in text, told apart by what is around them.

use foldhash::{HashMap, HashSet};
use std::borrow::Cow;

use super::Survey;
use super::date_context::Context;
use super::dates::{Found, Moment};
use super::pieces::{CONTEXT_CHARS, Piece, names_of};
use super::text::last_chars;
use crate::dom::{Dom, Element, NodeId, Tag};

/// More dates than these are a calendar; the first ones stand where the page's own would.
const MAX_CANDIDATES: usize = 5_000;

/// A date that a reader sees and how likely it is the page's own.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) score: f64,
    pub(super) moment: Moment,
    /// The words before it say that the page was changed then.
    pub(super) updated: bool,
    /// Characters from the title.
    distance: f64,
    /// The same for dates made by the same piece of a template.
    signature: (Tag, String, bool),
}

/// What a date must score to be believed.
pub(super) struct Threshold;

impl Threshold {
    pub(super) const STRONG: f64 = 4.0;

    pub(super) fn of(survey: &Survey<'_>) -> f64 {
        if survey.kind.is_written() { 1.5 } else { 2.6 }
    }
}

/// The visible date that is likeliest when the page appeared.
pub(super) fn likeliest(candidates: &[Candidate]) -> Option<&Candidate> {
    candidates
        .iter()
        .reduce(|best, next| if next.score > best.score { next } else { best })
}

/// All dates that readers see.
pub(super) fn visible_dates(survey: &Survey<'_>, heading: Option<NodeId>) -> Vec<Candidate> {
    let dom = survey.source.dom;
    let place = heading.and_then(|heading| survey.pieces.place_of(dom, heading));
    let mut candidates = Vec::new();
    for (at, piece) in survey.pieces.list.iter().enumerate() {
        if !piece.prose {
            let distance = place.map_or(300.0 + piece.start as f64 / 3.0, |place| {
                place.distance_to(piece.start)
            });
            if let Some(read) = Reading::of(survey, at, piece) {
                let before = survey.pieces.before(at);
                for found in read.dates.iter().take(3) {
                    candidates.push(read.candidate(dom, piece, found, &before, distance));
                }
            }
            if candidates.len() >= MAX_CANDIDATES {
                break;
            }
        }
    }
    if !survey.kind.article {
        mark_down_lists(&mut candidates, survey.kind.forum);
    }
    candidates
}

/// The same template with ever new dates: a list of other pages, or in a forum the posts, of
/// which the first is the page's own.
fn mark_down_lists(candidates: &mut [Candidate], forum: bool) {
    let mut days: HashMap<(Tag, String, bool), HashSet<_>> = HashMap::default();
    for candidate in candidates.iter() {
        days.entry(candidate.signature.clone())
            .or_default()
            .insert(candidate.moment.day);
    }
    let mut seen = HashSet::default();
    for candidate in candidates {
        let first = seen.insert(candidate.signature.clone());
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

/// The dates of a piece.
struct Reading<'p> {
    text: Cow<'p, str>,
    dates: Vec<Found>,
    in_time_element: bool,
}

impl<'p> Reading<'p> {
    /// What dates a piece shows; `None` if it shows none.
    fn of(survey: &Survey<'_>, at: usize, piece: &'p Piece<'_>) -> Option<Self> {
        let dom = survey.source.dom;
        let text = &*piece.text;
        let around = || {
            dom.ancestors(piece.parent)
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
        let stated = dom.may_have("datetime").then(stated).flatten();
        let read = |text: Cow<'p, str>, dates: Vec<Found>| Self {
            text,
            dates,
            in_time_element: stated.is_some() || around().any(is_time),
        };
        if let Some(moment) = stated.and_then(|stated| survey.calendar.read(stated)) {
            let whole = Found {
                start: 0,
                end: text.len(),
                moment,
            };
            return Some(read(text.into(), vec![whole]));
        }
        let dates = survey.calendar.find(text);
        if !dates.is_empty() {
            return Some(read(text.into(), dates));
        }
        if text.len() < 25 && text.bytes().any(|b| b.is_ascii_digit()) {
            // Day, month and year in elements of their own.
            for from in [at.saturating_sub(1), at] {
                let joined = survey.pieces.join(from, 3);
                if joined.len() < 60 {
                    let dates = survey.calendar.find(&joined);
                    if !dates.is_empty() {
                        return Some(read(joined.into(), dates));
                    }
                }
            }
        }
        None
    }

    fn candidate(
        &self,
        dom: &Dom,
        piece: &Piece<'_>,
        found: &Found,
        before: &str,
        distance: f64,
    ) -> Candidate {
        let before = format!(
            "{before} {}",
            self.text.get(..found.start).unwrap_or_default()
        );
        let context = Context::of(last_chars(&before, CONTEXT_CHARS));
        let updated = context.says_updated();
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
        if is_called_date(dom, piece.parent) {
            score += 1.5;
        }
        if updated {
            score -= 0.5;
        } else if context.says_published() {
            score += 1.5;
        }
        if piece.aside {
            score -= if near { 1.0 } else { 3.0 };
        }
        if beside <= 25 {
            score += 1.5;
        }
        if context.says_something_else() {
            score -= 4.0;
        }
        // Within a sentence.
        if beside > 60 {
            score -= 2.5;
        }
        if !(-600.0..=4_000.0).contains(&distance) {
            score -= 1.5;
        }
        let parent = dom.element(piece.parent);
        Candidate {
            score,
            moment: found.moment,
            updated,
            distance,
            signature: (
                dom.tag(piece.parent),
                parent
                    .and_then(|parent| parent.attribute("class"))
                    .unwrap_or_default()
                    .to_owned(),
                piece.aside,
            ),
        }
    }
}

fn is_time(element: &Element) -> bool {
    element.tag == Tag::Time || element.name() == "date"
}

/// Whether the element, or the one around it, is called what elements with dates are called.
fn is_called_date(dom: &Dom, id: NodeId) -> bool {
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
