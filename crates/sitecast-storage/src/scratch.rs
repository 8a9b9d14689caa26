//! Local folders for stores that have no disk.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use crate::StoreError;

const PREFIX: &str = "sitecast-scratch-";

/// Younger ones may be about to be locked.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder in the system's temporary one, made when it is first asked for and removed at the end.
#[derive(Debug, Default)]
pub(crate) struct LocalScratch(Mutex<Option<Made>>);

#[derive(Debug)]
struct Made {
    folder: TempDir,
    /// The kernel holds it as long as this process lives: so others know whether it does.
    _alive: Option<File>,
}

impl LocalScratch {
    pub(crate) fn folder(&self) -> Result<PathBuf, StoreError> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return Ok(made.folder.path().to_owned());
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
        // Where folders cannot be locked, leftovers stay until the system clears them away.
        let _alive = hold(&path).ok();
        *made = Some(Made { folder, _alive });
        Ok(path)
    }
}

/// Removes what killed processes left. That some of it cannot be removed is no reason not to go on.
pub(crate) fn remove_leftovers() {
    remove_leftovers_in(&std::env::temp_dir(), YOUNG);
}

fn remove_leftovers_in(folder: &Path, young: Duration) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && is_old(&entry, young).unwrap_or(false) && hold(&entry.path()).is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_old(entry: &fs::DirEntry, young: Duration) -> io::Result<bool> {
    // Not of what a link leads to.
    let metadata = entry.metadata()?;
    let age = metadata.modified()?.elapsed().unwrap_or_default();
    Ok(metadata.is_dir() && age >= young)
}

fn hold(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_of_the_dead_go_and_those_of_the_living_stay() {
        let temp = tempfile::tempdir().unwrap();
        let dead = temp.path().join(format!("{PREFIX}dead"));
        let living = temp.path().join(format!("{PREFIX}living"));
        let foreign = temp.path().join("foreign");
        for folder in [&dead, &living, &foreign] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("half"), "x").unwrap();
        }
        let held = hold(&living).unwrap();
        remove_leftovers_in(temp.path(), YOUNG);
        assert!(dead.exists(), "it is young");
        remove_leftovers_in(temp.path(), Duration::ZERO);
        assert!(!dead.exists() && living.exists() && foreign.exists());
        drop(held);
        remove_leftovers_in(temp.path(), Duration::ZERO);
        assert!(!living.exists());
    }

    #[test]
    fn the_folder_is_held_and_removed_at_the_end() {
        let scratch = LocalScratch::default();
        let folder = scratch.folder().unwrap();
        assert_eq!(folder, scratch.folder().unwrap());
        assert!(folder.is_dir() && hold(&folder).is_err());
        drop(scratch);
        assert!(!folder.exists());
    }
}
