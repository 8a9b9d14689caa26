//! Symbolic and hard links: a link to a protected page is as protected as the page.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use sitecast_storage::{FileId, HardLinked, Opened, Store, StoreError, StorePath};

use super::{ProtectedParts, Protection};
use crate::http::target;

/// Time that a scan for hard links stays valid. A new link changes the file's ctime and is noticed at once; this bounds
/// the delay for renamed folders, which change no file in them.
const SCAN_LIFETIME: Duration = Duration::from_secs(60);
/// Some file systems and clocks count in whole seconds.
const CLOCK_GRANULARITY: Duration = Duration::from_secs(2);

/// A cached scan of the store for protected files with several names.
#[derive(Debug, Default)]
pub(crate) struct HardLinks(Mutex<Option<Scan>>);

#[derive(Debug)]
struct Scan {
    at: Instant,
    started: SystemTime,
    parts: HashMap<FileId, ProtectedParts>,
    /// Prefixes in folders that this process may not read. Any file may have another name in one of them.
    unreadable: ProtectedParts,
}

impl Scan {
    fn parts(&self, id: FileId) -> ProtectedParts {
        let mut parts = self.parts.get(&id).copied().unwrap_or_default();
        parts.add(self.unreadable);
        parts
    }
}

/// The access rule for a file after links were followed.
#[derive(Debug)]
pub(crate) enum FileAccess {
    /// The file's real path, and the prefixes that cover any of its names.
    Visible(StorePath, ProtectedParts),
    /// Never served.
    Private,
}

impl Protection {
    /// Determines the access rule for a file of a site below `root` that was opened as `path`. Blocks on the disk.
    pub(crate) fn of_file(
        &self,
        store: &dyn Store,
        root: &str,
        path: &StorePath,
        opened: &Opened,
    ) -> Result<FileAccess, StoreError> {
        if self.is_empty() {
            return Ok(FileAccess::Visible(path.clone(), ProtectedParts::default()));
        }
        let place = store.place(path, opened)?;
        let Some(own) = place.path else {
            // The real path is unknown.
            return Ok(FileAccess::Visible(path.clone(), ProtectedParts::ALL));
        };
        let name = own.as_str().rsplit('/').next().unwrap_or_default();
        // Only the file's own name counts: deployments often keep releases in hidden folders.
        if own != *path && target::is_private(name) {
            return Ok(FileAccess::Private);
        }
        let mut parts = self.of_path(&format!("{root}{own}"));
        if let Some(linked) = place.hard_linked {
            parts.add(self.links.parts(self, store, root, &linked)?);
        }
        Ok(FileAccess::Visible(own, parts))
    }
}

impl HardLinks {
    /// Returns the prefixes that cover any name of a file.
    fn parts(
        &self,
        protection: &Protection,
        store: &dyn Store,
        root: &str,
        linked: &HardLinked,
    ) -> Result<ProtectedParts, StoreError> {
        let mut scan = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = scan.as_ref().filter(|scan| {
            scan.at.elapsed() < SCAN_LIFETIME && linked.changed + CLOCK_GRANULARITY < scan.started
        });
        if let Some(scan) = known {
            return Ok(scan.parts(linked.id));
        }
        let (at, started) = (Instant::now(), SystemTime::now());
        let mut found: HashMap<FileId, ProtectedParts> = HashMap::new();
        let links = store.hard_links()?;
        for (path, id) in links.names {
            let parts = protection.of_path(&format!("{root}{path}"));
            if !parts.is_empty() {
                found.entry(id).or_default().add(parts);
            }
        }
        let mut unreadable = ProtectedParts::default();
        for folder in links.unreadable {
            unreadable.add(protection.of_folder(&format!("{root}{folder}")));
        }
        let scan = scan.insert(Scan {
            at,
            started,
            parts: found,
            unreadable,
        });
        Ok(scan.parts(linked.id))
    }
}
