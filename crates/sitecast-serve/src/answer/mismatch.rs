//! Since when machine pages disagree with the sitemap in force.
//!
//! The times of files do not tell: `rsync -a` and `cp -p` keep old ones, and a folder that is swapped as a whole was
//! written long before. So the server's own observation counts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sitecast_storage::Tag;

/// Files that are remembered.
const MAX_ENTRIES: usize = 100_000;

#[derive(Debug, Default)]
/// Files that disagree with the sitemap, by path, with their version and the time of the first observation.
pub(crate) struct Mismatches(Mutex<HashMap<Box<str>, (Tag, Instant)>>);

impl Mismatches {
    /// Returns the time since this version of a file was first seen to disagree.
    pub(crate) fn age(&self, path: &str, tag: &Tag, now: Instant) -> Duration {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, first)) = seen.get(path)
            && known == tag
        {
            return now.saturating_duration_since(*first);
        }
        if seen.len() >= MAX_ENTRIES {
            seen.clear();
        }
        seen.insert(path.into(), (tag.clone(), now));
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_time_from_the_first_mismatch_of_a_version() {
        let (mismatches, start) = (Mismatches::default(), Instant::now());
        let (one, two) = (Tag("1".to_owned()), Tag("2".to_owned()));
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let age =
            |path: &str, tag: &Tag, seconds: u64| mismatches.age(path, tag, at(seconds)).as_secs();
        assert_eq!(age("a", &one, 0), 0);
        assert_eq!(age("a", &one, 10), 10);
        assert_eq!(age("b", &one, 20), 0);
        assert_eq!(age("a", &two, 30), 0);
        assert_eq!(age("a", &two, 35), 5);
    }
}
