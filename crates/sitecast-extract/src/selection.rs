//! Mapping of kept segments to nodes of the tree.

use crate::blocks::Selection;
use crate::content::{Cue, weight};
use crate::dom::{Dom, NodeId, Tag};
use crate::layout::{BoxInfo, Layout};
use crate::owner::{Directive, Directives};

/// The kept segments of a page, for the module `blocks`.
pub(crate) struct Kept<'a> {
    dom: &'a Dom,
    layout: &'a Layout,
    kept: &'a [bool],
    directives: &'a Directives,
    /// Prefix sums: the weight of all segments, and of kept ones.
    sums: Vec<(f32, f32)>,
}

impl<'a> Kept<'a> {
    pub(crate) fn new(
        dom: &'a Dom,
        layout: &'a Layout,
        kept: &'a [bool],
        directives: &'a Directives,
    ) -> Self {
        let mut sum = (0.0, 0.0);
        let mut sums = Vec::with_capacity(kept.len() + 1);
        sums.push(sum);
        for (segment, kept) in layout.segments.iter().zip(kept) {
            let weight = weight(segment.words, segment.chars);
            sum.0 += weight;
            sum.1 += if *kept { weight } else { 0.0 };
            sums.push(sum);
        }
        Self {
            dom,
            layout,
            kept,
            directives,
            sums,
        }
    }

    /// Returns the box of an element, if it has text.
    fn box_of(&self, element: NodeId) -> Option<&BoxInfo> {
        let found = self.layout.box_of(element)?;
        (!found.segments.is_empty()).then_some(found)
    }

    /// Returns the weight of a box, and of its kept part.
    fn words(&self, found: &BoxInfo) -> (f32, f32) {
        let at = |index: usize| self.sums.get(index).copied().unwrap_or_default();
        let (end, start) = (at(found.segments.end), at(found.segments.start));
        (end.0 - start.0, end.1 - start.1)
    }
}

impl Selection for Kept<'_> {
    fn keeps_text(&self, text_node: NodeId) -> bool {
        self.layout
            .segment_of(text_node)
            .and_then(|segment| self.kept.get(segment))
            .copied()
            .unwrap_or(false)
    }

    /// Decides by the text around an image: the smallest box with text. A box with only a caption or a credit passes
    /// the decision to the next one.
    fn keeps_media(&self, element: NodeId) -> bool {
        if let Some((order, _)) = self.directives.on(element, self.dom, self.layout) {
            return order == Directive::Include;
        }
        for id in self.dom.ancestors(element) {
            let Some(found) = self.box_of(id) else {
                continue;
            };
            if found.hidden && found.tag != Tag::Body {
                return false;
            }
            let (words, kept) = self.words(found);
            if kept * 2.0 >= words {
                return true;
            }
            let frame = found.tag == Tag::Figure
                || found.tag == Tag::Figcaption
                || ((found.cues.has(Cue::Caption) || found.cues.has(Cue::Media)) && words < 60.0);
            if !frame {
                return false;
            }
        }
        false
    }
}
