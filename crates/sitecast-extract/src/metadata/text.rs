//! Text as it is compared and handed on: one line, no litter, no leftovers of markup.

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;

use crate::layout::is_litter;
use crate::plain::split_words;

/// One line: white space collapsed, unseen characters gone.
pub(super) fn squeeze(text: &str) -> String {
    squeezed(text).into_owned()
}

/// The same, which most texts are already but for what is around them.
pub(super) fn squeezed(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_ascii();
    if let (words, "") = split_words(trimmed) {
        return words.into();
    }
    let mut line = Line::default();
    line.push(trimmed, usize::MAX);
    line.text.into()
}

/// A line that grows piece by piece.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) text: String,
    space: bool,
}

impl Line {
    /// Adds a text, until there are more than `max` bytes.
    pub(super) fn push(&mut self, text: &str, max: usize) {
        let mut rest = text;
        loop {
            let (words, after) = split_words(rest);
            if !words.is_empty() {
                if self.text.len() > max {
                    return;
                }
                if self.space && !self.text.is_empty() {
                    self.text.push(' ');
                }
                self.space = false;
                // The first byte in any case, and then as long as there is room; a space is no end.
                let room = (max - self.text.len().min(max)).saturating_add(1);
                let ends_in_space = words.as_bytes().get(room - 1) == Some(&b' ');
                let room = room.saturating_add(usize::from(ends_in_space));
                self.text.push_str(words.get(..room).unwrap_or(words));
            }
            let mut chars = after.chars();
            let Some(c) = chars.next() else {
                return;
            };
            rest = chars.as_str();
            if c.is_whitespace() {
                self.space = true;
            } else if !is_litter(c) {
                if self.text.len() > max {
                    return;
                }
                if self.space && !self.text.is_empty() {
                    self.text.push(' ');
                }
                self.space = false;
                self.text.push(c);
            }
        }
    }
}

/// What two spellings of the same words have in common: lower case, words apart by one space,
/// apostrophes gone, punctuation gone.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        if matches!(c, '’' | '‘' | '\'' | '`' | '´' | '\u{ad}') {
            continue;
        }
        if c.is_alphanumeric() {
            if space && !out.is_empty() {
                out.push(' ');
            }
            space = false;
            if c.is_ascii() {
                out.push(c.to_ascii_lowercase());
            } else {
                out.extend(c.to_lowercase());
            }
        } else {
            space = true;
        }
    }
    out
}

/// Whether a text is one of these, which are in lower case, in whatever case it is itself.
pub(super) fn says(text: &str, texts: &[&str]) -> bool {
    if text.is_ascii() {
        return texts.iter().any(|other| text.eq_ignore_ascii_case(other));
    }
    let lower = || text.chars().flat_map(char::to_lowercase);
    texts.iter().any(|other| lower().eq(other.chars()))
}

/// The first `max` characters, or fewer: never half a word, unless the word is all there is.
pub(super) fn cut_at_word(text: &str, max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text;
    };
    let head = text.get(..end).unwrap_or_default();
    let whole = text.get(end..).is_some_and(|rest| rest.starts_with(' '));
    match head.rfind(' ') {
        Some(space) if !whole && space > head.len() / 2 => head.get(..space).unwrap_or(head),
        _ => head,
    }
}

/// The first `max` characters.
pub(super) fn first_chars(text: &str, max: usize) -> &str {
    match text.as_bytes().get(..max) {
        None => return text,
        Some(start) if start.is_ascii() => return text.get(..max).unwrap_or(text),
        Some(_) => {}
    }
    match text.char_indices().nth(max) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// The last `max` characters.
pub(super) fn last_chars(text: &str, max: usize) -> &str {
    let Some(start) = text.len().checked_sub(max) else {
        return text;
    };
    if text.as_bytes().get(start..).is_some_and(<[u8]>::is_ascii) {
        return text.get(start..).unwrap_or(text);
    }
    match max
        .checked_sub(1)
        .and_then(|back| text.char_indices().nth_back(back))
    {
        Some((start, _)) => text.get(start..).unwrap_or(text),
        None if max == 0 => "",
        None => text,
    }
}

/// Character references that survived the parser: content management systems escape what they
/// put into JSON-LD and into `content` attributes once too often.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let body = from.strip_prefix('&').unwrap_or_default();
        let reference = body
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '#')
            .filter(|end| *end <= 32)
            .and_then(|end| body.split_at_checked(end))
            .and_then(|(name, after)| Some((referred(name)?, after.strip_prefix(';')?)));
        if let Some((characters, after)) = reference {
            out.push_str(&characters);
            rest = after;
        } else {
            out.push('&');
            rest = body;
        }
    }
    out.push_str(rest);
    out
}

fn referred(name: &str) -> Option<String> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code)
            .filter(|c| *c != '\0')
            .map(String::from);
    }
    let (first, second) = *NAMED_ENTITIES.get(format!("{name};").as_str())?;
    let found: String = [first, second]
        .into_iter()
        .filter(|code| *code != 0)
        .filter_map(char::from_u32)
        .collect();
    (!found.is_empty()).then_some(found)
}

/// Text out of an attribute or a JSON string, as it is shown.
pub(super) fn shown(text: &str) -> String {
    squeeze(&unescape(text))
}

/// Which share of the words of the shorter text the two have in common.
pub(super) fn overlap(a: &str, b: &str) -> f64 {
    let (a, b) = (fold(a), fold(b));
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (words(&a), words(&b));
    let shared = a.intersection(&b).count();
    shared as f64 / a.len().min(b.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squeezes_white_space_and_litter() {
        assert_eq!(squeeze(" a\u{a0}\n b\u{200b}c\u{ad} "), "a bc");
    }

    #[test]
    fn a_line_has_room_for_so_much_and_never_ends_in_a_space() {
        for (max, line) in [
            (0, "o"),
            (2, "one"),
            (3, "one t"),
            (4, "one t"),
            (6, "one two"),
            (7, "one two t"),
            (99, "one two three"),
        ] {
            let mut pushed = Line::default();
            pushed.push("one two  three", max);
            pushed.push("more", max.min(20));
            let rest = if max == 99 { "more" } else { "" };
            assert_eq!(pushed.text, format!("{line}{rest}"), "{max}");
        }
    }

    #[test]
    fn folds_case_punctuation_and_apostrophes() {
        assert_eq!(
            fold("Don’t  PANIC — it's (only) ÄÖ_1!"),
            "dont panic its only äö 1"
        );
    }

    #[test]
    fn cuts_between_words() {
        assert_eq!(cut_at_word("one two three", 9), "one two");
        assert_eq!(cut_at_word("one two three", 7), "one two");
        assert_eq!(cut_at_word("einszweidrei", 4), "eins");
        assert_eq!(cut_at_word("short", 40), "short");
        assert_eq!(last_chars("äöü", 2), "öü");
        assert_eq!(last_chars("äöab", 2), "ab");
        assert_eq!(last_chars("äöab", 3), "öab");
        assert_eq!(last_chars("äöab", 0), "");
        assert_eq!(first_chars("abäö", 2), "ab");
        assert_eq!(first_chars("abäö", 3), "abä");
        assert_eq!(first_chars("abäö", 9), "abäö");
        assert_eq!(last_chars("ä", 2), "ä");
    }

    #[test]
    fn resolves_references_once() {
        assert_eq!(
            unescape("Q&amp;A &#8217;s &#x201C;x&quot; &hellip; &nope; & b&"),
            "Q&A ’s “x\" … &nope; & b&"
        );
        assert_eq!(unescape("&amp;amp;"), "&amp;");
        assert_eq!(unescape("&#99999999; &#0;"), "&#99999999; &#0;");
    }
}
