use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::Timestamp;

/// Remembers which line has the newest page of each URL, in bounded memory.
///
/// URLs are kept as 64-bit hashes under a secret key: nobody can make two of theirs collide, and
/// among a million honest ones the odds are below one in ten million.
pub(crate) struct Duplicates {
    key: RandomState,
    newest: HashMap<u64, Newest>,
    capacity: usize,
    full: bool,
}

#[derive(Clone, Copy)]
struct Newest {
    modified: i64,
    /// The limits leave room for fewer lines than this holds; beyond it the number is only wrong.
    line: u32,
    blocks: u32,
}

/// How a page compares to the ones before it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Its URL is new, or cannot be told for want of room.
    First,
    /// Its URL is new, and is the first one that there is no room for.
    FirstWithoutRoom,
    /// Newer than the page of that line.
    Newer { other_line: u64, other_blocks: u64 },
    /// Not newer than the page of that line.
    NotNewer { other_line: u64 },
}

impl Duplicates {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            key: RandomState::new(),
            newest: HashMap::new(),
            capacity,
            full: false,
        }
    }

    pub(crate) fn see(&mut self, url: &str, modified: Timestamp, blocks: usize, line: u64) -> Seen {
        let hash = self.key.hash_one(url);
        let page = Newest {
            modified: modified.order_key(),
            line: narrow(line),
            blocks: narrow(blocks as u64),
        };
        if let Some(known) = self.newest.get_mut(&hash) {
            let (other_line, other_blocks) = (u64::from(known.line), u64::from(known.blocks));
            if page.modified <= known.modified {
                return Seen::NotNewer { other_line };
            }
            *known = page;
            return Seen::Newer {
                other_line,
                other_blocks,
            };
        }
        if self.newest.len() >= self.capacity {
            let first = !self.full;
            self.full = true;
            return if first {
                Seen::FirstWithoutRoom
            } else {
                Seen::First
            };
        }
        self.newest.insert(hash, page);
        Seen::First
    }

    /// The line with the newest page of a URL, if it is remembered.
    pub(crate) fn newest_line(&self, url: &str) -> Option<u64> {
        self.newest
            .get(&self.key.hash_one(url))
            .map(|newest| u64::from(newest.line))
    }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_unix_seconds(second).unwrap()
    }

    #[test]
    fn the_newer_page_wins_whatever_the_order() {
        let mut urls = Duplicates::new(10);
        assert_eq!(urls.see("a", at(5), 7, 2), Seen::First);
        assert_eq!(urls.see("a", at(4), 7, 3), Seen::NotNewer { other_line: 2 });
        assert_eq!(urls.see("a", at(5), 7, 4), Seen::NotNewer { other_line: 2 });
        assert_eq!(
            urls.see("a", at(6), 7, 5),
            Seen::Newer {
                other_line: 2,
                other_blocks: 7
            }
        );
        assert_eq!(urls.newest_line("a"), Some(5));
    }

    #[test]
    fn memory_is_bounded_and_known_urls_stay_known() {
        let mut urls = Duplicates::new(2);
        assert_eq!(urls.see("a", at(1), 7, 2), Seen::First);
        assert_eq!(urls.see("b", at(1), 7, 3), Seen::First);
        assert_eq!(urls.see("c", at(1), 7, 4), Seen::FirstWithoutRoom);
        assert_eq!(urls.see("d", at(1), 7, 5), Seen::First);
        assert_eq!(urls.see("c", at(1), 7, 6), Seen::First);
        assert_eq!(urls.see("a", at(1), 7, 7), Seen::NotNewer { other_line: 2 });
        assert_eq!(urls.newest.len(), 2);
    }
}
