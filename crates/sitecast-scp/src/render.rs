//! Rendering of pages as Markdown and as plain text.

mod items;
mod markdown;
mod marks;
mod parts;
mod text;

pub use items::{ListItem, list_items};
pub use markdown::{to_markdown, to_markdown_with, to_marked_markdown};
pub use marks::{Mark, MarkKind, Marks};
pub use text::to_text;

use std::borrow::Cow;

/// Replaces each run of white space by one space and trims the ends, for text that must fit on one line.
fn one_line(text: &str) -> Cow<'_, str> {
    let mut previous_space = true;
    let is_one = text.chars().all(|c| {
        let fits = !c.is_whitespace() || (c == ' ' && !previous_space);
        previous_space = c.is_whitespace();
        fits
    });
    if is_one && (!previous_space || text.is_empty()) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    Cow::Owned(line)
}
