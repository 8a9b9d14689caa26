//! The path of an opened file without links.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::StorePath;

/// The path from the root on of a file that was opened as `target`; `None` where it cannot be told. It is the path of
/// the file that is open, also if another one has taken its name since.
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

/// The path as the kernel knows it; `None` where it does not say.
#[cfg(target_os = "linux")]
fn opened_path(file: &File) -> io::Result<Option<PathBuf>> {
    use std::os::fd::AsRawFd;

    /// Added by the kernel to names that are gone.
    const GONE: &str = " (deleted)";

    let Ok(path) = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) else {
        return Ok(None);
    };
    let Some(before) = path.to_str().and_then(|path| path.strip_suffix(GONE)) else {
        return Ok(Some(path));
    };
    // A file may be called so.
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
