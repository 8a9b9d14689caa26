//! Rendering of pages as Markdown.
//!
//! Threats: text that looks like markup, which must be escaped; blocks with so
//! many links that the search for their words does not end.
//!
//! A block becomes a sequence of pieces ([`pieces`]): markup, and lines of text. A line gets its links ([`links`]) and its
//! marks ([`inline`]), and its text is escaped ([`escape`]).

mod escape;
mod flanking;
mod formula;
mod inline;
mod links;
mod list;
mod pieces;

use std::borrow::Cow;

use self::escape::Dollars;
use self::links::{Link, finish};
use self::pieces::{Pieces, Place};
use super::marks::{BlockMarks, Span, TextMarks};
use super::one_line;
use super::parts::{Part, parts};
use crate::{Block, HttpUrl, MarkKind, Marks, MediaUrl, Page};

/// Renders a page as CommonMark with tables: its title as the first heading, then its content.
///
/// A link block becomes a link at its words in the block before it.
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

/// Renders a page as [`to_markdown`] does, but writes each URL as `address` returns it, for example as a relative one.
pub fn to_markdown_with(page: &Page, address: &dyn Fn(&HttpUrl) -> String) -> String {
    to_marked_markdown(page, &Marks::default(), address)
}

/// Renders a page as [`to_markdown_with`] does, with its inline markup: code, emphasis, strikethrough (`~~`, as on
/// GitHub) and formulas (between dollar signs).
///
/// A mark that CommonMark cannot express at its position is omitted, but its text stays. Emphasis in headings is
/// omitted. If the page has formulas, other dollar signs are escaped.
///
/// ```
/// use sitecast_scp::{Block, Mark, MarkKind, Marks, Page, to_marked_markdown};
///
/// let modified = "2025-01-15T09:00:00Z".parse()?;
/// let mut page = Page::new("https://example.com/".parse()?, "Tea", modified, "en".parse()?);
/// page.content = vec![Block::Text { text: "Run make tea".to_owned() }];
/// let marks = Marks::new(vec![vec![Mark { kind: MarkKind::Code, text: 0, range: 4..12 }]]);
/// let markdown = to_marked_markdown(&page, &marks, &|url| url.as_str().to_owned());
/// assert_eq!(markdown, "# Tea\n\nRun `make tea`\n");
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
pub fn to_marked_markdown(
    page: &Page,
    marks: &Marks,
    address: &dyn Fn(&HttpUrl) -> String,
) -> String {
    let dollars = if marks.has_formula() {
        Dollars::Delimiters
    } else {
        Dollars::Text
    };
    let writer = Writer { address, dollars };
    let mut out = String::new();
    if !page.title.trim().is_empty() {
        let mut title = Pieces::default();
        heading(&mut title, 1, &page.title, BlockMarks::default());
        out.push_str(&finish(&title, &[], dollars));
        out.push('\n');
    }
    let mut rest = page.content.as_slice();
    let mut list_before = false;
    while let Some((block, after)) = rest.split_first() {
        let number = page.content.len() - rest.len();
        // Links after a link block have no text to be placed in, so each becomes a block of its own.
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
        writer.write_block(block, marks.of(number), &mut pieces, list_before);
        let piece = finish(&pieces, &links, dollars);
        let piece = piece.trim_end();
        if !piece.is_empty() {
            // With the same markers, Markdown would join two lists in a row.
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

/// The options for all blocks of a page.
struct Writer<'w> {
    address: &'w dyn Fn(&HttpUrl) -> String,
    dollars: Dollars,
}

impl Writer<'_> {
    fn write_block<'a>(
        &self,
        block: &'a Block,
        marks: BlockMarks<'_>,
        out: &mut Pieces<'a>,
        list_before: bool,
    ) {
        match block {
            Block::Text { text } => lines(out, text, marks.of(0, 0), ""),
            Block::Heading { level, text } => heading(out, usize::from(level.get()), text, marks),
            Block::Link { url, text, .. } => self.reference(out, text, url),
            Block::Image { url, alt } => {
                out.markup("!");
                self.reference(out, alt, url);
            }
            Block::List { ordered, items } => list::write(out, *ordered, items, marks, list_before),
            Block::Code { language, code } => {
                fenced(out, language.as_deref().unwrap_or_default(), code, "");
            }
            Block::Table { rows } => table(out, rows, marks),
            Block::Quote { text, citation } => {
                out.markup("> ");
                lines(out, text, marks.of(0, 0), "> ");
                if let Some(citation) = citation {
                    out.markup("\n>\n> — ");
                    out.text(one_line(citation), Place::Inline);
                }
            }
            Block::Video(video) => {
                self.media(out, &video.name, &video.url, video.transcript.as_deref());
            }
            Block::Audio(audio) => {
                self.media(out, &audio.name, &audio.url, audio.transcript.as_deref());
            }
        }
    }

    fn reference(&self, out: &mut Pieces<'_>, text: &str, url: &HttpUrl) {
        let text = escape::escaped(&one_line(text), Place::Inline, self.dollars);
        let url = (self.address)(url);
        out.markup(format!("[{text}]({})", escape::destination(&url)));
    }

    fn media<'a>(
        &self,
        out: &mut Pieces<'a>,
        name: &'a str,
        url: &MediaUrl,
        transcript: Option<&'a str>,
    ) {
        let first = match url {
            MediaUrl::One(url) => Some(url),
            MediaUrl::Several(links) => links.first().map(|link| &link.href),
        };
        match first {
            Some(url) => self.reference(out, name, url),
            None => out.text(one_line(name), Place::LineStart),
        }
        if let Some(transcript) = transcript {
            out.markup("\n\n");
            lines(out, transcript, TextMarks::default(), "");
        }
    }
}

fn heading<'a>(out: &mut Pieces<'a>, level: usize, text: &'a str, marks: BlockMarks<'_>) {
    let mut spans = marks.of(0, 0).within(0..text.len());
    // A heading needs no emphasis, and emphasis in it comes from templates more often than from authors.
    spans.retain(|span| !matches!(span.kind, MarkKind::Emphasis | MarkKind::Strong));
    let (text, spans) = marked_line(text, spans);
    if !text.is_empty() {
        out.markup(format!("{} ", "#".repeat(level)));
        out.marked(text, Place::Heading, spans);
    }
}

/// Normalises white space as [`one_line`] does, and moves the marks accordingly.
fn marked_line(text: &str, mut spans: Vec<Span>) -> (Cow<'_, str>, Vec<Span>) {
    let line = one_line(text);
    if matches!(line, Cow::Borrowed(_)) || spans.is_empty() {
        return (line, spans);
    }
    // The start of each word in `text` and in `line`.
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut length = 0;
    for (start, word) in words_of(text) {
        words.push((start, length));
        length += word.len() + 1;
    }
    let moved = |at: usize| {
        let after = words.partition_point(|(start, _)| *start <= at);
        let word = after.checked_sub(1).and_then(|word| words.get(word));
        let end = words
            .get(after)
            .map_or(line.len(), |(_, now)| now.saturating_sub(1));
        // A position in the white space before a word moves to the single space.
        word.map_or(0, |(start, now)| (now + at - start).min(end))
    };
    for span in &mut spans {
        span.range = moved(span.range.start)..moved(span.range.end);
    }
    (line, spans)
}

/// The words of a text, each with its byte offset.
fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(char::is_whitespace).filter_map(move |word| {
        let start = at;
        let space = text
            .get(start + word.len()..)
            .and_then(|rest| rest.chars().next());
        at = start + word.len() + space.map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((start, word))
    })
}

/// Writes text with its line breaks and fenced code. Every line but the first begins with `prefix`.
fn lines<'a>(out: &mut Pieces<'a>, text: &'a str, mut marks: TextMarks<'_>, prefix: &str) {
    /// The kind of the line written last.
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
            Part::Line { text, start } => {
                let spans = marks.within(start..start + text.len());
                out.marked(Cow::Borrowed(text), Place::LineStart, spans);
                Last::Text
            }
            Part::Blank => last,
        };
    }
}

/// Writes code between fences that are longer than any run of backticks in it.
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

fn table<'a>(out: &mut Pieces<'a>, rows: &'a [Vec<String>], marks: BlockMarks<'_>) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return;
    }
    let mut number = 0;
    for (at, row) in rows.iter().enumerate() {
        out.markup("|");
        for cell in row {
            out.markup(" ");
            write_cell(out, cell, marks.of(number, 0));
            out.markup(" |");
            number += 1;
        }
        // Only the header row needs all columns; renderers fill up shorter rows.
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

/// Writes a cell on one line.
fn write_cell<'a>(out: &mut Pieces<'a>, cell: &'a str, mut marks: TextMarks<'_>) {
    let mut write = |out: &mut Pieces<'a>, text: &'a str, start: usize| {
        let (line, spans) = marked_line(text, marks.within(start..start + text.len()));
        out.marked(line, Place::Cell, spans);
    };
    if !cell.contains("```") {
        return write(out, cell, 0);
    }
    let mut first = true;
    for part in parts(cell) {
        if part != Part::Blank && !std::mem::take(&mut first) {
            out.markup(" ");
        }
        match part {
            Part::Blank => {}
            Part::Line { text, start } => write(out, text, start),
            Part::Code { code, .. } => out.markup(escape::code_in_cell(&one_line(code))),
        }
    }
}
