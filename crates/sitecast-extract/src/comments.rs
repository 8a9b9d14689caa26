//! What readers say about an article below it.
//!
//! A section of comments is told by its structure: texts, each beside a name or a time, which the markup calls comments, or
//! which one piece of the template made several times; and it comes after the text that is commented on. On pages that do not
//! say that they are articles, and on those that say that they are discussions, what readers say may be the content.

use std::ops::Range;

use foldhash::HashMap;

use crate::content::{Cue, is_prose, weight};
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::layout::{BoxInfo, Layout};

/// Whether what readers say about an article is part of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comments {
    /// It is left out. Posts of forums are content all the same.
    #[default]
    Exclude,
    /// It is kept.
    Include,
}

/// A text of fewer words is not commented on.
const ENOUGH: f32 = 40.0;
/// The text that is commented on has this share of what readers say, at least.
const SHARE: f32 = 0.15;
/// So many texts that one piece of the template made are comments, if each has a name and a time.
const ALIKE: usize = 2;

/// The segments of all sections of comments of an article, in order.
pub(crate) fn sections(dom: &Dom, layout: &Layout) -> Vec<Range<usize>> {
    let Some(first) = layout
        .segments
        .iter()
        .position(|segment| is_prose(segment, layout.text_of(segment)))
    else {
        return Vec::new();
    };
    let survey = Survey::of(dom, layout);
    let mut sections: Vec<Range<usize>> = Vec::new();
    for (at, found) in layout.boxes.iter().enumerate() {
        let range = &found.segments;
        let is_inside = sections.last().is_some_and(|last| range.end <= last.end);
        if is_inside || range.start <= first || range.is_empty() {
            continue;
        }
        if survey.is_section(at, found) {
            sections.push(range.clone());
        }
    }
    if sections.is_empty() {
        return Vec::new();
    }
    let all = survey.prose(&(0..layout.segments.len()));
    let said: f32 = sections.iter().map(|range| survey.prose(range)).sum();
    let article = all - said;
    if article < ENOUGH || article < SHARE * said {
        return Vec::new();
    }
    sections
}

/// What is known of the boxes of a page.
struct Survey<'a> {
    layout: &'a Layout,
    /// Words of prose before each segment.
    prose: Vec<f32>,
    /// Of each box.
    signs: Vec<Signs>,
    /// How many boxes of a kind stand beside each other.
    alike: HashMap<(usize, u64), usize>,
}

/// What a box has in it.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    author: bool,
    time: bool,
    heading: bool,
    /// An element that is said to be a comment: itself or one in it.
    comment: bool,
}

impl<'a> Survey<'a> {
    fn of(dom: &Dom, layout: &'a Layout) -> Self {
        let mut prose = vec![0.0];
        let mut sum = 0.0;
        for segment in &layout.segments {
            let text = layout.text_of(segment);
            if is_prose(segment, text) {
                sum += weight(segment.words, segment.chars);
            }
            prose.push(sum);
        }
        let mut signs = vec![Signs::default(); layout.boxes.len()];
        let mut alike: HashMap<(usize, u64), usize> = HashMap::default();
        for (slot, found) in signs.iter_mut().zip(&layout.boxes) {
            let element = dom.element(found.node);
            slot.author = found.cues.has(Cue::Author);
            slot.time = found.cues.has(Cue::Date) || found.tag == Tag::Time;
            slot.heading = found.tag.heading_level().is_some_and(|level| level < 4);
            slot.comment = found.cues.has(Cue::Comment) || element.is_some_and(states_comment);
            if !found.segments.is_empty() {
                *alike.entry((found.parent, found.kind)).or_default() += 1;
            }
        }
        for segment in &layout.segments {
            if let Some(slot) = signs.get_mut(segment.parent) {
                slot.author |= segment.cues.has(Cue::Author);
                slot.time |= segment.cues.has(Cue::Date);
            }
        }
        for (time, _) in dom
            .elements(NodeId::ROOT)
            .filter(|(_, it)| it.tag == Tag::Time)
        {
            let segment = dom.descendants(time).find_map(|id| layout.segment_of(id));
            let segment = segment.and_then(|at| layout.segments.get(at));
            if let Some(slot) = segment.and_then(|segment| signs.get_mut(segment.parent)) {
                slot.time = true;
            }
        }
        // From the inside out: what is in a box is in those around it.
        for at in (1..layout.boxes.len()).rev() {
            let parent = layout.boxes.get(at).map_or(0, |found| found.parent);
            let inner = signs.get(at).copied().unwrap_or_default();
            if let Some(outer) = signs.get_mut(parent).filter(|_| parent != at) {
                outer.author |= inner.author;
                outer.time |= inner.time;
                outer.heading |= inner.heading;
            }
        }
        Self {
            layout,
            prose,
            signs,
            alike,
        }
    }

    /// The words of prose in a range.
    fn prose(&self, range: &Range<usize>) -> f32 {
        let at = |index: usize| self.prose.get(index).or(self.prose.last()).copied();
        at(range.end).unwrap_or(0.0) - at(range.start).unwrap_or(0.0)
    }

    /// Whether a box that comes after the article has comments in it: one, or all of them.
    fn is_section(&self, at: usize, found: &BoxInfo) -> bool {
        let signs = self.signs.get(at).copied().unwrap_or_default();
        if signs.comment {
            // A form to comment with has no author, and is part of the section.
            return signs.author
                || signs.time
                || found.tag == Tag::Form
                || self.prose(&found.segments) == 0.0;
        }
        let is_repeated = || {
            let alike = self.alike.get(&(found.parent, found.kind)).copied();
            alike.unwrap_or(0) >= ALIKE
        };
        let is_text = !signs.heading && self.prose(&found.segments) > 0.0;
        // Teasers have headings, and bylines beside them; a comment is nothing but a name, a time and what was said.
        signs.author && signs.time && is_text && is_repeated() && !self.is_mostly_links(found)
    }

    fn is_mostly_links(&self, found: &BoxInfo) -> bool {
        let segments = self.layout.segments.get(found.segments.clone());
        let segments = segments.unwrap_or_default();
        let chars: u32 = segments.iter().map(|segment| segment.chars).sum();
        let links: u32 = segments.iter().map(|segment| segment.link_chars).sum();
        links * 2 > chars
    }
}

/// Whether markup for machines says that an element is a comment.
fn states_comment(element: Element<'_>) -> bool {
    let is_type = |name: &str| {
        matches!(
            name.rsplit(['/', ':']).next(),
            Some("Comment" | "UserComments")
        )
    };
    let types = element
        .attribute("itemtype")
        .or(element.attribute("typeof"));
    types.is_some_and(|types| types.split_ascii_whitespace().any(is_type))
        || element.has_word("itemprop", "comment")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    const SAID: &str =
        "I have done so for years, and my tea was never bitter, whatever the water was like.";

    fn found(page: &str) -> Vec<String> {
        let dom = parse(page, &Limits::default());
        let layout = lay_out(&dom);
        let sections = sections(&dom, &layout);
        let segments = sections.into_iter().flatten();
        let segments = segments.filter_map(|at| layout.segments.get(at));
        segments
            .map(|segment| layout.text_of(segment).to_owned())
            .collect()
    }

    fn article() -> String {
        format!(
            "<article><h1>Tea</h1>{}</article>",
            format!(
                "<p>{}</p>",
                "Pour boiling water over the leaves, and wait for three minutes. ".repeat(4)
            )
            .repeat(2)
        )
    }

    #[test]
    fn comments_are_told_by_names_for_machines() {
        for comment in [
            "div class=comment",
            "li id=comment-12",
            "div itemprop=comment",
            "div itemscope itemtype=https://schema.org/Comment",
        ] {
            let end = comment.split(' ').next().unwrap();
            let page = format!(
                "{}<{comment}><span class=author>Ada</span><p>{SAID}</p></{end}>",
                article()
            );
            assert_eq!(found(&page), ["Ada", SAID], "{comment}");
        }
    }

    #[test]
    fn comments_are_told_by_structure_alone() {
        let comment = format!(
            "<div class=k3><span class=x-user>Ada</span><time>heute</time><p>{SAID}</p></div>"
        );
        let page = format!("{}<div>{}</div>", article(), comment.repeat(3));
        assert_eq!(found(&page), ["Ada heute", SAID].repeat(3));
        // Once may be a box about the author.
        assert!(found(&format!("{}<div>{comment}</div>", article())).is_empty());
        let teaser = comment.replace("<span", "<h3>More tea</h3><span");
        assert!(found(&format!("{}<div>{}</div>", article(), teaser.repeat(3))).is_empty());
    }

    #[test]
    fn a_form_to_comment_with_belongs_to_the_comments() {
        let page = format!("{}<form id=respond><p>Say something</p></form>", article());
        assert_eq!(found(&page), ["Say something"]);
    }

    #[test]
    fn a_discussion_is_no_section_of_comments() {
        let posts = format!("<div class=comment><span class=author>Ada</span><p>{SAID}</p></div>")
            .repeat(5);
        assert!(found(&format!("<h1>Tea?</h1><p>Is mine too bitter, or am I too late, or is the water bad?</p>{posts}")).is_empty());
        assert!(!found(&format!("{}{posts}", article())).is_empty());
    }

    #[test]
    fn an_article_that_is_open_for_comments_is_none() {
        let page = format!(
            "<body class=comments-open><div class=has-comments><span class=author>Ada</span>{}</div>",
            article()
        );
        assert!(found(&page).is_empty());
    }
}
