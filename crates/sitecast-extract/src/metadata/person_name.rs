//! Extraction of the names of authors from the text around them.

use super::months::month;
use super::text::{squeeze, unescape};

/// Returns the name in `Written by Jane Doe | May 7, 2024`.
pub(super) fn clean_name(text: &str) -> String {
    let text = squeeze(&without_tags(&unescape(text)));
    let text = after_preposition(&text).unwrap_or(&text);
    // `By` and the name may be adjacent elements without a space.
    let text = text
        .strip_prefix("By")
        .filter(|rest| rest.starts_with(char::is_uppercase))
        .unwrap_or(text);
    let text = text.get(..end_of_name(text)).unwrap_or_default();
    let text = text.get(..start_of_date(text)).unwrap_or(text).trim();
    let text = ["on", "at", "in", ",", ":"]
        .iter()
        .find_map(|word| text.strip_suffix(word)?.strip_suffix(' '))
        .unwrap_or(text);
    let text = text.trim_matches([
        ' ', ',', ';', ':', '/', '-', '–', '|', '•', '·', '@', '"', '“', '”',
    ]);
    without_full_stop(text).to_owned()
}

/// Drops the full stop of a sentence after a name, but not that of `Jr.` and `J. R.`.
fn without_full_stop(name: &str) -> &str {
    let Some(bare) = name.strip_suffix('.') else {
        return name;
    };
    let last = bare.rsplit([' ', '.']).next().unwrap_or_default();
    let is_word = last.chars().count() >= 3 && last.chars().skip(1).all(char::is_lowercase);
    let is_abbreviation = ["Inc", "Ltd", "Esq", "Corp", "Dipl", "Prof"].contains(&last);
    if is_word && !is_abbreviation && bare.contains(' ') {
        bare
    } else {
        name
    }
}

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        match after.split_once('>') {
            Some((inside, after)) if !inside.is_empty() => {
                out.push(' ');
                rest = after;
            }
            _ => {
                out.push('<');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the text after `By`, `Written by` or `Words:`; `None` if it begins with none of them.
pub(super) fn after_preposition(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let noun = [
        "article",
        "story",
        "post",
        "words",
        "text",
        "report",
        "reporting",
        "content",
        "guide",
        "review",
    ];
    let verb = [
        "written",
        "posted",
        "published",
        "reviewed",
        "authored",
        "created",
        "submitted",
        "started",
        "asked",
        "contributed",
        "compiled",
        "edited",
        "geschrieben",
        "escrito",
        "écrit",
        "scritto",
    ];
    let preposition = [
        "by",
        "von",
        "par",
        "por",
        "di",
        "door",
        "af",
        "av",
        "przez",
        "автор",
        "author",
        "authors",
        "autor",
        "auteur",
        "autore",
        "words",
    ];
    if let Some(after) = strip_word(rest, &noun).filter(|after| after.starts_with(' ')) {
        rest = after.trim_start();
    }
    if let Some(after) = strip_word(rest, &verb) {
        rest = after.trim_start();
    } else if strip_word(rest, &preposition).is_none() {
        // `Words:`: the noun is the preposition.
        rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    }
    let after = strip_word(rest, &preposition)?.trim_start();
    let after = after
        .strip_prefix([':', '-', '–'])
        .unwrap_or(after)
        .trim_start();
    let again = strip_word(after, &["by"]).filter(|after| after.starts_with(' '));
    // At the start of the text, `Di` and `Av` may be the beginning of a name.
    let ambiguous = strip_word(rest, &["di", "af", "av"]).is_some() && rest.len() == text.len();
    (!ambiguous).then(|| again.unwrap_or(after).trim_start())
}

/// Returns the text after its first word, if that is one of these.
fn strip_word<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(end)?;
    let first = first.to_lowercase();
    words.contains(&first.as_str()).then_some(rest)
}

/// Returns the offset of a separator or of a word that comes after names, such as `Updated`.
fn end_of_name(text: &str) -> usize {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        if matches!(c, '|' | '•' | '·' | '—') || rest.starts_with(" – ") || rest.starts_with(" - ")
        {
            return at;
        }
        if !previous.is_alphanumeric() && c.is_alphabetic() && ends_name(rest) {
            return at;
        }
        previous = c;
    }
    text.len()
}

fn ends_name(rest: &str) -> bool {
    let word = |word: &str| {
        rest.strip_prefix(word)
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
    };
    let next_starts = |word: &str, like: fn(char) -> bool| {
        rest.strip_prefix(word)
            .and_then(|after| after.strip_prefix(' '))
            .filter(|after| after.starts_with(like))
    };
    ["Updated", "Published", "Posted", "Last", "Reviewed by", "Edited by", "Read time", "min read", "Follow"]
        .iter()
        .any(|after| word(after))
        // `in Politics` at the end; `on May 7`.
        || next_starts("in", char::is_uppercase).is_some_and(|after| !after.contains(' '))
        || next_starts("on", char::is_alphanumeric).is_some_and(|after| {
            after
                .split_once(' ')
                .is_some_and(|(_, next)| next.starts_with(|c: char| c.is_ascii_digit()))
        })
}

/// Returns the offset of a date after the start of the text, or else the length of the text.
fn start_of_date(text: &str) -> usize {
    let mut start = 0;
    for word in text.split_inclusive(' ') {
        let rest = text.get(start + word.len()..).unwrap_or_default();
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let is_month = bare.chars().count() >= 3
            && month(&bare.to_lowercase()).is_some()
            && rest.starts_with(|c: char| c.is_ascii_digit());
        let is_year =
            bare.len() == 4 && digits(bare) && (bare.starts_with("19") || bare.starts_with("20"));
        let numbers: Vec<&str> = bare.split(['.', '/', '-']).collect();
        let is_numeric = matches!(numbers.as_slice(), [a, b, c, ..]
            if [a, b].iter().all(|n| matches!(n.len(), 1 | 2) && digits(n)) && (2..=4).contains(&c.len()) && digits(c));
        if start > 2 && (is_month || is_year || is_numeric) {
            return start;
        }
        start += word.len();
    }
    text.len()
}

/// Removes a role such as `, Senior Writer` after a name.
pub(super) fn without_role(name: &str) -> &str {
    let strip = |text: &'_ str, words: &[&str]| -> Option<usize> {
        let trimmed = text.trim_end();
        words.iter().find_map(|word| {
            let start = trimmed.len().checked_sub(word.len())?;
            let tail = trimmed.get(start..)?;
            let head = trimmed.get(..start)?;
            (tail.eq_ignore_ascii_case(word) && !head.ends_with(char::is_alphanumeric))
                .then_some(start)
        })
    };
    let trimmed = name.trim_end().trim_end_matches(')');
    let roles = [
        "editor-in-chief",
        "topic author",
        "thread starter",
        "writer",
        "writers",
        "reporter",
        "reporters",
        "editor",
        "editors",
        "author",
        "authors",
        "contributor",
        "contributors",
        "correspondent",
        "correspondents",
        "columnist",
        "columnists",
        "journalist",
        "journalists",
        "director",
        "coordinator",
        "manager",
        "specialist",
    ];
    let Some(end) = strip(trimmed, &roles) else {
        return name;
    };
    let degrees = [
        "senior",
        "staff",
        "contributing",
        "guest",
        "freelance",
        "managing",
        "associate",
        "assistant",
        "chief",
        "lead",
        "tech",
        "auto",
        "autos",
        "health",
        "news",
        "feature",
        "features",
        "marketing",
        "content",
        "product",
        "media",
        "social",
    ];
    let mut head = trimmed.get(..end).unwrap_or_default();
    while let Some(shorter) = strip(head, &degrees).and_then(|end| head.get(..end)) {
        head = shorter;
    }
    head.trim_end().trim_end_matches([',', '(']).trim_end()
}

#[cfg(test)]
mod tests;
