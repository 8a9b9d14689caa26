//! A second score for the segments of a page that is extracted alone, based on the first scores.
//!
//! The first model scores a segment by its own look and its surroundings, and cannot know if those surroundings are
//! content: a box full of teasers, the next article below the requested one, an advertisement between two paragraphs.
//! So each segment is described again by the first scores of all segments, for a second forest.

use foldhash::HashMap;
use std::ops::Range;

use super::features::{Lane, Row};
use super::forest::{Column, Forest, LANES, Scorer};
use super::select::{BestF1, Recall, best_f1, weight};
use crate::layout::Layout;

/// A segment above this probability counts as content when distances are measured.
const LIKELY: f32 = 0.5;
/// Number of boxes around a segment to describe, each with more segments than the one before.
const LEVELS: usize = 6;
/// Offsets of the neighbours whose probability is a feature.
const NEIGHBOURS: [isize; 4] = [-2, -1, 1, 2];
/// Segments on either side whose mean is a feature.
const WINDOWS: [usize; 2] = [4, 15];
/// Shares of the expected content for which the smallest box is a feature.
const CORES: [f32; 2] = [0.5, 0.8];

/// A segment below this probability keeps its first score.
const UNLIKELY: f32 = 0.02;

/// Scores all segments of a page again.
pub(super) fn score_again(forest: &Forest, layout: &Layout, probabilities: &mut [f32]) {
    let first = probabilities.to_vec();
    let page = Expected::of(layout, &first);
    let mut columns: Vec<Column> = Vec::new();
    let mut scorer: Option<Scorer<'_>> = None;
    let mut lanes = Vec::with_capacity(LANES);
    let mut candidates = (0..first.len())
        .filter(|at| first.get(*at).is_some_and(|likely| *likely >= UNLIKELY))
        .peekable();
    while let Some(index) = candidates.next() {
        page.describe(index, &mut Lane::of(&mut columns, lanes.len()));
        lanes.push(index);
        if lanes.len() == LANES || candidates.peek().is_none() {
            let scorer = scorer.get_or_insert_with(|| Scorer::new(forest, columns.len(), &[]));
            scorer.probabilities(&columns, lanes.len(), |lane, score| {
                let at = lanes.get(lane).copied();
                if let Some(slot) = at.and_then(|at| probabilities.get_mut(at)) {
                    *slot = score;
                }
            });
            lanes.clear();
        }
    }
}

/// Returns the features of all segments, one segment after the other.
pub(crate) fn describe_again(layout: &Layout, first: &[f32]) -> Vec<f32> {
    let page = Expected::of(layout, first);
    let mut values = Vec::new();
    for index in 0..first.len() {
        page.describe(index, &mut values);
    }
    values
}

/// Returns the names of the features.
pub(crate) fn names() -> Vec<String> {
    let mut names = Vec::new();
    let layout = Layout::default();
    Expected::of(&layout, &[]).describe(0, &mut names);
    names
}

/// The expected amount of content in each part of a page.
struct Expected<'a> {
    layout: &'a Layout,
    first: &'a [f32],
    /// Prefix sums: the weight of all segments, and the weight that is expected to be content.
    sums: Vec<(f32, f32)>,
    /// Weight of the page's expected content.
    content: f32,
    highest: f32,
    best: BestF1,
    /// Segments of the smallest boxes with each of the shares in [`CORES`].
    cores: [Range<usize>; CORES.len()],
    /// Weight and expected content of each kind of box.
    kinds: HashMap<u64, (f32, f32)>,
    /// Segments back to the last likely one, and ahead to the next one.
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

    /// Returns the smallest box with at least this share of the content.
    fn core(&self, share: f32) -> Range<usize> {
        let boxes = self.layout.boxes.iter().map(|found| &found.segments);
        let large = boxes.filter(|range| self.sum(range).1 >= share * self.content);
        large
            .min_by_key(|range| range.len())
            .cloned()
            .unwrap_or(0..self.first.len())
    }

    /// Returns the weight of a range, and the weight that is expected to be content.
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

    /// Writes the features of the boxes around a segment, each with more segments than the one before.
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
            // The outermost box repeats for the remaining levels.
            range = larger.or(range);
        }
    }
}

/// Returns for each segment the distance back to the last likely one and ahead to the next one; -1 if there is none.
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
    fn describes_segments_by_first_scores() {
        let html = "<div><p>one two<p>one two</div><div><p>one two</div><p>one two";
        let rows = described(html, &[0.9, 0.7, 0.1, 0.3]);
        let of = |name: &str| rows.iter().map(|row| row[name]).collect::<Vec<_>>();
        assert_eq!(of("likely_1"), [0.7, 0.1, 0.3, -1.0]);
        assert_eq!(of("last_likely"), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(of("next_likely"), [0.0, 0.0, -1.0, -1.0]);
        // Only the whole page has four fifths of the expected content.
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
    fn scores_every_segment() {
        let forest = Forest::parse("0,0.5,-1,-2|-1 1").unwrap();
        for count in [0, 1, LANES - 1, LANES, LANES + 1, 3 * LANES] {
            let html = "<p>a</p>".repeat(count);
            let layout = lay_out(&parse(&html, &Limits::default()));
            let first: Vec<f32> = (0..count).map(|at| (at % 2) as f32 * 0.6 + 0.1).collect();
            let mut score = first.clone();
            score_again(&forest, &layout, &mut score);
            let likely: Vec<bool> = score.iter().map(|p| *p > 0.5).collect();
            let wanted: Vec<bool> = first.iter().map(|p| *p > 0.5).collect();
            assert_eq!(likely, wanted);
            assert!(score.iter().all(|p| (0.26..0.74).contains(p)));
        }
    }
}
