//! What is known of the pages that are published.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use sitecast_scp::Timestamp;
use sitecast_tct::ContentHash;

/// Half of a SHA-256: enough to tell texts apart, and half the room.
pub(crate) type Fingerprint = [u8; 16];

/// The first half of a hash.
pub(crate) fn half(hash: &ContentHash) -> Fingerprint {
    let mut half = [0; 16];
    for (to, from) in half.iter_mut().zip(hash.bytes()) {
        *to = *from;
    }
    half
}

/// Which sections a page is in, a bit for each.
pub(crate) type SectionBits = u64;

/// The most sections that a site can have.
pub(crate) const MOST_SECTIONS: usize = SectionBits::BITS as usize;

/// A page that is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) url: Box<str>,
    /// The normalised text.
    pub(crate) fingerprint: Fingerprint,
    pub(crate) modified: Timestamp,
    /// The hash of its machine page, where it has one.
    pub(crate) machine: Option<ContentHash>,
    /// The sections whose collections have it.
    pub(crate) sections: SectionBits,
    /// No longer there; it only keeps its place.
    pub(crate) gone: bool,
}

/// The pages that are published, by URL.
///
/// URLs are kept once: the index holds hashes of them, and what hashes alike stands in the next
/// place, as in any hash table.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pages: Vec<Known>,
    index: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Ledger {
    /// An empty one with room for so many pages, so that it need not grow.
    pub(crate) fn with_room(pages: usize) -> Self {
        Self {
            pages: Vec::with_capacity(pages),
            index: HashMap::with_capacity(pages),
            hasher: RandomState::new(),
        }
    }

    /// Where a page stands.
    pub(crate) fn find(&self, url: &str) -> Option<usize> {
        let mut hash = self.hasher.hash_one(url);
        loop {
            let at = *self.index.get(&hash)? as usize;
            if self.pages.get(at).is_some_and(|known| &*known.url == url) {
                return Some(at);
            }
            hash = hash.wrapping_add(1);
        }
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Known> {
        self.pages.get(at)
    }

    pub(crate) fn get_mut(&mut self, at: usize) -> Option<&mut Known> {
        self.pages.get_mut(at)
    }

    pub(crate) fn by_url(&self, url: &str) -> Option<&Known> {
        self.get(self.find(url)?)
    }

    /// Adds a page, or replaces what is known of it; answers where it stands.
    pub(crate) fn put(&mut self, known: Known) -> usize {
        if let Some(at) = self.find(&known.url) {
            if let Some(place) = self.pages.get_mut(at) {
                *place = known;
            }
            return at;
        }
        let mut hash = self.hasher.hash_one(&*known.url);
        while self.index.contains_key(&hash) {
            hash = hash.wrapping_add(1);
        }
        let at = self.pages.len();
        // More than four thousand million pages do not fit into memory.
        self.index
            .insert(hash, u32::try_from(at).unwrap_or(u32::MAX));
        self.pages.push(known);
        at
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    /// The pages that are there.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Known> {
        self.pages.iter().filter(|known| !known.gone)
    }

    /// Takes all pages out, in their order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Known> {
        self.index.clear();
        std::mem::take(&mut self.pages).into_iter()
    }

    /// Leaves only the pages for which `keep` says so.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize, &Known) -> bool) {
        let pages = std::mem::take(&mut self.pages);
        self.index.clear();
        for (at, known) in pages.into_iter().enumerate() {
            if keep(at, &known) {
                self.put(known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(url: &str) -> Known {
        Known {
            url: url.into(),
            fingerprint: [0; 16],
            modified: "2025-01-15T09:00:00Z".parse().unwrap(),
            machine: None,
            sections: 1,
            gone: false,
        }
    }

    #[test]
    fn finds_what_was_put() {
        let mut ledger = Ledger::default();
        for n in 0..1_000 {
            assert_eq!(ledger.put(known(&format!("https://example.com/{n}"))), n);
        }
        assert_eq!(ledger.find("https://example.com/77"), Some(77));
        assert_eq!(ledger.find("https://example.com/x"), None);
        let mut again = known("https://example.com/77");
        again.sections = 2;
        assert_eq!(ledger.put(again), 77);
        assert_eq!((ledger.len(), ledger.get(77).unwrap().sections), (1_000, 2));
        ledger.retain(|at, _| at % 2 == 0);
        assert_eq!(ledger.len(), 500);
        assert_eq!(ledger.find("https://example.com/77"), None);
        assert!(ledger.find("https://example.com/78").is_some());
    }
}
