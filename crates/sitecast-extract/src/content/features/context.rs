//! Context: the elements around a segment, and their cues.

use std::sync::LazyLock;

use super::FAR;
use super::row::Row;
use crate::content::{Cue, Cues};
use crate::dom::{Dom, Tag};
use crate::layout::{BoxInfo, Layout, landmark};

/// Landmarks and structures around a segment.
const AROUND: [(&str, &[Tag]); 16] = [
    ("nav", &[Tag::Nav, Tag::Menu]),
    ("header", &[Tag::Header]),
    ("footer", &[Tag::Footer]),
    ("aside", &[Tag::Aside]),
    ("form", &[Tag::Form]),
    ("main", &[Tag::Main]),
    ("article", &[Tag::Article]),
    ("section", &[Tag::Section]),
    ("table", &[Tag::Table]),
    ("list", &[Tag::Ul, Tag::Ol, Tag::Dl]),
    ("figure", &[Tag::Figure]),
    ("dialog", &[Tag::Dialog]),
    ("details", &[Tag::Details]),
    ("quote", &[Tag::Blockquote]),
    ("button", &[Tag::Button]),
    ("noscript", &[Tag::Noscript]),
];

/// Bit mask of the entries of [`AROUND`] for each tag.
static AROUND_BITS: LazyLock<[u16; Tag::COUNT]> = LazyLock::new(|| {
    let mut table = [0; Tag::COUNT];
    for (at, (_, tags)) in AROUND.iter().enumerate() {
        for tag in *tags {
            if let Some(bits) = table.get_mut(*tag as usize) {
                *bits |= 1 << at;
            }
        }
    }
    table
});

/// Properties that a box passes on to everything inside it.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// Depth of the nearest box with each cue, or `NOWHERE`.
    cues: [u16; Cue::ALL.len()],
    around: [u16; AROUND.len()],
    /// Share of the page inside the nearest box of each of [`LANDMARKS`].
    landmarks: [f32; LANDMARKS.len()],
}

const NOWHERE: u16 = u16::MAX;

type Test = fn(&BoxInfo) -> bool;

/// Boxes whose size is a feature of the segments in them. Each is one of [`AROUND`] or has a cue.
const LANDMARKS: [(&str, Test); 12] = [
    ("article", |b| b.tag == Tag::Article),
    ("main", |b| b.tag == Tag::Main),
    ("section", |b| b.tag == Tag::Section),
    ("content_cue", |b| b.cues.has(Cue::Content)),
    ("article_cue", |b| b.cues.has(Cue::Article)),
    ("body_cue", |b| b.cues.has(Cue::Body)),
    ("card_cue", |b| b.cues.has(Cue::Card)),
    ("related_cue", |b| b.cues.has(Cue::Related)),
    ("sidebar_cue", |b| b.cues.has(Cue::Sidebar)),
    ("header_cue", |b| b.cues.has(Cue::Header)),
    ("footer_cue", |b| b.cues.has(Cue::Footer)),
    ("comment_cue", |b| b.cues.has(Cue::Comment)),
];

/// The contexts of all boxes. A box that adds nothing shares the context of the box around it.
pub(super) struct Contexts {
    contexts: Vec<Context>,
    of_boxes: Vec<usize>,
    /// The last distances. The next segment is often in a similar box.
    last: Option<Distances>,
}

/// Distances to the boxes of a context, from one depth.
struct Distances {
    context: usize,
    depth: u32,
    distances: [f32; AROUND.len() + Cue::ALL.len()],
}

impl Contexts {
    /// Computes all contexts. `share` returns the share of the page in a box.
    pub(super) fn of(dom: &Dom, layout: &Layout, share: impl Fn(&BoxInfo) -> f32) -> Self {
        let mut contexts = vec![Context {
            cues: [NOWHERE; Cue::ALL.len()],
            around: [NOWHERE; AROUND.len()],
            landmarks: [0.0; LANDMARKS.len()],
        }];
        let mut of_boxes: Vec<usize> = Vec::with_capacity(layout.boxes.len());
        let has_roles = dom.may_have("role");
        for found in &layout.boxes {
            let mut at = of_boxes.get(found.parent).copied().unwrap_or(0);
            let around = around(dom, found, has_roles);
            let mut cues = found.cues;
            if let Some(cue) = landmark(found.tag) {
                cues.add(Cues(1 << cue as u32));
            }
            if (around != 0 || cues.0 != 0)
                && let Some(outer) = contexts.get(at)
            {
                let inner = outer.with(found, around, cues, &share);
                at = contexts.len();
                contexts.push(inner);
            }
            of_boxes.push(at);
        }
        Self {
            contexts,
            of_boxes,
            last: None,
        }
    }

    /// Writes the context of a box.
    pub(super) fn put(&mut self, at: usize, depth: u32, row: &mut impl Row) {
        let at = self.of_boxes.get(at).copied().unwrap_or(0);
        let Some(context) = self.contexts.get(at) else {
            return;
        };
        let seen = self
            .last
            .get_or_insert_with(|| context.seen_from(depth, at));
        if seen.context != at || seen.depth != depth {
            *seen = context.seen_from(depth, at);
        }
        let mut distances = seen.distances.iter().copied();
        for ((name, _), distance) in AROUND.iter().zip(&mut distances) {
            row.put_of("up", name, distance);
        }
        for (cue, distance) in Cue::ALL.iter().zip(distances) {
            row.put_of("cue", cue.name(), distance);
        }
        // Sizes of the landmarks around the segment.
        for ((name, _), share) in LANDMARKS.iter().zip(context.landmarks) {
            row.put_of("share", name, share);
        }
    }
}

/// Returns the entries of [`AROUND`] that match a box by tag or role.
fn around(dom: &Dom, found: &BoxInfo, has_roles: bool) -> u16 {
    let bits = |tag: Tag| AROUND_BITS.get(tag as usize).copied().unwrap_or(0);
    let role = has_roles
        .then(|| dom.attribute(found.node, "role"))
        .flatten();
    let by_role = role.and_then(|role| {
        Some(match role {
            "navigation" | "menubar" | "menu" => Tag::Nav,
            "banner" => Tag::Header,
            "contentinfo" => Tag::Footer,
            "complementary" => Tag::Aside,
            "main" => Tag::Main,
            "article" => Tag::Article,
            "dialog" | "alertdialog" => Tag::Dialog,
            "search" | "form" => Tag::Form,
            "button" => Tag::Button,
            _ => return None,
        })
    });
    bits(found.tag) | by_role.map_or(0, bits)
}

impl Context {
    /// Returns the context inside a box, given the context around it.
    fn with(
        &self,
        found: &BoxInfo,
        around: u16,
        cues: Cues,
        share: impl Fn(&BoxInfo) -> f32,
    ) -> Self {
        let mut inner = *self;
        let mut own_share = None;
        for (slot, (_, is)) in inner.landmarks.iter_mut().zip(LANDMARKS) {
            if is(found) {
                *slot = *own_share.get_or_insert_with(|| share(found));
            }
        }
        let depth = u16::try_from(found.depth).unwrap_or(NOWHERE);
        for (at, slot) in inner.around.iter_mut().enumerate() {
            if around & (1 << at) != 0 {
                *slot = depth;
            }
        }
        let mut bits = cues.0;
        while bits != 0 {
            if let Some(slot) = inner.cues.get_mut(bits.trailing_zeros() as usize) {
                *slot = depth;
            }
            bits &= bits - 1;
        }
        inner
    }

    fn seen_from(&self, depth: u32, context: usize) -> Distances {
        let mut distances = [FAR; AROUND.len() + Cue::ALL.len()];
        let depths = self.around.iter().chain(&self.cues);
        for (distance, at) in distances.iter_mut().zip(depths) {
            if *at != NOWHERE {
                *distance = depth as f32 - f32::from(*at);
            }
        }
        Distances {
            context,
            depth,
            distances,
        }
    }
}
