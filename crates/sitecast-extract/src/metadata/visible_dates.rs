//! Dates that readers see: in `time` elements and in text, told apart by what is around them.

use foldhash::{HashMap, HashSet};
use std::borrow::Cow;

use super::Survey;
use super::date_context::Context;
use super::dates::{Found, Moment};
use super::pieces::{CONTEXT_CHARS, Piece, Place, names_of};
use super::text::last_chars;
use crate::dom::{Dom, Element, NodeId, Tag};

/// More dates than these are a calendar; the first ones stand where the page's own would.
const MAX_CANDIDATES: usize = 5_000;

/// A date that a reader sees and how likely it is the page's own.
#[derive(Debug, Clone)]
pub(super) struct Candidate<'d> {
    pub(super) score: f64,
    pub(super) moment: Moment,
    /// The words before it, or the names of its element, say that the page was changed then.
    pub(super) updated: bool,
    /// In the footer of the page, where the site says when it was built.
    pub(super) in_page_footer: bool,
    /// Characters from the title.
    distance: f64,
    signature: Signature<'d>,
}

/// The same for dates made by the same piece of a template: the element, its class, whether it is aside.
type Signature<'d> = (Tag, &'d str, bool);

/// What a date must score to be believed.
pub(super) struct Threshold;

impl Threshold {
    pub(super) const STRONG: f64 = 4.0;

    pub(super) fn of(survey: &Survey<'_>) -> f64 {
        if survey.kind.is_written() { 1.5 } else { 2.6 }
    }
}

/// The visible date that is likeliest when the page appeared.
pub(super) fn likeliest<'c, 'd>(candidates: &'c [Candidate<'d>]) -> Option<&'c Candidate<'d>> {
    let of_publication =
        |candidate: &&Candidate<'_>| !candidate.updated && !candidate.in_page_footer;
    candidates
        .iter()
        .filter(of_publication)
        .reduce(|best, next| if next.score > best.score { next } else { best })
}

/// All dates that readers see. `place` is that of the title.
pub(super) fn visible_dates<'d>(survey: &Survey<'d>, place: Option<Place>) -> Vec<Candidate<'d>> {
    let dom = survey.source.dom;
    let mut candidates = Vec::new();
    for (at, piece) in survey.pieces().list.iter().enumerate() {
        if piece.prose || piece.is_sample || !(piece.dated || piece.numbers.any()) {
            continue;
        }
        let Some(read) = Reading::of(survey, at, piece) else {
            continue;
        };
        let distance = place.map_or(300.0 + piece.start as f64 / 3.0, |place| {
            place.distance_to(piece.start)
        });
        let before = survey.pieces().before(at);
        for found in read.dates.iter().take(3) {
            candidates.push(read.candidate(dom, piece, found, &before, distance));
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

/// The same template with ever new dates: a list of other pages, or in a forum the posts, of
/// which the first is the page's own.
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
        let stated = piece.dated.then(stated).flatten();
        let read = |text: Cow<'p, str>, dates: Vec<Found>| Self {
            text,
            dates,
            in_time_element: stated.is_some() || around().any(is_time),
        };
        if let Some(moment) = stated.and_then(|stated| survey.calendar().read(stated)) {
            let whole = Found {
                start: 0,
                end: text.len(),
                moment,
            };
            return Some(read(text.into(), vec![whole]));
        }
        let dates = survey.calendar().find_among(piece.numbers, text);
        if !dates.is_empty() {
            return Some(read(text.into(), dates));
        }
        if text.len() < 25 && piece.numbers.any() {
            // Day, month and year in elements of their own.
            for from in [at.saturating_sub(1), at] {
                if let Some(joined) = survey.pieces().joined(from, 60) {
                    let dates = survey.calendar().find(&joined);
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
        piece: &Piece<'_>,
        found: &Found,
        before: &str,
        distance: f64,
    ) -> Candidate<'d> {
        let before = format!(
            "{before}\n{}",
            self.text.get(..found.start).unwrap_or_default()
        );
        let context = Context::of(last_chars(&before, CONTEXT_CHARS));
        let updated = context.says_updated() || is_called_change(dom, piece.parent);
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
            in_page_footer: piece.in_page_footer,
            distance,
            signature: (
                dom.tag(piece.parent),
                parent
                    .and_then(|parent| parent.attribute("class"))
                    .unwrap_or_default(),
                piece.aside,
            ),
        }
    }
}

fn is_time(element: Element<'_>) -> bool {
    element.tag == Tag::Time || element.name() == "date"
}

/// Whether the element, or the one around it, is called what elements with the date of the last change are called. Many blogs call
/// the date of publication `updated`.
fn is_called_change(dom: &Dom, id: NodeId) -> bool {
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
