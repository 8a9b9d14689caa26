//! Repeated labels: short texts that a template puts beside every post, card or entry, such as `Offline`,
//! `Click to expand…`, `Joined: 4 May 2012`.

use std::hash::{BuildHasher, Hasher};

use foldhash::HashMap;
use foldhash::quality::FixedState;

use crate::layout::Layout;

/// Longer texts are never labels.
const MAX_WORDS: u32 = 8;
/// A text counts as repeated if the same part of the template has it this often.
const OFTEN: u32 = 3;

/// Returns true for each segment whose text, ignoring numbers, or whose first word repeats within the same part of the
/// template.
pub(super) fn repeated_labels(layout: &Layout) -> Vec<bool> {
    let mut counts: HashMap<(u64, u64), u32> = HashMap::default();
    let mut keys = Vec::with_capacity(layout.segments.len());
    for segment in &layout.segments {
        if segment.words > MAX_WORDS {
            keys.push(None);
            continue;
        }
        let template_part = segment.template_part;
        let (first, whole) = without_numbers(layout.text_of(segment));
        *counts.entry((template_part, whole)).or_default() += 1;
        if first != whole {
            *counts.entry((template_part, first)).or_default() += 1;
        }
        keys.push(Some((template_part, first, whole)));
    }
    let often = |template_part, text| {
        counts
            .get(&(template_part, text))
            .is_some_and(|count| *count >= OFTEN)
    };
    keys.into_iter()
        .map(|key| {
            key.is_some_and(|(template_part, first, whole)| {
                often(template_part, first) || often(template_part, whole)
            })
        })
        .collect()
}

/// Hashes the first word and the whole of a text, with all numbers replaced. The hashes only compare texts of one
/// page.
pub(super) fn without_numbers(text: &str) -> (u64, u64) {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b' ');
    let whole = hash_without_numbers(bytes);
    let first = end.and_then(|end| bytes.get(..end));
    (first.map_or(whole, hash_without_numbers), whole)
}

fn hash_without_numbers(text: &[u8]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    let mut rest = text;
    // The position of a number does not depend on its digits, so that texts which differ only in numbers hash alike.
    while let Some(start) = first_digit(rest) {
        let (before, number) = rest.split_at_checked(start).unwrap_or((rest, &[]));
        hasher.write(before);
        hasher.write_u8(b'0');
        let end = number.iter().position(|byte| !byte.is_ascii_digit());
        rest = end.and_then(|end| number.get(end..)).unwrap_or_default();
    }
    hasher.write(rest);
    hasher.finish()
}

fn first_digit(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 16;
    // Most texts have few digits: test many bytes together.
    let has_digit = |bytes: &[u8; CHUNK]| {
        let digits = bytes.iter().map(u8::is_ascii_digit);
        digits.fold(false, |any, is_digit| any | is_digit)
    };
    let (chunks, _) = bytes.as_chunks::<CHUNK>();
    let without = chunks.iter().take_while(|bytes| !has_digit(bytes)).count();
    let start = without * CHUNK;
    let rest = bytes.get(start..).unwrap_or_default();
    Some(start + rest.iter().position(u8::is_ascii_digit)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    #[test]
    fn finds_labels_beside_every_post() {
        let post = |n: u32, text: &str| {
            format!("<article><i>Posts: {n}</i><p>{text}</p><div>Offline</div></article>")
        };
        let html = post(1, "Soup") + &post(22, "Which one?") + &post(333, "That one.");
        let layout = lay_out(&parse(&html, &Limits::default()));
        let said: Vec<_> = layout
            .segments
            .iter()
            .zip(repeated_labels(&layout))
            .filter(|(_, echo)| !echo)
            .map(|(segment, _)| layout.text_of(segment))
            .collect();
        assert_eq!(said, ["Soup", "Which one?", "That one."]);
    }

    #[test]
    fn hashes_all_numbers_alike() {
        assert_eq!(without_numbers("Posts: 3"), without_numbers("Posts: 1234"));
        assert_eq!(
            without_numbers("Posts: 3").0,
            without_numbers("Posts: many").0
        );
        assert_ne!(
            without_numbers("Posts: 3").1,
            without_numbers("Posts: many").1
        );
        assert_ne!(without_numbers("a1b").1, without_numbers("ab1").1);
        assert_ne!(without_numbers("a1b2").1, without_numbers("a1b").1);
        let long = "A text with some words before the first number, which is ";
        let of = |number: &str| without_numbers(&format!("{long}{number}{long}"));
        assert_eq!(of("3").1, of("1234567890").1);
        assert_eq!(of("3").0, without_numbers("A").1);
    }
}
