//! More elements around what is there, and other ones.

use super::html::{Piece, end, ends, start};
use super::random::Random;

/// What may have a `div` around it, …
const WRAPPED: &[&str] = &[
    "main",
    "article",
    "section",
    "nav",
    "header",
    "footer",
    "aside",
    "div",
    "table",
    "ul",
    "ol",
    "p",
    "blockquote",
    "figure",
    "pre",
];
/// … where it is in one of these.
const AROUND: &[&str] = &[
    "body",
    "main",
    "article",
    "section",
    "nav",
    "header",
    "footer",
    "aside",
    "div",
    "blockquote",
    "li",
    "td",
];
/// What may have a `span` in it, around all of it.
const OF_ONE_LINE: &[&str] = &["p", "h1", "h2", "h3", "h4", "h5", "h6"];

pub(super) fn wrap(pieces: &mut Vec<Piece>, random: &mut Random) {
    let ends = ends(pieces);
    let mut before: Vec<Vec<Piece>> = vec![Vec::new(); pieces.len() + 1];
    let mut after: Vec<Vec<Piece>> = vec![Vec::new(); pieces.len() + 1];
    let mut open: Vec<(usize, String)> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        open.retain(|(end, _)| *end > at);
        let (Piece::Tag(tag), Some(end_at)) = (piece, ends[at]) else {
            continue;
        };
        let is_in_place = open
            .last()
            .is_some_and(|(_, outer)| AROUND.contains(&outer.as_str()));
        if tag.is_one_of(WRAPPED) && is_in_place && random.one_in(3) {
            before[at].push(start("div", &[("class", "zkw-box")]));
            after[end_at].insert(0, end("div"));
        }
        if tag.is_one_of(OF_ONE_LINE) && random.one_in(3) {
            after[at].push(start("span", &[]));
            before[end_at].push(end("span"));
        }
        if tag.is("body") {
            after[at].push(start("div", &[("id", "zkw-root")]));
            before[end_at].push(end("div"));
        }
        open.push((end_at, tag.name.to_ascii_lowercase()));
    }
    let mut edited = Vec::new();
    for (at, piece) in pieces.drain(..).enumerate() {
        edited.append(&mut before[at]);
        edited.push(piece);
        edited.append(&mut after[at]);
    }
    *pieces = edited;
}

pub(super) fn swap_sections(pieces: &mut [Piece], random: &mut Random) {
    for (at, end_at) in ends(pieces).into_iter().enumerate() {
        let (Piece::Tag(tag), Some(end_at)) = (&pieces[at], end_at) else {
            continue;
        };
        let other = match tag.name.to_ascii_lowercase().as_str() {
            "div" if random.one_in(2) => "section",
            "section" => "div",
            _ => continue,
        };
        for place in [at, end_at] {
            if let Piece::Tag(tag) = &mut pieces[place] {
                other.clone_into(&mut tag.name);
            }
        }
    }
}
