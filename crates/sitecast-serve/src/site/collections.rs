//! Facts about collections: the metadata in their first lines, and the protected pages they list.
//!
//! Collections are immutable, so the facts about one version stay true and are kept from one publication to the next.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use sitecast_scp::{CollectionKind, Event, ReadError, ReaderOptions, WarningKind};
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::{Opened, Store, StoreError, StorePath, Tag};

use super::pinned::reader;
use crate::protection::{ProtectedParts, Protection};

/// Collections that are remembered.
const MAX_ENTRIES: usize = 10_000;

/// Facts about one version of a collection.
#[derive(Debug)]
pub(crate) struct CollectionFacts {
    /// `sha256:…`, as stated in the first line.
    pub(crate) checksum: Option<String>,
    /// Time of generation, in seconds since 1970.
    pub(crate) generated: i64,
    pub(crate) section: String,
    pub(crate) is_snapshot: bool,
    /// URLs of deleted pages.
    pub(crate) deleted: Vec<Box<str>>,
    pub(crate) parts: ProtectedParts,
}

impl CollectionFacts {
    /// Returns the value of `Cache-Control`, the same that the publisher writes for other hosts.
    pub(crate) fn cache_control(&self, frequency: UpdateFrequency) -> String {
        frequency.cache_control(self.is_snapshot)
    }
}

/// A cache of facts by path and version.
#[derive(Debug, Default)]
pub(crate) struct KnownCollections(Mutex<HashMap<StorePath, (Tag, Arc<CollectionFacts>)>>);

impl KnownCollections {
    /// Returns the facts about this version if they are known.
    pub(crate) fn get(&self, path: &StorePath, tag: &Tag) -> Option<Arc<CollectionFacts>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, facts) = known.get(path)?;
        (of == tag).then(|| Arc::clone(facts))
    }

    /// Returns the prefixes that the version read last needs tokens for.
    pub(crate) fn parts(&self, path: &StorePath) -> Option<ProtectedParts> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).map(|(_, facts)| facts.parts)
    }

    /// Opens a collection, and reads it if its facts are not known; `None` if it does not exist or is not a collection.
    pub(crate) fn open(
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
        if known.len() >= MAX_ENTRIES {
            known.clear();
        }
        known.insert(path.clone(), (opened.tag.clone(), Arc::clone(&facts)));
        Ok(Some((opened, facts)))
    }
}

/// Reads the metadata, and all pages if there are protected prefixes.
fn read(opened: &Opened, protection: &Protection) -> io::Result<Option<CollectionFacts>> {
    let source = reader(&opened.content, opened.size)?;
    let mut reader = match ReaderOptions::default().read(source) {
        Ok(reader) => reader,
        // Temporary, so not remembered.
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
        parts: ProtectedParts::default(),
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
            // Readers skip the page, but the server sends its line.
            Ok(Some(Event::Warning(warning))) if leaves_out(&warning.kind) => {
                facts.parts = ProtectedParts::ALL;
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(Some(facts)),
            Err(ReadError::Io(error)) => return Err(error),
            // The rest may list protected pages.
            Err(_) => {
                facts.parts = ProtectedParts::ALL;
                return Ok(Some(facts));
            }
        }
    }
}

/// Returns true if the warning is about a page that the reader skipped without telling its URL.
fn leaves_out(warning: &WarningKind) -> bool {
    matches!(
        warning,
        WarningKind::PageRejected(_) | WarningKind::DeletedUrls { .. }
    )
}

/// Returns the prefixes that cover a URL.
pub(crate) fn of_url(protection: &Protection, url: &str) -> ProtectedParts {
    if protection.is_empty() {
        return ProtectedParts::default();
    }
    match url::Url::parse(url) {
        Ok(url) => match crate::http::target::decode(url.path()) {
            Ok(path) => protection.of_path(&path),
            Err(_) => protection.of_path(url.path()),
        },
        Err(_) => ProtectedParts::ALL,
    }
}

#[cfg(test)]
mod tests {
    use sitecast_storage::Content;

    use super::*;
    use crate::protection::ProtectedPrefix;

    fn parts(file: &str) -> ProtectedParts {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/scp");
        let bytes = std::fs::read(format!("{folder}/{file}")).unwrap();
        let opened = Opened {
            size: bytes.len() as u64,
            tag: Tag("1".to_owned()),
            modified: None,
            content: Content::Memory(bytes.into()),
        };
        let protection = Protection::new(vec![ProtectedPrefix::new("/members/", ["one"])]);
        read(&opened, &protection).unwrap().unwrap().parts
    }

    #[test]
    fn collection_with_a_page_that_readers_skip_needs_every_token() {
        for file in [
            "warned/modified-does-not-parse.scp",
            "warned/page-url-not-http.scp",
            "warned/deleted-has-relative-url.scp",
        ] {
            assert_eq!(parts(file), ProtectedParts::ALL, "{file}");
        }
        assert!(parts("valid/minimal.scp").is_empty());
    }
}
