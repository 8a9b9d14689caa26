//! What goes with the prose around it, whatever it looks like: program text, footnotes, and the
//! captions of a manual.
//!
//! Program text is judged by its letters, which say little, and a page may have more of it than of
//! prose: it is judged by the prose of the part of the page that it stands in. Notes and captions
//! are short, and named like what is no content elsewhere.

use std::ops::Range;

use super::lexicon::Cue;
use super::select::weight;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Layout};

/// Prose of fewer words does not tell whether a part of a page is content.
const PROSE: f32 = 20.0;
/// A part with more of its prose kept than this is content.
const MOSTLY: f32 = 0.6;
/// The caption of a figure, not the text that some put in its place.
const CAPTION: u32 = 100;

/// The prose of a page, and how much of it is kept.
pub(super) struct Carried<'a> {
    layout: &'a Layout,
    /// Words of prose and kept words of prose up to each segment.
    sums: Vec<(f32, f32)>,
    is_manual: bool,
}

impl<'a> Carried<'a> {
    pub(super) fn of(layout: &'a Layout, kept: &[bool]) -> Self {
        let mut carried = vec![false; layout.segments.len()];
        for found in layout.boxes.iter().filter(|found| is_carried(found)) {
            let inside = carried.get_mut(found.segments.clone());
            inside.unwrap_or_default().fill(true);
        }
        let mut sum = (0.0, 0.0);
        let mut sums = Vec::with_capacity(kept.len() + 1);
        sums.push(sum);
        for ((segment, kept), carried) in layout.segments.iter().zip(kept).zip(carried) {
            if !carried {
                let weight = weight(segment.words, segment.chars);
                sum.0 += weight;
                sum.1 += if *kept { weight } else { 0.0 };
            }
            sums.push(sum);
        }
        Self {
            layout,
            sums,
            is_manual: is_manual(layout),
        }
    }

    /// Whether a box goes with the prose around it, and that is kept.
    pub(super) fn has(&self, at: usize) -> bool {
        let Some(found) = self.layout.boxes.get(at) else {
            return false;
        };
        if found.tag == Tag::Figcaption && !(self.is_manual && self.is_short(&found.segments)) {
            return false;
        }
        let around = self.layout.around(at).skip(1);
        let mut around = around.map(|(_, outer)| self.prose(&outer.segments));
        let enough = |prose: &(f32, f32)| prose.0 >= PROSE;
        around
            .find(enough)
            .is_some_and(|(all, kept)| kept > all * MOSTLY)
    }

    fn prose(&self, range: &Range<usize>) -> (f32, f32) {
        let at = |index: usize| self.sums.get(index).copied().unwrap_or_default();
        let (end, start) = (at(range.end), at(range.start));
        (end.0 - start.0, end.1 - start.1)
    }

    fn is_short(&self, range: &Range<usize>) -> bool {
        let segments = self.layout.segments.get(range.clone()).unwrap_or_default();
        segments.iter().map(|segment| segment.words).sum::<u32>() <= CAPTION
    }
}

/// Whether a box is of a kind that goes with the prose around it.
pub(super) fn is_carried(found: &BoxInfo) -> bool {
    match found.tag {
        Tag::Pre | Tag::Figcaption => true,
        Tag::Aside => found.is_footnote,
        _ => false,
    }
}

/// Whether headings of a page have links to themselves, as those of manuals have. The captions of
/// news are marked as no content by those who mark such pages; in a manual they are.
fn is_manual(layout: &Layout) -> bool {
    layout.segments.iter().any(|segment| {
        segment.cues.has(Cue::Edit)
            && layout
                .boxes
                .get(segment.parent)
                .is_some_and(|found| found.tag.heading_level().is_some())
    })
}
