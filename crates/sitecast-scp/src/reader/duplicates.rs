//! Detection of duplicate URLs.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::Timestamp;

/// Remembers the line with the newest page of each URL, in bounded memory.
///
/// URLs are kept as 64-bit hashes under a secret key, so that an attacker cannot construct a collision. Among
/// a million URLs the probability of a collision is below one in ten million.
pub(crate) struct Duplicates {
    key: RandomState,
    newest: HashMap<u64, Newest>,
    capacity: usize,
    full: bool,
}

#[derive(Clone, Copy)]
struct Newest {
    modified: i64,
    /// Saturates beyond `u32::MAX`. The number appears only in messages, and the limits allow fewer lines.
    line: u32,
    blocks: u32,
}

/// The comparison of a page with the previous pages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The URL is new, or not tracked because the capacity is exhausted.
    First,
    /// The URL is new, and the first one that is not tracked.
    FirstUntracked,
    /// The page is newer than the one on `other_line`.
    Newer { other_line: u64, other_blocks: u64 },
    /// The page is not newer than the one on `other_line`.
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

    /// Records a page and compares it with the previous pages.
    pub(crate) fn record(
        &mut self,
        url: &str,
        modified: Timestamp,
        blocks: usize,
        line: u64,
    ) -> Seen {
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
                Seen::FirstUntracked
            } else {
                Seen::First
            };
        }
        self.newest.insert(hash, page);
        Seen::First
    }

    /// The line with the newest page of a URL, if the URL is tracked.
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
    fn newer_page_wins_in_any_order() {
        let mut urls = Duplicates::new(10);
        assert_eq!(urls.record("a", at(5), 7, 2), Seen::First);
        assert_eq!(
            urls.record("a", at(4), 7, 3),
            Seen::NotNewer { other_line: 2 }
        );
        assert_eq!(
            urls.record("a", at(5), 7, 4),
            Seen::NotNewer { other_line: 2 }
        );
        assert_eq!(
            urls.record("a", at(6), 7, 5),
            Seen::Newer {
                other_line: 2,
                other_blocks: 7
            }
        );
        assert_eq!(urls.newest_line("a"), Some(5));
    }

    #[test]
    fn bounds_memory_and_keeps_tracked_urls() {
        let mut urls = Duplicates::new(2);
        assert_eq!(urls.record("a", at(1), 7, 2), Seen::First);
        assert_eq!(urls.record("b", at(1), 7, 3), Seen::First);
        assert_eq!(urls.record("c", at(1), 7, 4), Seen::FirstUntracked);
        assert_eq!(urls.record("d", at(1), 7, 5), Seen::First);
        assert_eq!(urls.record("c", at(1), 7, 6), Seen::First);
        assert_eq!(
            urls.record("a", at(1), 7, 7),
            Seen::NotNewer { other_line: 2 }
        );
        assert_eq!(urls.newest.len(), 2);
    }
}
