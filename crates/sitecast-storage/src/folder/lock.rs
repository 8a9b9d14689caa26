//! The lock of a folder: one publisher at a time.
//!
//! The kernel locks the folder itself, so no file is left behind, and the lock ends with its process, also after a
//! crash. Some file systems (NFS) and systems (Windows) lock only files that are open for writing; there a lock file is
//! used instead.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::at;
use crate::reserved::{LOCK, SCRATCH};
use crate::{Lock, StoreError};

/// A held lock. Dropping it releases it.
pub(super) struct FolderLock {
    root: PathBuf,
    /// The lock file to be removed, if not the folder itself is locked.
    file: Option<PathBuf>,
    held: File,
}

impl Lock for FolderLock {}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Also removes files that a failed put left: no other publisher writes there while this lock is held. Errors are
        // ignored, because leftovers do no harm.
        let _ = fs::remove_dir_all(self.root.join(SCRATCH));
        if let Some(file) = &self.file {
            let _ = fs::remove_file(file);
        }
        // Closing the file is not enough: between `fork` and `exec`, a child process holds a copy of the descriptor.
        let _ = self.held.unlock();
    }
}

pub(super) fn acquire(root: &Path) -> Result<FolderLock, StoreError> {
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
        // The previous holder may have removed the file after we opened it. Others would then create and lock
        // a new one.
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

/// Returns true: open files cannot be removed on this system.
#[cfg(not(unix))]
fn is_still_there(_held: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between `fork` and `exec`, a child process has all open files of its parent.
    #[test]
    fn releases_the_lock_despite_an_inherited_copy() {
        let root = tempfile::tempdir().unwrap();
        let lock = acquire(root.path()).unwrap();
        let _copy = lock.held.try_clone().unwrap();
        drop(lock);
        acquire(root.path()).unwrap();
    }

    #[test]
    fn locks_a_file_where_folders_cannot_be_locked() {
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
    fn detects_a_removed_lock_file() {
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
