//! Pages of which much text is missing, for the owner to look at.

use serde::Serialize;
use sitecast_extract::Coverage;

/// A loss of fewer words is not reported.
const FEW: u32 = 50;
/// A page has lost much if less than this is left, in hundredths.
const LEFT: u64 = 70;
/// Characters that are a word where the script has no spaces.
const CHARS_OF_A_WORD: usize = 8;

/// A page that is published with much less text than it should have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Loss {
    /// Its URL.
    pub url: String,
    /// The item of the source that it is from: a file, a URL.
    pub item: String,
    /// The text that it was compared with.
    pub against: Against,
    /// The words that this has, …
    pub words: u32,
    /// … and the words that are published.
    pub kept: u32,
}

/// The text that a page is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Against {
    /// Its `<main>` or `<article>`.
    Markup,
    /// The last publication of the page.
    LastVersion,
}

impl Loss {
    /// Returns the loss of a page with a new number of words; `None` if it has not lost much.
    pub(crate) fn of(
        url: &str,
        item: &str,
        coverage: Option<Coverage>,
        before: Option<u32>,
        now: u32,
    ) -> Option<Self> {
        let markup = coverage.map(|coverage| (Against::Markup, coverage.words, coverage.kept));
        let last = before.map(|before| (Against::LastVersion, before, now));
        let found = [markup, last].into_iter().flatten();
        let mut lost = found.filter(|(_, words, kept)| is_much(*words, *kept));
        lost.next().map(|(against, words, kept)| Self {
            url: url.to_owned(),
            item: item.to_owned(),
            against,
            words,
            kept,
        })
    }
}

fn is_much(words: u32, kept: u32) -> bool {
    words.saturating_sub(kept) >= FEW && u64::from(kept) * 100 < u64::from(words) * LEFT
}

/// The words of a text.
pub(crate) fn words_of(text: &str) -> u32 {
    let words = text.split_whitespace().count();
    let by_length = text.chars().count() / CHARS_OF_A_WORD;
    u32::try_from(words.max(by_length)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_shrinks_has_lost_much() {
        let of = |before, now| {
            Loss::of(
                "https://example.com/",
                "index.html",
                None,
                Some(before),
                now,
            )
        };
        assert_eq!(of(1_000, 900), None);
        assert_eq!(of(60, 20), None, "too few to matter");
        let loss = of(1_000, 500).unwrap();
        assert_eq!(
            (loss.against, loss.words, loss.kept),
            (Against::LastVersion, 1_000, 500)
        );
    }

    #[test]
    fn words_are_counted_in_scripts_without_spaces_too() {
        assert_eq!(words_of("three little words"), 3);
        assert_eq!(words_of(&"字".repeat(80)), 10);
        assert_eq!(words_of(""), 0);
    }
}
