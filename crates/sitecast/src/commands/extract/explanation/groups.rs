//! Neighbouring pieces of text that have the same verdict for the same reason in about the same place.

use sitecast_extract::{ExplainedSegment, Reason};

/// What stands between the steps of a place.
pub(super) const STEP: &str = " > ";

/// Segments of a group, which stand one after the other on the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group<'a> {
    pub(super) kept: bool,
    pub(super) reason: &'a Reason,
    /// The steps that the places of all segments begin with.
    place: Vec<&'a str>,
    pub(super) segments: Vec<&'a ExplainedSegment>,
}

impl<'a> Group<'a> {
    fn of(segment: &'a ExplainedSegment) -> Self {
        Self {
            kept: segment.kept,
            reason: &segment.reason,
            place: steps(segment).collect(),
            segments: vec![segment],
        }
    }

    /// Takes the next segment of the page, if it belongs to the group.
    fn take(&mut self, segment: &'a ExplainedSegment) -> bool {
        if self.kept != segment.kept || *self.reason != segment.reason {
            return false;
        }
        let shared = self.place.iter().zip(steps(segment));
        let shared = shared.take_while(|(one, other)| *one == other).count();
        let first = self
            .segments
            .first()
            .map_or(0, |first| steps(first).count());
        let shortest = first.min(steps(segment).count());
        // Up to the box around the shorter one: a header and a footer have the page in common, and no more.
        let belongs = shared > 0 && shared + 1 >= shortest;
        if belongs {
            self.place.truncate(shared);
            self.segments.push(segment);
        }
        belongs
    }

    /// The place of the group.
    pub(super) fn place(&self) -> String {
        self.place.join(STEP)
    }

    /// The place of a segment within that of the group.
    pub(super) fn place_within(&self, segment: &ExplainedSegment) -> String {
        let steps: Vec<&str> = steps(segment).skip(self.place.len()).collect();
        steps.join(STEP)
    }
}

/// The segments of a page in groups.
pub(super) fn groups(segments: &[ExplainedSegment]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for segment in segments {
        let taken = groups.last_mut().is_some_and(|last| last.take(segment));
        if !taken {
            groups.push(Group::of(segment));
        }
    }
    groups
}

fn steps(segment: &ExplainedSegment) -> impl Iterator<Item = &str> {
    segment.place.split(STEP)
}

#[cfg(test)]
mod tests {
    use sitecast_extract::{Extractor, Unlocated};

    use super::*;

    #[test]
    fn neighbours_are_together_where_their_boxes_are_the_same() {
        let text = "Pour boiling water over the leaves and wait for three minutes, no longer.";
        let html = format!(
            "<div id=page><header><nav><ul><li><a href=/>Home</a></li></ul></nav><form><p>Search</p></form></header>\
             <main><h1>Tea</h1><p>{text}</p><ul><li>{text}</li></ul><p>{text}</p></main>\
             <footer><p>© 2025 Us</p></footer></div>"
        );
        let nowhere = Unlocated::default();
        let seen = "2025-01-15T09:00:00Z".parse().unwrap();
        let explained = Extractor::default();
        let explained = explained.explain_page(&nowhere.html(html.as_bytes(), seen));
        let segments = explained.unwrap().segments;
        let groups = groups(&segments);
        let places: Vec<String> = groups.iter().map(Group::place).collect();
        let last = groups.last().unwrap();
        assert_eq!(places.first().unwrap(), "div#page > header > nav > ul > li");
        assert!(places.contains(&"div#page > main".to_owned()), "{places:?}");
        assert_eq!(last.place(), "div#page > footer > p");
        let all = groups
            .iter()
            .map(|group| group.segments.len())
            .sum::<usize>();
        assert_eq!(all, segments.len());
    }
}
