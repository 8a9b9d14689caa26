//! The table of pages with machine pages, as listed by the JSON sitemap.
//!
//! A page takes about 130 bytes beside its two addresses, whatever its content.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use sitecast_storage::Base;
use sitecast_tct::ContentHash;

use crate::protection::ProtectedParts;

/// A page with a machine page.
#[derive(Debug)]
pub(crate) struct Page {
    /// URL of the page itself.
    pub(crate) url: Box<str>,
    /// Path of the machine page in the store.
    pub(crate) machine: Box<str>,
    /// Content hash of the machine page.
    pub(crate) hash: ContentHash,
    /// Time of the last change of the content, in seconds since 1970.
    pub(crate) modified: Option<i64>,
    pub(crate) parts: ProtectedParts,
}

/// All pages, indexed by both addresses.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: Vec<Page>,
    by_machine: HashTable<u32>,
    by_page: HashTable<u32>,
    hasher: RandomState,
}

impl Pages {
    /// Adds a page. If the machine page is listed already, the first entry wins.
    pub(crate) fn add(&mut self, base: &Base, page: Page) {
        let Ok(number) = u32::try_from(self.pages.len()) else {
            return;
        };
        let hash = self.hasher.hash_one(&*page.machine);
        if self.by_machine(&page.machine).is_some() {
            return;
        }
        let path = base.relative(&page.url).map(Cow::into_owned);
        self.pages.push(page);
        let (pages, hasher) = (&self.pages, &self.hasher);
        let machine = |&at: &u32| machine_of(pages, at);
        self.by_machine
            .insert_unique(hash, number, |at| hasher.hash_one(machine(at)));
        if let Some(path) = path {
            let rehash = |&at: &u32| hasher.hash_one(&*path_of(pages, base, at));
            self.by_page
                .insert_unique(hasher.hash_one(&*path), number, rehash);
        }
    }

    /// Protects machine pages that have the same hash as a protected one: they are the same file under another name, or
    /// a copy.
    pub(crate) fn protect_copies(&mut self) {
        let mut protected: HashMap<ContentHash, ProtectedParts> = HashMap::new();
        for page in self.pages.iter().filter(|page| !page.parts.is_empty()) {
            protected.entry(page.hash).or_default().add(page.parts);
        }
        if protected.is_empty() {
            return;
        }
        for page in &mut self.pages {
            if let Some(parts) = protected.get(&page.hash) {
                page.parts.add(*parts);
            }
        }
    }

    /// Finds a page by the path of its machine page in the store.
    pub(crate) fn by_machine(&self, path: &str) -> Option<&Page> {
        let hash = self.hasher.hash_one(path);
        let is_it = |&at: &u32| machine_of(&self.pages, at) == path;
        self.get(self.by_machine.find(hash, is_it))
    }

    /// Finds a page by its own path, relative to the base.
    pub(crate) fn by_page(&self, base: &Base, path: &str) -> Option<&Page> {
        let hash = self.hasher.hash_one(path);
        let is_it = |&at: &u32| path_of(&self.pages, base, at) == path;
        self.get(self.by_page.find(hash, is_it))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    fn get(&self, at: Option<&u32>) -> Option<&Page> {
        self.pages.get(*at? as usize)
    }
}

fn machine_of(pages: &[Page], at: u32) -> &str {
    pages.get(at as usize).map_or("", |page| &*page.machine)
}

fn path_of<'p>(pages: &'p [Page], base: &Base, at: u32) -> Cow<'p, str> {
    pages
        .get(at as usize)
        .and_then(|page| base.relative(&page.url))
        .unwrap_or_default()
}
