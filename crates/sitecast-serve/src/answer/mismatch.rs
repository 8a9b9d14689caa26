//! Since when a machine page and the sitemap in force have been seen to disagree.
//!
//! The times of files say nothing of it: `rsync -a` and `cp -p` keep old ones, and a folder that is exchanged as a whole
//! was made long before. So it is this server's own time that counts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sitecast_storage::Tag;

/// The most that are remembered.
const MOST: usize = 100_000;

#[derive(Debug, Default)]
pub(crate) struct Mismatches(Mutex<HashMap<Box<str>, (Tag, Instant)>>);

impl Mismatches {
    /// How long ago this version of a file was first seen not to be the one that is named.
    pub(crate) fn age(&self, path: &str, tag: &Tag, now: Instant) -> Duration {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, first)) = seen.get(path)
            && known == tag
        {
            return now.saturating_duration_since(*first);
        }
        if seen.len() >= MOST {
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
    fn the_time_counts_from_the_first_look_at_a_version() {
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
