//! Pages for people: as Markdown and as plain text.

mod markdown;
mod text;

pub use markdown::to_markdown;
pub use text::to_text;

/// All white space as single spaces, for what has a line to itself.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
