//! A reference model of an index: a map from URLs to pages.

use std::collections::{BTreeMap, BTreeSet};

use sitecast_index::{OriginKind, Precedence, Tally};
use sitecast_scp::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelPage {
    pub(crate) line: String,
    pub(crate) modified: Timestamp,
    pub(crate) fetched: Timestamp,
    pub(crate) origin: OriginKind,
    pub(crate) collection: Option<String>,
    pub(crate) sections: BTreeSet<String>,
    pub(crate) etag: Option<String>,
    /// When its collection was generated; for other origins, when it was fetched.
    pub(crate) seen: Timestamp,
}

/// A site's pages by URL, with the state of the current merge.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) pages: BTreeMap<String, ModelPage>,
    named: BTreeSet<String>,
    /// Pages from before the merge that it has not deleted.
    earlier: BTreeSet<String>,
    pub(crate) tally: Tally,
}

impl Model {
    pub(crate) fn begin(&mut self) {
        self.named.clear();
        self.earlier = self.pages.keys().cloned().collect();
        self.tally = Tally {
            pages_before: self.pages.len() as u64,
            ..Tally::default()
        };
    }

    pub(crate) fn put(&mut self, url: &str, mut new: ModelPage, precedence: Precedence) {
        self.named.insert(url.to_owned());
        let Some(old) = self.pages.get_mut(url) else {
            self.tally.new += 1;
            self.pages.insert(url.to_owned(), new);
            return;
        };
        let guessed = old.origin != OriginKind::Scp && new.origin == OriginKind::Scp;
        let loses = match precedence {
            _ if guessed => false,
            Precedence::Later => new.modified <= old.modified,
            Precedence::NotOlder => new.modified < old.modified,
            Precedence::Always => false,
        };
        if new.modified == old.modified && new.line == old.line {
            self.tally.unchanged += 1;
            old.sections.extend(new.sections);
        } else if loses {
            self.tally.outdated += 1;
            old.sections.extend(new.sections);
        } else {
            self.tally.changed += 1;
            new.sections.extend(std::mem::take(&mut old.sections));
            *old = new;
        }
    }

    pub(crate) fn keep(&mut self, url: &str) {
        if self.pages.contains_key(url) && self.named.insert(url.to_owned()) {
            self.tally.unchanged += 1;
        }
    }

    fn remove(&mut self, url: &str) {
        self.pages.remove(url);
        self.tally.deleted += 1;
        self.tally.lost += u64::from(self.earlier.remove(url));
    }

    pub(crate) fn delete(
        &mut self,
        url: &str,
        section: Option<&str>,
        unless_after: Option<Timestamp>,
    ) {
        let Some(page) = self.pages.get_mut(url) else {
            return;
        };
        if unless_after.is_some_and(|time| page.modified > time || page.seen > time) {
            return;
        }
        if let Some(section) = section {
            page.sections.remove(section);
            if !page.sections.is_empty() {
                return;
            }
        }
        self.remove(url);
        // If the page is put again, it counts as new.
        self.named.remove(url);
    }

    fn is_unnamed(&self, url: &str, page: &ModelPage, unless_after: Timestamp) -> bool {
        !self.named.contains(url) && page.modified <= unless_after && page.seen <= unless_after
    }

    pub(crate) fn sweep(&mut self, section: Option<&str>, unless_after: Timestamp) -> u64 {
        let mut gone = Vec::new();
        for (url, page) in self.pages.clone() {
            if !self.is_unnamed(&url, &page, unless_after) {
                continue;
            }
            match section {
                None => gone.push(url),
                Some(section) => {
                    let page = self.pages.get_mut(&url).unwrap();
                    if page.sections.remove(section) && page.sections.is_empty() {
                        gone.push(url);
                    }
                }
            }
        }
        for url in &gone {
            self.remove(url);
        }
        gone.len() as u64
    }

    pub(crate) fn delete_older(&mut self, before: Timestamp) -> u64 {
        let old = self.pages.iter().filter(|(_, page)| page.modified < before);
        let old: Vec<String> = old.map(|(url, _)| url.clone()).collect();
        for url in &old {
            self.remove(url);
        }
        old.len() as u64
    }

    pub(crate) fn shrink_to(&mut self, most: u64) -> u64 {
        let mut oldest: Vec<(Timestamp, String)> = self
            .pages
            .iter()
            .map(|(url, page)| (page.modified, url.clone()))
            .collect();
        oldest.sort();
        let over = oldest.len().saturating_sub(most as usize);
        for (_, url) in oldest.into_iter().take(over) {
            self.remove(&url);
        }
        over as u64
    }

    /// Returns the tally with totals, as a merge returns it.
    pub(crate) fn tally(&self) -> Tally {
        Tally {
            pages: self.pages.len() as u64,
            bytes: self.pages.values().map(|p| p.line.len() as u64).sum(),
            ..self.tally
        }
    }
}
