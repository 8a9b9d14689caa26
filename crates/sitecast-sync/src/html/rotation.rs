//! The selection of pages from a listing that is larger than the limit of one visit. Each visit continues where the
//! last one ended, and pages that are not in the index come first.

use std::fmt;
use std::str::FromStr;

/// The most ordinals that are held for new pages, and for known pages.
const MAX_HELD: u64 = 1_000_000;

/// The position in the listing between two visits, as ordinals. If the listing changes, some pages are selected a
/// little earlier or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    /// 0 while the visits go through the listing for the first time, 1 after that.
    round: u64,
    /// The ordinal from which to continue with pages that are not in the index.
    new: u64,
    /// The ordinal from which to continue with pages of the index.
    known: u64,
}

impl Position {
    /// Returns the number of pages that the listing has to have for the next visit. In the first round, all pages
    /// after the position are new; later, a new page can be anywhere in the listing.
    pub(super) fn enough(&self, most: u64) -> u64 {
        if self.round == 0 {
            self.new.saturating_add(most)
        } else {
            u64::MAX
        }
    }

    /// Moves the position back to `ordinal`: the pages from there on were selected but not requested.
    pub(crate) fn go_back(position: Option<Self>, ordinal: u64) -> Self {
        let position = position.unwrap_or(Self {
            round: 1,
            new: ordinal,
            known: ordinal,
        });
        Self {
            round: position.round,
            new: position.new.min(ordinal),
            known: position.known.min(ordinal),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.round, self.new, self.known)
    }
}

impl FromStr for Position {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut numbers = text.split(' ').map(|number| number.parse().map_err(|_| ()));
        let mut next = || numbers.next().unwrap_or(Err(()));
        Ok(Self {
            round: next()?,
            new: next()?,
            known: next()?,
        })
    }
}

/// Selects pages in one pass through the listing.
pub(crate) struct Selector {
    most: u64,
    round: u64,
    new: Window,
    known: Window,
}

/// The selected pages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The ordinals of the pages, sorted.
    pub(crate) ordinals: Vec<u64>,
    /// The position of the next visit; `None` if this visit requests all pages.
    pub(crate) next: Option<Position>,
}

impl Selector {
    pub(crate) fn new(position: Position, most: u64) -> Self {
        let most = most.min(MAX_HELD);
        Self {
            most,
            round: position.round,
            new: Window::new(position.new, most),
            known: Window::new(position.known, most),
        }
    }

    /// Adds a page that may have changed.
    pub(crate) fn add(&mut self, ordinal: u64, is_known: bool) {
        if is_known {
            self.known.add(ordinal);
        } else {
            self.new.add(ordinal);
        }
    }

    /// Selects from the added pages. `end` is the length of the listing if it was not read to its end.
    pub(crate) fn finish(mut self, end: Option<u64>) -> Selection {
        let first = self.round == 0;
        // New pages before the position were requested in this round and turned out not to be pages, or were listed
        // since. The next round requests them.
        let passed_over = first && !self.new.before.is_empty();
        if first {
            self.new.before.clear();
        }
        let (new, known) = (self.new.len(), self.known.len());
        // Pages that always fail count as new for ever, so known pages get a share of their own.
        let share = if first {
            self.most
        } else {
            share_of_new(self.most).max(self.most.saturating_sub(known))
        };
        let take_new = new.min(share);
        let take_known = known.min(self.most - take_new);
        let all_new = take_new == new && !self.new.more;
        let everything =
            all_new && !passed_over && take_known == known && !self.known.more && end.is_none();
        let mut next = Position {
            round: self.round,
            new: self.new.after_taking(take_new),
            known: self.known.after_taking(take_known),
        };
        if first && all_new {
            match end {
                Some(end) => next.new = end,
                None => (next.round, next.new) = (1, 0),
            }
        }
        let mut ordinals = self.new.take(take_new);
        ordinals.extend(self.known.take(take_known));
        ordinals.sort_unstable();
        Selection {
            ordinals,
            next: (!everything).then_some(next),
        }
    }
}

/// Returns the share of the limit for pages that are not in the index: three quarters.
pub(super) fn share_of_new(most: u64) -> u64 {
    most - most / 4
}

/// Ordinals from a starting point to the end, and then from the beginning.
struct Window {
    from: u64,
    most: u64,
    after: Vec<u64>,
    before: Vec<u64>,
    /// True if there were more ordinals than are held.
    more: bool,
}

impl Window {
    fn new(from: u64, most: u64) -> Self {
        Self {
            from,
            most,
            after: Vec::new(),
            before: Vec::new(),
            more: false,
        }
    }

    fn add(&mut self, ordinal: u64) {
        let side = if ordinal >= self.from {
            &mut self.after
        } else {
            &mut self.before
        };
        if (side.len() as u64) < self.most {
            side.push(ordinal);
        } else {
            self.more = true;
        }
    }

    fn len(&self) -> u64 {
        (self.after.len() + self.before.len()) as u64
    }

    fn rotated(&self) -> impl Iterator<Item = u64> {
        self.after.iter().chain(&self.before).copied()
    }

    fn take(&self, count: u64) -> Vec<u64> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.rotated().take(count).collect()
    }

    /// Returns the ordinal after the first `count` of them.
    fn after_taking(&self, count: u64) -> u64 {
        let last = self.take(count).last().copied();
        last.map_or(self.from, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates visits to a site of `pages` pages, of which `dead` always fail. Returns the pages that each requests.
    fn runs(count: usize, pages: u64, most: u64, dead: &[u64]) -> Vec<Vec<u64>> {
        let mut here = std::collections::BTreeSet::<u64>::new();
        let mut position = Position::default();
        let run = |_| {
            let listed = pages.min(position.enough(most).saturating_add(1));
            let mut choice = Selector::new(position, most);
            for ordinal in 0..listed {
                choice.add(ordinal, here.contains(&ordinal));
            }
            let chosen = choice.finish((listed < pages).then_some(listed));
            here.extend(chosen.ordinals.iter().filter(|page| !dead.contains(page)));
            let text = chosen.next.map(|next| next.to_string());
            position = text.map_or(Position::default(), |text| text.parse().unwrap());
            chosen.ordinals
        };
        (0..count).map(run).collect()
    }

    #[test]
    fn runs_continue_where_the_last_one_ended() {
        let runs = runs(5, 10, 4, &[]);
        assert_eq!(runs[..2], [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
        // The last new pages, and then the known pages from the beginning.
        assert_eq!(runs[2], [0, 1, 8, 9]);
        assert_eq!(runs[3], [2, 3, 4, 5]);
        assert_eq!(runs[4], [6, 7, 8, 9]);
    }

    #[test]
    fn permanent_failures_do_not_starve_other_pages() {
        let dead: Vec<u64> = (0..20).collect();
        let runs = runs(40, 40, 4, &dead);
        for page in 20..40 {
            let asked = runs.iter().filter(|run| run.contains(&page)).count();
            assert!(asked >= 2, "{page} was asked for {asked} times: {runs:?}");
        }
    }

    #[test]
    fn selects_a_small_listing_as_a_whole() {
        let chosen = |is_known| {
            let mut choice = Selector::new(Position::default(), 10);
            (0..10).for_each(|ordinal| choice.add(ordinal, is_known));
            choice.finish(None)
        };
        let all = Selection {
            ordinals: (0..10).collect(),
            next: None,
        };
        assert_eq!(chosen(false), all);
        assert_eq!(chosen(true), all);
    }

    #[test]
    fn new_pages_come_before_known_pages() {
        let position = Position {
            round: 1,
            new: 0,
            known: 50,
        };
        let mut choice = Selector::new(position, 4);
        (0..100).for_each(|ordinal| choice.add(ordinal, ordinal != 7));
        assert_eq!(choice.finish(None).ordinals, [7, 50, 51, 52]);
    }
}
