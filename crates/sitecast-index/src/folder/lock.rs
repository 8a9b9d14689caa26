//! One merge at a time.
//!
//! The kernel locks a file that stays where it is: the lock is gone with the process that held it,
//! however it ended. In it stands who holds it, for those who wait in vain.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use sitecast_scp::Timestamp;

use super::failing::io;
use crate::IndexError;

const FILE: &str = "writer.lock";

/// How often to look again.
const PAUSE: Duration = Duration::from_millis(20);

/// Lets go when it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    held: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody is to be blamed who is gone. Only the lock of a merge can write.
        let _ = self.held.set_len(0);
        // To close the file is not enough: a process that another thread is just starting has a copy of it for a moment.
        let _ = self.held.unlock();
    }
}

/// Waits for the lock for as long as `wait`.
pub(super) fn take(folder: &Path, wait: Duration) -> Result<Lock, IndexError> {
    let path = folder.join(FILE);
    let started = Instant::now();
    let mut file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(io("open", &path))?;
    loop {
        match file.try_lock() {
            Ok(()) => break,
            Err(TryLockError::Error(error)) => return Err(io("lock", &path)(error)),
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
    // Only a courtesy: that it cannot be written is no reason not to work.
    let _ = file
        .set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| file.write_all(words.as_bytes()));
    Ok(Lock { held: file })
}

/// Keeps merges away for as long as it lives, without writing a byte. Several may have it. `None` if somebody merges just
/// now, or never did.
pub(super) fn share(folder: &Path) -> Result<Option<Lock>, IndexError> {
    let path = folder.join(FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io("open", &path)(error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(Some(Lock { held: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(io("lock", &path)(error)),
    }
}

/// Who wrote into the file last, which is who holds the lock.
fn holder(path: &Path) -> String {
    fs::read_to_string(path)
        .ok()
        .filter(|words| words.starts_with("process ") && words.len() < 100)
        .unwrap_or_else(|| "another process".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between `fork` and `exec`, a child has all files of its parent.
    #[test]
    fn a_lock_is_gone_though_a_child_has_a_copy_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let lock = take(folder.path(), Duration::ZERO).unwrap();
        let _copy = lock.held.try_clone().unwrap();
        drop(lock);
        take(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn the_second_is_told_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let first = take(folder.path(), Duration::ZERO).unwrap();
        let Err(IndexError::Locked { holder, .. }) = take(folder.path(), Duration::ZERO) else {
            panic!("locked twice");
        };
        assert!(holder.starts_with(&format!("process {} since 2", std::process::id())));
        drop(first);
        take(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn readers_share_the_lock_and_keep_merges_away() {
        let folder = tempfile::tempdir().unwrap();
        assert!(share(folder.path()).unwrap().is_none());
        let merge = take(folder.path(), Duration::ZERO).unwrap();
        assert!(share(folder.path()).unwrap().is_none());
        drop(merge);
        let readers = [(); 2].map(|()| share(folder.path()).unwrap().unwrap());
        let Err(IndexError::Locked { holder, .. }) = take(folder.path(), Duration::ZERO) else {
            panic!("a merge beside readers");
        };
        assert_eq!(holder, "another process");
        drop(readers);
        take(folder.path(), Duration::ZERO).unwrap();
    }

    #[test]
    fn the_second_waits() {
        let folder = tempfile::tempdir().unwrap();
        let first = take(folder.path(), Duration::ZERO).unwrap();
        let path = folder.path().to_owned();
        let second = std::thread::spawn(move || take(&path, Duration::from_secs(30)).map(drop));
        std::thread::sleep(Duration::from_millis(50));
        assert!(!second.is_finished());
        drop(first);
        second.join().unwrap().unwrap();
    }
}
