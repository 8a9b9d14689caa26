//! The description of a page: stated by the page, or else its first sentences.

use sitecast_scp::Block;

use super::Survey;
use super::schema::{Object, text_member};
use super::text::{cut_at_word, fold, folds_to, is_wordless, squeeze, unescaped_line};

/// Longer stated descriptions are cut: they are the content itself.
const MAX_STATED_CHARS: usize = 1_000;
/// The length that search engines show.
const MAX_GENERATED_CHARS: usize = 200;

const META: &[&str] = &[
    "description",
    "og:description",
    "twitter:description",
    "dc.description",
    "dcterms.description",
    "dcterms.abstract",
    "sailthru.description",
];

/// Returns the description that the page states in `meta`, Open Graph or JSON-LD, unless it only repeats the title.
pub(super) fn description(
    survey: &Survey<'_>,
    schema: Option<&Object>,
    title: &str,
) -> Option<String> {
    let title = fold(title);
    let says_something = |text: &String| {
        !is_wordless(text) && !folds_to(text, &title) && !folds_to(text, &fold(&survey.head.title))
    };
    META.iter()
        .filter_map(|name| survey.head.meta(&[name]))
        .map(str::to_owned)
        .chain(
            survey
                .kind
                .articles
                .iter()
                .copied()
                .chain(schema)
                .filter_map(|map| text_member(map, "description"))
                .map(|text| unescaped_line(super::text::first_chars(text, 10_000))),
        )
        .map(|text| cut_at_word(&text, MAX_STATED_CHARS).to_owned())
        .find(says_something)
}

/// Generates a description for a page that states none: the first sentences of its content, up to about 200 characters, or a
/// part of the first sentence. Empty if there is no text.
pub(crate) fn description_of(content: &[Block]) -> String {
    let mut out = String::new();
    for block in content {
        let text = match block {
            Block::Text { text } => squeeze(super::text::first_chars(text, 2_000)),
            Block::List { items, .. } if !out.is_empty() || content.len() == 1 => {
                items.first().map(|item| squeeze(item)).unwrap_or_default()
            }
            Block::Quote { text, .. } => squeeze(super::text::first_chars(text, 2_000)),
            // Text after the next heading has another subject.
            Block::Heading { .. } if !out.is_empty() => break,
            _ => continue,
        };
        if text.is_empty() {
            continue;
        }
        let room =
            MAX_GENERATED_CHARS.saturating_sub(out.chars().count() + usize::from(!out.is_empty()));
        let fitting = sentences_within(&text, room);
        if fitting.is_empty() {
            if out.is_empty() {
                out.push_str(
                    cut_at_word(&text, MAX_GENERATED_CHARS)
                        .trim_end_matches([',', ';', ':', '–', '-', ' ']),
                );
                out.push('…');
            }
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(fitting);
        if fitting.len() < text.len() {
            break;
        }
    }
    out
}

/// Returns the whole sentences that fit into a number of characters.
fn sentences_within(text: &str, chars: usize) -> &str {
    if text.chars().count() <= chars {
        return text;
    }
    let mut end = 0;
    let mut previous_ends = false;
    for (count, (at, c)) in text.char_indices().enumerate() {
        if count > chars {
            break;
        }
        if previous_ends && (c == ' ' || is_wide_stop(text, at)) {
            end = at;
        }
        previous_ends = matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।' | '؟')
            && !ends_with_abbreviation(text.get(..at).unwrap_or_default());
    }
    text.get(..end).unwrap_or_default().trim_end()
}

/// Returns true if the character before `at` is a full-width full stop, which needs no space after it.
fn is_wide_stop(text: &str, at: usize) -> bool {
    text.get(..at)
        .is_some_and(|before| before.ends_with(['。', '！', '？']))
}

/// Returns true after `e.g`, `Dr` or `J`: a full stop after them does not end a sentence.
fn ends_with_abbreviation(before: &str) -> bool {
    let word = before.rsplit(' ').next().unwrap_or_default();
    word.contains('.')
        || matches!(
            word,
            "Dr" | "Mr" | "Mrs" | "Ms" | "Prof" | "St" | "vs" | "No" | "Nr" | "bzw" | "ca"
        )
        || (word.chars().count() == 1 && word.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sitecast_scp::HeadingLevel;

    fn text(text: &str) -> Block {
        Block::Text {
            text: text.to_owned(),
        }
    }

    #[test]
    fn takes_whole_sentences() {
        let long = "One sentence here by Dr. Who. Another sentence there! ".repeat(5);
        let made = description_of(&[text(&long)]);
        assert!(made.ends_with("there!") || made.ends_with("Who."), "{made}");
        assert!(
            made.chars().count() <= 200 && made.chars().count() > 150,
            "{made}"
        );
    }

    #[test]
    fn joins_short_paragraphs_up_to_the_next_heading() {
        let heading = |text: &str| Block::Heading {
            level: HeadingLevel::clamped(2),
            text: text.to_owned(),
        };
        let content = [
            heading("T"),
            text("First."),
            text("Second."),
            heading("Next"),
            text("Third."),
        ];
        assert_eq!(description_of(&content), "First. Second.");
        assert_eq!(description_of(&[]), "");
    }

    #[test]
    fn cuts_one_long_sentence_at_a_word() {
        let made = description_of(&[text(&"word ".repeat(100))]);
        assert!(
            made.ends_with("word…") && made.chars().count() <= 201,
            "{made}"
        );
        let made = description_of(&[text(&"。文".repeat(300))]);
        assert!(made.chars().count() <= 201, "{made}");
    }
}
