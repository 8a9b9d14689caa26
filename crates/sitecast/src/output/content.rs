//! A page's content, readable in a terminal.

use std::io::{self, Write};

use sitecast_scp::{Block, MediaUrl, Page, TextOrObject, list_items};

use super::plain::Plain;

/// Writes a page: what is known of it, then its blocks with a blank line between them.
pub(crate) fn write_page(out: &mut impl Write, page: &Page, title: &str) -> io::Result<()> {
    write_head(out, page, title)?;
    for block in &page.content {
        writeln!(out)?;
        write_block(out, block)?;
    }
    writeln!(out)
}

/// Writes what is known of a page.
pub(crate) fn write_head(out: &mut impl Write, page: &Page, title: &str) -> io::Result<()> {
    writeln!(out, "{title}")?;
    writeln!(out, "  {}", Plain::line(page.url.as_str()))?;
    write!(out, "  {}, modified {}", page.language, page.modified)?;
    if let Some(published) = page.published {
        write!(out, ", published {published}")?;
    }
    if let Some(author) = &page.author {
        write!(out, ", by {}", Plain::line(author))?;
    }
    writeln!(out)?;
    if !page.description.is_empty() {
        writeln!(out, "  {}", Plain::line(&page.description))?;
    }
    let schema = page.schema.as_ref().and_then(|schema| schema.to_map().ok());
    if let Some(kind) = schema.as_ref().and_then(|schema| schema.get("@type")) {
        writeln!(out, "  schema.org {}", Plain::line(&kind.to_string()))?;
    }
    Ok(())
}

fn write_block(out: &mut impl Write, block: &Block) -> io::Result<()> {
    match block {
        Block::Text { text } => writeln!(out, "{}", Plain::text(text)),
        Block::Heading { level, text } => {
            writeln!(
                out,
                "{} {}",
                "#".repeat(level.get().into()),
                Plain::line(text)
            )
        }
        Block::Link { url, text, rel } => {
            write!(
                out,
                "→ {} <{}>",
                Plain::line(text),
                Plain::line(url.as_str())
            )?;
            if !rel.is_empty() {
                write!(out, " ({})", Plain::line(&rel.join(" ")))?;
            }
            writeln!(out)
        }
        Block::Image { url, alt } => writeln!(
            out,
            "[Image: {}] <{}>",
            Plain::line(alt),
            Plain::line(url.as_str())
        ),
        Block::List { ordered, items } => {
            for item in list_items(*ordered, items) {
                writeln!(out, "{}{}", item.prefix, Plain::line(item.text))?;
            }
            Ok(())
        }
        Block::Code { language, code } => {
            writeln!(
                out,
                "```{}",
                Plain::line(language.as_deref().unwrap_or_default())
            )?;
            writeln!(out, "{}", Plain::text(code))?;
            writeln!(out, "```")
        }
        Block::Table { rows } => {
            for row in rows {
                let cells: Vec<String> = row
                    .iter()
                    .map(|cell| Plain::line(cell).to_string())
                    .collect();
                writeln!(out, "| {} |", cells.join(" | "))?;
            }
            Ok(())
        }
        Block::Quote { text, citation } => {
            for line in text.lines() {
                writeln!(out, "> {}", Plain::line(line))?;
            }
            citation.as_ref().map_or(Ok(()), |citation| {
                writeln!(out, "> — {}", Plain::line(citation))
            })
        }
        Block::Video(video) => {
            write_media(out, "Video", &video.name, &video.url)?;
            write_details(out, video.summary.as_deref(), video.transcript.as_deref())
        }
        Block::Audio(audio) => {
            write_media(out, "Audio", &audio.name, &audio.url)?;
            if let Some(TextOrObject::Text(name)) = &audio.attributed_to {
                writeln!(out, "  by {}", Plain::line(name))?;
            }
            write_details(out, audio.summary.as_deref(), audio.transcript.as_deref())
        }
    }
}

fn write_media(out: &mut impl Write, kind: &str, name: &str, url: &MediaUrl) -> io::Result<()> {
    writeln!(out, "[{kind}: {}]", Plain::line(name))?;
    match url {
        MediaUrl::One(url) => writeln!(out, "  <{}>", Plain::line(url.as_str())),
        MediaUrl::Several(links) => links.iter().try_for_each(|link| {
            writeln!(
                out,
                "  {} <{}>",
                Plain::line(&link.media_type),
                Plain::line(link.href.as_str())
            )
        }),
    }
}

fn write_details(
    out: &mut impl Write,
    summary: Option<&str>,
    transcript: Option<&str>,
) -> io::Result<()> {
    for (name, text) in [("", summary), ("Transcript: ", transcript)] {
        if let Some(text) = text {
            writeln!(out, "  {name}{}", Plain::text(text))?;
        }
    }
    Ok(())
}
