//! Scores of structure: headings, list items, code and table cells.
//!
//! The wanted elements come from the page's own markup, within the marked content: elements whose words occur in it in
//! order, between the first and the last element with many words that do.

use std::collections::BTreeMap;

use sitecast_extract::training::{Kind, structure};
use sitecast_scp::Block;

use crate::corpus::MarkedPage;
use crate::words::{Mean, Score, normal};

/// An element with this many words occurs in the content by more than chance.
const CERTAIN: usize = 8;

pub type Piece = (Kind, String);

#[derive(Debug, Default)]
pub struct Structure(BTreeMap<&'static str, Mean>);

const KINDS: [(Kind, &str); 4] = [
    (Kind::Heading, "headings"),
    (Kind::Item, "list items"),
    (Kind::Code, "code"),
    (Kind::Cell, "table cells"),
];

impl Structure {
    pub fn add(&mut self, wanted: &[Piece], found: &[Piece]) {
        for (kind, name) in KINDS {
            let of = |pieces: &[Piece]| -> Vec<String> {
                pieces
                    .iter()
                    .filter(|(other, _)| *other == kind)
                    .map(|(_, text)| text.clone())
                    .collect()
            };
            let (wanted, found) = (of(wanted), of(found));
            if !wanted.is_empty() {
                self.0
                    .entry(name)
                    .or_default()
                    .add(Score::of(&found, &wanted));
            }
        }
    }

    pub fn print(columns: &[(String, &Self)]) {
        for (_, name) in KINDS {
            let pages = columns
                .first()
                .and_then(|(_, s)| s.0.get(name))
                .map_or(0, |mean| mean.count);
            let score = |s: &Self| s.0.get(name).map(Mean::get).unwrap_or_default();

            crate::content::print_row(&format!("{name} ({pages}), F1"), columns, |s| {
                format!("{:.3}", score(s).f1)
            });
            crate::content::print_row("  precision / recall", columns, |s| {
                format!("{:.3} / {:.3}", score(s).precision, score(s).recall)
            });
        }
    }
}

/// Returns the elements of the page's markup that are in its marked content.
pub fn wanted(page: &MarkedPage) -> Vec<Piece> {
    let truth = normal(page.truth.main_content.as_deref().unwrap_or_default());
    let truth = format!(" {truth} ");
    let pieces: Vec<(Piece, bool)> = of_html(&page.html)
        .into_iter()
        .map(|piece| {
            let inside = truth.contains(&format!(" {} ", piece.1));
            (piece, inside)
        })
        .collect();
    let certain =
        |(piece, inside): &(Piece, bool)| *inside && piece.1.split(' ').count() >= CERTAIN;
    let first = pieces.iter().position(certain).unwrap_or(0);
    let last = pieces.iter().rposition(certain).map_or(0, |last| last + 1);
    pieces
        .into_iter()
        .take(last)
        .skip(first)
        .filter(|(_, inside)| *inside)
        .map(|(piece, _)| piece)
        .collect()
}

/// Returns the elements of HTML.
pub fn of_html(html: &[u8]) -> Vec<Piece> {
    structure(html)
        .into_iter()
        .map(|(kind, text)| (kind, normal(&text)))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// Returns the elements of a page's blocks.
pub fn of_blocks(blocks: &[Block]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for block in blocks {
        match block {
            Block::Heading { text, .. } => pieces.push((Kind::Heading, normal(text))),
            Block::Code { code, .. } => pieces.push((Kind::Code, normal(code))),
            Block::List { items, .. } => {
                pieces.extend(items.iter().map(|item| {
                    // Items of nested lists contain their number.
                    let item = item.trim_start();
                    let text = match item.split_once(". ") {
                        Some((number, text)) if number.bytes().all(|b| b.is_ascii_digit()) => text,
                        _ => item,
                    };
                    (Kind::Item, normal(text))
                }));
            }
            Block::Table { rows } => {
                pieces.extend(rows.iter().flatten().map(|cell| (Kind::Cell, normal(cell))));
            }
            _ => {}
        }
    }
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}
