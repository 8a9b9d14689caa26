//! Which nodes of the tree the kept segments are.

use crate::blocks::Selection;
use crate::content::{Cue, weight};
use crate::dom::{Dom, NodeId, Tag};
use crate::layout::{BoxInfo, Layout};
use crate::owner::{Order, Orders};

/// The kept segments of a page, as what makes blocks wants to know of them.
pub(crate) struct Kept<'a> {
    dom: &'a Dom,
    layout: &'a Layout,
    kept: &'a [bool],
    orders: &'a Orders,
    /// All words and kept words up to each segment.
    sums: Vec<(f32, f32)>,
}

impl<'a> Kept<'a> {
    pub(crate) fn new(
        dom: &'a Dom,
        layout: &'a Layout,
        kept: &'a [bool],
        orders: &'a Orders,
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
            orders,
            sums,
        }
    }

    /// The box that an element is, if there is text in it.
    fn box_of(&self, element: NodeId) -> Option<&BoxInfo> {
        let found = self.layout.box_of(element)?;
        (!found.segments.is_empty()).then_some(found)
    }

    /// Words in a box, and those of them that are kept.
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

    /// A picture belongs to the text it stands in: to the smallest box around it that has any.
    /// What has only a caption or a credit asks the next one.
    fn keeps_media(&self, element: NodeId) -> bool {
        if let Some((order, _)) = self.orders.on(element, self.dom, self.layout) {
            return order == Order::Include;
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
