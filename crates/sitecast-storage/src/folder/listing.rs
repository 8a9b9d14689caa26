//! Listing of the folder's files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{at, inside, is_absence};
use crate::reserved;
use crate::{Listed, StoreError, StorePath};

/// A callback for each file: its path, its metadata, and true if the path is a symbolic link to it.
type Visit<'v> = dyn FnMut(StorePath, &fs::Metadata, bool) + 'v;

/// Lists all files below a folder, sorted by path. Links to files are listed if the target is within the root. Links to
/// folders are not followed: their files are listed at their own paths.
pub(super) fn list(root: &Path, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
    let mut found = Vec::new();
    let mut visit = |path, metadata: &fs::Metadata, _| {
        let size = metadata.len();
        found.push(Listed { path, size });
    };
    walk(root, folder, &mut visit, &mut |_, error| Err(error))?;
    found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// Visits all files below the root in any order. Skips folders without read permission and returns them, each with a
/// slash at the end.
pub(super) fn walk_readable(root: &Path, visit: &mut Visit<'_>) -> Result<Vec<String>, StoreError> {
    let mut unreadable = Vec::new();
    walk(root, None, visit, &mut |prefix, error| {
        if error.kind() != io::ErrorKind::PermissionDenied || prefix.is_empty() {
            return Err(error);
        }
        unreadable.push(prefix.to_owned());
        Ok(())
    })?;
    Ok(unreadable)
}

/// Visits all files. `failed` handles errors of a folder: it ignores or returns them.
fn walk(
    root: &Path,
    folder: Option<&StorePath>,
    visit: &mut Visit<'_>,
    failed: &mut dyn FnMut(&str, io::Error) -> io::Result<()>,
) -> Result<(), StoreError> {
    let mut waiting = match folder {
        None => vec![(root.to_owned(), String::new())],
        Some(folder) => {
            let mut start = root.to_owned();
            start.extend(folder.parts());
            match inside::check(root, folder) {
                Ok(()) => vec![(start, format!("{folder}/"))],
                Err(error) if is_absence(&error) => Vec::new(),
                Err(error) => return Err(at("list", &start)(error)),
            }
        }
    };
    while let Some((folder, prefix)) = waiting.pop() {
        read(root, &folder, &prefix, &mut waiting, visit)
            .or_else(|error| failed(&prefix, error))
            .map_err(at("list", &folder))?;
    }
    Ok(())
}

fn read(
    root: &Path,
    folder: &Path,
    prefix: &str,
    waiting: &mut Vec<(PathBuf, String)>,
    visit: &mut Visit<'_>,
) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // Deleted since its parent was read.
        Err(error) if is_absence(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(path) = name.to_str().map(|name| format!("{prefix}{name}")) else {
            continue;
        };
        // Skips invalid and reserved names. A temporary file can be next to its target if that is on another disk.
        let path = match path.parse::<StorePath>() {
            Ok(path) if !reserved::is_reserved(&path) => path,
            _ => continue,
        };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            waiting.push((entry.path(), format!("{path}/")));
            continue;
        }
        let metadata = match if kind.is_symlink() {
            linked(root, &entry.path())
        } else {
            entry.metadata()
        } {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => continue,
            Err(error) if is_absence(&error) => continue,
            Err(error) => return Err(error),
        };
        visit(path, &metadata, kind.is_symlink());
    }
    Ok(())
}

fn linked(root: &Path, link: &Path) -> io::Result<fs::Metadata> {
    if inside::leads_inside(root, link)? {
        fs::metadata(link)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}
