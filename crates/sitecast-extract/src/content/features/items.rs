//! Items: repeated boxes beside each other, such as posts, entries and cards, and the place of a segment in its item.

use foldhash::HashMap;

use super::row::Row;
use super::sums::Sums;
use crate::dom::Tag;
use crate::layout::{Layout, Segment};

/// This many boxes of a kind beside each other are items.
const ENOUGH: u32 = 3;

/// The item that contains each box.
pub(super) struct Items {
    items: Vec<Option<Item>>,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    at: usize,
    /// Number of items of the same kind beside it, and of those before it.
    alike: u32,
    before: u32,
}

impl Items {
    pub(super) fn of(layout: &Layout) -> Self {
        let mut counts: HashMap<(usize, u64), u32> = HashMap::default();
        for found in layout.boxes.iter().filter(|found| is_item(found.tag)) {
            if found.segments.len() > 1 {
                *counts.entry((found.parent, found.kind)).or_default() += 1;
            }
        }
        let mut seen: HashMap<(usize, u64), u32> = HashMap::default();
        let mut items: Vec<Option<Item>> = Vec::with_capacity(layout.boxes.len());
        for (at, found) in layout.boxes.iter().enumerate() {
            let key = (found.parent, found.kind);
            let alike = counts.get(&key).copied().unwrap_or(0);
            let outer = items.get(found.parent).copied().flatten();
            items.push(
                if alike >= ENOUGH && found.segments.len() > 1 && is_item(found.tag) {
                    let before = seen.entry(key).or_default();
                    *before += 1;
                    // In a list inside a post, the post is the item.
                    outer.or(Some(Item {
                        at,
                        alike,
                        before: *before - 1,
                    }))
                } else {
                    outer
                },
            );
        }
        Self { items }
    }

    pub(super) fn put(
        &self,
        layout: &Layout,
        index: usize,
        segment: &Segment,
        sum: impl Fn(std::ops::Range<usize>) -> Sums,
        row: &mut impl Row,
    ) {
        let item = self.items.get(segment.parent).copied().flatten();
        let found = item.and_then(|item| layout.boxes.get(item.at));
        let range = found.map_or(0..0, |found| found.segments.clone());
        let all = sum(range.clone());
        row.put("item_alike", item.map_or(0.0, |item| item.alike as f32));
        row.put("item_before", item.map_or(-1.0, |item| item.before as f32));
        row.put("item_words", all.words);
        row.put("item_segments", all.segments);
        row.put("item_prose", all.prose / all.words.max(1.0));
        row.put("item_links", all.link_density());
        row.put("item_share", segment.words as f32 / all.words.max(1.0));
        row.put(
            "item_from_start",
            found.map_or(-1.0, |_| index as f32 - range.start as f32),
        );
        row.put(
            "item_from_end",
            found.map_or(-1.0, |_| range.end as f32 - index as f32),
        );
    }
}

fn is_item(tag: Tag) -> bool {
    !matches!(
        tag,
        Tag::P | Tag::Td | Tag::Th | Tag::Dt | Tag::Dd | Tag::Pre | Tag::Blockquote
    ) && tag.heading_level().is_none()
}
