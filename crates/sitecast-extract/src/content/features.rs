//! Features: each segment described as numbers for the model.
//!
//! No feature is about particular sites or a particular language, except for a few short words of buttons and labels.

mod context;
mod counts;
mod groups;
mod items;
mod own;
mod place;
mod row;
mod shape;
mod sums;

use super::facts::PageFacts;
use super::forest::{Column, LANES};
use crate::dom::{Dom, Tag};
use crate::layout::{BoxInfo, Fnv, Layout, Segment};
use context::Contexts;
use counts::Counts;
use groups::Groups;
use items::Items;
pub(super) use row::{Lane, Row};
use sums::Sums;
pub(crate) use sums::is_prose;

/// The distance to an ancestor that does not exist.
const FAR: f32 = 40.0;

struct Page<'a> {
    layout: &'a Layout,
    sums: Vec<Sums>,
    total: Sums,
    contexts: Contexts,
    /// By the signatures of the nearest boxes around each segment.
    paths: Counts<u64>,
    texts: Counts<&'a str>,
    groups: Groups,
    items: Items,
    containers: [usize; 3],
    /// For each box, the depth of the innermost box around it that contains each of the containers.
    meets: Vec<[u16; 3]>,
    first_h1: Option<usize>,
    first_prose: usize,
    last_prose: usize,
}

/// Some segments of a page with their features.
#[derive(Debug, Default)]
pub(crate) struct Described {
    pub(crate) segments: Vec<usize>,
    /// One column for each feature, with a lane for each segment.
    pub(crate) columns: Vec<Column>,
    /// The features after those: of the whole page, the same for all segments.
    pub(crate) page: Vec<f32>,
}

/// Describes the wanted segments in batches: the features of all segments would need a hundred times the memory of the
/// page.
pub(crate) fn describe_each(
    dom: &Dom,
    layout: &Layout,
    facts: &PageFacts,
    wanted: impl Fn(usize) -> bool,
    mut take: impl FnMut(&mut Described),
) {
    let mut wanted = (0..layout.segments.len())
        .filter(|index| wanted(*index))
        .peekable();
    if wanted.peek().is_none() {
        return;
    }
    let mut page = Page::new(dom, layout);
    let mut described = Described::default();
    page.page(facts, &mut described.page);
    for index in wanted {
        let lane = described.segments.len();
        page.describe(index, facts, &mut Lane::of(&mut described.columns, lane));
        described.segments.push(index);
        if described.segments.len() == LANES {
            take(&mut described);
            described.segments.clear();
        }
    }
    if !described.segments.is_empty() {
        take(&mut described);
    }
}

/// Returns the names of the features.
pub(crate) fn feature_names(dom: &Dom, layout: &Layout) -> Vec<String> {
    let facts = &PageFacts::of(dom, "");
    let mut names = Vec::new();
    let mut page = Page::new(dom, layout);
    page.describe(0, facts, &mut names);
    page.page(facts, &mut names);
    names
}

impl<'a> Page<'a> {
    fn new(dom: &Dom, layout: &'a Layout) -> Self {
        let mut sums = vec![Sums::default()];
        let mut sum = Sums::default();
        let mut texts = Counts::with_capacity(layout.segments.len());
        let mut paths = Counts::with_capacity(layout.segments.len());
        let mut prose = Vec::with_capacity(layout.segments.len());
        let mut first_h1 = None;
        let mut first_prose = None;
        let mut last_prose = 0;
        for (index, segment) in layout.segments.iter().enumerate() {
            let text = layout.text_of(segment);
            let tag = layout
                .boxes
                .get(segment.parent)
                .map_or(Tag::Other, |b| b.tag);
            sum.segments += 1.0;
            sum.words += segment.words as f32;
            sum.chars += segment.chars as f32;
            sum.link_chars += segment.link_chars as f32;
            let is_prose = is_prose(segment, text);
            prose.push(is_prose);
            if is_prose {
                sum.prose += segment.words.max(segment.chars / 8) as f32;
                first_prose.get_or_insert(index);
                last_prose = index;
            }
            if tag == Tag::P {
                sum.paragraphs += segment.words as f32;
            }
            if tag.heading_level().is_some() {
                sum.headings += 1.0;
            }
            if tag == Tag::H1 && first_h1.is_none() {
                first_h1 = Some(index);
            }
            sums.push(sum);
            texts.add(text);
            let mut path = Fnv::default().0;
            for (_, around) in layout.around(segment.parent).take(4) {
                path = path.rotate_left(9) ^ around.signature;
            }
            paths.add(path);
        }
        let share = |found: &BoxInfo| {
            let chars = sums::within(&sums, found.segments.clone()).chars;
            chars / sum.chars.max(1.0)
        };
        let mut page = Self {
            layout,
            total: sum,
            contexts: Contexts::of(dom, layout, share),
            sums,
            paths,
            texts,
            groups: Groups::of(layout, &prose),
            items: Items::of(layout),
            containers: [0; 3],
            meets: Vec::with_capacity(layout.boxes.len()),
            first_h1,
            first_prose: first_prose.unwrap_or(0),
            last_prose,
        };
        page.containers = [0.4, 0.6, 0.85].map(|share| page.container(share));
        for found in &layout.boxes {
            let mut meets = page.meets.get(found.parent).copied().unwrap_or_default();
            for (slot, container) in meets.iter_mut().zip(page.containers) {
                let inside = layout
                    .boxes
                    .get(container)
                    .map_or(0..0, |b| b.segments.clone());
                if found.segments.start <= inside.start && found.segments.end >= inside.end {
                    *slot = u16::try_from(found.depth).unwrap_or(u16::MAX);
                }
            }
            page.meets.push(meets);
        }
        page
    }

    fn sum(&self, range: std::ops::Range<usize>) -> Sums {
        sums::within(&self.sums, range)
    }

    /// Returns the smallest box with at least this share of the page's prose.
    fn container(&self, share: f32) -> usize {
        let wanted = self.total.prose.max(1.0) * share;
        let mut best = 0;
        let mut least = f32::MAX;
        for (at, found) in self.layout.boxes.iter().enumerate() {
            let sum = self.sum(found.segments.clone());
            if sum.prose >= wanted && sum.chars <= least {
                least = sum.chars;
                best = at;
            }
        }
        best
    }

    /// Writes all features of a segment except those of the whole page.
    fn describe(&mut self, index: usize, facts: &PageFacts, row: &mut impl Row) {
        let Some(segment) = self.layout.segments.get(index) else {
            return;
        };
        let text = self.layout.text_of(segment);
        self.own(index, segment, text, facts, row);
        self.place(index, segment, row);
        let depth = self.layout.boxes.get(segment.parent).map_or(0, |b| b.depth);
        self.contexts.put(segment.parent, depth, row);
        self.groups.put(index, row);
        let sum = |range| self.sum(range);
        self.items.put(self.layout, index, segment, sum, row);
        self.neighbours(index, segment, row);
    }

    fn tag(&self, segment: &Segment) -> Tag {
        self.layout
            .boxes
            .get(segment.parent)
            .map_or(Tag::Other, |b| b.tag)
    }

    fn page(&self, facts: &PageFacts, row: &mut impl Row) {
        let total = self.total;
        row.put("page_words", total.words);
        row.put("page_segments", total.segments);
        row.put("page_links", total.link_density());
        row.put("page_prose", total.prose / total.words.max(1.0));
        row.put("page_prose_words", total.prose);
        row.put("page_paragraphs", total.paragraphs / total.words.max(1.0));
        row.put("page_headings", total.headings);
        row.put(
            "page_words_per_segment",
            total.words / total.segments.max(1.0),
        );
        for (name, container) in ["c40", "c60", "c85"].into_iter().zip(self.containers) {
            let sum = self
                .layout
                .boxes
                .get(container)
                .map_or(total, |b| self.sum(b.segments.clone()));
            row.put_of("page_share", name, sum.chars / total.chars.max(1.0));
        }
        facts.put(|name, value| row.put_of("page", name, value));
    }
}
