//! Short texts that a template puts beside every post, card or entry: `Offline`, `Click to
//! expand…`, `Joined: 4 May 2012`.

use foldhash::HashMap;

use super::pieces::piece_of;
use crate::layout::{Fnv, Layout};

/// What is longer says something.
const MAX_WORDS: u32 = 8;
/// What is said so often by one piece of a template is said by the template.
const OFTEN: u32 = 3;

/// Which segments say what others made by the same piece of the template say, numbers apart, or
/// begin with the same word.
pub(super) fn echoes(layout: &Layout) -> Vec<bool> {
    let mut counts: HashMap<(u64, u64), u32> = HashMap::default();
    let mut keys = Vec::with_capacity(layout.segments.len());
    for segment in &layout.segments {
        if segment.words > MAX_WORDS {
            keys.push(None);
            continue;
        }
        let piece = piece_of(layout, segment);
        let (first, whole) = without_numbers(layout.text_of(segment));
        *counts.entry((piece, whole)).or_default() += 1;
        if first != whole {
            *counts.entry((piece, first)).or_default() += 1;
        }
        keys.push(Some((piece, first, whole)));
    }
    let often = |piece, text| {
        counts
            .get(&(piece, text))
            .is_some_and(|count| *count >= OFTEN)
    };
    keys.into_iter()
        .map(|key| {
            key.is_some_and(|(piece, first, whole)| often(piece, first) || often(piece, whole))
        })
        .collect()
}

/// The first word and the whole of a text, hashed, all numbers the same.
pub(super) fn without_numbers(text: &str) -> (u64, u64) {
    let mut whole = Fnv::default();
    let mut first = None;
    let mut digit = false;
    for byte in text.bytes() {
        if byte == b' ' && first.is_none() {
            first = Some(whole.0);
        }
        let is_digit = byte.is_ascii_digit();
        if !is_digit {
            whole.write_byte(byte);
        } else if !digit {
            whole.write_byte(b'0');
        }
        digit = is_digit;
    }
    (first.unwrap_or(whole.0), whole.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;
    use crate::layout::lay_out;

    #[test]
    fn what_is_beside_every_post_is_an_echo() {
        let post = |n: u32, text: &str| {
            format!("<article><i>Posts: {n}</i><p>{text}</p><div>Offline</div></article>")
        };
        let html = post(1, "Soup") + &post(22, "Which one?") + &post(333, "That one.");
        let layout = lay_out(&parse(&html, &Limits::default()));
        let said: Vec<_> = layout
            .segments
            .iter()
            .zip(echoes(&layout))
            .filter(|(_, echo)| !echo)
            .map(|(segment, _)| layout.text_of(segment))
            .collect();
        assert_eq!(said, ["Soup", "Which one?", "That one."]);
    }

    #[test]
    fn numbers_are_all_the_same() {
        assert_eq!(without_numbers("Posts: 3"), without_numbers("Posts: 1234"));
        assert_eq!(
            without_numbers("Posts: 3").0,
            without_numbers("Posts: many").0
        );
        assert_ne!(
            without_numbers("Posts: 3").1,
            without_numbers("Posts: many").1
        );
    }
}
