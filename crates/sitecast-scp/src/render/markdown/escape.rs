//! Escaping of text: a backslash before each character that CommonMark, with tables and strikethrough,
//! would read as markup, and nowhere else.

use super::longest_run;
use super::pieces::Place;

/// The meaning of dollar signs in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dollars {
    /// Ordinary characters, because the page has no formulas.
    Text,
    /// Delimiters of formulas; in text they are escaped.
    Delimiters,
}

impl Place {
    /// The place of a text that is not the last on its line.
    pub(super) fn before_more(self) -> Self {
        match self {
            Self::Heading => Self::Inline,
            place => place,
        }
    }
}

/// Escapes a text without line breaks.
pub(super) fn escaped(text: &str, place: Place, dollars: Dollars) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mark = (place == Place::LineStart)
        .then(|| block_mark(text))
        .flatten();
    let closing = (place == Place::Heading)
        .then(|| closing_mark(text))
        .flatten();
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        let marks = match c {
            '`' | '[' | ']' | '~' => true,
            // A backslash escapes only punctuation. At the end of a text the next character is unknown.
            '\\' => after.is_none_or(|c| c.is_ascii_punctuation()),
            '*' => {
                let is_space = |c: Option<char>| c.is_some_and(char::is_whitespace);
                !(is_space(before) && is_space(after))
            }
            '_' => {
                let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                !(is_word(before) && is_word(after))
            }
            '<' => after.is_none_or(|c| !c.is_whitespace()),
            '&' => text.get(at + 1..).is_none_or(may_be_entity),
            '|' => place == Place::Cell,
            '$' => dollars == Dollars::Delimiters,
            _ => false,
        };
        if marks || mark == Some(at) || closing == Some(at) {
            out.push('\\');
        }
        out.push(if c == '\0' { '\u{fffd}' } else { c });
        before = Some(c);
    }
    out
}

/// Finds the character that would make a line of text a heading, an item, a
/// quotation, a rule, or the line below a heading or a table header.
fn block_mark(line: &str) -> Option<usize> {
    let first = line.chars().next()?;
    let rest = line.get(first.len_utf8()..).unwrap_or_default();
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let consists_of = |marks: &str| line.chars().all(|c| c.is_whitespace() || marks.contains(c));
    let is_mark = match first {
        '>' => true,
        '#' => ends(rest.trim_start_matches('#')),
        '+' | '-' => !rest.starts_with(char::is_alphanumeric),
        '=' => consists_of("="),
        '|' | ':' => consists_of("|:-"),
        '0'..='9' => {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let digits = line.len() - rest.len();
            let is_number = rest.starts_with(['.', ')']) && ends(rest.get(1..)?);
            return (is_number && digits <= 9).then_some(digits);
        }
        _ => false,
    };
    is_mark.then_some(0)
}

/// Finds the last `#` of a sequence that would be read as the closing sequence of a heading.
fn closing_mark(text: &str) -> Option<usize> {
    let before = text.trim_end_matches('#');
    let is_mark = before.is_empty() || before.ends_with(char::is_whitespace);
    (is_mark && before.len() < text.len()).then(|| text.len() - 1)
}

/// Returns true if the text after an ampersand could make it an entity.
fn may_be_entity(after: &str) -> bool {
    let name = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
    name.len() < after.len() && name.starts_with(';')
}

/// Escapes a URL as the destination of a link.
pub(super) fn destination(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut needs_brackets = url.is_empty();
    for (at, c) in url.char_indices() {
        match c {
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            c if c.is_control() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    out.push_str(&format!("%{byte:02X}"));
                }
            }
            '\\' => out.push_str("\\\\"),
            '&' if url.get(at + 1..).is_some_and(may_be_entity) => out.push_str("\\&"),
            c => {
                needs_brackets |= c.is_whitespace() || matches!(c, '(' | ')');
                out.push(c);
            }
        }
    }
    if needs_brackets {
        format!("<{out}>")
    } else {
        out
    }
}

/// A code span within a cell of a table.
pub(super) fn code_in_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// A code span.
pub(super) fn code(code: &str) -> String {
    if code.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(code) + 1);
    // CommonMark, "code spans": parsers strip one space on either side if both sides have one.
    let space = if code.starts_with(['`', ' ']) || code.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    let code = code.replace('\0', "\u{fffd}");
    format!("{fence}{space}{code}{space}{fence}")
}
