//! Text spelled otherwise, with other white space, and comments beside it.

use super::html::{Piece, Tag};
use super::random::Random;

/// Elements that begin and end lines, and have no text of their own where only white space is.
const BLOCKS: &[&str] = &[
    "html",
    "head",
    "body",
    "main",
    "article",
    "section",
    "nav",
    "header",
    "footer",
    "aside",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "ul",
    "ol",
    "dl",
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "figure",
    "meta",
    "link",
];
/// Elements whose white space is shown, or may be.
const AS_WRITTEN: &[&str] = &["pre", "code", "textarea", "samp", "kbd"];

/// Goes through the text outside of elements that show white space, from the body on.
fn each_text(pieces: &mut [Piece], mut edit: impl FnMut(&mut String)) {
    let mut as_written = 0_u32;
    let mut is_body = false;
    for piece in pieces {
        match piece {
            Piece::Tag(tag) => {
                is_body |= tag.is("body");
                if tag.is_one_of(AS_WRITTEN) && !tag.closes_itself {
                    as_written = if tag.is_end {
                        as_written.saturating_sub(1)
                    } else {
                        as_written + 1
                    };
                }
            }
            Piece::Text(text) if is_body && as_written == 0 => edit(text),
            _ => {}
        }
    }
}

pub(super) fn change_white_space(pieces: &mut Vec<Piece>, random: &mut Random) {
    each_text(pieces, |text| {
        let mut edited = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(|c: char| c.is_ascii_whitespace()) {
            let (words, space) = rest.split_at(at);
            rest = space.trim_ascii_start();
            edited.push_str(words);
            edited.push_str([" ", "\n", "\n    \t", "  "][(random.next() % 4) as usize]);
        }
        edited.push_str(rest);
        *text = edited;
    });
    between_blocks(
        pieces,
        |random| random.one_in(2).then(|| Piece::Text("\n  ".to_owned())),
        random,
    );
    // The same the other way: white space that stands alone between blocks is not shown.
    let is_block =
        |piece: Option<&Piece>| matches!(piece, Some(Piece::Tag(tag)) if tag.is_one_of(BLOCKS));
    let mut at = 1;
    while at + 1 < pieces.len() {
        let is_space = matches!(&pieces[at], Piece::Text(text) if text.trim_ascii().is_empty());
        if is_space
            && is_block(pieces.get(at - 1))
            && is_block(pieces.get(at + 1))
            && random.one_in(3)
        {
            pieces.remove(at);
        }
        at += 1;
    }
}

pub(super) fn add_comments(pieces: &mut Vec<Piece>, random: &mut Random) {
    let comment = |random: &mut Random| {
        let number = random.next() % 1_000;
        random
            .one_in(3)
            .then(|| Piece::Raw(format!("<!-- partial {number} -->")))
    };
    between_blocks(pieces, comment, random);
}

/// Puts something between tags of blocks that touch.
fn between_blocks(
    pieces: &mut Vec<Piece>,
    make: impl Fn(&mut Random) -> Option<Piece>,
    random: &mut Random,
) {
    let is_block = |piece: &Piece| matches!(piece, Piece::Tag(Tag { name, .. }) if BLOCKS.iter().any(|block| name.eq_ignore_ascii_case(block)));
    let mut edited: Vec<Piece> = Vec::new();
    for piece in pieces.drain(..) {
        if edited.last().is_some_and(is_block) && is_block(&piece) {
            edited.extend(make(random));
        }
        edited.push(piece);
    }
    *pieces = edited;
}

pub(super) fn spell_otherwise(pieces: &mut [Piece], random: &mut Random) {
    const ENTITIES: &[(&str, &str)] = &[
        ("&amp;", "&#38;"),
        ("&lt;", "&#x3C;"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", "&#160;"),
        ("&copy;", "©"),
        ("&ndash;", "–"),
        ("&mdash;", "&#8212;"),
        ("&rarr;", "→"),
        ("&para;", "&#xB6;"),
    ];
    each_text(pieces, |text| {
        let mut edited = String::new();
        let mut rest = text.as_str();
        while let Some(next) = rest.chars().next() {
            if let Some((entity, other)) =
                ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))
            {
                edited.push_str(other);
                rest = &rest[entity.len()..];
                continue;
            }
            // Other entities stay as they are, to their end.
            if next == '&' {
                let end = rest.find(|c: char| c == ';' || c.is_ascii_whitespace());
                let end = end.map_or(rest.len(), |end| end + 1);
                edited.push_str(&rest[..end]);
                rest = &rest[end..];
                continue;
            }
            let is_other = (!next.is_ascii() && random.one_in(2))
                || (next.is_ascii_alphabetic() && random.one_in(50));
            if is_other {
                edited.push_str(&format!("&#{};", u32::from(next)));
            } else {
                edited.push(next);
            }
            rest = &rest[next.len_utf8()..];
        }
        *text = edited;
    });
}
