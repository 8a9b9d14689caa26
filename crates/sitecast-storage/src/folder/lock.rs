//! One publisher at a time.
//!
//! The kernel locks the folder itself: no file is left behind, and the lock is gone with the
//! process that held it, however it ended. Some file systems (NFS) and systems (Windows) lock only
//! files that are open for writing; there a file is locked instead.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::at;
use crate::reserved::{LOCK, SCRATCH};
use crate::{Lock, StoreError};

/// Lets go when it is dropped.
pub(super) struct FolderLock {
    root: PathBuf,
    /// The file to be removed, where it was not the folder that was locked.
    file: Option<PathBuf>,
    held: File,
}

impl Lock for FolderLock {}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // With what an error left in it: nobody else writes there while this lock is held. That a
        // removal fails does no harm, and there is nobody to tell.
        let _ = fs::remove_dir_all(self.root.join(SCRATCH));
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
        // To close the file is not enough: a process that another thread is just starting has a copy of it for a moment.
        let _ = self.held.unlock();
    }
}

pub(super) fn take(root: &Path) -> Result<FolderLock, StoreError> {
    fs::create_dir_all(root).map_err(at("make the folder", root))?;
    let lock = match lock_folder(root) {
        Err(TryLockError::Error(_)) => lock_file(root),
        result => result,
    }
    .map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Locked {
            place: root.display().to_string(),
            since: String::new(),
        },
        TryLockError::Error(error) => at("lock", root)(error),
    })?;
    let scratch = root.join(SCRATCH);
    match fs::remove_dir_all(&scratch) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at("delete", &scratch)(error)),
        _ => Ok(lock),
    }
}

fn lock_folder(root: &Path) -> Result<FolderLock, TryLockError> {
    let held = File::open(root).map_err(TryLockError::Error)?;
    held.try_lock()?;
    Ok(FolderLock {
        root: root.to_owned(),
        file: None,
        held,
    })
}

fn lock_file(root: &Path) -> Result<FolderLock, TryLockError> {
    let path = root.join(LOCK);
    loop {
        let held = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(TryLockError::Error)?;
        held.try_lock()?;
        // Its last holder may have removed it after we opened it: a lock on a file that nobody
        // else will find is none.
        if is_still_there(&held, &path).map_err(TryLockError::Error)? {
            return Ok(FolderLock {
                root: root.to_owned(),
                file: Some(path),
                held,
            });
        }
    }
}

#[cfg(unix)]
fn is_still_there(held: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let held = held.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(found.ino() == held.ino() && found.dev() == held.dev()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Where an open file cannot be removed, it is still there.
#[cfg(not(unix))]
fn is_still_there(_held: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between `fork` and `exec`, a child has all files of its parent.
    #[test]
    fn a_lock_is_gone_though_a_child_has_a_copy_of_it() {
        let root = tempfile::tempdir().unwrap();
        let lock = take(root.path()).unwrap();
        let _copy = lock.held.try_clone().unwrap();
        drop(lock);
        take(root.path()).unwrap();
    }

    #[test]
    fn a_file_serves_where_folders_cannot_be_locked() {
        let root = tempfile::tempdir().unwrap();
        let first = lock_file(root.path()).unwrap();
        assert!(matches!(
            lock_file(root.path()),
            Err(TryLockError::WouldBlock)
        ));
        drop(first);
        assert!(!root.path().join(LOCK).exists());
        lock_file(root.path()).unwrap();
    }

    #[test]
    fn a_lock_file_that_was_removed_is_no_lock() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(LOCK);
        let removed = File::create(&path).unwrap();
        assert!(is_still_there(&removed, &path).unwrap());
        fs::remove_file(&path).unwrap();
        assert!(!is_still_there(&removed, &path).unwrap());
        File::create(&path).unwrap();
        assert!(!is_still_there(&removed, &path).unwrap());
    }
}
