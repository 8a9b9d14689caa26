//! Confinement to the store's folder: a link in it may lead to `/etc`.
//!
//! The root itself may be a link: the operator chose it.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::StorePath;

/// Fails if a link in the path leads out of the root, or if the file does not exist.
pub(super) fn check(root: &Path, path: &StorePath) -> io::Result<()> {
    steps(root, path).try_for_each(|step| check_step(root, &step))
}

/// Opens the file without leaving the root, safe against concurrent changes of links. `None` if this is not possible: on
/// other systems than Unix, and for paths that may contain an absolute link, which the kernel refuses.
#[cfg(unix)]
pub(super) fn open(root: &Path, path: &StorePath) -> Option<io::Result<File>> {
    use crate::confined::unix::{self, NO_DEVICE, OpenFailure};

    let root = match unix::open_folder(root) {
        Ok(root) => root,
        Err(error) => return Some(Err(error)),
    };
    match unix::open(&root, path.as_str()) {
        Ok(file) => Some(Ok(file)),
        Err(OpenFailure::MayBeLink) => None,
        Err(OpenFailure::Io(error)) if error.raw_os_error() == Some(NO_DEVICE) => {
            Some(Err(io::ErrorKind::NotFound.into()))
        }
        Err(OpenFailure::Io(error)) => Some(Err(error)),
    }
}

#[cfg(not(unix))]
pub(super) fn open(_root: &Path, _path: &StorePath) -> Option<io::Result<File>> {
    None
}

/// Like [`check`], but only for the folders above the file.
pub(super) fn check_parents(root: &Path, path: &StorePath) -> io::Result<()> {
    parents(root, path).try_for_each(|step| check_step(root, &step))
}

/// Creates missing folders above the file.
pub(super) fn create_parents(root: &Path, path: &StorePath) -> io::Result<()> {
    let mut parents = parents(root, path).peekable();
    if parents.peek().is_none() {
        return fs::create_dir_all(root);
    }
    for step in parents {
        match check_step(root, &step) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(root, &step)?,
            result => result?,
        }
    }
    Ok(())
}

fn create(root: &Path, folder: &Path) -> io::Result<()> {
    let created = match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(folder),
        result => result,
    };
    match created {
        // Created concurrently, perhaps as a link.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_step(root, folder),
        result => result,
    }
}

/// Creates a folder that only its owner can read, for unfinished files.
pub(super) fn create_private(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => {
            return Err(io::Error::other("it exists and is not a folder"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    if let Some(root) = folder.parent() {
        fs::create_dir_all(root)?;
    }
    #[allow(unused_mut, reason = "not on systems without such modes")]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        result => result,
    }
}

fn check_step(root: &Path, step: &Path) -> io::Result<()> {
    if fs::symlink_metadata(step)?.is_symlink() && !leads_inside(root, step)? {
        // Callers tell this kind from transient errors, such as those of a network file system.
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!(
                "`{}` is a link that leads out of the folder",
                step.display()
            ),
        ));
    }
    Ok(())
}

/// Returns true if the link's target is within the root.
pub(super) fn leads_inside(root: &Path, link: &Path) -> io::Result<bool> {
    Ok(fs::canonicalize(link)?.starts_with(fs::canonicalize(root)?))
}

/// Iterates over the path of every folder on the way to the file, from the top, and the file last.
fn steps(root: &Path, path: &StorePath) -> impl Iterator<Item = PathBuf> {
    path.parts().scan(root.to_owned(), |step, part| {
        step.push(part);
        Some(step.clone())
    })
}

fn parents(root: &Path, path: &StorePath) -> impl Iterator<Item = PathBuf> {
    let folders = path.parts().count().saturating_sub(1);
    steps(root, path).take(folders)
}
