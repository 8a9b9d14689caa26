//! Coverage: the share of a page's own main part that is extracted.

use std::ops::Range;

use crate::decided::Decided;
use crate::dom::Tag;
use crate::layout::{BoxInfo, Layout};

/// The words in a page's `<main>`, or in its only `<article>`. Words in navigation, asides, forms and footers do not
/// count, nor do words that the owner or the site's template excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// All words.
    pub words: u32,
    /// Words that are kept as content.
    pub kept: u32,
}

impl Coverage {
    /// Computes the coverage of a page. Returns `None` without such an element, or with several.
    pub(crate) fn of(layout: &Layout, kept: &[bool], decided: &[Decided<'_>]) -> Option<Self> {
        let main = the_only(layout, Tag::Main).or_else(|| the_only(layout, Tag::Article))?;
        let mut counts: Vec<bool> = vec![true; layout.segments.len()];
        let boxes = layout.boxes.iter();
        let others = boxes.filter(|found| found.hidden || is_other(found.tag));
        for other in others.filter(|other| other.segments.start >= main.start) {
            let inside = counts.get_mut(other.segments.clone());
            inside.unwrap_or_default().fill(false);
        }
        for decided in decided.iter().filter(|decided| decided.is_uncounted()) {
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

/// Returns the segments of the only box with a tag.
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
    fn ignores_navigation_and_exclusions_of_the_owner() {
        let text = "Pour boiling water over the leaves and wait for three minutes, no longer.";
        let html = format!(
            "<nav>Home</nav><main><nav>One two</nav><p>{text}<p>{text}<p data-sitecast=exclude>Three four<p hidden>Five</main>Six"
        );
        assert_eq!(coverage(&html), Some((26, 26)));
    }

    #[test]
    fn is_none_without_a_single_main_element() {
        assert_eq!(coverage("<p>Text"), None);
        assert_eq!(coverage("<article>One</article><article>Two"), None);
    }
}
