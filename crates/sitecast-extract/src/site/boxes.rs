//! Tallies of the boxes of a site's pages: which of them hold content, and which parts of those do not.

use foldhash::{HashMap, HashSet};

use super::containers::{Containers, kind_of_main, part_of, says_other};
use super::learner::Pages;
use super::place::{Places, place_weight};
use crate::analysis::Analysis;
use crate::content::Cue;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Layout};

/// Pages that must have a box before it can be a container, or a part of one that is left out.
const PAGES_TO_KNOW: u32 = 3;
/// Words of a page that count: a long page says no more about the template than this.
const WORDS_OF_A_PAGE: u64 = 400;

/// The share of its text that is content, in thousandths, from which on a box is a container, …
const PURE: u64 = 700;
/// … the same where the box says that it holds content, …
const PURE_BY_NAME: u64 = 550;
/// … and where, beside that, a generator of documentation made it: references look like menus.
const PURE_IN_DOCUMENTATION: u64 = 400;
/// The share of the content of its pages that is in a container, in thousandths, from which on it holds all of it.
const COMPLETE: u64 = 900;

/// A part that this share of a container's pages have, in thousandths, may be the template's …
const COMMON: u64 = 400;
/// … if it is full of links, and less than this share of its text is content, in thousandths.
const HARDLY_CONTENT: u64 = 150;
/// A part whose name says that it is something else is that if less than this share of its text is content, …
const LITTLE_CONTENT: u64 = 350;
/// … in documentation less than this, unless it is full of links; …
const NO_CONTENT: u64 = 150;
/// … and `nav` is if it is less than this.
const NOT_MOSTLY_CONTENT: u64 = 600;
/// The share of a part's characters that are in links, in thousandths, from which on it is full of links.
const MANY_LINKS: u64 = 500;

/// What was seen in the boxes of one place. Whole numbers: sums of fractions would depend on the order.
#[derive(Debug, Clone, Default)]
struct Seen {
    pages: Pages,
    parent: u64,
    kind: u64,
    part: u64,
    marks: Marks,
    /// How many boxes there were, …
    boxes: u32,
    /// … and how many of them say that they hold something other than content. Ids of a page's own say this and that.
    say_other: u32,
    chars: u64,
    link_chars: u64,
    /// Words that were judged, …
    judged: u64,
    /// … thousandths of words that are content by that, …
    content: u64,
    /// … and thousandths of words that are content on all of the pages that have the box.
    content_of_pages: u64,
}

/// What boxes say about themselves: whatever one of them says.
#[derive(Debug, Clone, Copy, Default)]
struct Marks {
    is_named: bool,
    says_content: bool,
    is_documentation: bool,
    is_navigation: bool,
    is_wrapper: bool,
    is_main: bool,
    is_article: bool,
    has_heading: bool,
}

impl Marks {
    fn of(found: &BoxInfo, is_documentation: bool) -> Self {
        let has_any = |cues: &[Cue]| cues.iter().any(|cue| found.cues.has(*cue));
        let says_content =
            matches!(found.tag, Tag::Main | Tag::Article) || has_any(&NAMES_OF_CONTENT);
        Self {
            is_named: found.is_named,
            says_content,
            is_documentation,
            is_navigation: found.tag == Tag::Nav,
            is_wrapper: matches!(
                found.tag,
                Tag::Html
                    | Tag::Body
                    | Tag::Main
                    | Tag::Article
                    | Tag::Section
                    | Tag::Div
                    | Tag::Center
                    | Tag::Table
                    | Tag::Tbody
                    | Tag::Tr
                    | Tag::Td
                    | Tag::Other
            ),
            is_main: found.tag == Tag::Main,
            is_article: found.tag == Tag::Article,
            has_heading: false,
        }
    }

    fn add(&mut self, other: Self) {
        self.is_named |= other.is_named;
        self.says_content |= other.says_content;
        self.is_documentation |= other.is_documentation;
        self.is_navigation |= other.is_navigation;
        self.is_wrapper |= other.is_wrapper;
        self.is_main |= other.is_main;
        self.is_article |= other.is_article;
        self.has_heading |= other.has_heading;
    }
}

const NAMES_OF_CONTENT: [Cue; 4] = [Cue::Article, Cue::Body, Cue::Content, Cue::Documentation];

impl Seen {
    /// The share of the text that is content, in thousandths; `None` if nothing was judged.
    fn purity(&self) -> Option<u64> {
        (self.judged > 0).then(|| self.content / self.judged)
    }

    fn is_container(&self) -> bool {
        self.pages.count >= PAGES_TO_KNOW && self.is_pure()
    }

    /// Whether so much of its text is content that all of it may be.
    fn is_pure(&self) -> bool {
        let enough = match self.marks {
            Marks {
                says_content: true,
                is_documentation: true,
                ..
            } if self.is_complete() => PURE_IN_DOCUMENTATION,
            Marks {
                says_content: true, ..
            } => PURE_BY_NAME,
            _ => PURE,
        };
        self.purity().is_some_and(|share| share >= enough)
    }

    /// Whether it is one box of a page that others stand in, rather than one of several paragraphs.
    fn is_wrapper(&self) -> bool {
        self.marks.is_wrapper && self.boxes == self.pages.count
    }

    /// Whether all content of its pages is in it.
    fn is_complete(&self) -> bool {
        self.content * 1000 >= self.content_of_pages * COMPLETE
    }

    fn add(&mut self, other: &Self) {
        self.pages.count += other.pages.count;
        self.marks.add(other.marks);
        self.boxes += other.boxes;
        self.say_other += other.say_other;
        self.chars += other.chars;
        self.link_chars += other.link_chars;
        self.judged += other.judged;
        self.content += other.content;
        self.content_of_pages += other.content_of_pages;
    }

    /// Whether a part of containers that so many pages have is not content.
    fn is_left_out(&self, pages_of_container: u32) -> bool {
        let is_documentation = self.marks.is_documentation;
        // What stands on a page and nowhere else is not the template's.
        if self.pages.count < PAGES_TO_KNOW {
            return false;
        }
        // What was not judged has no text but what the template repeats.
        let purity = self.purity().unwrap_or(0);
        let share = u64::from(self.pages.count) * 1000 / u64::from(pages_of_container.max(1));
        let is_common = share >= COMMON;
        let says_other = self.say_other * 2 > self.boxes;
        let has_many_links = self.link_chars * 1000 >= self.chars * MANY_LINKS;
        if self.marks.is_navigation {
            return purity < NOT_MOSTLY_CONTENT;
        }
        if says_other {
            // References look like menus to a judge, all of them; elsewhere it may be believed.
            let without_links = if is_documentation {
                NO_CONTENT
            } else {
                LITTLE_CONTENT
            };
            return (has_many_links && purity < LITTLE_CONTENT)
                || (!self.marks.has_heading && purity < without_links);
        }
        let is_of_template = is_common && self.marks.is_named && has_many_links;
        is_of_template && !is_documentation && !self.marks.has_heading && purity < HARDLY_CONTENT
    }
}

/// What was seen in all boxes, by their exact places.
#[derive(Debug, Clone, Default)]
pub(super) struct Boxes(HashMap<u64, Seen>);

impl Boxes {
    /// Sees which boxes a page has.
    pub(super) fn see(
        &mut self,
        page: u32,
        layout: &Layout,
        places: &[u64],
        is_documentation: bool,
    ) {
        let headings = have_headings(layout);
        let mut sum = (0, 0);
        let mut sums = vec![sum];
        for segment in &layout.segments {
            sum = (
                sum.0 + u64::from(segment.chars),
                sum.1 + u64::from(segment.link_chars),
            );
            sums.push(sum);
        }
        for (at, (found, place)) in layout.boxes.iter().zip(places).enumerate() {
            if found.segments.is_empty() || found.hidden {
                continue;
            }
            let seen = self.0.entry(*place).or_default();
            seen.pages.add(page);
            seen.parent = places.get(found.parent).copied().unwrap_or_default();
            seen.kind = found.site_kind;
            seen.part = part_of(layout, found);
            let mut marks = Marks::of(found, is_documentation);
            marks.has_heading = headings.get(at).is_some_and(|has_heading| *has_heading);
            seen.marks.add(marks);
            seen.boxes += 1;
            seen.say_other += u32::from(says_other(found));
            let count = |at: usize| sums.get(at).copied().unwrap_or(sum);
            let (start, end) = (count(found.segments.start), count(found.segments.end));
            seen.chars += end.0 - start.0;
            seen.link_chars += end.1 - start.1;
        }
    }

    /// Learns how much of what is in the boxes of a page is content. What was not judged has a probability that is no
    /// number.
    pub(super) fn learn(&mut self, analysis: &Analysis, places: &Places) {
        let mut sum = (0, 0);
        let mut sums = vec![sum];
        for (placed, probability) in places.segments.iter().zip(&analysis.probabilities) {
            if !probability.is_nan() {
                let weight = place_weight(placed.weight);
                sum.0 += weight;
                sum.1 += (f64::from(*probability) * 1000.0) as u64 * weight;
            }
            sums.push(sum);
        }
        let whole = sum;
        let counted = |words: u64| words * WORDS_OF_A_PAGE / whole.0.max(WORDS_OF_A_PAGE);
        let at = |index: usize| sums.get(index).copied().unwrap_or(whole);
        let mut on_page: HashSet<u64> = HashSet::default();
        for (found, place) in analysis.layout.boxes.iter().zip(&places.boxes) {
            if found.segments.is_empty() || found.hidden {
                continue;
            }
            let (start, end) = (at(found.segments.start), at(found.segments.end));
            let seen = self.0.entry(*place).or_default();
            seen.judged += counted(end.0 - start.0);
            seen.content += counted(end.1 - start.1);
            // A place may have many boxes on a page.
            if on_page.insert(*place) {
                seen.content_of_pages += counted(whole.1);
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (place, seen) in other.0 {
            let into = self.0.entry(place).or_default();
            into.add(&seen);
            if seen.pages.count > 0 {
                into.parent = seen.parent;
                into.kind = seen.kind;
                into.part = seen.part;
            }
        }
    }

    /// Whether a box has its content in boxes in it, one on a page, and does not say that it holds content: the body of a
    /// page is around content and menus.
    fn is_around_content(&self, seen: &Seen, inside: Option<&Vec<u64>>) -> bool {
        let inside = inside.into_iter().flatten();
        let inside = inside.filter_map(|place| self.0.get(place));
        let wrappers = inside.filter(|inner| inner.is_wrapper() && inner.is_pure());
        let content: u64 = wrappers.map(|inner| inner.content).sum();
        !seen.marks.says_content && content * 1000 >= seen.content * COMPLETE
    }

    /// The places that have their content in an `<article>`, one on a page, which a generator of documentation made:
    /// what it puts beside the article is a table of contents or leads to other pages.
    fn around_articles(&self) -> HashSet<u64> {
        let articles = self.0.values().filter(|seen| {
            let Marks {
                is_article,
                is_documentation,
                ..
            } = seen.marks;
            is_article && is_documentation && seen.is_wrapper() && seen.is_container()
        });
        let mut around = HashSet::default();
        for article in articles {
            let mut place = article.parent;
            while let Some(outer) = self.0.get(&place)
                && article.content * 1000 >= outer.content * COMPLETE
                && around.insert(place)
            {
                place = outer.parent;
            }
        }
        around
    }

    /// Whether the pages have their content in `<main>`, one on a page, wherever that stands and whatever its class.
    fn main_is_container(&self) -> bool {
        let mut mains = Seen::default();
        for seen in self.0.values().filter(|seen| seen.marks.is_main) {
            mains.add(seen);
        }
        mains.boxes == mains.pages.count && mains.is_container()
    }

    /// The outermost boxes of content, and what in them is not.
    pub(super) fn containers(&self) -> Containers {
        let mut inner: HashMap<u64, Vec<u64>> = HashMap::default();
        let mut outermost = Vec::new();
        for (place, seen) in &self.0 {
            if *place == seen.parent || !self.0.contains_key(&seen.parent) {
                outermost.push(*place);
            } else {
                inner.entry(seen.parent).or_default().push(*place);
            }
        }
        let mut found = Containers::default();
        if self.main_is_container() {
            found.kinds.insert(kind_of_main());
        }
        let around_articles = self.around_articles();
        let mut parts: HashMap<u64, Part> = HashMap::default();
        // Places that are still to be looked at, and the containers that they are in.
        let mut next: Vec<(u64, Option<u64>)> =
            outermost.into_iter().map(|at| (at, None)).collect();
        while let Some((place, mut container)) = next.pop() {
            let Some(seen) = self.0.get(&place) else {
                continue;
            };
            if let Some(container) = container {
                let part = parts.entry(seen.part).or_default();
                part.seen.add(seen);
                part.containers.insert(container);
            } else if seen.is_container()
                && !around_articles.contains(&place)
                && !self.is_around_content(seen, inner.get(&place))
            {
                container = Some(place);
                found.places.insert(place);
                if seen.marks.says_content && seen.marks.is_named {
                    found.kinds.insert(seen.kind);
                }
                if seen.is_complete() {
                    found.complete.insert(place);
                }
                if seen.marks.says_content && seen.marks.is_documentation {
                    found.documentation.insert(place);
                }
            }
            let inside = inner.get(&place).into_iter().flatten();
            next.extend(inside.map(|at| (*at, container)));
        }
        let is_left_out = |part: &Part| {
            let containers = part.containers.iter();
            let pages = containers.filter_map(|place| self.0.get(place));
            let pages = pages.map(|seen| seen.pages.count).sum();
            part.seen.is_left_out(pages)
        };
        let left_out = parts.iter().filter(|(_, part)| is_left_out(part));
        let left_out = left_out.map(|(key, _)| *key).collect();
        Containers { left_out, ..found }
    }
}

/// Boxes of one kind within containers, wherever in them they stand.
#[derive(Debug, Default)]
struct Part {
    seen: Seen,
    /// The places of the containers.
    containers: HashSet<u64>,
}

/// Whether each box has a heading in it.
fn have_headings(layout: &Layout) -> Vec<bool> {
    let mut has_heading = vec![false; layout.boxes.len()];
    for (at, found) in layout.boxes.iter().enumerate() {
        if found.tag.heading_level().is_none() {
            continue;
        }
        for (outer, _) in layout.around(at) {
            match has_heading.get_mut(outer) {
                Some(slot) if !*slot => *slot = true,
                _ => break,
            }
        }
    }
    has_heading
}
