//! Groups of segments that come from the same part of a template: the posts of a thread, the names above them, the
//! prices of a list.

use foldhash::{HashMap, HashSet};

use super::row::Row;
use crate::content::repeated_labels::without_numbers;
use crate::layout::Layout;

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    segments: f32,
    words: f32,
    longest: f32,
    chars: f32,
    link_chars: f32,
    prose: f32,
    /// Distinct texts, ignoring numbers.
    different: f32,
}

/// The groups of a page's segments.
pub(super) struct Groups {
    groups: Vec<Group>,
    /// One for each segment.
    members: Vec<Member>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Member {
    group: usize,
    /// Segments of the group before this one.
    before: f32,
    /// Hash of the first word.
    beginning: u64,
    /// Segments of the group with the same first word.
    alike: f32,
    /// Earlier segments of the page with the same text, ignoring numbers.
    same_before: f32,
}

impl Groups {
    /// Groups the segments. `prose` is true for segments that read like sentences.
    pub(super) fn of(layout: &Layout, prose: &[bool]) -> Self {
        let mut numbers: HashMap<u64, usize> = HashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        let mut members = Vec::with_capacity(layout.segments.len());
        let mut texts: HashSet<(usize, u64)> = HashSet::default();
        let mut beginnings: HashMap<(usize, u64), f32> = HashMap::default();
        let mut same_before: HashMap<u64, f32> = HashMap::default();
        for (segment, is_prose) in layout.segments.iter().zip(prose) {
            let number = *numbers.entry(segment.template_part).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Group::default());
            }
            let Some(group) = groups.get_mut(number) else {
                continue;
            };
            let text = layout.text_of(segment);
            let (beginning, whole) = without_numbers(text);
            let count = same_before.entry(whole).or_default();
            members.push(Member {
                group: number,
                before: group.segments,
                beginning,
                alike: 0.0,
                same_before: *count,
            });
            *count += 1.0;
            *beginnings.entry((number, beginning)).or_default() += 1.0;
            let words = segment.words as f32;
            group.segments += 1.0;
            group.words += words;
            group.longest = group.longest.max(words);
            group.chars += segment.chars as f32;
            group.link_chars += segment.link_chars as f32;
            group.prose += f32::from(u8::from(*is_prose));
            group.different += f32::from(u8::from(texts.insert((number, whole))));
        }
        for member in &mut members {
            let key = (member.group, member.beginning);
            member.alike = beginnings.get(&key).copied().unwrap_or(1.0);
        }
        Self { groups, members }
    }

    pub(super) fn put(&self, index: usize, row: &mut impl Row) {
        let member = self.members.get(index).copied().unwrap_or_default();
        let group = self.groups.get(member.group).copied().unwrap_or_default();
        let segments = group.segments.max(1.0);
        row.put("group_segments", group.segments);
        row.put("group_words", group.words / segments);
        row.put("group_longest", group.longest);
        row.put("group_links", group.link_chars / group.chars.max(1.0));
        row.put("group_prose", group.prose / segments);
        row.put("group_different", group.different / segments);
        row.put("group_alike", member.alike / segments);
        row.put("group_before", member.before);
        row.put("said_before", member.same_before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    #[test]
    fn groups_segments_of_one_template_part() {
        let post = |n: u32| {
            format!("<div class=post><b class=n>Posts: {n}</b><p>Text number{n}</p></div>")
        };
        let html: String = (1..=4).map(post).collect();
        let layout = lay_out(&parse(&html, &Limits::default()));
        let groups = Groups::of(&layout, &[false; 8]);
        let last = groups.members.last().copied().unwrap();
        assert_eq!((last.before, last.same_before), (3.0, 3.0));
        assert_eq!(groups.groups[last.group].segments, 4.0);
        assert_eq!(groups.groups[last.group].different, 1.0);
    }
}
