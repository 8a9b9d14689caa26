//! Classes and ids under other names.

use std::collections::HashSet;

use super::each_start_tag;
use super::html::{Piece, Tag, pieces};
use super::random::hash;

/// Parts of class names by which style sheets hide elements. Under another name they might be shown.
const HIDING: &[&str] = &[
    "hid",
    "invisible",
    "sr-only",
    "screen-reader",
    "screenreader",
    "offscreen",
    "none",
    "visually",
];

/// Attributes that name ids.
const REFERENCES: &[&str] = &[
    "id",
    "for",
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "headers",
    "list",
    "form",
];

pub(super) struct Names {
    seed: u64,
    /// The style sheets in all pages: names that stand in them stay.
    styles: HashSet<String>,
}

impl Names {
    pub(super) fn of<'p>(pages: impl Iterator<Item = &'p str>, seed: u64) -> Self {
        let mut styles = HashSet::new();
        for page in pages {
            let mut is_style = false;
            for piece in pieces(page) {
                match piece {
                    Piece::Raw(css) if is_style => {
                        let names = css.split(['.', '#']).skip(1);
                        let ends = |c: char| !(c.is_alphanumeric() || c == '-' || c == '_');
                        styles.extend(
                            names.filter_map(|name| name.split(ends).next().map(str::to_owned)),
                        );
                    }
                    Piece::Tag(tag) => is_style = !tag.is_end && tag.is("style"),
                    _ => {}
                }
            }
        }
        Self { seed, styles }
    }

    pub(super) fn change_classes(&self, pieces: &mut [Piece]) {
        let other = |name: &str| {
            let lower = name.to_ascii_lowercase();
            if self.styles.contains(name) || HIDING.iter().any(|part| lower.contains(part)) {
                return name.to_owned();
            }
            self.other(name)
        };
        each_start_tag(pieces, |tag| {
            change(tag, "class", |value| {
                let names: Vec<String> = value.split_ascii_whitespace().map(other).collect();
                names.join(" ")
            });
        });
    }

    pub(super) fn change_ids(&self, pieces: &mut [Piece]) {
        let other = |name: &str| {
            // A script puts what has such an id in its place.
            if self.styles.contains(name) || name.starts_with("S:") {
                return name.to_owned();
            }
            self.other(name)
        };
        each_start_tag(pieces, |tag| {
            for name in REFERENCES {
                change(tag, name, |value| {
                    let names: Vec<String> = value.split_ascii_whitespace().map(other).collect();
                    names.join(" ")
                });
            }
            change(tag, "href", |value| match value.split_once('#') {
                Some((page, id)) if !page.contains(':') && !id.is_empty() => {
                    format!("{page}#{}", other(id))
                }
                _ => value.to_owned(),
            });
        });
    }

    /// A name of letters that no word begins or ends with; one with digits has digits again.
    fn other(&self, name: &str) -> String {
        const LETTERS: &[u8] = b"zqxkvjwg";
        let mut rest = hash(self.seed, name);
        let mut other = String::new();
        for _ in 0..9 {
            other.push(char::from(LETTERS[(rest % 8) as usize]));
            rest /= 8;
        }
        if name.contains(|c: char| c.is_ascii_digit()) {
            other.push_str(&(rest % 1000).to_string());
        }
        other
    }
}

fn change(tag: &mut Tag, name: &str, other: impl Fn(&str) -> String) {
    let mut attributes = tag.attributes.iter_mut();
    let found = attributes.find(|attribute| attribute.name.eq_ignore_ascii_case(name));
    if let Some(value) = found.and_then(|attribute| attribute.value.as_mut()) {
        *value = other(value);
    }
}
