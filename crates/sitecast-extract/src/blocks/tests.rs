//! Blocks of small pages, written on one line each.

mod admonitions;
mod code;
mod headings;
mod images;
mod links;
mod lists;
mod marks;
mod nested;
mod notes;
mod players;
mod properties;
mod quotes;
mod signatures;
mod tables;
mod tabs;
mod text;

use sitecast_scp::{Block, MediaUrl};
use url::Url;

use super::{MarkedBlock, Marking, Selection};
use crate::Limits;
use crate::dom::{self, Dom, NodeId};

struct Everything;

impl Selection for Everything {
    fn keeps_text(&self, _: NodeId) -> bool {
        true
    }

    fn keeps_media(&self, _: NodeId) -> bool {
        true
    }
}

/// Keeps all text nodes without an `x`.
struct WithoutX<'a>(&'a Dom);

impl Selection for WithoutX<'_> {
    fn keeps_text(&self, id: NodeId) -> bool {
        !self.0.text(id).unwrap().contains('x')
    }

    fn keeps_media(&self, id: NodeId) -> bool {
        self.0.attribute(id, "alt") != Some("x")
    }
}

fn base() -> Url {
    Url::parse("https://example.com/docs/page").unwrap()
}

fn parse(html: &str) -> Dom {
    dom::parse(html, &Limits::default())
}

fn blocks(dom: &Dom, selection: &dyn Selection, base: &Url) -> Vec<Block> {
    let found = super::blocks(dom, selection, base, Marking::Nothing);
    let is_bare = |found: &MarkedBlock| found.marks.is_empty();
    assert!(found.iter().all(is_bare), "marks that nobody wants");
    found.into_iter().map(|found| found.block).collect()
}

fn blocks_of(html: &str) -> Vec<Block> {
    blocks(&parse(html), &Everything, &base())
}

/// Returns the blocks of a page of which everything is kept.
fn page(html: &str) -> Vec<String> {
    blocks_of(html).iter().map(show).collect()
}

/// Returns the blocks of a page without its texts that contain an `x`.
fn page_without_x(html: &str) -> Vec<String> {
    let dom = parse(html);
    blocks(&dom, &WithoutX(&dom), &base())
        .iter()
        .map(show)
        .collect()
}

fn show(block: &Block) -> String {
    let short = |url: &str| url.replace("https://example.com", "");
    match block {
        Block::Text { text } => text.clone(),
        Block::Heading { level, text } => format!("h{}: {text}", level.get()),
        Block::Link { url, text, rel } if rel.is_empty() => {
            format!("link: {text} -> {}", short(url.as_str()))
        }
        Block::Link { url, text, rel } => {
            format!("link: {text} -> {} {rel:?}", short(url.as_str()))
        }
        Block::Image { url, alt } => format!("image: {alt} {}", short(url.as_str())),
        Block::List { ordered, items } => {
            format!(
                "{}: {}",
                if *ordered { "ol" } else { "ul" },
                items.join(" / ")
            )
        }
        Block::Code { language, code } => {
            format!("code {}: {code}", language.as_deref().unwrap_or("?"))
        }
        Block::Table { rows } => {
            let rows: Vec<String> = rows.iter().map(|row| row.join(" | ")).collect();
            format!("table: {}", rows.join(" / "))
        }
        Block::Quote { text, citation } => match citation {
            Some(citation) => format!("quote: {text} ({citation})"),
            None => format!("quote: {text}"),
        },
        Block::Video(video) => format!("video: {} {}", video.name, short(&place(&video.url))),
        Block::Audio(audio) => format!("audio: {} {}", audio.name, short(&place(&audio.url))),
    }
}

fn place(url: &MediaUrl) -> String {
    match url {
        MediaUrl::One(url) => url.as_str().to_owned(),
        MediaUrl::Several(links) => links
            .iter()
            .map(|link| format!("{} {}", link.href, link.media_type))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
