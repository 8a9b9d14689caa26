//! Counts over the boxes of a site's pages, to find containers and the parts of them that are not content.

use foldhash::{HashMap, HashSet};

use super::containers::{Containers, kind_of_main, part_of, says_other};
use super::learner::Pages;
use super::place::{Places, place_weight};
use crate::analysis::Analysis;
use crate::content::Cue;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Layout};

/// A box must be on this many pages to be a container or a part to leave out.
const PAGES_TO_KNOW: u32 = 3;
/// Count at most this many words of a page: a longer one reveals no more about the template.
const WORDS_OF_A_PAGE: u64 = 400;

/// The share of content in a box's text, in thousandths, that makes it a container, …
const CONTENT_SHARE: u64 = 700;
/// … for a box whose name indicates content, …
const CONTENT_SHARE_BY_NAME: u64 = 550;
/// … and for such a box in generated documentation, since references look like menus.
const CONTENT_SHARE_IN_DOCUMENTATION: u64 = 400;
/// A container with this share of its pages' content, in thousandths, has all of it.
const COMPLETE: u64 = 900;

/// In thousandths. A part on this share of a container's pages may belong to the template …
const COMMON: u64 = 400;
/// … if it is full of links and a smaller share of its text is content.
const HARDLY_CONTENT: u64 = 150;
/// A part with a name of something else is left out if a smaller share of its text is content, …
const LITTLE_CONTENT: u64 = 350;
/// … in documentation, unless it is full of links, only below this share, …
const NO_CONTENT: u64 = 150;
/// … and `nav` below this one.
const NOT_MOSTLY_CONTENT: u64 = 600;
/// A part with this share of its characters in links, in thousandths, is full of links.
const MANY_LINKS: u64 = 500;

/// Counts over the boxes of one place, in whole numbers: sums of fractions would depend on the order of pages.
#[derive(Debug, Clone, Default)]
struct BoxTally {
    pages: Pages,
    parent: u64,
    kind: u64,
    part: u64,
    marks: Marks,
    /// Number of boxes, …
    boxes: u32,
    /// … and of those whose name indicates something else than content. Ids differ between boxes.
    say_other: u32,
    chars: u64,
    link_chars: u64,
    /// Weight of the text with a probability, …
    scored: u64,
    /// … the content in it, as thousandths of probability times weight, …
    content: u64,
    /// … and the content of all pages with the box, in the same unit.
    content_of_pages: u64,
}

/// Marks of the boxes in one place. A mark is set if any of them has it.
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

impl BoxTally {
    /// Returns the share of content in the text, in thousandths; `None` if no text has a probability.
    fn content_share(&self) -> Option<u64> {
        (self.scored > 0).then(|| self.content / self.scored)
    }

    fn is_container(&self) -> bool {
        self.pages.count >= PAGES_TO_KNOW && self.is_mostly_content()
    }

    /// Returns true if so much of the text is content that all of it may be.
    fn is_mostly_content(&self) -> bool {
        let enough = match self.marks {
            Marks {
                says_content: true,
                is_documentation: true,
                ..
            } if self.is_complete() => CONTENT_SHARE_IN_DOCUMENTATION,
            Marks {
                says_content: true, ..
            } => CONTENT_SHARE_BY_NAME,
            _ => CONTENT_SHARE,
        };
        self.content_share().is_some_and(|share| share >= enough)
    }

    /// Returns true for a wrapper that occurs once on each of its pages, unlike one of several paragraphs.
    fn is_wrapper(&self) -> bool {
        self.marks.is_wrapper && self.boxes == self.pages.count
    }

    /// Returns true if all content of its pages is in it.
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
        self.scored += other.scored;
        self.content += other.content;
        self.content_of_pages += other.content_of_pages;
    }

    /// Returns true if a part of containers on this many pages is not content.
    fn is_left_out(&self, pages_of_container: u32) -> bool {
        let is_documentation = self.marks.is_documentation;
        // Text on a page or two does not belong to the template.
        if self.pages.count < PAGES_TO_KNOW {
            return false;
        }
        // A part without probabilities has only text that the template repeats.
        let content_share = self.content_share().unwrap_or(0);
        let share = u64::from(self.pages.count) * 1000 / u64::from(pages_of_container.max(1));
        let is_common = share >= COMMON;
        let says_other = self.say_other * 2 > self.boxes;
        let has_many_links = self.link_chars * 1000 >= self.chars * MANY_LINKS;
        if self.marks.is_navigation {
            return content_share < NOT_MOSTLY_CONTENT;
        }
        if says_other {
            // In documentation the model takes all references for menus; elsewhere its probability counts.
            let without_links = if is_documentation {
                NO_CONTENT
            } else {
                LITTLE_CONTENT
            };
            return (has_many_links && content_share < LITTLE_CONTENT)
                || (!self.marks.has_heading && content_share < without_links);
        }
        let is_of_template = is_common && self.marks.is_named && has_many_links;
        is_of_template
            && !is_documentation
            && !self.marks.has_heading
            && content_share < HARDLY_CONTENT
    }
}

/// Counts over all boxes, by exact place.
#[derive(Debug, Clone, Default)]
pub(super) struct BoxTallies(HashMap<u64, BoxTally>);

impl BoxTallies {
    /// Counts the boxes of a page.
    pub(super) fn count(
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
            let tally = self.0.entry(*place).or_default();
            tally.pages.add(page);
            tally.parent = places.get(found.parent).copied().unwrap_or_default();
            tally.kind = found.site_kind;
            tally.part = part_of(layout, found);
            let mut marks = Marks::of(found, is_documentation);
            marks.has_heading = headings.get(at).is_some_and(|has_heading| *has_heading);
            tally.marks.add(marks);
            tally.boxes += 1;
            tally.say_other += u32::from(says_other(found));
            let count = |at: usize| sums.get(at).copied().unwrap_or(sum);
            let (start, end) = (count(found.segments.start), count(found.segments.end));
            tally.chars += end.0 - start.0;
            tally.link_chars += end.1 - start.1;
        }
    }

    /// Counts the content in the boxes of a page. Segments whose probability is NaN do not count.
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
            let tally = self.0.entry(*place).or_default();
            tally.scored += counted(end.0 - start.0);
            tally.content += counted(end.1 - start.1);
            // A page may have many boxes in one place.
            if on_page.insert(*place) {
                tally.content_of_pages += counted(whole.1);
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (place, tally) in other.0 {
            let into = self.0.entry(place).or_default();
            into.add(&tally);
            if tally.pages.count > 0 {
                into.parent = tally.parent;
                into.kind = tally.kind;
                into.part = tally.part;
            }
        }
    }

    /// Returns true for a box that only wraps other wrappers of content and has no name that indicates content: the
    /// `body` of a page contains both content and menus.
    fn is_around_content(&self, tally: &BoxTally, inside: Option<&Vec<u64>>) -> bool {
        let inside = inside.into_iter().flatten();
        let inside = inside.filter_map(|place| self.0.get(place));
        let wrappers = inside.filter(|inner| inner.is_wrapper() && inner.is_mostly_content());
        let content: u64 = wrappers.map(|inner| inner.content).sum();
        !tally.marks.says_content && content * 1000 >= tally.content * COMPLETE
    }

    /// Returns the places around the single `<article>` of generated documentation: the parts beside that article are
    /// tables of contents and links to other pages.
    fn around_articles(&self) -> HashSet<u64> {
        let articles = self.0.values().filter(|tally| {
            let Marks {
                is_article,
                is_documentation,
                ..
            } = tally.marks;
            is_article && is_documentation && tally.is_wrapper() && tally.is_container()
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

    /// Returns true if the pages have their content in a single `<main>`, wherever it stands and whatever its class.
    fn main_is_container(&self) -> bool {
        let mut mains = BoxTally::default();
        for tally in self.0.values().filter(|tally| tally.marks.is_main) {
            mains.add(tally);
        }
        mains.boxes == mains.pages.count && mains.is_container()
    }

    /// Returns the outermost boxes of content, and the parts of them that are not content.
    pub(super) fn containers(&self) -> Containers {
        let mut inner: HashMap<u64, Vec<u64>> = HashMap::default();
        let mut outermost = Vec::new();
        for (place, tally) in &self.0 {
            if *place == tally.parent || !self.0.contains_key(&tally.parent) {
                outermost.push(*place);
            } else {
                inner.entry(tally.parent).or_default().push(*place);
            }
        }
        let mut found = Containers::default();
        if self.main_is_container() {
            found.kinds.insert(kind_of_main());
        }
        let around_articles = self.around_articles();
        let mut parts: HashMap<u64, Part> = HashMap::default();
        // Places still to visit, with the container around each.
        let mut next: Vec<(u64, Option<u64>)> =
            outermost.into_iter().map(|at| (at, None)).collect();
        while let Some((place, mut container)) = next.pop() {
            let Some(tally) = self.0.get(&place) else {
                continue;
            };
            if let Some(container) = container {
                let part = parts.entry(tally.part).or_default();
                part.tally.add(tally);
                part.containers.insert(container);
            } else if tally.is_container()
                && !around_articles.contains(&place)
                && !self.is_around_content(tally, inner.get(&place))
            {
                container = Some(place);
                found.places.insert(place);
                if tally.marks.says_content && tally.marks.is_named {
                    found.kinds.insert(tally.kind);
                }
                if tally.is_complete() {
                    found.complete.insert(place);
                }
                if tally.marks.says_content && tally.marks.is_documentation {
                    found.documentation.insert(place);
                }
            }
            let inside = inner.get(&place).into_iter().flatten();
            next.extend(inside.map(|at| (*at, container)));
        }
        let is_left_out = |part: &Part| {
            let containers = part.containers.iter();
            let pages = containers.filter_map(|place| self.0.get(place));
            let pages = pages.map(|tally| tally.pages.count).sum();
            part.tally.is_left_out(pages)
        };
        let left_out = parts.iter().filter(|(_, part)| is_left_out(part));
        let left_out = left_out.map(|(key, _)| *key).collect();
        Containers { left_out, ..found }
    }
}

/// BoxTallies of one kind anywhere in containers.
#[derive(Debug, Default)]
struct Part {
    tally: BoxTally,
    /// Places of the containers.
    containers: HashSet<u64>,
}

/// Returns true for each box with a heading in it.
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
