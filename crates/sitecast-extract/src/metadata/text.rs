//! Normalisation and comparison of text: white space, invisible characters, case, leftover character references.

use std::borrow::Cow;

use html5ever::data::NAMED_ENTITIES;

use crate::layout::is_ignorable;

/// Returns the text as one line: collapses white space and drops invisible characters ([`is_litter`]).
pub(super) fn squeeze(text: &str) -> String {
    squeezed(text).into_owned()
}

/// Like [`squeeze`], without a copy if only the ends change, as in most texts.
pub(super) fn squeezed(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_ascii();
    if is_plain_line(trimmed) {
        return trimmed.into();
    }
    if let (line, "") = split_line(trimmed) {
        return line.into();
    }
    let mut line = Line {
        text: String::with_capacity(trimmed.len()),
        space: false,
    };
    for part in trimmed.split('\n') {
        let part = part.trim_ascii();
        if is_plain_line(part) {
            line.push_line(part, usize::MAX);
        } else {
            line.push(part, usize::MAX);
        }
        line.space = true;
    }
    line.text.into()
}

/// Returns true if a trimmed text certainly is one line; false is inconclusive. Without an early exit, the compiler vectorises
/// the loop.
fn is_plain_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    let next = bytes.iter().skip(1);
    let is_odd = |byte: u8| byte < b' ' || byte == 0x7f || may_begin_oddity(byte);
    let odd = bytes.last().is_some_and(|last| is_odd(*last));
    !bytes.iter().zip(next).fold(odd, |odd, (byte, next)| {
        odd | is_odd(*byte) | ((*byte == b' ') & (*next == b' '))
    })
}

/// Returns true for the first bytes of white space and invisible characters beyond ASCII. Other characters share them.
fn may_begin_oddity(byte: u8) -> bool {
    matches!(byte, 0xc2 | 0xe1 | 0xe2 | 0xe3 | 0xee | 0xef)
}

/// Splits off the longest prefix that is one line already: words with single spaces, without invisible characters.
fn split_line(text: &str) -> (&str, &str) {
    let is_ordinary = |at: usize| {
        let first = text.get(at..).and_then(|rest| rest.chars().next());
        first.is_none_or(|c| !c.is_whitespace() && !is_ignorable(c))
    };
    let mut end = 0;
    for (at, byte) in text.bytes().enumerate() {
        let is_seen = byte.is_ascii_graphic()
            || (!byte.is_ascii() && (!may_begin_oddity(byte) || is_ordinary(at)));
        if is_seen {
            end = at + 1;
        } else if byte != b' ' || at == 0 || end != at {
            break;
        }
    }
    text.split_at_checked(end).unwrap_or(("", text))
}

/// A line of text that is built from parts.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) text: String,
    space: bool,
}

impl Line {
    /// Adds a text, until the line has more than `max` bytes.
    pub(super) fn push(&mut self, text: &str, max: usize) {
        let mut rest = text;
        loop {
            let (words, after) = split_line(rest);
            if !words.is_empty() {
                if self.text.len() > max {
                    return;
                }
                self.push_line(words, max);
            }
            let mut chars = after.chars();
            let Some(c) = chars.next() else {
                return;
            };
            rest = chars.as_str();
            // The next character is white space or invisible.
            self.space |= c.is_whitespace();
        }
    }

    /// Adds text that is one line already.
    fn push_line(&mut self, words: &str, max: usize) {
        if words.is_empty() {
            return;
        }
        if self.space && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.space = false;
        // Add at least one character, then as many as fit; do not end with a space.
        let room = (max - self.text.len().min(max)).saturating_add(1);
        let ends_in_space = words.as_bytes().get(room - 1) == Some(&b' ');
        let room = room.saturating_add(usize::from(ends_in_space));
        self.text.push_str(first_bytes(words, room));
    }
}

/// Returns the first `bytes` bytes, extended to the end of the last character.
fn first_bytes(text: &str, bytes: usize) -> &str {
    let mut end = bytes;
    while end < text.len() && !text.is_char_boundary(end) {
        end += 1;
    }
    text.get(..end).unwrap_or(text)
}

/// Folds a text for comparison: lower case, without apostrophes, and with one space in place of other characters between words.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, |c| {
        out.push(c);
        true
    });
    out
}

/// Returns true if a text folds to `folded`. Stops at the first difference.
pub(super) fn folds_to(text: &str, folded: &str) -> bool {
    let mut rest = folded.chars();
    fold_into(text, |c| rest.next() == Some(c)) && rest.next().is_none()
}

/// Passes the characters of the folded text to `wants` until that returns false; returns true if it never does.
fn fold_into(text: &str, mut wants: impl FnMut(char) -> bool) -> bool {
    let mut space = false;
    let mut any = false;
    for c in text.chars() {
        if matches!(c, '’' | '‘' | '\'' | '`' | '´' | '\u{ad}') {
            continue;
        }
        if !c.is_alphanumeric() {
            space = any;
            continue;
        }
        if std::mem::take(&mut space) && !wants(' ') {
            return false;
        }
        any = true;
        let all = if c.is_ascii() {
            wants(c.to_ascii_lowercase())
        } else {
            c.to_lowercase().all(&mut wants)
        };
        if !all {
            return false;
        }
    }
    true
}

/// Returns true if a text folds to nothing.
pub(super) fn is_wordless(text: &str) -> bool {
    !text.contains(char::is_alphanumeric)
}

/// Returns true if a text, in any case, is one of these texts in lower case.
pub(super) fn is_any_of(text: &str, texts: &[&str]) -> bool {
    if text.is_ascii() {
        return texts.iter().any(|other| text.eq_ignore_ascii_case(other));
    }
    let lower = || text.chars().flat_map(char::to_lowercase);
    texts.iter().any(|other| lower().eq(other.chars()))
}

/// Cuts a text to at most `max` characters, between words if the first half has a word boundary after it.
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

/// Returns the first `max` characters.
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

/// Returns the last `max` characters.
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

/// Decodes character references that are left after parsing: content management systems often escape JSON-LD and `content`
/// attributes twice.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
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
    out.into()
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

/// Normalises the text of an attribute or a JSON string: decodes leftover references, and returns one line.
pub(super) fn unescaped_line(text: &str) -> String {
    squeeze(&unescape(text))
}

/// Returns the share of the words of the shorter text that both have, 0 to 1.
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
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn squeezes_white_space_and_litter() {
        assert_eq!(squeeze(" a\u{a0}\n b\u{200b}c\u{ad} "), "a bc");
    }

    /// A reference implementation, character by character.
    fn line_of(texts: &[String], max: usize) -> String {
        let mut line = String::new();
        let mut space = false;
        for text in texts {
            for c in text.chars() {
                if c.is_whitespace() {
                    space = true;
                } else if !is_ignorable(c) {
                    if line.len() > max {
                        break;
                    }
                    if space && !line.is_empty() {
                        line.push(' ');
                    }
                    space = false;
                    line.push(c);
                }
            }
        }
        line
    }

    proptest! {
        #[test]
        fn lines_equal_reference_implementation(
            texts in vec("[ab ä가、’\u{3000}\u{a0}\u{ad}\u{200b}\n\u{85}\u{7f}\u{f8ff}]{0,12}", 1..4),
            max in 0..30_usize,
        ) {
            let mut line = Line::default();
            for text in &texts {
                line.push(text, max);
            }
            prop_assert_eq!(line.text, line_of(&texts, max));
            for text in texts {
                prop_assert_eq!(&*squeezed(&text), line_of(std::slice::from_ref(&text), usize::MAX));
            }
        }
    }

    proptest! {
        #[test]
        fn folds_to_agrees_with_fold(text in "[aBİ’ .ß]{0,8}", other in "[ab i]{0,8}") {
            prop_assert!(folds_to(&text, &fold(&text)));
            prop_assert_eq!(folds_to(&text, &other), fold(&text) == other);
            prop_assert_eq!(is_wordless(&text), fold(&text).is_empty());
        }
    }

    #[test]
    fn may_begin_oddity_accepts_all_first_bytes() {
        let all = ('\u{80}'..=char::MAX).filter(|c| c.is_whitespace() || is_ignorable(*c));
        for c in all {
            let mut bytes = [0; 4];
            let first = c.encode_utf8(&mut bytes).as_bytes()[0];
            assert!(may_begin_oddity(first), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn line_stops_at_max_and_never_ends_in_a_space() {
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
