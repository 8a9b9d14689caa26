//! How much of the text that a page calls its content is content of what was made of it.

use std::ops::Range;

use crate::decided::Decided;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Layout};

/// The words in a page's `<main>`, or in its only `<article>`, without navigation, asides, forms and footers in it, and
/// without what the owner or the site's template leaves out by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// All of them.
    pub words: u32,
    /// Those that are content.
    pub kept: u32,
}

impl Coverage {
    /// The coverage of a page; `None` if it has neither element, or several.
    pub(crate) fn of(layout: &Layout, kept: &[bool], decided: &[Decided<'_>]) -> Option<Self> {
        let main = the_only(layout, Tag::Main).or_else(|| the_only(layout, Tag::Article))?;
        let mut counts: Vec<bool> = vec![true; layout.segments.len()];
        let boxes = layout.boxes.iter();
        let others = boxes.filter(|found| found.hidden || is_other(found.tag));
        for other in others.filter(|other| other.segments.start >= main.start) {
            let inside = counts.get_mut(other.segments.clone());
            inside.unwrap_or_default().fill(false);
        }
        for decided in decided.iter().filter(|decided| decided.is_no_loss()) {
            if let Some(slot) = counts.get_mut(decided.segment) {
                *slot = false;
            }
        }
        let mut coverage = Self { words: 0, kept: 0 };
        let segments = layout.segments.iter().zip(counts).zip(kept);
        for ((segment, counts), kept) in segments.skip(main.start).take(main.len()) {
            if counts {
                coverage.words += segment.words;
                coverage.kept += if *kept { segment.words } else { 0 };
            }
        }
        Some(coverage)
    }
}

/// The segments of the only box with a tag, if that has text.
fn the_only(layout: &Layout, tag: Tag) -> Option<Range<usize>> {
    let mut found = layout.boxes.iter().filter(|found| found.tag == tag);
    let only: &BoxInfo = found.next()?;
    found.next().is_none().then(|| only.segments.clone())
}

fn is_other(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Nav | Tag::Aside | Tag::Footer | Tag::Form | Tag::Header | Tag::Button
    )
}

#[cfg(test)]
mod tests {
    use crate::{Html, extract_page};

    fn coverage(html: &str) -> Option<(u32, u32)> {
        let url = "https://example.com/a".parse().unwrap();
        let seen = "2025-01-15T09:00:00Z".parse().unwrap();
        let extracted = extract_page(&Html::new(&url, html.as_bytes(), seen)).unwrap();
        extracted.coverage.map(|found| (found.words, found.kept))
    }

    #[test]
    fn navigation_and_what_the_owner_leaves_out_count_for_nothing() {
        let text = "Pour boiling water over the leaves and wait for three minutes, no longer.";
        let html = format!(
            "<nav>Home</nav><main><nav>One two</nav><p>{text}<p>{text}<p data-sitecast=exclude>Three four<p hidden>Five</main>Six"
        );
        assert_eq!(coverage(&html), Some((26, 26)));
    }

    #[test]
    fn pages_without_one_element_for_their_content_have_none() {
        assert_eq!(coverage("<p>Text"), None);
        assert_eq!(coverage("<article>One</article><article>Two"), None);
    }
}
