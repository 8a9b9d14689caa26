//! Readers' comments below an article.
//!
//! A section of comments is recognised by its structure: texts, each beside a name or a time, that the markup calls
//! comments or that the same part of the template repeats; and it follows the text that is commented on. On pages that
//! do not state that they are articles, and on discussions, comments may be the content.

use std::ops::Range;

use foldhash::HashMap;

use crate::content::{Cue, is_prose, weight};
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::layout::{BoxInfo, Layout};

/// Decides if readers' comments on an article are part of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comments {
    /// Leave comments out. Posts of forums count as content in any case.
    #[default]
    Exclude,
    /// Keep comments.
    Include,
}

/// An article has at least this many words of prose.
const ENOUGH: f32 = 40.0;
/// The article has at least this share of the prose of its comments.
const SHARE: f32 = 0.15;
/// This many boxes of the same part of the template are comments, if each has a name and a time.
const ALIKE: usize = 2;

/// Returns the segments of all comment sections of an article, in order.
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
    let comment_words: f32 = sections.iter().map(|range| survey.prose(range)).sum();
    let article = all - comment_words;
    if article < ENOUGH || article < SHARE * comment_words {
        return Vec::new();
    }
    sections
}

/// Facts about the boxes of a page.
struct Survey<'a> {
    layout: &'a Layout,
    /// Words of prose before each segment.
    prose: Vec<f32>,
    /// One for each box.
    signs: Vec<Signs>,
    /// Number of boxes with the same parent and kind.
    alike: HashMap<(usize, u64), usize>,
}

/// Signs of comments in a box.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    author: bool,
    time: bool,
    heading: bool,
    /// The element itself is called a comment, by its class or by metadata.
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
        // From the innermost box outwards: each box inherits the signs inside it.
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

    /// Returns the words of prose in a range.
    fn prose(&self, range: &Range<usize>) -> f32 {
        let at = |index: usize| self.prose.get(index).or(self.prose.last()).copied();
        at(range.end).unwrap_or(0.0) - at(range.start).unwrap_or(0.0)
    }

    /// Returns true if a box after the article is a comment or a section of comments.
    fn is_section(&self, at: usize, found: &BoxInfo) -> bool {
        let signs = self.signs.get(at).copied().unwrap_or_default();
        if signs.comment {
            // A comment form has no author, and belongs to the section.
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
        // Teasers have headings, and bylines beside them; a comment has only a name, a time and its text.
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

/// Returns true if metadata of an element states that it is a comment.
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

    const COMMENT_TEXT: &str =
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
    fn recognises_comments_by_class_id_and_metadata() {
        for comment in [
            "div class=comment",
            "li id=comment-12",
            "div itemprop=comment",
            "div itemscope itemtype=https://schema.org/Comment",
        ] {
            let end = comment.split(' ').next().unwrap();
            let page = format!(
                "{}<{comment}><span class=author>Ada</span><p>{COMMENT_TEXT}</p></{end}>",
                article()
            );
            assert_eq!(found(&page), ["Ada", COMMENT_TEXT], "{comment}");
        }
    }

    #[test]
    fn recognises_comments_by_structure() {
        let comment = format!(
            "<div class=k3><span class=x-user>Ada</span><time>heute</time><p>{COMMENT_TEXT}</p></div>"
        );
        let page = format!("{}<div>{}</div>", article(), comment.repeat(3));
        assert_eq!(found(&page), ["Ada heute", COMMENT_TEXT].repeat(3));
        // A single one may be a box about the author.
        assert!(found(&format!("{}<div>{comment}</div>", article())).is_empty());
        let teaser = comment.replace("<span", "<h3>More tea</h3><span");
        assert!(found(&format!("{}<div>{}</div>", article(), teaser.repeat(3))).is_empty());
    }

    #[test]
    fn includes_the_comment_form() {
        let page = format!("{}<form id=respond><p>Say something</p></form>", article());
        assert_eq!(found(&page), ["Say something"]);
    }

    #[test]
    fn keeps_discussions() {
        let posts =
            format!("<div class=comment><span class=author>Ada</span><p>{COMMENT_TEXT}</p></div>")
                .repeat(5);
        assert!(found(&format!("<h1>Tea?</h1><p>Is mine too bitter, or am I too late, or is the water bad?</p>{posts}")).is_empty());
        assert!(!found(&format!("{}{posts}", article())).is_empty());
    }

    #[test]
    fn keeps_articles_inside_elements_with_comment_classes() {
        let page = format!(
            "<body class=comments-open><div class=has-comments><span class=author>Ada</span>{}</div>",
            article()
        );
        assert!(found(&page).is_empty());
    }
}
