//! Text with fenced code in it.
//!
//! Items, cells and captions are strings. Code in them is between two fences: lines with the same number of
//! backticks, three or more. The first fence may name the language.

use std::collections::{HashMap, VecDeque};

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Blank,
    /// A line, trimmed, and its byte offset in the text.
    Line {
        text: &'a str,
        start: usize,
    },
    Code {
        language: &'a str,
        code: &'a str,
    },
}

/// Splits a text into lines and fenced code.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let lines = lines(text);
    // The lines with closing fences, by the length of the fence.
    let mut ends: HashMap<usize, VecDeque<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some((length, "")) = fence(line.text) {
            ends.entry(length).or_default().push_back(at);
        }
    }
    let mut parts = Vec::new();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        let code = fence(line.text).and_then(|(length, language)| {
            let ends = ends.get_mut(&length)?;
            while ends.front().is_some_and(|end| *end <= next) {
                ends.pop_front();
            }
            let end = *ends.front()?;
            let code = text.get(line.after..lines.get(end)?.start)?;
            let code = code.strip_suffix('\n').unwrap_or(code);
            Some((code.strip_suffix('\r').unwrap_or(code), language, end))
        });
        match code {
            Some((code, language, end)) => {
                parts.push(Part::Code { language, code });
                next = end;
            }
            None if line.text.trim().is_empty() => parts.push(Part::Blank),
            None => parts.push(Part::Line {
                text: line.text.trim(),
                start: line.start + line.text.len() - line.text.trim_start().len(),
            }),
        }
        next += 1;
    }
    parts
}

/// A line, its byte offset, and that of the next line.
struct Line<'a> {
    text: &'a str,
    start: usize,
    after: usize,
}

/// Splits a text at line endings. CommonMark, "line ending": a line feed, a carriage return, or both.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.get(start..) {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let ending = if tail.starts_with("\r\n") { 2 } else { 1 };
        let after = start + end + ending;
        lines.push(Line {
            text: line,
            start,
            after,
        });
        if tail.is_empty() {
            break;
        }
        start = after;
    }
    lines
}

/// Reads a fence: its number of backticks, and the language after them.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let language = line.trim_start_matches('`');
    let length = line.len() - language.len();
    let is_name =
        language.len() <= 40 && !language.contains(|c: char| c == '`' || c.is_whitespace());
    (length >= 3 && is_name).then_some((length, language))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<'a>(language: &'a str, code: &'a str) -> Part<'a> {
        Part::Code { language, code }
    }

    fn line(start: usize, text: &str) -> Part<'_> {
        Part::Line { text, start }
    }

    #[test]
    fn accepts_all_line_endings() {
        use Part::Blank;
        assert_eq!(
            parts(" a\r\nb\rc\n\r\nd "),
            [
                line(1, "a"),
                line(4, "b"),
                line(6, "c"),
                Blank,
                line(10, "d")
            ]
        );
        assert_eq!(parts(""), [Blank]);
    }

    #[test]
    fn keeps_fenced_code_unchanged() {
        assert_eq!(
            parts("a\n```rust\n  fn\n\n```\nb"),
            [line(0, "a"), code("rust", "  fn\n"), line(20, "b")]
        );
        assert_eq!(parts("````\n```\n````"), [code("", "```")]);
        assert_eq!(parts("```\n```"), [code("", "")]);
    }

    #[test]
    fn unclosed_fence_is_text() {
        assert_eq!(parts("```\na"), [line(0, "```"), line(4, "a")]);
        assert_eq!(
            parts("```a `b`\n```"),
            [line(0, "```a `b`"), line(9, "```")]
        );
        assert_eq!(
            parts("````\na\n```"),
            [line(0, "````"), line(5, "a"), line(7, "```")]
        );
        // Many unclosed fences must not take quadratic time.
        let many: String = (3..3_000)
            .map(|n| format!("{}x\n", "`".repeat(n % 50 + 3)))
            .collect();
        assert_eq!(parts(&many).len(), 2_998);
    }
}
