use super::lines;
use super::pieces::Pieces;
use crate::render::items::{Item, Mark, items};
use crate::render::marks::BlockMarks;

/// An open list: the column at which the text of its items begins, and how the last one was
/// marked.
struct Level {
    column: usize,
    indent: usize,
    mark: Mark,
    other: bool,
}

/// A list. `other` asks for other marks than those of a list right before it.
pub(super) fn write<'a>(
    out: &mut Pieces<'a>,
    ordered: bool,
    list: &'a [String],
    marks: BlockMarks<'_>,
    other: bool,
) {
    let mut levels: Vec<Level> = Vec::new();
    // Whether the line before is the marker of an item that has no text: what is in it goes on
    // in its line, for no item may begin with a blank one.
    let mut bare = false;
    for (at, Item { depth, mark, text }) in items(ordered, list).enumerate() {
        let start = list.get(at).map_or(0, |item| item.len() - text.len());
        let marks = marks.of(at, start);
        let is_empty = text.trim().is_empty();
        // Below another, an item without a word would be taken for a line under a heading.
        if is_empty && depth > 0 {
            continue;
        }
        let goes_on = bare && depth == levels.len();
        bare = is_empty;
        if !levels.is_empty() && !goes_on {
            out.markup("\n");
        }
        if mark == Mark::Continued {
            levels.truncate(depth);
            let under = " ".repeat(levels.last().map_or(0, |level| level.column));
            if !goes_on {
                out.markup(format!("\n{under}"));
            }
            lines(out, text, marks, &under);
            continue;
        }
        levels.truncate(depth + 1);
        let last = (levels.len() > depth).then(|| levels.pop()).flatten();
        // CommonMark: after a line of text, only a list from one on begins without a blank line.
        let needs_gap = matches!(mark, Mark::Number(number) if number != 1);
        if depth > 0 && last.is_none() && needs_gap && !goes_on {
            out.markup("\n");
        }
        let indent = match &last {
            Some(last) => last.indent,
            None => levels.last().map_or(0, |level| level.column),
        };
        let other = last.map_or(other && depth == 0, |last| match (last.mark, mark) {
            // A number that does not follow begins a list of its own.
            (Mark::Number(before), Mark::Number(now)) => last.other ^ (before + 1 != now),
            _ => last.other,
        });
        let marker = match (mark, other) {
            (Mark::Number(number), false) => format!("{number}. "),
            (Mark::Number(number), true) => format!("{number}) "),
            (_, false) => "- ".to_owned(),
            (_, true) => "* ".to_owned(),
        };
        let column = indent + marker.len();
        if !goes_on {
            out.markup(" ".repeat(indent));
        }
        out.markup(marker);
        lines(out, text, marks, &" ".repeat(column));
        levels.push(Level {
            column,
            indent,
            mark,
            other,
        });
    }
}
