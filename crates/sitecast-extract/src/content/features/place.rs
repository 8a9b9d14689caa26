//! The position of a segment on the page, and its neighbours.

use super::row::{Row, flag};
use super::{FAR, Page};
use crate::dom::Tag;
use crate::layout::Segment;

impl Page<'_> {
    pub(super) fn place(&self, index: usize, segment: &Segment, row: &mut impl Row) {
        let total = self.total;
        let before = self.sum(0..index);
        row.put("position", before.chars / total.chars.max(1.0));
        row.put("segments_before", index as f32);
        row.put("segments_after", total.segments - index as f32);
        row.put("prose_before", before.prose / total.prose.max(1.0));
        row.put(
            "after_h1",
            self.first_h1.map_or(-999.0, |h1| index as f32 - h1 as f32),
        );
        row.put("after_first_prose", index as f32 - self.first_prose as f32);
        row.put("after_last_prose", index as f32 - self.last_prose as f32);
        row.put(
            "depth",
            self.layout
                .boxes
                .get(segment.parent)
                .map_or(0.0, |b| b.depth as f32),
        );
        row.put(
            "hidden",
            flag(
                self.layout
                    .boxes
                    .get(segment.parent)
                    .is_some_and(|b| b.hidden),
            ),
        );
        let depth = self
            .layout
            .boxes
            .get(segment.parent)
            .map_or(0.0, |b| b.depth as f32);
        for (at, (name, container)) in ["c40", "c60", "c85"]
            .into_iter()
            .zip(self.containers)
            .enumerate()
        {
            let range = self
                .layout
                .boxes
                .get(container)
                .map_or(0..0, |b| b.segments.clone());
            row.put_of("in", name, flag(range.contains(&index)));
            row.put_of("from_start", name, index as f32 - range.start as f32);
            row.put_of("from_end", name, index as f32 - range.end as f32);
            // Boxes up to the one that contains both the segment and the container.
            let shared = self
                .meets
                .get(segment.parent)
                .and_then(|meets| meets.get(at));
            row.put_of(
                "up_to",
                name,
                shared.map_or(FAR, |shared| depth - f32::from(*shared)),
            );
        }
        for window in [2usize, 6] {
            let sum = self.sum(
                index.saturating_sub(window)..(index + window + 1).min(self.layout.segments.len()),
            );
            row.put_of(
                "window_words",
                if window == 2 { "2" } else { "6" },
                sum.words / sum.segments.max(1.0),
            );
            row.put_of(
                "window_links",
                if window == 2 { "2" } else { "6" },
                sum.link_density(),
            );
            row.put_of(
                "window_prose",
                if window == 2 { "2" } else { "6" },
                sum.prose / sum.words.max(1.0),
            );
        }
    }

    pub(super) fn neighbours(&self, index: usize, segment: &Segment, row: &mut impl Row) {
        let ups = self.meet(index, segment);
        for ((name, offset), up) in NEIGHBOURS.into_iter().zip(ups) {
            let other = index
                .checked_add_signed(offset)
                .and_then(|at| self.layout.segments.get(at));
            let tag = other.map_or(Tag::Other, |other| self.tag(other));
            let chars = other.map_or(1.0, |s| s.chars.max(1) as f32);
            row.put_of(name, "words", other.map_or(-1.0, |s| s.words as f32));
            row.put_of(
                name,
                "links",
                other.map_or(-1.0, |s| s.link_chars as f32 / chars),
            );
            row.put_of(name, "heading", f32::from(tag.heading_level().unwrap_or(0)));
            row.put_of(name, "p", flag(tag == Tag::P));
            row.put_of(name, "up", up);
        }
    }

    /// Returns the number of boxes up to the one that contains both the segment and each neighbour.
    fn meet(&self, index: usize, segment: &Segment) -> [f32; NEIGHBOURS.len()] {
        let mut ups = [None; NEIGHBOURS.len()];
        let places = NEIGHBOURS.map(|(_, offset)| {
            let at = index.checked_add_signed(offset);
            at.filter(|at| *at < self.layout.segments.len())
        });
        let mut wanted = places.iter().flatten().count();
        for (up, (_, found)) in self.layout.around(segment.parent).enumerate() {
            if wanted == 0 {
                break;
            }
            for (slot, at) in ups.iter_mut().zip(places) {
                if slot.is_none() && at.is_some_and(|at| found.segments.contains(&at)) {
                    *slot = Some(up as f32);
                    wanted -= 1;
                }
            }
        }
        ups.map(|up| up.unwrap_or(FAR))
    }
}

/// Names and offsets of neighbouring segments.
const NEIGHBOURS: [(&str, isize); 5] = [
    ("prev1", -1),
    ("prev2", -2),
    ("next1", 1),
    ("next2", 2),
    ("next3", 3),
];
