use foldhash::HashSet;

use super::place::Placed;

/// Texts that stand in the same place on many pages: the template's own.
#[derive(Debug, Clone, Default)]
pub struct Repeated {
    pub(super) texts: HashSet<u64>,
}

/// The pieces of a template that made something on a page which has to be looked at.
pub(crate) struct OpenPieces(HashSet<u64>);

impl Repeated {
    pub(super) fn has(&self, placed: &Placed) -> bool {
        self.texts.contains(&placed.text_in_place)
    }

    /// The pieces that made something on a page that is not left out as repeated, nor decided otherwise. What the others
    /// made is kept or left out whatever it looks like.
    pub(crate) fn open_pieces(
        &self,
        places: &[Placed],
        is_decided: impl Fn(&Placed) -> bool,
    ) -> OpenPieces {
        // `Ingredients` stands on every recipe and belongs to each: a label is not left out for that.
        let is_left_out = |placed: &Placed| !placed.is_label && self.has(placed);
        let open = places
            .iter()
            .filter(|placed| !is_left_out(placed) && !is_decided(placed));
        OpenPieces(open.map(|placed| placed.place.wide).collect())
    }
}

impl OpenPieces {
    /// Whether one of them made a segment.
    pub(crate) fn has(&self, places: &[Placed], segment: usize) -> bool {
        let piece = places.get(segment).map(|placed| placed.place.wide);
        piece.is_some_and(|piece| self.0.contains(&piece))
    }
}
