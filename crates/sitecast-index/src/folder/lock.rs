//! One merge at a time.
//!
//! The kernel locks a file that stays where it is: the lock is gone with the process that held it,
//! however it ended. In it stands who holds it, for those who wait in vain.

use std::fs::{self, File, TryLockError};
use std::io::{Seek, Write};
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
pub(super) struct WriterLock {
    held: File,
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // To close the file is not enough: a process that another thread is just starting has a copy of it for a moment.
        let _ = self.held.unlock();
    }
}

/// Waits for the lock for as long as `wait`.
pub(super) fn take(folder: &Path, wait: Duration) -> Result<WriterLock, IndexError> {
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
    Ok(WriterLock { held: file })
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
