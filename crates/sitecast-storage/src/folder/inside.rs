//! Staying inside of the folder: a link in it may lead to `/etc`.
//!
//! The root itself may be a link: that is the operator's choice.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::StorePath;

/// Fails where a link on the way to the file, or the file itself, leads out of the root; and where
/// there is no such file.
pub(super) fn check(root: &Path, path: &StorePath) -> io::Result<()> {
    steps(root, path).try_for_each(|step| check_step(root, &step))
}

/// Opens the file without leaving the root, so that nobody can put a link in between. `None` where that cannot be had:
/// another system, or an absolute link, of which the kernel does not say whether it stays inside.
#[cfg(unix)]
pub(super) fn open(root: &Path, path: &StorePath) -> Option<io::Result<File>> {
    use crate::beneath::unix::{self, Failed, NO_DEVICE};

    let root = match unix::open_folder(root) {
        Ok(root) => root,
        Err(error) => return Some(Err(error)),
    };
    match unix::open(&root, path.as_str()) {
        Ok(file) => Some(Ok(file)),
        Err(Failed::ByLink) => None,
        Err(Failed::ByError(error)) if error.raw_os_error() == Some(NO_DEVICE) => {
            Some(Err(io::ErrorKind::NotFound.into()))
        }
        Err(Failed::ByError(error)) => Some(Err(error)),
    }
}

#[cfg(not(unix))]
pub(super) fn open(_root: &Path, _path: &StorePath) -> Option<io::Result<File>> {
    None
}

/// The same for the folders above the file.
pub(super) fn check_parents(root: &Path, path: &StorePath) -> io::Result<()> {
    parents(root, path).try_for_each(|step| check_step(root, &step))
}

/// Creates the folders above the file where they are missing.
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
        // Somebody was faster; whether with a link has to be seen.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_step(root, folder),
        result => result,
    }
}

/// Creates a folder that only its owner looks into: what is in it is not finished.
pub(super) fn create_private(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(metadata) if metadata.is_dir() => return Ok(()),
        Ok(_) => {
            return Err(io::Error::other(
                "something that is no folder is in its place",
            ));
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
        // Told apart by its kind from what may pass, such as a network that fails.
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

/// Whether a link ends within the root.
pub(super) fn leads_inside(root: &Path, link: &Path) -> io::Result<bool> {
    Ok(fs::canonicalize(link)?.starts_with(fs::canonicalize(root)?))
}

/// The root's entries on the way to the file, from the top, the file last.
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
