//! Edits of a site's HTML that change its markup and nothing that a reader sees, each the same for the same seed.
#![allow(clippy::string_slice)]

mod head;
mod html;
mod names;
mod random;
mod text;
mod wrappers;

use html::{Attribute, Piece, Tag, pieces, written};
use names::Names;
use random::Random;

/// What an edit changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Every class name is another, the same one on all pages.
    Classes,
    /// Every id is another, and so is what refers to it.
    Ids,
    /// More `div` and `span` around what is there.
    Wrappers,
    /// `div` becomes `section`, and `section` becomes `div`.
    Sections,
    /// More attributes.
    Attributes,
    /// The same attributes in another order, with other quotes.
    AttributeOrder,
    /// The same elements in another order in the head.
    Head,
    /// More scripts and styles.
    Scripts,
    /// More comments between blocks.
    Comments,
    /// Other white space where a browser makes one space or none of it.
    WhiteSpace,
    /// The same characters, spelled as entities or not.
    Entities,
    /// Names of tags and attributes in upper case.
    TagCase,
    /// All of these.
    Theme,
}

impl Kind {
    pub(crate) const ALL: [Self; 13] = [
        Self::Classes,
        Self::Ids,
        Self::Wrappers,
        Self::Sections,
        Self::Attributes,
        Self::AttributeOrder,
        Self::Head,
        Self::Scripts,
        Self::Comments,
        Self::WhiteSpace,
        Self::Entities,
        Self::TagCase,
        Self::Theme,
    ];
}

/// An edit for the pages of one site.
pub(crate) struct Edit {
    kind: Kind,
    seed: u64,
    names: Names,
}

impl Edit {
    /// The pages are looked at for names that have to stay.
    pub(crate) fn new<'p>(kind: Kind, seed: u64, pages: impl Iterator<Item = &'p str>) -> Self {
        Self {
            kind,
            seed,
            names: Names::of(pages, seed),
        }
    }

    /// The page with other markup.
    pub(crate) fn apply(&self, key: &str, page: &str) -> String {
        // Style sheets that keep white space or hide elements may do so by the markup that is edited.
        if page.contains("white-space") {
            return page.to_owned();
        }
        let mut pieces = pieces(page);
        self.edit(self.kind, key, &mut pieces);
        written(&pieces)
    }

    fn edit(&self, kind: Kind, key: &str, pieces: &mut Vec<Piece>) {
        let mut random = Random::new(self.seed, key);
        match kind {
            Kind::Theme => {
                let kinds = Kind::ALL.iter().filter(|kind| **kind != Kind::Theme);
                for kind in kinds {
                    self.edit(*kind, key, pieces);
                }
            }
            Kind::Classes => self.names.change_classes(pieces),
            Kind::Ids => self.names.change_ids(pieces),
            Kind::Wrappers => wrappers::wrap(pieces, &mut random),
            Kind::Sections => wrappers::swap_sections(pieces, &mut random),
            Kind::Attributes => each_start_tag(pieces, |tag| add_attributes(tag, &mut random)),
            Kind::AttributeOrder => each_start_tag(pieces, |tag| {
                tag.attributes.reverse();
                for attribute in &mut tag.attributes {
                    let value = attribute.value.as_deref().unwrap_or_default();
                    if !value.contains(['"', '\'']) {
                        attribute.quote = if attribute.quote == '"' { '\'' } else { '"' };
                    }
                }
            }),
            Kind::Head => head::reorder(pieces),
            Kind::Scripts => head::add_scripts(pieces),
            Kind::Comments => text::add_comments(pieces, &mut random),
            Kind::WhiteSpace => text::change_white_space(pieces, &mut random),
            Kind::Entities => text::spell_otherwise(pieces, &mut random),
            Kind::TagCase => {
                each_tag(pieces, |tag| {
                    tag.name.make_ascii_uppercase();
                    for attribute in &mut tag.attributes {
                        attribute.name.make_ascii_uppercase();
                    }
                });
            }
        }
    }
}

fn each_tag(pieces: &mut [Piece], mut edit: impl FnMut(&mut Tag)) {
    for piece in pieces {
        if let Piece::Tag(tag) = piece {
            edit(tag);
        }
    }
}

fn each_start_tag(pieces: &mut [Piece], mut edit: impl FnMut(&mut Tag)) {
    each_tag(pieces, |tag| {
        if !tag.is_end {
            edit(tag);
        }
    });
}

fn add_attributes(tag: &mut Tag, random: &mut Random) {
    let added = [
        ("data-v-7ba5bd90", ""),
        ("data-astro-cid-k3xq", ""),
        ("data-theme-part", "b"),
        ("onclick", "track(this)"),
    ];
    for (name, value) in added {
        if random.one_in(4) && tag.value(name).is_none() {
            tag.attributes.push(Attribute {
                name: name.to_owned(),
                value: Some(value.to_owned()),
                quote: '"',
            });
        }
    }
}

/// Whether a page is one of the `1 / share` of all that are edited.
pub(crate) fn is_chosen(seed: u64, key: &str, share: u64) -> bool {
    Random::new(!seed, key).one_in(share)
}
