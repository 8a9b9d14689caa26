use foldhash::HashSet;

use super::place::{Placed, Places};

/// Texts that stand in the same place on many pages: the template's own.
#[derive(Debug, Clone, Default)]
pub struct Repeated {
    pub(super) texts: HashSet<u64>,
    /// Those of them that are on most pages of the site.
    pub(super) widespread: HashSet<u64>,
}

/// The pieces of a template that made something on a page which has to be looked at.
pub(crate) struct OpenPieces(HashSet<u64>);

impl Repeated {
    pub(super) fn has(&self, placed: &Placed) -> bool {
        self.texts.contains(&placed.text_in_place)
    }

    /// Whether a text is the template's whatever it looks like. `Ingredients` stands on every recipe and belongs to each:
    /// a label is not left out for that.
    pub(crate) fn need_not_be_judged(&self, placed: &Placed) -> bool {
        !placed.is_label && self.is_widespread(placed)
    }

    pub(super) fn is_widespread(&self, placed: &Placed) -> bool {
        self.widespread.contains(&placed.text_in_place)
    }
}

impl OpenPieces {
    /// The pieces that made something on a page of which nothing decides yet. What the others made is kept or left out
    /// whatever it looks like.
    pub(crate) fn of(places: &Places, is_decided: impl Fn(usize, &Placed) -> bool) -> Self {
        let segments = places.segments.iter().enumerate();
        let open = segments.filter(|(at, placed)| !is_decided(*at, placed));
        Self(open.map(|(_, placed)| placed.place.wide).collect())
    }

    /// Whether one of them made a segment.
    pub(crate) fn has(&self, places: &Places, segment: usize) -> bool {
        let piece = places.segments.get(segment).map(|placed| placed.place.wide);
        piece.is_some_and(|piece| self.0.contains(&piece))
    }
}
