//! The head in another order, and more scripts.

use std::collections::HashMap;

use super::html::{Piece, Tag, end, start};

/// Reverses the order of `meta` and `link` elements, but for those whose order among each other means something: several
/// of one name, and what says how the page is to be decoded.
pub(super) fn reorder(pieces: &mut [Piece]) {
    let is_end_of_head = |piece: &Piece| matches!(piece, Piece::Tag(tag) if tag.is("body") || (tag.is_end && tag.is("head")));
    let head = pieces.iter().position(is_end_of_head).unwrap_or(0);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for piece in &pieces[..head] {
        if let Some(name) = name_of(piece) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let movable: Vec<usize> = (0..head)
        .filter(|at| name_of(&pieces[*at]).is_some_and(|name| counts[&name] == 1))
        .collect();
    for (one, other) in movable
        .iter()
        .zip(movable.iter().rev())
        .take(movable.len() / 2)
    {
        pieces.swap(*one, *other);
    }
}

fn name_of(piece: &Piece) -> Option<String> {
    let Piece::Tag(tag) = piece else { return None };
    let value = |names: &[&str]| names.iter().find_map(|name| tag.value(name));
    let name = match tag {
        Tag { is_end: true, .. } => return None,
        tag if tag.is("meta") => value(&["name", "property", "itemprop"])?,
        tag if tag.is("link") => value(&["rel"])?,
        _ => return None,
    };
    Some(format!("{} {name}", tag.name).to_ascii_lowercase())
}

pub(super) fn add_scripts(pieces: &mut Vec<Piece>) {
    let mut edited = Vec::new();
    for piece in pieces.drain(..) {
        if let Piece::Tag(tag) = &piece
            && tag.is_end
            && (tag.is("head") || tag.is("body"))
        {
            edited.push(start(
                "script",
                &[("src", "/assets/app.7f3a.js"), ("defer", "")],
            ));
            edited.push(end("script"));
            edited.push(start("script", &[]));
            edited.push(Piece::Raw(
                "window.theme={mode:\"light\",html:\"<p>No text of the page</p>\"}".to_owned(),
            ));
            edited.push(end("script"));
            edited.push(start("style", &[]));
            edited.push(Piece::Raw("p{margin:0 0 1em}".to_owned()));
            edited.push(end("style"));
        }
        edited.push(piece);
    }
    *pieces = edited;
}
