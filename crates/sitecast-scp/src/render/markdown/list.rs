//! Rendering of list blocks.

use super::lines;
use super::pieces::Pieces;
use crate::render::items::{Item, Mark, items};
use crate::render::marks::BlockMarks;

/// An open list.
struct Level {
    /// The column at which the text of the last item begins.
    column: usize,
    /// The column at which its marker begins.
    indent: usize,
    /// The marker of the last item.
    mark: Mark,
    /// True if the list uses the other markers: `*` for `-`, `1)` for `1.`.
    other: bool,
}

/// Writes a list. If `other` is set, it uses other markers than the list right before it, so that they do not join.
pub(super) fn write<'a>(
    out: &mut Pieces<'a>,
    ordered: bool,
    list: &'a [String],
    marks: BlockMarks<'_>,
    other: bool,
) {
    let mut levels: Vec<Level> = Vec::new();
    // True if the previous line is a marker without text. The content of such an item continues
    // on that line, because an item cannot begin with a blank line.
    let mut bare = false;
    for (at, Item { depth, mark, text }) in items(ordered, list).enumerate() {
        let start = list.get(at).map_or(0, |item| item.len() - text.len());
        let marks = marks.of(at, start);
        let is_empty = text.trim().is_empty();
        // Below the text of another item, a bare `-` would be read as the underline of a heading.
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
        // CommonMark: directly after a line of text, an ordered list can begin only with 1.
        let needs_gap = matches!(mark, Mark::Number(number) if number != 1);
        if depth > 0 && last.is_none() && needs_gap && !goes_on {
            out.markup("\n");
        }
        let indent = match &last {
            Some(last) => last.indent,
            None => levels.last().map_or(0, |level| level.column),
        };
        let other = last.map_or(other && depth == 0, |last| match (last.mark, mark) {
            // A number that is not consecutive begins a new list.
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
