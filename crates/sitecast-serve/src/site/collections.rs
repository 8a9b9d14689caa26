//! What the server knows of collections: their first lines, and which protected pages they list.
//!
//! Names of collections are immutable, so what was learnt of one version stays true; it is kept
//! from one publication to the next.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use sitecast_scp::{CollectionKind, Event, ReaderOptions};
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::{Opened, Store, StoreError, StorePath, Tag};

use super::pinned::reader;
use crate::protection::{Parts, Protection};

/// The most that is remembered.
const MOST: usize = 10_000;

/// A collection, as its first line describes it.
#[derive(Debug)]
pub(crate) struct CollectionFacts {
    /// `sha256:…`, from the first line.
    pub(crate) checksum: Option<String>,
    /// Seconds since 1970.
    pub(crate) generated: i64,
    pub(crate) section: String,
    pub(crate) is_snapshot: bool,
    /// The pages that it says are gone.
    pub(crate) deleted: Vec<Box<str>>,
    pub(crate) parts: Parts,
}

impl CollectionFacts {
    /// How long caches may keep it: as the publisher tells other hosts.
    pub(crate) fn cache_control(&self, frequency: UpdateFrequency) -> String {
        frequency.cache_control(self.is_snapshot)
    }
}

/// What was learnt so far.
#[derive(Debug, Default)]
pub(crate) struct KnownCollections(Mutex<HashMap<StorePath, (Tag, Arc<CollectionFacts>)>>);

impl KnownCollections {
    /// What is known of an opened object without reading it.
    pub(crate) fn get(&self, path: &StorePath, tag: &Tag) -> Option<Arc<CollectionFacts>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, facts) = known.get(path)?;
        (of == tag).then(|| Arc::clone(facts))
    }

    /// Opens a collection and learns of it what is not known yet; `None` where there is none, or
    /// where it is not a collection.
    pub(crate) fn learn(
        &self,
        store: &dyn Store,
        path: &StorePath,
        protection: &Protection,
    ) -> Result<Option<(Opened, Arc<CollectionFacts>)>, StoreError> {
        let Some(opened) = store.open(path)? else {
            return Ok(None);
        };
        if let Some(facts) = self.get(path, &opened.tag) {
            return Ok(Some((opened, facts)));
        }
        let failed = |source| StoreError::Io {
            action: "read",
            place: path.to_string(),
            source,
        };
        let facts = match read(&opened, protection).map_err(failed)? {
            Some(facts) => Arc::new(facts),
            None => return Ok(None),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(path.clone(), (opened.tag.clone(), Arc::clone(&facts)));
        Ok(Some((opened, facts)))
    }
}

/// Reads the first line; and all pages where some of them may be protected.
fn read(opened: &Opened, protection: &Protection) -> io::Result<Option<CollectionFacts>> {
    let source = reader(&opened.content, opened.size)?;
    let Ok(mut reader) = ReaderOptions::default().read(source) else {
        return Ok(None);
    };
    let Some(collection) = reader.collection() else {
        return Ok(None);
    };
    let mut facts = CollectionFacts {
        checksum: collection.checksum.map(|checksum| checksum.to_string()),
        generated: collection.generated.unix_seconds(),
        section: collection.section.to_string(),
        is_snapshot: matches!(collection.kind, CollectionKind::Snapshot),
        deleted: collection
            .deleted
            .iter()
            .map(|url| url.as_str().into())
            .collect(),
        parts: Parts::default(),
    };
    if protection.is_empty() {
        return Ok(Some(facts));
    }
    for url in &facts.deleted {
        facts.parts.add(of_url(protection, url));
    }
    loop {
        match reader.next_event() {
            Ok(Some(Event::Page(page))) => facts.parts.add(of_url(protection, page.url())),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(Some(facts)),
            // What cannot be read cannot be shown to be harmless.
            Err(_) => {
                facts.parts = Parts::ALL;
                return Ok(Some(facts));
            }
        }
    }
}

/// The protected parts that a page belongs to.
pub(crate) fn of_url(protection: &Protection, url: &str) -> Parts {
    if protection.is_empty() {
        return Parts::default();
    }
    match url::Url::parse(url) {
        Ok(url) => match crate::http::target::decode(url.path()) {
            Ok(path) => protection.of_path(&path),
            Err(_) => protection.of_path(url.path()),
        },
        Err(_) => Parts::ALL,
    }
}
