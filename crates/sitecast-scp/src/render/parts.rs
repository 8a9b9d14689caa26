//! Text that may have program text in it, between fences.
//!
//! Items, cells and captions are strings. Program text in them stands between two lines of three
//! or more backticks, as many before as after it, the first of which may name the language.

use std::collections::{HashMap, VecDeque};

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Blank,
    /// A line without space at its ends, and where in the text it begins.
    Line {
        text: &'a str,
        start: usize,
    },
    Code {
        language: &'a str,
        code: &'a str,
    },
}

/// The lines and the program texts of a text, in their order.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let lines = lines(text);
    // Where the fences of each length are that may end a program text.
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

/// A line, where it starts, and where the one after it does.
struct Line<'a> {
    text: &'a str,
    start: usize,
    after: usize,
}

/// CommonMark, "line ending": a line feed, a carriage return, or both.
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

/// The length of a fence, and what it says.
fn fence(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let said = line.trim_start_matches('`');
    let length = line.len() - said.len();
    let is_name = said.len() <= 40 && !said.contains(|c: char| c == '`' || c.is_whitespace());
    (length >= 3 && is_name).then_some((length, said))
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
    fn lines_end_however_they_end() {
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
    fn program_text_stays_as_it_is() {
        assert_eq!(
            parts("a\n```rust\n  fn\n\n```\nb"),
            [line(0, "a"), code("rust", "  fn\n"), line(20, "b")]
        );
        assert_eq!(parts("````\n```\n````"), [code("", "```")]);
        assert_eq!(parts("```\n```"), [code("", "")]);
    }

    #[test]
    fn a_fence_that_nothing_ends_is_text() {
        assert_eq!(parts("```\na"), [line(0, "```"), line(4, "a")]);
        assert_eq!(
            parts("```a `b`\n```"),
            [line(0, "```a `b`"), line(9, "```")]
        );
        assert_eq!(
            parts("````\na\n```"),
            [line(0, "````"), line(5, "a"), line(7, "```")]
        );
        // In the time that it takes to look at each once.
        let many: String = (3..3_000)
            .map(|n| format!("{}x\n", "`".repeat(n % 50 + 3)))
            .collect();
        assert_eq!(parts(&many).len(), 2_998);
    }
}
