//! Which of the listed pages are asked for, where there are more than one run may fetch: runs go on where the
//! last one ended, and pages that are not here come before those that are.

use std::fmt;
use std::str::FromStr;

/// Places that are held for each kind of page.
const HELD: u64 = 1_000_000;

/// How far the runs so far have come in the listing. Places are numbers in the order of the listing; where
/// that changes, some pages come a little earlier or later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position {
    /// How often the whole listing was gone through.
    round: u64,
    /// Where to go on with pages that are not here.
    new: u64,
    /// Where to go on with those that are.
    known: u64,
}

impl Position {
    /// Pages that have to be listed before enough are: in the first round what comes next is known to be new,
    /// later a new page can be anywhere.
    pub(super) fn enough(&self, most: u64) -> u64 {
        if self.round == 0 {
            self.new.saturating_add(most)
        } else {
            u64::MAX
        }
    }

    /// Goes on no later than here: from this place on pages were chosen and not asked for.
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

/// Chooses while the listing is gone through.
pub(crate) struct Choice {
    most: u64,
    round: u64,
    new: Window,
    known: Window,
}

/// What was chosen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Places in the listing, in order.
    pub(crate) ordinals: Vec<u64>,
    /// Where the next run goes on; `None` if nothing is left for it.
    pub(crate) next: Option<Position>,
}

impl Choice {
    pub(crate) fn new(position: Position, most: u64) -> Self {
        let most = most.min(HELD);
        Self {
            most,
            round: position.round,
            new: Window::new(position.new, most),
            known: Window::new(position.known, most),
        }
    }

    /// A page that has to be asked for.
    pub(crate) fn add(&mut self, ordinal: u64, is_known: bool) {
        if is_known {
            self.known.add(ordinal);
        } else {
            self.new.add(ordinal);
        }
    }

    /// Chooses from what was added. `end` is where the listing ended, if it was not gone through to its end.
    pub(crate) fn finish(mut self, end: Option<u64>) -> Chosen {
        let first = self.round == 0;
        // They were asked for in this round already and are no pages, or were listed since: the next round tells.
        let passed_over = first && !self.new.before.is_empty();
        if first {
            self.new.before.clear();
        }
        let (new, known) = (self.new.len(), self.known.len());
        // Pages that can never be had count as new for ever: they must not keep the others from being asked for.
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
        Chosen {
            ordinals,
            next: (!everything).then_some(next),
        }
    }
}

/// How many of the pages that may be fetched are for pages that are not here, where there are enough.
pub(super) fn share_of_new(most: u64) -> u64 {
    most - most / 4
}

/// Places from one on to the end, and then from the beginning.
struct Window {
    from: u64,
    most: u64,
    after: Vec<u64>,
    before: Vec<u64>,
    /// Whether there were more than are held.
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

    /// Where to go on after so many of them.
    fn after_taking(&self, count: u64) -> u64 {
        let last = self.take(count).last().copied();
        last.map_or(self.from, |last| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs over a listing of `pages`, of which some can never be had; answers what each run asks for.
    fn runs(count: usize, pages: u64, most: u64, dead: &[u64]) -> Vec<Vec<u64>> {
        let mut here = std::collections::BTreeSet::<u64>::new();
        let mut position = Position::default();
        let run = |_| {
            let listed = pages.min(position.enough(most).saturating_add(1));
            let mut choice = Choice::new(position, most);
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
    fn runs_go_on_where_the_last_one_ended() {
        let runs = runs(5, 10, 4, &[]);
        assert_eq!(runs[..2], [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
        // The last new ones, and then those that were asked for first.
        assert_eq!(runs[2], [0, 1, 8, 9]);
        assert_eq!(runs[3], [2, 3, 4, 5]);
        assert_eq!(runs[4], [6, 7, 8, 9]);
    }

    #[test]
    fn pages_that_can_never_be_had_do_not_stop_the_others() {
        let dead: Vec<u64> = (0..20).collect();
        let runs = runs(40, 40, 4, &dead);
        for page in 20..40 {
            let asked = runs.iter().filter(|run| run.contains(&page)).count();
            assert!(asked >= 2, "{page} was asked for {asked} times: {runs:?}");
        }
    }

    #[test]
    fn a_listing_that_fits_is_taken_whole_at_each_run() {
        let chosen = |is_known| {
            let mut choice = Choice::new(Position::default(), 10);
            (0..10).for_each(|ordinal| choice.add(ordinal, is_known));
            choice.finish(None)
        };
        let all = Chosen {
            ordinals: (0..10).collect(),
            next: None,
        };
        assert_eq!(chosen(false), all);
        assert_eq!(chosen(true), all);
    }

    #[test]
    fn a_new_page_comes_before_what_is_known() {
        let position = Position {
            round: 1,
            new: 0,
            known: 50,
        };
        let mut choice = Choice::new(position, 4);
        (0..100).for_each(|ordinal| choice.add(ordinal, ordinal != 7));
        assert_eq!(choice.finish(None).ordinals, [7, 50, 51, 52]);
    }
}
