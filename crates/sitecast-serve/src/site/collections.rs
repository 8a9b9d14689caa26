//! What the server knows of collections: their first lines, and which protected pages they list.
//!
//! Names of collections are immutable, so what was learnt of one version stays true; it is kept
//! from one publication to the next.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use sitecast_scp::{CollectionKind, Event, ReadError, ReaderOptions, WarningKind};
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

    /// The protected parts that the version of a collection lists that was read last.
    pub(crate) fn parts(&self, path: &StorePath) -> Option<Parts> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).map(|(_, facts)| facts.parts)
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
    let mut reader = match ReaderOptions::default().read(source) {
        Ok(reader) => reader,
        // It may be had the next time.
        Err(ReadError::Io(error)) => return Err(error),
        Err(_) => return Ok(None),
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
            // Readers leave it out, and still it is sent.
            Ok(Some(Event::Warning(warning))) if leaves_out(&warning.kind) => {
                facts.parts = Parts::ALL;
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(Some(facts)),
            Err(ReadError::Io(error)) => return Err(error),
            // What cannot be read cannot be shown to be harmless.
            Err(_) => {
                facts.parts = Parts::ALL;
                return Ok(Some(facts));
            }
        }
    }
}

/// Whether a page is in the file, and nobody says which.
fn leaves_out(warning: &WarningKind) -> bool {
    matches!(
        warning,
        WarningKind::PageRejected(_) | WarningKind::DeletedUrls { .. }
    )
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

#[cfg(test)]
mod tests {
    use sitecast_storage::Content;

    use super::*;
    use crate::protection::Protected;

    fn parts(file: &str) -> Parts {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/scp");
        let bytes = std::fs::read(format!("{folder}/{file}")).unwrap();
        let opened = Opened {
            size: bytes.len() as u64,
            tag: Tag("1".to_owned()),
            modified: None,
            content: Content::Memory(bytes.into()),
        };
        let protection = Protection::new(vec![Protected::new("/members/", ["one"])]);
        read(&opened, &protection).unwrap().unwrap().parts
    }

    #[test]
    fn a_collection_with_a_page_that_readers_leave_out_needs_every_token() {
        for file in [
            "warned/modified-does-not-parse.scp",
            "warned/page-url-not-http.scp",
            "warned/deleted-has-relative-url.scp",
        ] {
            assert_eq!(parts(file), Parts::ALL, "{file}");
        }
        assert!(parts("valid/minimal.scp").is_empty());
    }
}
