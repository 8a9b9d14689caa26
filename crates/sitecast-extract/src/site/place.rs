use crate::content::weight;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Fnv, Layout, TEMPLATE_PART_LEVELS};

/// Search this many boxes around a text for a heading or the name of a field: `<th><p>Name</p></th>`.
const LABEL_LEVELS: usize = 2;

/// A place in the template, as a hash of the boxes around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// By tags and class names of all boxes around it.
    pub(super) exact: u64,
    /// The part of the template: by tags and class names of the nearest boxes.
    pub(super) wide: u64,
}

/// A segment with its place in the template.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub(super) place: Place,
    /// Hash of the text and its wide place.
    pub(super) text_in_place: u64,
    pub(super) weight: f32,
    /// A heading or the name of a field: a short text that introduces the text after it.
    pub(super) is_label: bool,
}

/// Places of all boxes and segments of a page.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// The exact place of each box.
    pub(super) boxes: Vec<u64>,
    pub(super) segments: Vec<Placed>,
}

impl Places {
    pub(crate) fn of(layout: &Layout) -> Self {
        let mut boxes: Vec<u64> = Vec::with_capacity(layout.boxes.len());
        for found in &layout.boxes {
            let parent = boxes.get(found.parent).copied().unwrap_or_default();
            let mut hash = Fnv(parent ^ 0x9e37_79b9_7f4a_7c15);
            hash.write(">");
            boxes.push(hash.0.rotate_left(5) ^ found.site_kind);
        }
        let wide = layout.segments.iter().map(|segment| {
            let around = layout.around(segment.parent).take(TEMPLATE_PART_LEVELS);
            around.fold(0, |template_part: u64, (_, found)| {
                template_part.rotate_left(9) ^ found.site_kind
            })
        });
        let wide: Vec<u64> = wide.collect();
        let texts = layout.segments.iter().zip(&wide);
        let texts = texts.map(|(segment, wide)| (Fnv(*wide), layout.text_of(segment)));
        let segments = layout
            .segments
            .iter()
            .zip(&wide)
            .zip(Fnv::write_each(texts))
            .map(|((segment, wide), text_in_place)| {
                let exact = boxes.get(segment.parent).copied().unwrap_or_default();
                let text = layout.text_of(segment);
                let mut around = layout.around(segment.parent).take(LABEL_LEVELS);
                Placed {
                    place: Place { exact, wide: *wide },
                    text_in_place: text_in_place.0,
                    weight: weight(segment.words, segment.chars),
                    is_label: around.any(|(_, found)| names_what_follows(found))
                        || (segment.words <= 6 && text.ends_with([':', '：'])),
                }
            })
            .collect();
        Self { boxes, segments }
    }
}

/// Returns the weight of a text in its place, capped: a long text says no more than a paragraph.
pub(super) fn place_weight(weight: f32) -> u64 {
    (weight as u64).clamp(1, 50)
}

fn names_what_follows(found: &BoxInfo) -> bool {
    found.tag.heading_level().is_some()
        || matches!(
            found.tag,
            Tag::Th | Tag::Dt | Tag::Summary | Tag::Caption | Tag::Legend
        )
}
