//! The published pages.

use std::hash::BuildHasher;

use foldhash::quality::RandomState;
use hashbrown::HashTable;
use sitecast_scp::{HttpUrl, Timestamp};
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

/// The sections of a page, a bit for each.
pub(crate) type SectionBits = u64;

/// The most sections that a site can have.
pub(crate) const MOST_SECTIONS: usize = SectionBits::BITS as usize;

/// A published page without its URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    /// The normalised text.
    pub(crate) fingerprint: Fingerprint,
    pub(crate) modified: Timestamp,
    /// The hash of its machine page, where it has one.
    pub(crate) machine: Option<ContentHash>,
    /// The sections whose collections have it.
    pub(crate) sections: SectionBits,
    /// The words of its text.
    pub(crate) words: u32,
    /// True for a deleted page, which only keeps its place.
    pub(crate) gone: bool,
}

/// A page that is published no longer.
#[derive(Debug)]
pub(crate) struct Deleted {
    pub(crate) url: HttpUrl,
    /// The page as it was published.
    pub(crate) known: Known,
}

/// The pages that are published, by URL.
///
/// There may be millions. So URLs stand one after the other in one text, and the index holds only
/// places. It also keeps what is long-lived apart from what is made of each page and thrown away:
/// small pieces left among those would hold on to the memory around them.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    urls: String,
    /// The end of each URL in the text; it begins at the end of the one before.
    ends: Vec<u64>,
    pages: Vec<Known>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl Ledger {
    /// Creates an empty ledger with room for a number of pages.
    pub(crate) fn with_room(pages: usize) -> Self {
        Self {
            urls: String::new(),
            ends: Vec::with_capacity(pages),
            pages: Vec::with_capacity(pages),
            index: HashTable::with_capacity(pages),
            hasher: RandomState::default(),
        }
    }

    /// Returns the place of a page.
    pub(crate) fn find(&self, url: &str) -> Option<usize> {
        let is_it = |at: &u32| url_at(&self.urls, &self.ends, *at as usize) == url;
        let found = self.index.find(self.hasher.hash_one(url), is_it)?;
        Some(*found as usize)
    }

    /// The URL of the page that stands there.
    pub(crate) fn url(&self, at: usize) -> &str {
        url_at(&self.urls, &self.ends, at)
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

    /// Adds a page or replaces it; returns its place.
    pub(crate) fn put(&mut self, url: &str, known: Known) -> usize {
        if let Some(at) = self.find(url) {
            if let Some(place) = self.pages.get_mut(at) {
                *place = known;
            }
            return at;
        }
        let at = self.pages.len();
        self.urls.push_str(url);
        self.ends.push(self.urls.len() as u64);
        self.pages.push(known);
        let Self {
            urls,
            ends,
            index,
            hasher,
            ..
        } = self;
        // More than four thousand million pages do not fit into memory.
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        index.insert_unique(hasher.hash_one(url), place, |at| {
            hasher.hash_one(url_at(urls, ends, *at as usize))
        });
        at
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    /// The pages that are there, with their URLs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Known)> {
        let all = self.pages.iter().enumerate();
        all.filter(|(_, known)| !known.gone)
            .map(|(at, known)| (self.url(at), known))
    }

    /// The same, by URL.
    pub(crate) fn by_urls(&self) -> impl Iterator<Item = (&str, &Known)> {
        let count = u32::try_from(self.pages.len()).unwrap_or(u32::MAX);
        let mut places: Vec<u32> = (0..count).collect();
        places.sort_unstable_by(|a, b| self.url(*a as usize).cmp(self.url(*b as usize)));
        places.into_iter().filter_map(|at| {
            let known = self.get(at as usize).filter(|known| !known.gone)?;
            Some((self.url(at as usize), known))
        })
    }

    /// Leaves only the pages for which `keep` says so.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Known) -> bool) {
        if self.pages.iter().all(&mut keep) {
            return;
        }
        let all = std::mem::take(self);
        for (at, known) in all.pages.iter().enumerate() {
            if keep(known) {
                self.put(all.url(at), *known);
            }
        }
    }
}

fn url_at<'u>(urls: &'u str, ends: &[u64], at: usize) -> &'u str {
    let end = |at: Option<usize>| at.and_then(|at| ends.get(at)).copied().unwrap_or(0) as usize;
    let range = end(at.checked_sub(1))..end(Some(at));
    urls.get(range).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        Known {
            fingerprint: [0; 16],
            modified: "2025-01-15T09:00:00Z".parse().unwrap(),
            machine: None,
            sections: 1,
            words: 3,
            gone: false,
        }
    }

    #[test]
    fn finds_what_was_put() {
        let mut ledger = Ledger::default();
        for n in 0..1_000 {
            assert_eq!(ledger.put(&format!("https://example.com/{n}"), known()), n);
        }
        assert_eq!(ledger.find("https://example.com/77"), Some(77));
        assert_eq!(ledger.find("https://example.com/x"), None);
        let mut again = known();
        again.sections = 2;
        assert_eq!(ledger.put("https://example.com/77", again), 77);
        assert_eq!((ledger.len(), ledger.get(77).unwrap().sections), (1_000, 2));
        assert_eq!(ledger.url(78), "https://example.com/78");
        let urls: Vec<&str> = ledger.by_urls().map(|(url, _)| url).collect();
        assert_eq!(urls.len(), 1_000);
        assert!(urls.is_sorted());
        ledger.retain(|known| known.sections == 1);
        assert_eq!(ledger.len(), 999);
        assert_eq!(ledger.find("https://example.com/77"), None);
        assert_eq!(ledger.find("https://example.com/78"), Some(77));
    }
}
