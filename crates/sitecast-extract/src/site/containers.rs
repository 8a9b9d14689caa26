//! Containers: the boxes of a template that hold the content of its pages, and the parts of them that do not.
//!
//! The model takes a list of links for a menu wherever it stands. The template shows where content stands: a box whose
//! text is content on most pages holds content on this page, too. All text in such a container is kept, except for two
//! kinds of parts: those named after something else and full of links, and those on most pages that are full of links
//! and hardly ever content.

use foldhash::HashSet;

use crate::content::{Cue, Cues};
use crate::dom::Tag;
use crate::layout::{BoxInfo, Fnv, Layout};

/// The containers of a template.
#[derive(Debug, Clone, Default)]
pub(super) struct Containers {
    /// Exact places of the containers.
    pub(super) places: HashSet<u64>,
    /// Containers with all content of their pages.
    pub(super) complete: HashSet<u64>,
    /// Containers in generated documentation.
    pub(super) documentation: HashSet<u64>,
    /// Kinds of containers whose name indicates content, for pages without any of the places.
    pub(super) kinds: HashSet<u64>,
    /// Parts that are not content, by [`part_of`].
    pub(super) left_out: HashSet<u64>,
}

/// The position of a box or a segment relative to the containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Outside of containers.
    Outside,
    /// Outside, on a page with a container that holds all content.
    Beside,
    /// Inside of a container.
    Inside,
    /// Inside of a container in generated documentation, except for parts named after something else.
    InsideDocumentation,
    /// In a part of a container that is not content.
    LeftOut,
}

impl Containers {
    fn has_kind(&self, found: &BoxInfo) -> bool {
        self.kinds.contains(&found.site_kind)
            || (found.tag == Tag::Main && self.kinds.contains(&kind_of_main()))
    }

    /// Returns true if every container is in generated documentation.
    fn are_all_documentation(&self) -> bool {
        !self.documentation.is_empty() && self.places.is_subset(&self.documentation)
    }

    /// Returns the position of each box of a page.
    pub(super) fn positions(&self, layout: &Layout, places: &[u64]) -> Vec<Position> {
        let boxes = || layout.boxes.iter().zip(places);
        let shown = || boxes().filter(|(found, _)| !found.hidden);
        let is_known = shown().any(|(_, place)| self.places.contains(place));
        let outside = if shown().any(|(_, place)| self.complete.contains(place)) {
            Position::Beside
        } else {
            Position::Outside
        };
        let mut positions: Vec<Position> = Vec::with_capacity(layout.boxes.len());
        for (at, (found, place)) in boxes().enumerate() {
            let outer = positions.get(found.parent).filter(|_| at > 0);
            let position = match outer.copied().unwrap_or(outside) {
                outer @ (Position::Outside | Position::Beside) => {
                    let is_of_kind = !is_known && self.has_kind(found);
                    if self.documentation.contains(place)
                        || (is_of_kind && self.are_all_documentation())
                    {
                        Position::InsideDocumentation
                    } else if self.places.contains(place) || is_of_kind {
                        Position::Inside
                    } else {
                        outer
                    }
                }
                Position::LeftOut => Position::LeftOut,
                _ if self.left_out.contains(&part_of(layout, found)) => Position::LeftOut,
                // In documentation an id is mostly the name of a documented item: `next()`, `related-package`.
                Position::InsideDocumentation if is_of_template(found, found.cues_without_id) => {
                    Position::Inside
                }
                outer => outer,
            };
            positions.push(position);
        }
        positions
    }
}

/// The kind of every `<main>`, whatever its class.
pub(super) fn kind_of_main() -> u64 {
    let mut kind = Fnv::default();
    kind.write("main");
    kind.0
}

/// Returns true if the name of a box indicates something other than content.
pub(super) fn says_other(found: &BoxInfo) -> bool {
    const NAMES: [Cue; 4] = [Cue::Comment, Cue::Meta, Cue::Login, Cue::Edit];
    is_of_template(found, found.cues) || NAMES.iter().any(|cue| found.cues.has(*cue))
}

/// Returns true if these cues indicate a part that templates put beside content. Names such as `details` and `members`
/// do so, too, except in documentation.
fn is_of_template(found: &BoxInfo, cues: Cues) -> bool {
    const NAMES: [Cue; 10] = [
        Cue::Navigation,
        Cue::Footer,
        Cue::Sidebar,
        Cue::Related,
        Cue::Share,
        Cue::Cookie,
        Cue::Newsletter,
        Cue::Promotion,
        Cue::Breadcrumb,
        Cue::Pagination,
    ];
    // Footnotes are asides, too.
    let is_reference = found.tag == Tag::Aside && cues.has(Cue::Reference);
    let is_landmark = matches!(
        found.tag,
        Tag::Nav | Tag::Aside | Tag::Footer | Tag::Form | Tag::Button
    );
    (is_landmark && !is_reference) || NAMES.iter().any(|cue| cues.has(*cue))
}

/// Returns a key for a part of a container: its name or, without one, its tag and the box around it. The place is not
/// part of the key, so that a new wrapper does not change it.
pub(super) fn part_of(layout: &Layout, found: &BoxInfo) -> u64 {
    if found.is_named {
        return found.site_kind;
    }
    let around = layout
        .boxes
        .get(found.parent)
        .map_or(0, |outer| outer.site_kind);
    found.site_kind.rotate_left(9) ^ around
}
