//! The canonical path of an opened file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::StorePath;

/// Returns the path, relative to the root, of a file that was opened as `target`; `None` if it cannot be determined. It
/// belongs to the open file even if another file has been renamed to `target` since.
pub(super) fn resolve(root: &Path, target: &Path, file: &File) -> io::Result<Option<StorePath>> {
    let path = match opened_path(file)? {
        Some(path) => path,
        None => match fs::canonicalize(target) {
            Ok(path) if is_same(&fs::metadata(&path)?, &file.metadata()?) => path,
            Ok(_) => return Ok(None),
            Err(error) if super::is_absence(&error) => return Ok(None),
            Err(error) => return Err(error),
        },
    };
    let root = fs::canonicalize(root)?;
    let Ok(path) = path.strip_prefix(root) else {
        return Ok(None);
    };
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    Ok(parts.and_then(|parts| parts.join("/").parse().ok()))
}

/// Returns the path that the kernel has for the open file, if it has one.
#[cfg(target_os = "linux")]
fn opened_path(file: &File) -> io::Result<Option<PathBuf>> {
    use std::os::fd::AsRawFd;

    /// The kernel's suffix for names that have been removed.
    const GONE: &str = " (deleted)";

    let Ok(path) = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) else {
        return Ok(None);
    };
    let Some(before) = path.to_str().and_then(|path| path.strip_suffix(GONE)) else {
        return Ok(Some(path));
    };
    // The suffix can also be a part of the file's own name.
    let own = file.metadata()?;
    match fs::metadata(&path) {
        Ok(metadata) if is_same(&metadata, &own) => Ok(Some(path)),
        _ => Ok(Some(PathBuf::from(before))),
    }
}

#[cfg(not(target_os = "linux"))]
fn opened_path(_file: &File) -> io::Result<Option<PathBuf>> {
    Ok(None)
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}
