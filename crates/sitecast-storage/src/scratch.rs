//! Local scratch folders for stores without a local disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use crate::StoreError;

const PREFIX: &str = "sitecast-scratch-";

/// Folders younger than this are kept: their process may not have locked them yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder in the system's temporary folder, created on first use and removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct LocalScratch(Mutex<Option<ScratchFolder>>);

#[derive(Debug)]
struct ScratchFolder {
    folder: TempDir,
    /// The locked folder. The kernel releases the lock when this process ends, which tells other processes.
    _alive: Option<File>,
}

impl LocalScratch {
    pub(crate) fn folder(&self) -> Result<PathBuf, StoreError> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = &*current {
            return Ok(current.folder.path().to_owned());
        }
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir()
            .map_err(|source| StoreError::Io {
                action: "write",
                place: std::env::temp_dir().display().to_string(),
                source,
            })?;
        let path = folder.path().to_owned();
        // If folders cannot be locked here, leftovers stay until the system cleans its temporary folder.
        let _alive = lock_folder(&path).ok();
        *current = Some(ScratchFolder { folder, _alive });
        Ok(path)
    }
}

/// Removes scratch folders of killed processes. Errors are ignored: leftovers do no harm.
pub(crate) fn remove_leftovers() {
    remove_leftovers_in(&std::env::temp_dir(), YOUNG);
}

fn remove_leftovers_in(folder: &Path, young: Duration) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && is_old(&entry, young).unwrap_or(false) && lock_folder(&entry.path()).is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(entry: &fs::DirEntry, young: Duration) -> io::Result<bool> {
    // `DirEntry::metadata` does not follow links.
    let metadata = entry.metadata()?;
    let age = metadata.modified()?.elapsed().unwrap_or_default();
    Ok(metadata.is_dir() && age >= young)
}

fn lock_folder(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_scratch_of_dead_processes_only() {
        let temp = tempfile::tempdir().unwrap();
        let dead = temp.path().join(format!("{PREFIX}dead"));
        let living = temp.path().join(format!("{PREFIX}living"));
        let foreign = temp.path().join("foreign");
        for folder in [&dead, &living, &foreign] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("half"), "x").unwrap();
        }
        let held = lock_folder(&living).unwrap();
        remove_leftovers_in(temp.path(), YOUNG);
        assert!(dead.exists(), "it is young");
        remove_leftovers_in(temp.path(), Duration::ZERO);
        assert!(!dead.exists() && living.exists() && foreign.exists());
        drop(held);
        remove_leftovers_in(temp.path(), Duration::ZERO);
        assert!(!living.exists());
    }

    #[test]
    fn locks_the_folder_and_removes_it_when_dropped() {
        let scratch = LocalScratch::default();
        let folder = scratch.folder().unwrap();
        assert_eq!(folder, scratch.folder().unwrap());
        assert!(folder.is_dir() && lock_folder(&folder).is_err());
        drop(scratch);
        assert!(!folder.exists());
    }
}
