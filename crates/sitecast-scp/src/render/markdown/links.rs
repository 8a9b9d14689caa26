//! Places link blocks at their words in the block before them.

use std::ops::Range;

use super::escape::{self, Dollars, escaped};
use super::inline::{self, Line};
use super::pieces::{Piece, Pieces, Place};
use crate::render::one_line;

/// Bounds the search for links whose words are not in the block, as a multiple of the text of the block.
const SEARCH_FACTOR: usize = 32;

/// Occurrences of a link's words in a line that are compared to find the best one.
const MATCHES: usize = 100;

/// A link to place at its words.
#[derive(Debug)]
pub(super) struct Link<'a> {
    words: &'a str,
    url: String,
}

impl<'a> Link<'a> {
    /// Returns `None` for a link without words, which cannot be placed.
    pub(super) fn of(words: &'a str, url: String) -> Option<Self> {
        let words = words.trim();
        (!words.is_empty()).then_some(Self { words, url })
    }

    /// The URL, escaped for a text at `place`.
    pub(super) fn destination(&self, place: Place) -> String {
        let url = escape::destination(&self.url);
        match place {
            Place::Cell => url.replace('|', "\\|"),
            _ => url,
        }
    }
}

/// The position of a link's words.
struct Found {
    piece: usize,
    start: usize,
}

/// Renders a block with its links at their words, in order. Links whose words are not found follow the block, each on
/// a line of its own.
pub(super) fn finish(pieces: &Pieces<'_>, links: &[Link<'_>], dollars: Dollars) -> String {
    let (placed, unplaced) = places(pieces, links);
    let mut placed = placed.into_iter().peekable();
    let mut out = String::new();
    for (at, piece) in pieces.0.iter().enumerate() {
        let (text, place, spans) = match piece {
            Piece::Markup(markup) => {
                out.push_str(markup);
                continue;
            }
            Piece::Text { text, place, spans } => (text, *place, spans),
        };
        let mut links: Vec<(Range<usize>, &Link<'_>)> = Vec::new();
        while let Some((found, link)) = placed.next_if(|(found, _)| found.piece == at) {
            links.push((found.start..found.start + link.words.len(), link));
        }
        let line = Line {
            text,
            place,
            links: &links,
            spans,
            dollars,
        };
        inline::write(&mut out, &line);
    }
    for link in unplaced {
        out.truncate(out.trim_end().len());
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let words = escaped(&one_line(link.words), Place::Inline, dollars);
        out.push_str(&format!("[{words}]({})", link.destination(Place::Inline)));
    }
    out
}

/// Finds the words of each link after those of the previous one: as whole words if possible, otherwise as part of
/// longer words.
fn places<'l, 'a>(
    pieces: &Pieces<'_>,
    links: &'l [Link<'a>],
) -> (Vec<(Found, &'l Link<'a>)>, Vec<&'l Link<'a>>) {
    let size: usize = texts(pieces, 0).map(|(_, text)| text.len()).sum();
    // Bytes of text that the search may still go through in vain.
    let mut remaining = size.saturating_mul(SEARCH_FACTOR).saturating_add(1 << 20);
    let (mut placed, mut unplaced) = (Vec::new(), Vec::new());
    let mut next = Found { piece: 0, start: 0 };
    for link in links {
        let found = (remaining > 0)
            .then(|| {
                search(pieces, &next, link.words, is_whole, &mut remaining)
                    .or_else(|| search(pieces, &next, link.words, |_, _| true, &mut remaining))
            })
            .flatten();
        match found {
            Some(found) => {
                next = Found {
                    piece: found.piece,
                    start: found.start + link.words.len(),
                };
                placed.push((found, link));
            }
            None => unplaced.push(link),
        }
    }
    (placed, unplaced)
}

fn texts<'p>(pieces: &'p Pieces<'_>, from: usize) -> impl Iterator<Item = (usize, &'p str)> {
    let rest = pieces.0.iter().enumerate().skip(from);
    rest.filter_map(|(at, piece)| match piece {
        Piece::Text { text, .. } => Some((at, text.as_ref())),
        Piece::Markup(_) => None,
    })
}

fn search(
    pieces: &Pieces<'_>,
    from: &Found,
    words: &str,
    fits: impl Fn(&str, &str) -> bool,
    remaining: &mut usize,
) -> Option<Found> {
    for (piece, text) in texts(pieces, from.piece) {
        let skipped = if piece == from.piece { from.start } else { 0 };
        let text_after = text.get(skipped..).unwrap_or_default();
        let mut found = None;
        for (at, _) in text_after.match_indices(words).take(MATCHES) {
            let start = skipped + at;
            let before = text.get(..start).unwrap_or_default();
            let after = text.get(start + words.len()..).unwrap_or_default();
            if fits(before, after) {
                if is_alone(before, after) {
                    return Some(Found { piece, start });
                }
                found = found.or(Some(Found { piece, start }));
            }
        }
        if found.is_some() {
            return found;
        }
        *remaining = remaining.saturating_sub(text_after.len());
        if *remaining == 0 {
            return None;
        }
    }
    None
}

/// Returns true if the words stand between white space or punctuation: `venv` in `.venv` does not.
fn is_alone(before: &str, after: &str) -> bool {
    let opens = |c: char| c.is_whitespace() || "([{<\"'“‘„«¿¡—–/".contains(c);
    let mut after = after.chars();
    let ends = match after.next() {
        Some(c) if !c.is_whitespace() => !after.next().is_some_and(char::is_alphanumeric),
        _ => true,
    };
    ends && (before.is_empty() || before.ends_with(opens))
}

/// Returns true if the words between these two texts are not part of a longer word.
fn is_whole(before: &str, after: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !before.ends_with(is_part) && !after.starts_with(is_part)
}
