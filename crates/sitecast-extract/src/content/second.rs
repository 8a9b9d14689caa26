//! A second judgement of a page that stands alone, in the light of the first.
//!
//! The first judges each segment by what it and its surroundings look like. Whether those surroundings are content is only
//! known afterwards: a box full of teasers, the next article below the one that was asked for, an advertisement between
//! two paragraphs. So segments are described once more, by what was thought of all others, and a second forest judges them.

use foldhash::HashMap;
use std::ops::Range;

use super::features::{Lane, Row};
use super::forest::{Asking, Column, Forest, LANES};
use super::select::{BestF1, Recall, best_f1, weight};
use crate::layout::Layout;

/// What is likelier than this is content, for measuring distances.
const LIKELY: f32 = 0.5;
/// Boxes around a segment that are described, each with more in it than the one before.
const LEVELS: usize = 6;
/// The neighbours whose probability counts.
const NEIGHBOURS: [isize; 4] = [-2, -1, 1, 2];
/// How many segments around count, on either side.
const WINDOWS: [usize; 2] = [4, 15];
/// Shares of the expected content that boxes have.
const CORES: [f32; 2] = [0.5, 0.8];

/// What is less likely than this is no content, and is not judged again.
const HOPELESS: f32 = 0.02;

/// Judges all segments of a page once more.
pub(super) fn judge_again(forest: &Forest, layout: &Layout, probabilities: &mut [f32]) {
    let first = probabilities.to_vec();
    let page = Expected::of(layout, &first);
    let mut columns: Vec<Column> = Vec::new();
    let mut asking: Option<Asking<'_>> = None;
    let mut lanes = Vec::with_capacity(LANES);
    let mut hopeful = (0..first.len())
        .filter(|at| first.get(*at).is_some_and(|likely| *likely >= HOPELESS))
        .peekable();
    while let Some(index) = hopeful.next() {
        page.describe(index, &mut Lane::of(&mut columns, lanes.len()));
        lanes.push(index);
        if lanes.len() == LANES || hopeful.peek().is_none() {
            let asking = asking.get_or_insert_with(|| Asking::new(forest, columns.len(), &[]));
            asking.probabilities(&columns, lanes.len(), |lane, judged| {
                let at = lanes.get(lane).copied();
                if let Some(slot) = at.and_then(|at| probabilities.get_mut(at)) {
                    *slot = judged;
                }
            });
            lanes.clear();
        }
    }
}

/// What each segment is described by, one segment after the other.
pub(crate) fn describe_again(layout: &Layout, first: &[f32]) -> Vec<f32> {
    let page = Expected::of(layout, first);
    let mut values = Vec::new();
    for index in 0..first.len() {
        page.describe(index, &mut values);
    }
    values
}

/// What each number of a description is.
pub(crate) fn names() -> Vec<String> {
    let mut names = Vec::new();
    let layout = Layout::default();
    Expected::of(&layout, &[]).describe(0, &mut names);
    names
}

/// How much content is expected where.
struct Expected<'a> {
    layout: &'a Layout,
    first: &'a [f32],
    /// The weight of all segments before each, and how much of it is expected to be content.
    sums: Vec<(f32, f32)>,
    /// The weight of the expected content of the page.
    content: f32,
    highest: f32,
    best: BestF1,
    /// The smallest boxes with each of the [`CORES`].
    cores: [Range<usize>; CORES.len()],
    /// The mean probability of each kind of box.
    kinds: HashMap<u64, (f32, f32)>,
    /// How far back the last likely segment is, and how far ahead the next one.
    distances: Vec<(f32, f32)>,
}

impl<'a> Expected<'a> {
    fn of(layout: &'a Layout, first: &'a [f32]) -> Self {
        let mut kinds: HashMap<u64, (f32, f32)> = HashMap::default();
        let mut sums = vec![(0.0, 0.0)];
        let (mut all, mut content) = (0.0, 0.0);
        for (segment, probability) in layout.segments.iter().zip(first) {
            let weight = weight(segment.words, segment.chars);
            all += weight;
            content += probability * weight;
            sums.push((all, content));
            if let Some(found) = layout.boxes.get(segment.parent) {
                let sum = kinds.entry(found.kind).or_default();
                sum.0 += weight;
                sum.1 += probability * weight;
            }
        }
        let weights = layout.segments.iter();
        let weights = weights.map(|segment| weight(segment.words, segment.chars));
        let best = best_f1(first, weights, Recall::EVEN);
        let mut expected = Self {
            layout,
            first,
            sums,
            content: content.max(1e-6),
            highest: first.iter().copied().fold(0.0, f32::max),
            best,
            cores: Default::default(),
            kinds,
            distances: distances(first),
        };
        expected.cores = CORES.map(|share| expected.core(share));
        expected
    }

    /// The smallest box with that share of the content.
    fn core(&self, share: f32) -> Range<usize> {
        let boxes = self.layout.boxes.iter().map(|found| &found.segments);
        let large = boxes.filter(|range| self.sum(range).1 >= share * self.content);
        large
            .min_by_key(|range| range.len())
            .cloned()
            .unwrap_or(0..self.first.len())
    }

    /// The weight of a range, and how much of it is expected to be content.
    fn sum(&self, range: &Range<usize>) -> (f32, f32) {
        let at = |index: usize| self.sums.get(index).or(self.sums.last());
        let at = |index: usize| at(index).copied().unwrap_or_default();
        let (start, end) = (at(range.start), at(range.end));
        (end.0 - start.0, end.1 - start.1)
    }

    fn mean(&self, range: &Range<usize>) -> f32 {
        let (all, content) = self.sum(range);
        content / all.max(1e-6)
    }

    fn describe(&self, index: usize, row: &mut impl Row) {
        let own = self.first.get(index).copied().unwrap_or(0.0);
        let segment = self.layout.segments.get(index);
        row.put("likely", own);
        for offset in NEIGHBOURS {
            let other = index.checked_add_signed(offset);
            let other = other.and_then(|at| self.first.get(at));
            row.put_of(
                "likely",
                &offset.to_string(),
                other.copied().unwrap_or(-1.0),
            );
        }
        for window in WINDOWS {
            let end = (index + window + 1).min(self.first.len());
            let mean = self.mean(&(index.saturating_sub(window)..end));
            row.put_of("likely_around", &window.to_string(), mean);
        }
        row.put("content_before", self.sum(&(0..index)).1 / self.content);
        row.put("highest", self.highest);
        row.put("content", self.content);
        let all = self.sum(&(0..self.first.len())).0;
        row.put("content_share", self.content / all.max(1.0));
        let (back, ahead) = self.distances.get(index).copied().unwrap_or_default();
        row.put("last_likely", back);
        row.put("next_likely", ahead);
        for (share, core) in ["50", "80"].into_iter().zip(&self.cores) {
            row.put_of("from_start", share, index as f32 - core.start as f32);
            row.put_of("from_end", share, index as f32 - core.end as f32);
        }
        let parent = segment.map_or(0, |segment| segment.parent);
        let found = self.layout.boxes.get(parent);
        let (all, content) = found
            .and_then(|found| self.kinds.get(&found.kind))
            .copied()
            .unwrap_or_default();
        row.put("kind", content / all.max(1e-6));
        self.levels(parent, row);
        let weight = segment.map_or(0.0, |segment| weight(segment.words, segment.chars));
        row.put("weight", weight);
        row.put("above_threshold", own - self.best.threshold);
        row.put("expected_f1", self.best.f1);
    }

    /// The boxes around, each with more in it than the one before.
    fn levels(&self, inner: usize, row: &mut impl Row) {
        let mut boxes = self.layout.around(inner).map(|(_, found)| &found.segments);
        let mut range = boxes.next();
        for level in ["1", "2", "3", "4", "5", "6"].into_iter().take(LEVELS) {
            let described = range.map_or((0.0, 0.0, 0.0), |range| {
                let share = self.sum(range).1 / self.content;
                (self.mean(range), share, range.len() as f32)
            });
            row.put_of("level_likely", level, described.0);
            row.put_of("level_share", level, described.1);
            row.put_of("level_segments", level, described.2);
            let larger = boxes.find(|wider| range.is_none_or(|range| wider.len() > range.len()));
            // Beyond the outermost it is that again.
            range = larger.or(range);
        }
    }
}

/// For each segment how far back the last likely one is, and how far ahead the next one; -1 where there is none.
fn distances(first: &[f32]) -> Vec<(f32, f32)> {
    let mut distances = vec![(-1.0, -1.0); first.len()];
    let mut last = None;
    for (at, (slot, probability)) in distances.iter_mut().zip(first).enumerate() {
        last = if *probability > LIKELY {
            Some(at)
        } else {
            last
        };
        slot.0 = last.map_or(-1.0, |last| (at - last) as f32);
    }
    let mut next = None;
    for (at, (slot, probability)) in distances.iter_mut().zip(first).enumerate().rev() {
        next = if *probability > LIKELY {
            Some(at)
        } else {
            next
        };
        slot.1 = next.map_or(-1.0, |next| (next - at) as f32);
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    fn described(html: &str, first: &[f32]) -> Vec<HashMap<String, f32>> {
        let layout = lay_out(&parse(html, &Limits::default()));
        assert_eq!(layout.segments.len(), first.len());
        let names = names();
        let values = describe_again(&layout, first);
        values
            .chunks(names.len())
            .map(|row| names.iter().cloned().zip(row.iter().copied()).collect())
            .collect()
    }

    #[test]
    fn segments_are_described_by_what_was_thought_of_others() {
        let html = "<div><p>one two<p>one two</div><div><p>one two</div><p>one two";
        let rows = described(html, &[0.9, 0.7, 0.1, 0.3]);
        let of = |name: &str| rows.iter().map(|row| row[name]).collect::<Vec<_>>();
        assert_eq!(of("likely_1"), [0.7, 0.1, 0.3, -1.0]);
        assert_eq!(of("last_likely"), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(of("next_likely"), [0.0, 0.0, -1.0, -1.0]);
        // Only the whole page has four fifths of what is expected.
        assert_eq!(of("from_end_80"), [-4.0, -3.0, -2.0, -1.0]);
        let rounded = |values: Vec<f32>| {
            values
                .iter()
                .map(|v| (v * 100.0).round())
                .collect::<Vec<_>>()
        };
        assert_eq!(rounded(of("level_likely_2")), [80.0, 80.0, 50.0, 50.0]);
        assert_eq!(rounded(of("kind")), [50.0, 50.0, 50.0, 50.0]);
        assert_eq!(of("level_segments_6"), [4.0, 4.0, 4.0, 4.0]);
    }

    #[test]
    fn every_segment_is_judged() {
        let forest = Forest::parse("0,0.5,-1,-2|-1 1").unwrap();
        for count in [0, 1, LANES - 1, LANES, LANES + 1, 3 * LANES] {
            let html = "<p>a</p>".repeat(count);
            let layout = lay_out(&parse(&html, &Limits::default()));
            let first: Vec<f32> = (0..count).map(|at| (at % 2) as f32 * 0.6 + 0.1).collect();
            let mut judged = first.clone();
            judge_again(&forest, &layout, &mut judged);
            let likely: Vec<bool> = judged.iter().map(|p| *p > 0.5).collect();
            let wanted: Vec<bool> = first.iter().map(|p| *p > 0.5).collect();
            assert_eq!(likely, wanted);
            assert!(judged.iter().all(|p| (0.26..0.74).contains(p)));
        }
    }
}
