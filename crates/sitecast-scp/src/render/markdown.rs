//! Pages as Markdown.
//!
//! Threats: text that looks like markup, which must come out as the text it is; blocks with so
//! many links that looking for their words takes for ever.
//!
//! A block becomes pieces ([`pieces`]): markup, and text that is still to be escaped ([`escape`])
//! and to get its links ([`links`]).

mod escape;
mod links;
mod list;
mod pieces;

use std::borrow::Cow;

use self::links::{Link, finish};
use self::pieces::{Pieces, Place};
use super::one_line;
use super::parts::{Part, parts};
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
    to_markdown_with(page, &|url| url.as_str().to_owned())
}

/// A page as [`to_markdown`] has it, with every URL written as `address` says: relative, say.
pub fn to_markdown_with(page: &Page, address: &dyn Fn(&HttpUrl) -> String) -> String {
    let mut out = String::new();
    if !page.title.trim().is_empty() {
        let mut title = Pieces::default();
        heading(&mut title, 1, &page.title);
        out.push_str(&finish(&title, &[]));
        out.push('\n');
    }
    let mut rest = page.content.as_slice();
    let mut list_before = false;
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
        let links: Vec<Link<'_>> = links
            .iter()
            .filter_map(|block| match block {
                Block::Link { url, text, .. } => Link::of(text, address(url)),
                _ => None,
            })
            .collect();
        let mut pieces = Pieces::default();
        write_block(block, &mut pieces, address, list_before);
        let piece = finish(&pieces, &links);
        let piece = piece.trim_end();
        if !piece.is_empty() {
            // Two lists in a row would be one.
            list_before = matches!(block, Block::List { .. }) && !list_before;
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

fn write_block<'a>(
    block: &'a Block,
    out: &mut Pieces<'a>,
    address: &dyn Fn(&HttpUrl) -> String,
    list_before: bool,
) {
    match block {
        Block::Text { text } => lines(out, text, ""),
        Block::Heading { level, text } => heading(out, usize::from(level.get()), text),
        Block::Link { url, text, .. } => reference(out, text, &address(url)),
        Block::Image { url, alt } => {
            out.markup("!");
            reference(out, alt, &address(url));
        }
        Block::List { ordered, items } => list::write(out, *ordered, items, list_before),
        Block::Code { language, code } => {
            fenced(out, language.as_deref().unwrap_or_default(), code, "");
        }
        Block::Table { rows } => table(out, rows),
        Block::Quote { text, citation } => {
            out.markup("> ");
            lines(out, text, "> ");
            if let Some(citation) = citation {
                out.markup("\n>\n> — ");
                out.text(one_line(citation), Place::Inline);
            }
        }
        Block::Video(video) => media(
            out,
            &video.name,
            &video.url,
            video.transcript.as_deref(),
            address,
        ),
        Block::Audio(audio) => media(
            out,
            &audio.name,
            &audio.url,
            audio.transcript.as_deref(),
            address,
        ),
    }
}

fn heading<'a>(out: &mut Pieces<'a>, level: usize, text: &'a str) {
    let text = one_line(text);
    if !text.is_empty() {
        out.markup(format!("{} ", "#".repeat(level)));
        out.text(text, Place::Heading);
    }
}

fn reference(out: &mut Pieces<'_>, text: &str, url: &str) {
    let text = escape::escaped(&one_line(text), Place::Inline);
    out.markup(format!("[{text}]({})", escape::destination(url)));
}

/// Text whose line breaks stay line breaks. `prefix` begins all lines but the first.
fn lines<'a>(out: &mut Pieces<'a>, text: &'a str, prefix: &str) {
    /// What the last line that was written is.
    #[derive(PartialEq)]
    enum Last {
        Nothing,
        Text,
        Code,
    }
    let mut last = Last::Nothing;
    let mut blank = false;
    for part in parts(text) {
        if part == Part::Blank {
            blank = true;
            continue;
        }
        let is_code = matches!(part, Part::Code { .. });
        if last != Last::Nothing {
            if blank {
                out.markup(format!("\n{}", prefix.trim_end()));
            } else if last == Last::Text && !is_code {
                out.markup("\\");
            }
            out.markup(format!("\n{prefix}"));
        }
        blank = false;
        last = match part {
            Part::Code { language, code } => {
                fenced(out, language, code, prefix);
                Last::Code
            }
            Part::Line(line) => {
                out.text(Cow::Borrowed(line), Place::LineStart);
                Last::Text
            }
            Part::Blank => last,
        };
    }
}

/// Program text between fences longer than any in it.
fn fenced(out: &mut Pieces<'_>, language: &str, code: &str, prefix: &str) {
    let fence = "`".repeat((longest_run(code) + 1).max(3));
    let language: String = language
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect();
    let mut all = format!("{fence}{language}\n");
    let code = code.strip_suffix('\n').unwrap_or(code);
    for line in code.split('\n') {
        all.push_str(if line.is_empty() {
            prefix.trim_end()
        } else {
            prefix
        });
        all.push_str(line);
        all.push('\n');
    }
    all.push_str(prefix);
    all.push_str(&fence);
    out.markup(all.replace('\0', "\u{fffd}"));
}

fn longest_run(code: &str) -> usize {
    let runs = code.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

fn table<'a>(out: &mut Pieces<'a>, rows: &'a [Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return;
    }
    for (at, row) in rows.iter().enumerate() {
        out.markup("|");
        for cell in row {
            out.markup(" ");
            write_cell(out, cell);
            out.markup(" |");
        }
        // Only the header has to have all; short rows are filled up by whoever shows them.
        let missing = match at {
            0 => columns - row.len(),
            _ => usize::from(row.is_empty()),
        };
        out.markup("  |".repeat(missing));
        out.markup("\n");
        if at == 0 {
            out.markup(format!("|{}\n", " --- |".repeat(columns)));
        }
    }
}

/// A cell has one line.
fn write_cell<'a>(out: &mut Pieces<'a>, cell: &'a str) {
    if !cell.contains("```") {
        return out.text(one_line(cell), Place::Cell);
    }
    let mut first = true;
    for part in parts(cell) {
        if part != Part::Blank && !std::mem::take(&mut first) {
            out.markup(" ");
        }
        match part {
            Part::Blank => {}
            Part::Line(line) => out.text(one_line(line), Place::Cell),
            Part::Code { code, .. } => out.markup(escape::code_in_cell(&one_line(code))),
        }
    }
}

fn media<'a>(
    out: &mut Pieces<'a>,
    name: &'a str,
    url: &MediaUrl,
    transcript: Option<&'a str>,
    address: &dyn Fn(&HttpUrl) -> String,
) {
    let first = match url {
        MediaUrl::One(url) => Some(url),
        MediaUrl::Several(links) => links.first().map(|link| &link.href),
    };
    match first {
        Some(url) => reference(out, name, &address(url)),
        None => out.text(one_line(name), Place::LineStart),
    }
    if let Some(transcript) = transcript {
        out.markup("\n\n");
        lines(out, transcript, "");
    }
}
