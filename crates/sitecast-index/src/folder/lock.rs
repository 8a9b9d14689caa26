//! The lock that makes merges of several processes exclusive.
//!
//! It is a kernel lock on a file that is never removed, so the kernel releases it when the process ends, for
//! whatever reason. The file names the process that holds the lock, for the error message of a process whose
//! waiting time has passed.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use sitecast_scp::Timestamp;

use super::errors::from_io;
use crate::IndexError;

const FILE: &str = "writer.lock";

/// The time between two attempts to lock.
const PAUSE: Duration = Duration::from_millis(20);

/// A held lock, released when it is dropped.
#[derive(Debug)]
pub(super) struct FileLock {
    held: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Removes the name of the holder. This fails for a shared lock, whose file is open for reading only.
        let _ = self.held.set_len(0);
        // Closing the file is not enough: between `fork` and `exec`, a child that another thread starts has a copy of it.
        let _ = self.held.unlock();
    }
}

/// Acquires the exclusive lock, and waits for it for at most `wait`.
pub(super) fn acquire(folder: &Path, wait: Duration) -> Result<FileLock, IndexError> {
    let path = folder.join(FILE);
    let started = Instant::now();
    let mut file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(from_io("open", &path))?;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(from_io("lock", &path)(error)),
            Err(TryLockError::WouldBlock) if started.elapsed() >= wait => {
                return Err(IndexError::Locked {
                    path: folder.display().to_string(),
                    holder: holder(&path),
                });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()
        .and_then(|since| i64::try_from(since.as_secs()).ok())
        .and_then(Timestamp::from_unix_seconds);
    let process = std::process::id();
    let words = match now {
        Some(now) => format!("process {process} since {now}"),
        None => format!("process {process}"),
    };
    // The name serves only the error messages of others, so a failure to write it is ignored.
    let _ = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(words.as_bytes()));
    Ok(FileLock { held: file })
}

/// Acquires the shared lock, which excludes merges and which several readers may hold. Writes nothing to the disk. Returns
/// `None` while a merge is running, or if there has never been one.
pub(super) fn acquire_shared(folder: &Path) -> Result<Option<FileLock>, IndexError> {
    let path = folder.join(FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(from_io("open", &path)(error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Some(FileLock { held: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(from_io("lock", &path)(error)),
    }
}

/// Returns the process that wrote its name into the file last, which is the holder of the lock.
fn holder(path: &Path) -> String {
    fs::read_to_string(path)
        .ok()
        .filter(|words| words.starts_with("process ") && words.len() < 100)
        .unwrap_or_else(|| "another process".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between `fork` and `exec`, a child has copies of its parent's files.
    #[test]
    fn lock_is_released_although_a_child_holds_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let lock = acquire(folder.path(), Duration::ZERO).unwrap();
        let _copy = lock.held.try_clone().unwrap();
        drop(lock);
        acquire(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn second_locker_learns_the_holder() {
        let folder = tempfile::tempdir().unwrap();
        let first = acquire(folder.path(), Duration::ZERO).unwrap();
        let Err(IndexError::Locked { holder, .. }) = acquire(folder.path(), Duration::ZERO) else {
            panic!("locked twice");
        };
        assert!(holder.starts_with(&format!("process {} since 2", std::process::id())));
        drop(first);
        acquire(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn readers_share_the_lock_and_keep_merges_away() {
        let folder = tempfile::tempdir().unwrap();
        assert!(acquire_shared(folder.path()).unwrap().is_none());
        let merge = acquire(folder.path(), Duration::ZERO).unwrap();
        assert!(acquire_shared(folder.path()).unwrap().is_none());
        drop(merge);
        let readers = [(); 2].map(|()| acquire_shared(folder.path()).unwrap().unwrap());
        let Err(IndexError::Locked { holder, .. }) = acquire(folder.path(), Duration::ZERO) else {
            panic!("a merge beside readers");
        };
        assert_eq!(holder, "another process");
        drop(readers);
        acquire(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn second_locker_waits() {
        let folder = tempfile::tempdir().unwrap();
        let first = acquire(folder.path(), Duration::ZERO).unwrap();
        let path = folder.path().to_owned();
        let second = std::thread::spawn(move || acquire(&path, Duration::from_secs(30)).map(drop));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!second.is_finished());
        drop(first);
        second.join().unwrap().unwrap();
    }
}
