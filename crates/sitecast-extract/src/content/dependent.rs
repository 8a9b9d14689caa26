//! Code, footnotes and the captions of manuals, which are kept or left out with the prose around them.
//!
//! The letters of code say little, and a page may have more code than prose, so that the prose of the same part of the
//! page decides. Notes and captions are short, and have the classes of parts that are not content elsewhere.

use std::ops::Range;

use super::lexicon::Cue;
use super::select::weight;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Layout};

/// A part of a page with fewer words of prose decides nothing.
const PROSE: f32 = 20.0;
/// A part with more than this share of its prose kept is content.
const MOSTLY: f32 = 0.6;
/// The longest caption, in words. Some pages put whole texts into a `figcaption`.
const CAPTION: u32 = 100;

/// The prose of a page, and the share that is kept.
pub(super) struct DependentContent<'a> {
    layout: &'a Layout,
    /// Words of prose, and kept words of prose, up to each segment.
    sums: Vec<(f32, f32)>,
    is_manual: bool,
}

impl<'a> DependentContent<'a> {
    pub(super) fn of(layout: &'a Layout, kept: &[bool]) -> Self {
        let mut dependent = vec![false; layout.segments.len()];
        for found in layout.boxes.iter().filter(|found| is_dependent(found)) {
            let inside = dependent.get_mut(found.segments.clone());
            inside.unwrap_or_default().fill(true);
        }
        let mut sum = (0.0, 0.0);
        let mut sums = Vec::with_capacity(kept.len() + 1);
        sums.push(sum);
        for ((segment, kept), dependent) in layout.segments.iter().zip(kept).zip(dependent) {
            if !dependent {
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

    /// Returns true if the prose around a box decides about it, and is kept.
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

/// Returns true if the prose around a box of this kind decides about it.
pub(super) fn is_dependent(found: &BoxInfo) -> bool {
    match found.tag {
        Tag::Pre | Tag::Figcaption => true,
        Tag::Aside => found.is_footnote,
        _ => false,
    }
}

/// Returns true if headings of the page link to themselves, as in manuals. In the training pages the captions of news
/// are not content; in a manual they are.
fn is_manual(layout: &Layout) -> bool {
    layout.segments.iter().any(|segment| {
        segment.cues.has(Cue::Edit)
            && layout
                .boxes
                .get(segment.parent)
                .is_some_and(|found| found.tag.heading_level().is_some())
    })
}
