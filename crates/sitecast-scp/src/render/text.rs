//! Rendering of pages as plain text.

use super::items::{ListItem, list_items};
use super::one_line;
use crate::{Block, Page};

/// Renders the content of a page as plain text, with a blank line between blocks.
///
/// Images and links are omitted; the text before a link has its words. Video and audio are represented by
/// their transcripts. Each item of a list and each row of a table is on a line of its own.
///
/// ```
/// use sitecast_scp::{Block, Page, to_text};
///
/// let modified = "2025-01-15T09:00:00Z".parse()?;
/// let mut page = Page::new("https://example.com/".parse()?, "Tea", modified, "en".parse()?);
/// page.content = vec![
///     Block::Text { text: "You need:".to_owned() },
///     Block::List { ordered: false, items: vec!["tea".to_owned(), "water".to_owned()] },
/// ];
/// assert_eq!(to_text(&page), "You need:\n\n- tea\n- water\n");
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
pub fn to_text(page: &Page) -> String {
    let mut out = String::new();
    for block in &page.content {
        let piece = block_text(block);
        let piece = piece.trim_matches('\n');
        if piece.trim().is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(piece);
        out.push('\n');
    }
    out
}

fn block_text(block: &Block) -> String {
    match block {
        Block::Text { text } => text.clone(),
        Block::Heading { text, .. } => one_line(text).into_owned(),
        Block::Code { code, .. } => code.clone(),
        Block::Quote { text, citation } => match citation {
            Some(citation) => format!("{text}\n— {}", one_line(citation)),
            None => text.clone(),
        },
        Block::List { ordered, items } => {
            let lines: Vec<String> = list_items(*ordered, items)
                .map(|ListItem { prefix, text, .. }| {
                    let under = format!("\n{}", " ".repeat(prefix.len()));
                    prefix + &text.replace('\n', &under)
                })
                .collect();
            lines.join("\n")
        }
        Block::Table { rows } => {
            let lines: Vec<String> = rows
                .iter()
                .map(|row| {
                    let cells: Vec<_> = row.iter().map(|cell| one_line(cell)).collect();
                    cells.join(" | ")
                })
                .collect();
            lines.join("\n")
        }
        Block::Video(video) => video.transcript.clone().unwrap_or_default(),
        Block::Audio(audio) => audio.transcript.clone().unwrap_or_default(),
        Block::Link { .. } | Block::Image { .. } => String::new(),
    }
}
