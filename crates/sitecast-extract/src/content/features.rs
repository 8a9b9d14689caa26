//! What is known about each segment, as numbers for the model.
//!
//! Nothing here is about particular sites or words of a language, but for a few short words that
//! buttons and labels are made of.

mod context;
mod groups;
mod items;
mod own;
mod place;
mod row;
mod shape;
mod sums;
mod surroundings;

use foldhash::HashMap;

use super::facts::PageFacts;
use crate::dom::{Dom, Tag};
use crate::layout::{Fnv, Layout, Segment};
use context::Context;
use groups::Groups;
use items::Items;
use row::Row;
use sums::{Sums, is_prose};

/// No ancestor of that kind.
const FAR: f32 = 40.0;

struct Page<'a> {
    layout: &'a Layout,
    sums: Vec<Sums>,
    total: Sums,
    contexts: Vec<Context>,
    children: Vec<f32>,
    signatures: HashMap<u64, f32>,
    paths: Vec<u64>,
    path_counts: HashMap<u64, f32>,
    texts: HashMap<&'a str, f32>,
    groups: Groups,
    items: Items,
    containers: [usize; 3],
    /// For each box the depth of the one in which it meets each container.
    meets: Vec<[u16; 3]>,
    first_h1: Option<usize>,
    first_prose: usize,
    last_prose: usize,
}

/// Describes one wanted segment after the other: all at once would be a hundred times the page.
pub(crate) fn describe_each(
    dom: &Dom,
    layout: &Layout,
    url: &str,
    wanted: impl Fn(usize) -> bool,
    mut take: impl FnMut(usize, &[f32]),
) {
    let mut wanted = (0..layout.segments.len())
        .filter(|index| wanted(*index))
        .peekable();
    if wanted.peek().is_none() {
        return;
    }
    let page = Page::new(dom, layout);
    let facts = &PageFacts::of(dom, url);
    let mut values = Vec::new();
    // What is known of the page as a whole is the same for all of them.
    let mut of_page = Vec::new();
    page.page(facts, &mut Row::of(&mut of_page));
    for index in wanted {
        values.clear();
        page.describe(index, facts, &mut Row::of(&mut values));
        values.extend_from_slice(&of_page);
        take(index, &values);
    }
}

/// What each of the features is.
pub(crate) fn feature_names(dom: &Dom, layout: &Layout) -> Vec<String> {
    let facts = &PageFacts::of(dom, "");
    let (mut values, mut names) = (Vec::new(), Vec::new());
    let mut row = Row {
        values: &mut values,
        names: Some(&mut names),
    };
    let page = Page::new(dom, layout);
    page.describe(0, facts, &mut row);
    page.page(facts, &mut row);
    names
}

impl<'a> Page<'a> {
    fn new(dom: &Dom, layout: &'a Layout) -> Self {
        let mut sums = vec![Sums::default()];
        let mut sum = Sums::default();
        let mut texts: HashMap<&str, f32> = HashMap::default();
        let mut paths = Vec::new();
        let mut path_counts: HashMap<u64, f32> = HashMap::default();
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
            if is_prose(segment, text) {
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
            *texts.entry(text).or_default() += 1.0;
            let mut path = Fnv::default().0;
            for (_, around) in layout.around(segment.parent).take(4) {
                path = path.rotate_left(9) ^ around.signature;
            }
            paths.push(path);
            *path_counts.entry(path).or_default() += 1.0;
        }
        let mut signatures: HashMap<u64, f32> = HashMap::default();
        let mut children = vec![0.0; layout.boxes.len()];
        let mut contexts: Vec<Context> = Vec::with_capacity(layout.boxes.len());
        for (at, found) in layout.boxes.iter().enumerate() {
            *signatures.entry(found.signature).or_default() += 1.0;
            if found.parent != at
                && let Some(count) = children.get_mut(found.parent)
            {
                *count += 1.0;
            }
            contexts.push(Context::of(dom, contexts.get(found.parent), at, found));
        }
        let mut page = Self {
            layout,
            total: sum,
            sums,
            contexts,
            children,
            signatures,
            paths,
            path_counts,
            texts,
            groups: Groups::of(layout),
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
        let at = |index: usize| self.sums.get(index).copied().unwrap_or(self.total);
        at(range.end).minus(at(range.start))
    }

    /// The smallest box with that share of the page's prose.
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

    /// All but what is known of the page as a whole.
    fn describe(&self, index: usize, facts: &PageFacts, row: &mut Row<'_>) {
        let Some(segment) = self.layout.segments.get(index) else {
            return;
        };
        let text = self.layout.text_of(segment);
        self.own(index, segment, text, facts, row);
        self.place(index, segment, row);
        self.surroundings(segment, row);
        self.groups.put(index, row);
        let sum = |range| self.sum(range);
        self.items.put(self.layout, index, segment, sum, row);
        for (name, offset) in [
            ("prev1", -1),
            ("prev2", -2),
            ("next1", 1),
            ("next2", 2),
            ("next3", 3),
        ] {
            self.neighbour(index, segment, offset, name, row);
        }
    }

    fn tag(&self, segment: &Segment) -> Tag {
        self.layout
            .boxes
            .get(segment.parent)
            .map_or(Tag::Other, |b| b.tag)
    }

    fn page(&self, facts: &PageFacts, row: &mut Row<'_>) {
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
