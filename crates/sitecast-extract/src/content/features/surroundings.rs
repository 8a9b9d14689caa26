//! What a segment is in.

use super::context::{AROUND, LANDMARKS, NOWHERE};
use super::row::Row;
use super::{FAR, Page};
use crate::content::Cue;
use crate::layout::Segment;

impl Page<'_> {
    pub(super) fn surroundings(&self, segment: &Segment, row: &mut Row<'_>) {
        let depth = self.layout.boxes.get(segment.parent).map_or(0, |b| b.depth);
        let context = self.contexts.get(segment.parent);
        let distance = |found: Option<&u16>| match found {
            Some(at) if *at != NOWHERE => depth as f32 - f32::from(*at),
            _ => FAR,
        };
        for (at, (name, _)) in AROUND.iter().enumerate() {
            row.put_of("up", name, distance(context.and_then(|c| c.around.get(at))));
        }
        for (at, cue) in Cue::ALL.iter().enumerate() {
            let near = distance(context.and_then(|c| c.cues.get(at)));
            row.put_of("cue", cue.name(), near);
        }
        // How large the landmarks are that it is in.
        for (at, (name, _)) in LANDMARKS.iter().enumerate() {
            let found = context.and_then(|c| c.landmarks.get(at));
            let found = found.and_then(|found| self.layout.boxes.get(*found as usize));
            let chars = found.map_or(0.0, |b| self.sum(b.segments.clone()).chars);
            row.put_of("share", name, chars / self.total.chars.max(1.0));
        }
        let mut boxes = self.layout.around(segment.parent);
        let mut last = None;
        for name in ["1", "2", "3", "4", "5", "6"] {
            let found = boxes.next().or(last);
            last = found;
            let Some((at, found)) = found else { continue };
            let sum = self.sum(found.segments.clone());
            row.put_of("level_share", name, sum.chars / self.total.chars.max(1.0));
            row.put_of("level_words", name, sum.words / sum.segments.max(1.0));
            row.put_of("level_links", name, sum.link_density());
            row.put_of("level_prose", name, sum.prose / sum.words.max(1.0));
            row.put_of("level_segments", name, sum.segments);
            row.put_of("level_headings", name, sum.headings);
            row.put_of(
                "level_children",
                name,
                self.children.get(at).copied().unwrap_or(0.0),
            );
            row.put_of(
                "level_like",
                name,
                self.signatures
                    .get(&found.signature)
                    .copied()
                    .unwrap_or(1.0),
            );
        }
    }
}
