//! The boxes of a template that hold the content of its pages, and the parts of them that do not.
//!
//! A judge of segments takes a list of links for a menu, wherever it stands. The template shows where it stands: a box
//! whose text is content on most pages holds content on this one, too. Within such a container all text is kept unless
//! there is proof against it: a part that calls itself something else and is full of links, or one that most pages have,
//! that is full of links and hardly ever content.

use foldhash::HashSet;

use crate::content::{Cue, Cues};
use crate::dom::Tag;
use crate::layout::{BoxInfo, Fnv, Layout};

/// The containers of a template.
#[derive(Debug, Clone, Default)]
pub(super) struct Containers {
    /// Their exact places.
    pub(super) places: HashSet<u64>,
    /// Those of them that hold all content of their pages.
    pub(super) complete: HashSet<u64>,
    /// Those of them that a generator of documentation made.
    pub(super) documentation: HashSet<u64>,
    /// What those are called that say that they hold content: a page that has none of the places may have one of these.
    pub(super) kinds: HashSet<u64>,
    /// Parts of them that are not content, by [`part_of`].
    pub(super) left_out: HashSet<u64>,
}

/// How a box, or a text, stands to the containers of its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// In none.
    Outside,
    /// In none, on a page with a container that holds all content of its pages.
    Beside,
    /// In one.
    Inside,
    /// In one that a generator of documentation made, and in none of its parts that say that they are something else.
    InsideDocumentation,
    /// In a part of one that is not content.
    LeftOut,
}

impl Containers {
    fn has_kind(&self, found: &BoxInfo) -> bool {
        self.kinds.contains(&found.site_kind)
            || (found.tag == Tag::Main && self.kinds.contains(&kind_of_main()))
    }

    /// True if a generator of documentation made every container.
    fn are_all_documentation(&self) -> bool {
        !self.documentation.is_empty() && self.places.is_subset(&self.documentation)
    }

    /// How each box of a page stands to them.
    pub(super) fn standings(&self, layout: &Layout, places: &[u64]) -> Vec<Standing> {
        let boxes = || layout.boxes.iter().zip(places);
        let shown = || boxes().filter(|(found, _)| !found.hidden);
        let is_known = shown().any(|(_, place)| self.places.contains(place));
        let outside = if shown().any(|(_, place)| self.complete.contains(place)) {
            Standing::Beside
        } else {
            Standing::Outside
        };
        let mut standings: Vec<Standing> = Vec::with_capacity(layout.boxes.len());
        for (at, (found, place)) in boxes().enumerate() {
            let outer = standings.get(found.parent).filter(|_| at > 0);
            let standing = match outer.copied().unwrap_or(outside) {
                outer @ (Standing::Outside | Standing::Beside) => {
                    let is_of_kind = !is_known && self.has_kind(found);
                    if self.documentation.contains(place)
                        || (is_of_kind && self.are_all_documentation())
                    {
                        Standing::InsideDocumentation
                    } else if self.places.contains(place) || is_of_kind {
                        Standing::Inside
                    } else {
                        outer
                    }
                }
                Standing::LeftOut => Standing::LeftOut,
                _ if self.left_out.contains(&part_of(layout, found)) => Standing::LeftOut,
                // In documentation an id is most often the name of what is documented: `next()`, `related-package`.
                Standing::InsideDocumentation if is_of_template(found, found.cues_but_id) => {
                    Standing::Inside
                }
                outer => outer,
            };
            standings.push(standing);
        }
        standings
    }
}

/// Stands for every `<main>`, whatever its class.
pub(super) fn kind_of_main() -> u64 {
    let mut kind = Fnv::default();
    kind.write("main");
    kind.0
}

/// Whether a box says that it holds something other than the content of its page.
pub(super) fn says_other(found: &BoxInfo) -> bool {
    const NAMES: [Cue; 4] = [Cue::Comment, Cue::Meta, Cue::Login, Cue::Edit];
    is_of_template(found, found.cues) || NAMES.iter().any(|cue| found.cues.has(*cue))
}

/// Whether a box with such names says that it holds what templates put beside content. Names such as `details` and `members` say
/// that, too, but not in documentation.
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

/// What tells a part of a container from others: its name, or its tag and what it stands in. Not where it stands, so that
/// an element that is put around it does not make it another part.
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
