//! The items of a list, as deep as they are.
//!
//! A list is flat, and a list within it is items with two spaces a level and a marker, `- ` or
//! `1. `. An indent without a marker goes on with an item after a list within it. Items of a list
//! that is not numbered from one have their numbers in front.

/// What marks an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet,
    Number(u32),
    /// None: it goes on with the item around it.
    Continued,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item<'a> {
    pub(super) depth: usize,
    pub(super) mark: Mark,
    pub(super) text: &'a str,
}

/// The items of a list block.
pub(super) fn items(ordered: bool, items: &[String]) -> impl Iterator<Item = Item<'_>> {
    let has_numbers = !ordered && are_numbered(items);
    let mut number = 0;
    let mut deepest = 0;
    items.iter().map(move |item| {
        let text = item.trim_start_matches(' ');
        // No item is deeper than in the one before it.
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
    /// What stands before its text: an indent of two spaces for each list that it is within, and `- `, `1. ` or nothing
    /// where it goes on with the item before.
    pub prefix: String,
    /// Its text.
    pub text: &'a str,
}

/// The items of a list block for plain text: items of lists within lists are indented, and do not count.
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

/// Whether the items of the outermost list have numbers in front, each one more than the last.
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
    // A number that no list has, below zero for one, is text of the item.
    let digits = text
        .trim_start_matches('-')
        .trim_start_matches(|c: char| c.is_ascii_digit());
    (digits.len() < text.len() && digits.starts_with(". ")).then_some((Mark::Bullet, text))
}

/// CommonMark, "ordered list marker": at most nine digits.
fn numbered(text: &str) -> Option<(u32, &str)> {
    let (number, rest) = text.split_once(". ")?;
    let is_number = (1..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    // `007` is no number of a list.
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
    fn lists_within_are_deeper_and_do_not_count() {
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
    fn numbers_in_front_are_numbers_if_all_have_them_in_order() {
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
    fn an_indent_that_leads_nowhere_is_none() {
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
