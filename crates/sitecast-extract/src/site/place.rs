use crate::content::weight;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Fnv, Layout};

/// Where in the template something stands, as a hash of the boxes around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// By tags and class names, all the way up.
    pub(super) exact: u64,
    /// The piece of the template that made it: by tags and class names of the nearest boxes.
    pub(super) wide: u64,
}

/// A segment, as the template sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub(super) place: Place,
    /// This text in this place.
    pub(super) text_in_place: u64,
    pub(super) weight: f32,
    /// A heading or the name of a field: short, and there for what follows it.
    pub(super) is_label: bool,
}

/// The places of all segments of a page.
pub(crate) fn places(layout: &Layout) -> Vec<Placed> {
    let mut exact: Vec<u64> = Vec::with_capacity(layout.boxes.len());
    for found in &layout.boxes {
        let parent = exact.get(found.parent).copied().unwrap_or_default();
        let mut hash = Fnv(parent ^ 0x9e37_79b9_7f4a_7c15);
        hash.write(">");
        exact.push(hash.0.rotate_left(5) ^ found.kind);
    }
    let texts = layout.segments.iter();
    let texts = texts.map(|segment| (Fnv(segment.piece), layout.text_of(segment)));
    layout
        .segments
        .iter()
        .zip(Fnv::write_each(texts))
        .map(|(segment, text_in_place)| {
            let exact = exact.get(segment.parent).copied().unwrap_or_default();
            let wide = segment.piece;
            let text = layout.text_of(segment);
            let parent = layout.boxes.get(segment.parent);
            Placed {
                place: Place { exact, wide },
                text_in_place: text_in_place.0,
                weight: weight(segment.words, segment.chars),
                is_label: parent.is_some_and(names_what_follows)
                    || (segment.words <= 6 && text.ends_with([':', '：'])),
            }
        })
        .collect()
}

fn names_what_follows(found: &BoxInfo) -> bool {
    found.tag.heading_level().is_some()
        || matches!(
            found.tag,
            Tag::Th | Tag::Dt | Tag::Summary | Tag::Caption | Tag::Legend
        )
}
