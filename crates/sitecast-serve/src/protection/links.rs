//! Files under other names than their own: a symbolic or a hard link to a protected page is as protected as the page.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use sitecast_storage::{FileId, HardLinked, Opened, Store, StoreError, StorePath};

use super::{Parts, Protection};
use crate::http::target;

/// How long what was found of hard links is believed. A new name changes the file's own time and is noticed at once;
/// this is for folders that are renamed, which changes no file in them.
const BELIEVED: Duration = Duration::from_secs(60);
/// File systems and clocks that count in whole seconds.
const SLACK: Duration = Duration::from_secs(2);

/// The protected files that have several names.
#[derive(Debug, Default)]
pub(crate) struct HardLinks(Mutex<Option<Scan>>);

#[derive(Debug)]
struct Scan {
    at: Instant,
    started: SystemTime,
    parts: HashMap<FileId, Parts>,
    /// Parts that lie in folders that this process may not read. Any file may have another name in one of them.
    unreadable: Parts,
}

impl Scan {
    fn parts(&self, id: FileId) -> Parts {
        let mut parts = self.parts.get(&id).copied().unwrap_or_default();
        parts.add(self.unreadable);
        parts
    }
}

/// What a file is when links are followed.
#[derive(Debug)]
pub(crate) enum Judged {
    /// Its own path, and the protected parts that it belongs to by any of its names.
    Visible(StorePath, Parts),
    /// One that nobody may see.
    Private,
}

impl Protection {
    /// Judges a file of a site below `root` that was opened as `path`. Waits for the disk.
    pub(crate) fn of_file(
        &self,
        store: &dyn Store,
        root: &str,
        path: &StorePath,
        opened: &Opened,
    ) -> Result<Judged, StoreError> {
        if self.is_empty() {
            return Ok(Judged::Visible(path.clone(), Parts::default()));
        }
        let place = store.place(path, opened)?;
        let Some(own) = place.path else {
            // What it is cannot be told.
            return Ok(Judged::Visible(path.clone(), Parts::ALL));
        };
        let name = own.as_str().rsplit('/').next().unwrap_or_default();
        // Folders on the way may be hidden ones: releases are often laid out so.
        if own != *path && target::is_private(name) {
            return Ok(Judged::Private);
        }
        let mut parts = self.of_path(&format!("{root}{own}"));
        if let Some(linked) = place.hard_linked {
            parts.add(self.links.parts(self, store, root, &linked)?);
        }
        Ok(Judged::Visible(own, parts))
    }
}

impl HardLinks {
    /// The parts that any name of a file belongs to.
    fn parts(
        &self,
        protection: &Protection,
        store: &dyn Store,
        root: &str,
        linked: &HardLinked,
    ) -> Result<Parts, StoreError> {
        let mut scan = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = scan
            .as_ref()
            .filter(|scan| scan.at.elapsed() < BELIEVED && linked.changed + SLACK < scan.started);
        if let Some(scan) = known {
            return Ok(scan.parts(linked.id));
        }
        let (at, started) = (Instant::now(), SystemTime::now());
        let mut found: HashMap<FileId, Parts> = HashMap::new();
        let links = store.hard_links()?;
        for (path, id) in links.names {
            let parts = protection.of_path(&format!("{root}{path}"));
            if !parts.is_empty() {
                found.entry(id).or_default().add(parts);
            }
        }
        let mut unreadable = Parts::default();
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
