use foldhash::HashSet;

use super::place::{Placed, Places};

/// Texts that stand in the same place on many pages, and so belong to the template.
#[derive(Debug, Clone, Default)]
pub struct RepeatedTexts {
    pub(super) texts: HashSet<u64>,
    /// The texts on most pages of the site.
    pub(super) widespread: HashSet<u64>,
}

/// Parts of the template with segments on a page that the model has to score.
pub(crate) struct UndecidedParts(HashSet<u64>);

impl RepeatedTexts {
    pub(super) fn has(&self, placed: &Placed) -> bool {
        self.texts.contains(&placed.text_in_place)
    }

    /// Returns true if a text belongs to the template, whatever its probability. Labels do not count: `Ingredients`
    /// repeats on every recipe and belongs to each.
    pub(crate) fn is_certainly_template(&self, placed: &Placed) -> bool {
        !placed.is_label && self.is_widespread(placed)
    }

    pub(super) fn is_widespread(&self, placed: &Placed) -> bool {
        self.widespread.contains(&placed.text_in_place)
    }
}

impl UndecidedParts {
    /// Collects the parts of the template with undecided segments. Segments of other parts are kept or left out
    /// whatever their probability.
    pub(crate) fn of(places: &Places, is_decided: impl Fn(usize, &Placed) -> bool) -> Self {
        let segments = places.segments.iter().enumerate();
        let open = segments.filter(|(at, placed)| !is_decided(*at, placed));
        Self(open.map(|(_, placed)| placed.place.wide).collect())
    }

    /// Returns true if a segment comes from one of these parts.
    pub(crate) fn has(&self, places: &Places, segment: usize) -> bool {
        let template_part = places.segments.get(segment).map(|placed| placed.place.wide);
        template_part.is_some_and(|template_part| self.0.contains(&template_part))
    }
}
