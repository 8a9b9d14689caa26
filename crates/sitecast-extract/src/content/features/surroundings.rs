//! What a segment is in.

use super::Page;
use super::counts::Counts;
use super::row::Row;
use super::sums::{Sums, within};
use crate::layout::{Layout, Segment};

/// The boxes around a segment, the nearest first, by what is in them.
pub(super) struct Levels {
    /// Boxes with the same tag and class.
    alike: Counts<u64>,
    children: Vec<f32>,
    /// What was described before: a box is around many segments.
    described: Vec<Option<Level>>,
}

/// What is said of one of them, in this order.
type Level = [f32; LEVEL.len()];

const LEVEL: [&str; 8] = [
    "level_share",
    "level_words",
    "level_links",
    "level_prose",
    "level_segments",
    "level_headings",
    "level_children",
    "level_like",
];

impl Levels {
    pub(super) fn of(layout: &Layout) -> Self {
        let mut alike = Counts::with_capacity(layout.boxes.len());
        let mut children = vec![0.0; layout.boxes.len()];
        for (at, found) in layout.boxes.iter().enumerate() {
            alike.add(found.signature);
            if found.parent != at
                && let Some(count) = children.get_mut(found.parent)
            {
                *count += 1.0;
            }
        }
        Self {
            alike,
            children,
            described: vec![None; layout.boxes.len()],
        }
    }

    fn put(&mut self, layout: &Layout, sums: &[Sums], inner: usize, row: &mut impl Row) {
        let mut boxes = layout.around(inner);
        let mut last = None;
        for number in ["1", "2", "3", "4", "5", "6"] {
            // Beyond the outermost it is that again.
            let Some((at, found)) = boxes.next().or(last) else {
                return;
            };
            last = Some((at, found));
            let level = match self.described.get(at) {
                Some(Some(level)) => *level,
                _ => self.describe(at, within(sums, found.segments.clone()), sums),
            };
            for (name, value) in LEVEL.into_iter().zip(level) {
                row.put_of(name, number, value);
            }
        }
    }

    fn describe(&mut self, at: usize, sum: Sums, sums: &[Sums]) -> Level {
        let total = sums.last().copied().unwrap_or_default();
        let level = [
            sum.chars / total.chars.max(1.0),
            sum.words / sum.segments.max(1.0),
            sum.link_density(),
            sum.prose / sum.words.max(1.0),
            sum.segments,
            sum.headings,
            self.children.get(at).copied().unwrap_or(0.0),
            self.alike.of(at).unwrap_or(1.0),
        ];
        if let Some(slot) = self.described.get_mut(at) {
            *slot = Some(level);
        }
        level
    }
}

impl Page<'_> {
    pub(super) fn surroundings(&mut self, segment: &Segment, row: &mut impl Row) {
        let depth = self.layout.boxes.get(segment.parent).map_or(0, |b| b.depth);
        self.contexts.put(segment.parent, depth, row);
        self.levels
            .put(self.layout, &self.sums, segment.parent, row);
    }
}
