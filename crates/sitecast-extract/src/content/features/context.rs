//! What is around a segment: elements, and what they are called.

use crate::content::{Cue, Cues};
use crate::dom::{Dom, Tag};
use crate::layout::{BoxInfo, landmark};

/// Landmarks and structures whose presence around a segment matters.
pub(super) const AROUND: [(&str, &[Tag]); 16] = [
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

/// What is inherited from the boxes around.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// The depth of the nearest box with each cue; `NOWHERE` where there is none.
    pub(super) cues: [u16; Cue::ALL.len()],
    pub(super) around: [u16; AROUND.len()],
    /// The nearest box of each of [`LANDMARKS`].
    pub(super) landmarks: [u32; LANDMARKS.len()],
}

pub(super) const NOWHERE: u16 = u16::MAX;

pub(super) type Test = fn(&BoxInfo) -> bool;

/// Boxes whose size matters to what is in them.
pub(super) const LANDMARKS: [(&str, Test); 12] = [
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

impl Context {
    pub(super) fn of(dom: &Dom, parent: Option<&Self>, at: usize, found: &BoxInfo) -> Self {
        let mut context = parent.copied().unwrap_or(Self {
            cues: [NOWHERE; Cue::ALL.len()],
            around: [NOWHERE; AROUND.len()],
            landmarks: [u32::MAX; LANDMARKS.len()],
        });
        for (slot, (_, is)) in context.landmarks.iter_mut().zip(LANDMARKS) {
            if is(found) {
                *slot = u32::try_from(at).unwrap_or(u32::MAX);
            }
        }
        let depth = u16::try_from(found.depth).unwrap_or(NOWHERE);
        let role = dom.attribute(found.node, "role").and_then(|role| {
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
        let tags = [Some(found.tag), role];
        for tag in tags.into_iter().flatten() {
            for (slot, (_, wanted)) in context.around.iter_mut().zip(AROUND) {
                if wanted.contains(&tag) {
                    *slot = depth;
                }
            }
        }
        let mut cues = found.cues;
        if let Some(cue) = landmark(found.tag) {
            cues.add(Cues(1 << cue as u32));
        }
        for (slot, cue) in context.cues.iter_mut().zip(Cue::ALL) {
            if cues.has(cue) {
                *slot = depth;
            }
        }
        context
    }
}
