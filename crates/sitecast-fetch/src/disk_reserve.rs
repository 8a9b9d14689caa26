//! Room on the disk that downloads leave free.

use std::path::Path;

use crate::FetchError;

/// Bytes that are written between two looks at the disk. Smaller files are written without one.
const STEP: u64 = 16 << 20;

/// Watches that a download leaves room for others.
pub(crate) struct Room<'r> {
    folder: &'r Path,
    reserve: u64,
    unchecked: u64,
}

impl<'r> Room<'r> {
    pub(crate) fn beside(file: &'r Path, reserve: u64) -> Self {
        Self {
            folder: file.parent().unwrap_or(Path::new(".")),
            reserve,
            unchecked: 0,
        }
    }

    /// Refuses a download that is announced with more bytes than there is room for.
    pub(crate) fn check_announced(&self, url: &str, bytes: u64) -> Result<(), FetchError> {
        if bytes < STEP {
            return Ok(());
        }
        self.check(url, bytes)
    }

    /// Looks at the disk every so often while bytes are written.
    pub(crate) fn wrote(&mut self, url: &str, bytes: u64) -> Result<(), FetchError> {
        self.unchecked += bytes;
        if self.unchecked < STEP {
            return Ok(());
        }
        self.unchecked = 0;
        self.check(url, STEP)
    }

    fn check(&self, url: &str, bytes: u64) -> Result<(), FetchError> {
        match free(self.folder) {
            Some(free) if free < self.reserve.saturating_add(bytes) => Err(FetchError::NoRoom {
                url: url.to_owned(),
                folder: self.folder.to_owned(),
                free,
                reserve: self.reserve,
            }),
            _ => Ok(()),
        }
    }
}

/// Bytes that this user may still write; `None` where the system does not tell.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_folder: &Path) -> Option<u64> {
    None
}
