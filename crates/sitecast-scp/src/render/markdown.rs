use std::collections::VecDeque;
use std::fmt::Write;

use super::one_line;
use crate::{Block, HttpUrl, MediaUrl, Page};

/// A page as CommonMark with tables: its title as the first heading, then its content.
///
/// Link blocks go back to where their words are in the block before them.
///
/// ```
/// use sitecast_scp::{Block, Page, to_markdown};
///
/// let modified = "2025-01-15T09:00:00Z".parse()?;
/// let mut page = Page::new("https://example.com/".parse()?, "Tea", modified, "en".parse()?);
/// page.content = vec![
///     Block::Text { text: "Pour water over the leaves.".to_owned() },
///     Block::Link { url: "https://example.com/water".parse()?, text: "water".to_owned(), rel: vec![] },
/// ];
/// assert_eq!(to_markdown(&page), "# Tea\n\nPour [water](https://example.com/water) over the leaves.\n");
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
pub fn to_markdown(page: &Page) -> String {
    let mut out = String::new();
    if !page.title.trim().is_empty() {
        out.push_str("# ");
        out.push_str(&escaped(&one_line(&page.title)));
        out.push('\n');
    }
    let mut rest = page.content.as_slice();
    while let Some((block, after)) = rest.split_first() {
        // A link that follows no block which holds it is a block of its own.
        let links = if matches!(block, Block::Link { .. }) {
            0
        } else {
            after
                .iter()
                .take_while(|next| matches!(next, Block::Link { .. }))
                .count()
        };
        let (links, after) = after.split_at_checked(links).unwrap_or((&[], after));
        let piece = write_block(block, &mut Links::of(links));
        let piece = piece.trim_end();
        if !piece.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(piece);
            out.push('\n');
        }
        rest = after;
    }
    out
}

/// Links that are still to be put where their words are.
struct Links<'a>(VecDeque<(&'a str, &'a HttpUrl)>);

impl<'a> Links<'a> {
    fn of(blocks: &'a [Block]) -> Self {
        Self(
            blocks
                .iter()
                .filter_map(|block| match block {
                    Block::Link { url, text, .. } if !text.trim().is_empty() => {
                        Some((text.trim(), url))
                    }
                    _ => None,
                })
                .collect(),
        )
    }

    /// The text escaped, with those links in it whose words it holds, in order.
    fn put_into(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 64);
        let mut rest = text;
        while let Some((words, url)) = self.0.front().copied() {
            let Some((before, after)) = split_at_words(rest, words) else {
                break;
            };
            out.push_str(&escaped(before));
            // With it, a link would be a picture.
            if out.ends_with('!') {
                out.pop();
                out.push_str("\\!");
            }
            let _ = write!(out, "[{}]({})", escaped(words), destination(url));
            self.0.pop_front();
            rest = after;
        }
        out.push_str(&escaped(rest));
        out
    }

    /// Those that found no place, a line each.
    fn rest(&mut self) -> String {
        let mut out = String::new();
        for (words, url) in self.0.drain(..) {
            let _ = write!(
                out,
                "\n\n[{}]({})",
                escaped(&one_line(words)),
                destination(url)
            );
        }
        out
    }
}

/// What stands before and after the words, where they stand as words; else where they are at all.
fn split_at_words<'a>(text: &'a str, words: &str) -> Option<(&'a str, &'a str)> {
    let split = |at: usize| Some((text.get(..at)?, text.get(at + words.len()..)?));
    let is_whole = |(before, after): &(&str, &str)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !before.ends_with(is_part) && !after.starts_with(is_part)
    };
    let mut found = text
        .match_indices(words)
        .take(100)
        .filter_map(|(at, _)| split(at));
    let first = found.next()?;
    if is_whole(&first) {
        return Some(first);
    }
    found.find(is_whole).or(Some(first))
}

fn write_block(block: &Block, links: &mut Links<'_>) -> String {
    let mut out = match block {
        Block::Text { text } => lines(&links.put_into(text)),
        Block::Heading { level, text } => {
            let marks = "#".repeat(usize::from(level.get()));
            format!("{marks} {}", links.put_into(&one_line(text)))
        }
        Block::Link { url, text, .. } => {
            format!("[{}]({})", escaped(&one_line(text)), destination(url))
        }
        Block::Image { url, alt } => {
            format!("![{}]({})", escaped(&one_line(alt)), destination(url))
        }
        Block::List { ordered, items } => list(*ordered, items, links),
        Block::Code { language, code } => fenced(language.as_deref().unwrap_or_default(), code),
        Block::Table { rows } => table(rows, links),
        Block::Quote { text, citation } => {
            let mut quote = links.put_into(text);
            if let Some(citation) = citation {
                let _ = write!(quote, "\n\n— {}", escaped(&one_line(citation)));
            }
            quote
                .lines()
                .map(|line| format!("> {line}").trim_end().to_owned())
                .collect::<Vec<_>>()
                .join("\n")
        }
        Block::Video(video) => media(&video.name, &video.url, video.transcript.as_deref()),
        Block::Audio(audio) => media(&audio.name, &audio.url, audio.transcript.as_deref()),
    };
    out.push_str(&links.rest());
    out
}

/// Line breaks that stay line breaks.
fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous_blank = true;
    for (at, line) in text.lines().enumerate() {
        let blank = line.trim().is_empty();
        if at > 0 {
            out.push_str(if previous_blank || blank {
                "\n"
            } else {
                "\\\n"
            });
        }
        out.push_str(line);
        previous_blank = blank;
    }
    out
}

fn list(ordered: bool, items: &[String], links: &mut Links<'_>) -> String {
    let mut out = String::new();
    let mut number = 0;
    for item in items {
        let body = item.trim_start_matches(' ');
        let nested = item.len() - body.len();
        let (indent, marker, body) = if nested > 0 {
            // Nested items bring their marker; they stand under the text of the item above.
            let (marker, body) = nested_marker(body);
            let deeper = if ordered { nested + nested / 2 } else { nested };
            (" ".repeat(deeper), marker, body)
        } else if ordered {
            number += 1;
            (String::new(), format!("{number}. "), body)
        } else {
            (String::new(), "- ".to_owned(), body)
        };
        let under = " ".repeat(indent.len() + marker.len());
        let body = with_code(body, links).replace('\n', &format!("\n{under}"));
        let _ = writeln!(out, "{indent}{marker}{body}");
    }
    out
}

/// An item with links in it, and with code in fences as it is.
fn with_code(item: &str, links: &mut Links<'_>) -> String {
    let mut out = String::new();
    for (at, part) in item.split("```").enumerate() {
        if at % 2 == 1 {
            let _ = write!(out, "```{part}```");
        } else {
            out.push_str(&links.put_into(part));
        }
    }
    out
}

/// The marker that an item of a nested list begins with, and what follows it.
fn nested_marker(item: &str) -> (String, &str) {
    if let Some(body) = item.strip_prefix("- ") {
        return ("- ".to_owned(), body);
    }
    if let Some((number, body)) = item.split_once(". ")
        && !number.is_empty()
        && number.len() < 10
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return (format!("{number}. "), body);
    }
    ("- ".to_owned(), item)
}

/// A fence longer than any in the code.
fn fenced(language: &str, code: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in code.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let language: String = language
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect();
    let end = if code.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{code}{end}{fence}")
}

fn table(rows: &[Vec<String>], links: &mut Links<'_>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        out.push('|');
        // Only the header has to have all; short rows are filled up by whoever shows them.
        let missing = if at == 0 { columns - row.len() } else { 0 };
        for cell in row
            .iter()
            .map(String::as_str)
            .chain(std::iter::repeat_n("", missing))
        {
            let cell = links.put_into(&one_line(cell)).replace('|', "\\|");
            let _ = write!(out, " {cell} |");
        }
        out.push('\n');
        if at == 0 {
            out.push_str(&format!("|{}\n", " --- |".repeat(columns)));
        }
    }
    out
}

fn media(name: &str, url: &MediaUrl, transcript: Option<&str>) -> String {
    let first = match url {
        MediaUrl::One(url) => Some(url),
        MediaUrl::Several(links) => links.first().map(|link| &link.href),
    };
    let mut out = match first {
        Some(url) => format!("[{}]({})", escaped(&one_line(name)), destination(url)),
        None => escaped(&one_line(name)),
    };
    if let Some(transcript) = transcript {
        let _ = write!(out, "\n\n{}", lines(&escaped(transcript)));
    }
    out
}

/// A URL that ends where it should.
fn destination(url: &HttpUrl) -> String {
    let url = url.as_str();
    if url.contains([' ', '(', ')', '<', '>']) {
        format!("<{}>", url.replace('<', "%3C").replace('>', "%3E"))
    } else {
        url.to_owned()
    }
}

/// Text that means itself: what CommonMark would take for markup gets a backslash.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line_start = true;
    let mut digits_only = false;
    for (at, c) in text.char_indices() {
        let marks = match c {
            '\\' | '*' | '_' | '`' | '[' | ']' | '<' => true,
            '&' => text.get(at + 1..).is_some_and(|rest| {
                rest.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic())
            }),
            '#' | '>' | '+' | '-' | '=' | '~' => line_start,
            '.' | ')' => digits_only,
            _ => false,
        };
        if marks {
            out.push('\\');
        }
        out.push(c);
        digits_only = c.is_ascii_digit() && (line_start || digits_only);
        line_start = c == '\n' || (line_start && c == ' ');
    }
    out
}
