//! Nested lists in the flat items of a list block.
//!
//! The items of a nested list are items of the block with two spaces of indent for each level and a marker, `- ` or
//! `1. `. An indented item without a marker continues the item around a nested list. Items of a numbered list
//! that does not start at one begin with their numbers.

/// The marker of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet,
    Number(u32),
    /// No marker: the text continues the item around it.
    Continued,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item<'a> {
    /// The number of lists around the item's own list.
    pub(super) depth: usize,
    pub(super) mark: Mark,
    pub(super) text: &'a str,
}

/// Reads the items of a list block.
pub(super) fn items(ordered: bool, items: &[String]) -> impl Iterator<Item = Item<'_>> {
    let has_numbers = !ordered && are_numbered(items);
    let mut number = 0;
    let mut deepest = 0;
    items.iter().map(move |item| {
        let text = item.trim_start_matches(' ');
        // An item can be at most one level deeper than the previous one.
        let depth = (item.len() - text.len()).div_ceil(2).min(deepest);
        let is_nested = text.len() < item.len();
        let (mark, text) = if is_nested {
            match marker(text) {
                None if depth == 0 => (Mark::Bullet, text),
                None => (Mark::Continued, text),
                Some(found) => found,
            }
        } else if ordered {
            number += 1;
            (Mark::Number(number), text)
        } else {
            let own = has_numbers.then(|| numbered(text)).flatten();
            own.map_or((Mark::Bullet, text), |(number, text)| {
                (Mark::Number(number), text)
            })
        };
        deepest = if mark == Mark::Continued {
            depth
        } else {
            depth + 1
        };
        Item { depth, mark, text }
    })
}

/// An item of a list for plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListItem<'a> {
    /// An indent of two spaces for each list around the item's own, and the marker: `- `, `1. `, or nothing if the item
    /// continues the one around it.
    pub prefix: String,
    /// The text without indent and marker.
    pub text: &'a str,
}

/// Returns the items of a list block for plain text. Items of nested lists are indented, and do not advance the
/// numbers of the outer list.
///
/// ```
/// let items = ["Take it.", "Fly it:", "  - over land", "Land."].map(String::from);
/// let lines = sitecast_scp::list_items(true, &items).map(|item| item.prefix + item.text);
/// assert_eq!(lines.collect::<Vec<_>>(), ["1. Take it.", "2. Fly it:", "  - over land", "3. Land."]);
/// ```
pub fn list_items(ordered: bool, list: &[String]) -> impl Iterator<Item = ListItem<'_>> {
    items(ordered, list).map(|Item { depth, mark, text }| {
        let mut prefix = "  ".repeat(depth);
        match mark {
            Mark::Bullet => prefix.push_str("- "),
            Mark::Number(number) => prefix.push_str(&format!("{number}. ")),
            Mark::Continued => {}
        }
        ListItem { prefix, text }
    })
}

/// Returns true if the items of the outermost list begin with consecutive numbers.
fn are_numbered(items: &[String]) -> bool {
    let mut last = None;
    let mut own = items.iter().filter(|item| !item.starts_with(' '));
    own.all(|item| {
        let number = numbered(item).map(|(number, _)| number);
        let follows = number.is_some() && (last.is_none() || last.map(|n: u32| n + 1) == number);
        last = number;
        follows
    }) && last.is_some()
}

fn marker(text: &str) -> Option<(Mark, &str)> {
    if let Some(rest) = text.strip_prefix("- ") {
        return Some((Mark::Bullet, rest));
    }
    if let Some((number, rest)) = numbered(text) {
        return Some((Mark::Number(number), rest));
    }
    // A number that cannot mark an item, such as a negative one, is part of the text.
    let digits = text
        .trim_start_matches('-')
        .trim_start_matches(|c: char| c.is_ascii_digit());
    (digits.len() < text.len() && digits.starts_with(". ")).then_some((Mark::Bullet, text))
}

/// Splits off the number of an item. CommonMark, "ordered list marker": at most nine digits.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = text.split_once(". ")?;
    let is_number = (1..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    // `007` is not an item number, because it would be written as `7`.
    let is_plain = number.len() == 1 || !number.starts_with('0');
    (is_number && is_plain).then_some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::Mark::{Bullet, Continued, Number};
    use super::*;

    fn read(ordered: bool, list: &[&str]) -> Vec<(usize, Mark, String)> {
        let list: Vec<String> = list.iter().map(|item| (*item).to_owned()).collect();
        items(ordered, &list)
            .map(|item| (item.depth, item.mark, item.text.to_owned()))
            .collect()
    }

    fn item(depth: usize, mark: Mark, text: &str) -> (usize, Mark, String) {
        (depth, mark, text.to_owned())
    }

    #[test]
    fn nested_lists_do_not_advance_the_outer_numbers() {
        assert_eq!(
            read(true, &["a", "  - b", "    1. c", "  goes on", "d"]),
            [
                item(0, Number(1), "a"),
                item(1, Bullet, "b"),
                item(2, Number(1), "c"),
                item(1, Continued, "goes on"),
                item(0, Number(2), "d"),
            ]
        );
    }

    #[test]
    fn reads_leading_numbers_only_if_they_are_consecutive() {
        assert_eq!(
            read(false, &["4. a", "  - b", "5. c"]),
            [
                item(0, Number(4), "a"),
                item(1, Bullet, "b"),
                item(0, Number(5), "c")
            ]
        );
        for list in [["4. a", "6. b"], ["4. a", "b"], ["04. a", "5. b"]] {
            assert!(
                read(false, &list)
                    .iter()
                    .all(|(_, mark, _)| *mark == Bullet)
            );
        }
    }

    #[test]
    fn ignores_an_indent_without_an_outer_item() {
        assert_eq!(
            read(false, &["  - a", "      b", "   -3. c"]),
            [
                item(0, Bullet, "a"),
                item(1, Continued, "b"),
                item(1, Bullet, "-3. c")
            ]
        );
        assert_eq!(read(false, &["    a"]), [item(0, Bullet, "a")]);
    }
}
