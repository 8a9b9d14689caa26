//! The part of a page that its markup calls the article, for pages that are extracted alone.
//!
//! An element with `itemprop="articleBody"`, the only `<article>` or the only `<main>` counts as the article if it is
//! shown and has most of the likely content: the rest of the page is then left out. Segments in it keep their own
//! probabilities, since buttons and teasers stand there, too. A text that JSON-LD repeats in `articleBody` counts as
//! content.

use std::ops::Range;

use crate::content::weight;
use crate::dom::{Dom, Element, NodeId, Tag};
use crate::layout::Layout;

/// The share of the expected content that an element needs to count as the article.
const MOST: f32 = 0.7;
/// A text of fewer words, or characters where the script has no spaces, may stand both in an article and in a menu.
const LONG_ENOUGH: u32 = 8;
/// Compare with at most this many bytes of `articleBody` texts.
const MOST_TEXT: usize = 4 << 20;

/// The markup that identifies the article.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statement {
    ArticleBody,
    Article,
    Main,
}

impl Statement {
    const ALL: [Self; 3] = [Self::ArticleBody, Self::Article, Self::Main];

    fn is_made_by(self, element: Element<'_>) -> bool {
        match self {
            Self::ArticleBody => {
                element.has_word("itemprop", "articleBody")
                    || element.has_word("property", "articleBody")
            }
            Self::Article => element.tag == Tag::Article,
            Self::Main => element.tag == Tag::Main || element.has_word("role", "main"),
        }
    }

    /// The markup as authors write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ArticleBody => "articleBody",
            Self::Article => "<article>",
            Self::Main => "<main>",
        }
    }
}

/// Returns the segments of the element that holds the article, and the markup that identifies it.
pub(crate) fn stated_article(
    dom: &Dom,
    layout: &Layout,
    probabilities: &[f32],
) -> Option<(Range<usize>, Statement)> {
    let content = |range: Range<usize>| -> f32 {
        let segments = layout.segments.get(range.clone()).unwrap_or_default();
        let probabilities = probabilities.get(range).unwrap_or_default();
        let expected = segments.iter().zip(probabilities);
        expected
            .map(|(segment, likely)| likely * weight(segment.words, segment.chars))
            .sum()
    };
    let all = content(0..layout.segments.len());
    Statement::ALL.into_iter().find_map(|statement| {
        let elements = dom.elements(NodeId::ROOT);
        let mut elements = elements.filter(|(_, element)| statement.is_made_by(*element));
        let (Some((only, _)), None) = (elements.next(), elements.next()) else {
            return None;
        };
        let found = layout.box_of(only).filter(|found| !found.hidden)?;
        let range = found.segments.clone();
        (content(range.clone()) >= MOST * all).then_some((range, statement))
    })
}

/// Returns the indices of the segments whose text is in the `articleBody` of JSON-LD.
pub(crate) fn in_stated_text(dom: &Dom, layout: &Layout) -> Vec<usize> {
    let scripts = dom
        .elements(NodeId::ROOT)
        .filter(|(_, element)| element.tag == Tag::Script);
    let scripts = scripts.flat_map(|(id, _)| dom.children(id).filter_map(|child| dom.text(child)));
    let mut bodies = String::new();
    for script in scripts.filter(|text| text.contains("\"articleBody\"")) {
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(script) {
            add_bodies(&value, &mut bodies);
        }
    }
    if bodies.is_empty() {
        return Vec::new();
    }
    let segments = layout.segments.iter().enumerate();
    let long =
        segments.filter(|(_, segment)| weight(segment.words, segment.chars) >= LONG_ENOUGH as f32);
    long.filter(|(_, segment)| {
        let text = letters(layout.text_of(segment));
        !text.is_empty() && bodies.contains(&text)
    })
    .map(|(at, _)| at)
    .collect()
}

/// Appends the letters of every `articleBody` text in `value`.
fn add_bodies(value: &serde_json::Value, bodies: &mut String) {
    match value {
        serde_json::Value::Array(values) => {
            for value in values {
                add_bodies(value, bodies);
            }
        }
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                match value.as_str() {
                    Some(text) if name == "articleBody" && bodies.len() < MOST_TEXT => {
                        let text = text.get(..MOST_TEXT).unwrap_or(text);
                        bodies.push_str(&letters(text));
                        bodies.push(' ');
                    }
                    _ => add_bodies(value, bodies),
                }
            }
        }
        _ => {}
    }
}

/// Reduces a text to lower-case letters and digits. White space, punctuation and case differ between JSON-LD and HTML.
fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    fn stated(html: &str, probabilities: &[f32]) -> Option<(Range<usize>, Statement)> {
        let dom = parse(html, &Limits::default());
        let layout = lay_out(&dom);
        assert_eq!(layout.segments.len(), probabilities.len(), "{html}");
        stated_article(&dom, &layout, probabilities)
    }

    #[test]
    fn takes_the_only_element_with_most_of_the_content() {
        let likely = [0.1, 0.9, 0.2];
        for (element, statement) in [
            ("div itemprop=articleBody", Statement::ArticleBody),
            (
                "div property='schema:x articleBody'",
                Statement::ArticleBody,
            ),
            ("article", Statement::Article),
            ("main", Statement::Main),
            ("div role=main", Statement::Main),
        ] {
            let end = element.split(' ').next().unwrap();
            let html = format!("<p>Menu</p><{element}><p>Text</p></{end}><p>More</p>");
            assert_eq!(stated(&html, &likely), Some((1..2, statement)));
            assert_eq!(stated(&html, &[0.9, 0.9, 0.2]), None);
            let html = format!("<p>Menu</p><{element} hidden><p>Text</p></{end}><p>More</p>");
            assert_eq!(stated(&html, &likely), None);
            let html =
                format!("<p>Menu</p><{element}><p>Text</p></{end}><{element}><p>More</p></{end}>");
            assert_eq!(stated(&html, &likely), None);
        }
        let html = "<main><p>One</p><article><p>Text</p></article></main><p>More</p>";
        assert_eq!(stated(html, &likely), Some((1..2, Statement::Article)));
        assert_eq!(
            stated(html, &[0.6, 0.9, 0.2]),
            Some((0..2, Statement::Main))
        );
    }

    #[test]
    fn finds_segments_in_the_article_body_of_json_ld() {
        let html = "<script type=application/ld+json>{\"@graph\":[{\"articleBody\":\"Pour  boiling water over the leaves, \
            and wait.\\nThree minutes.\"}]}</script><p>Pour boiling <b>water</b> over the leaves; and wait.</p>\
            <p>Three minutes</p><p>Pour boiling water over the leaves and drink it</p>";
        let dom = parse(html, &Limits::default());
        assert_eq!(in_stated_text(&dom, &lay_out(&dom)), [0]);
        let dom = parse("<script>\"articleBody\"</script><p>x", &Limits::default());
        assert!(in_stated_text(&dom, &lay_out(&dom)).is_empty());
    }
}
