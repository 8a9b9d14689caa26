//! The disk space reserve: downloads leave some bytes of the disk free.

use std::path::Path;

use crate::FetchError;

/// Bytes between two checks. Smaller files are not checked.
const STEP: u64 = 16 << 20;

/// Checks that a download leaves enough of its disk free.
pub(crate) struct DiskReserve<'r> {
    folder: &'r Path,
    reserve: u64,
    unchecked: u64,
}

impl<'r> DiskReserve<'r> {
    pub(crate) fn for_file(file: &'r Path, reserve: u64) -> Self {
        Self {
            folder: file.parent().unwrap_or(Path::new(".")),
            reserve,
            unchecked: 0,
        }
    }

    /// Refuses a download whose announced size would use the reserve.
    pub(crate) fn check_announced(&self, url: &str, bytes: u64) -> Result<(), FetchError> {
        if bytes < STEP {
            return Ok(());
        }
        self.check(url, bytes)
    }

    /// Counts written bytes, and checks the disk after every [`STEP`].
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
            Some(free) if free < self.reserve.saturating_add(bytes) => Err(FetchError::DiskFull {
                url: url.to_owned(),
                folder: self.folder.to_owned(),
                free,
                reserve: self.reserve,
            }),
            _ => Ok(()),
        }
    }
}

/// Returns the bytes that this user may still write; `None` if the system does not tell.
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
