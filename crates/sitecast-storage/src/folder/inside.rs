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

/// Opens the file in one step that the kernel keeps inside of the root, so that nobody can put a
/// link in between. `None` where that cannot be had: another system, an old kernel, or an absolute
/// link, of which the kernel does not say whether it stays inside.
#[cfg(target_os = "linux")]
pub(super) fn open(root: &Path, path: &StorePath) -> Option<io::Result<File>> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = match rustix::fs::openat(CWD, root, folder, Mode::empty()) {
        Ok(root) => root,
        Err(error) => return Some(Err(error.into())),
    };
    // Not to wait for who writes to a pipe.
    let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, path.as_str(), how, Mode::empty(), inside) {
        Ok(file) => Some(Ok(File::from(file))),
        Err(Errno::NOSYS | Errno::PERM | Errno::XDEV | Errno::AGAIN | Errno::INVAL) => None,
        // A socket, or a device that is not there.
        Err(Errno::NXIO) => Some(Err(io::ErrorKind::NotFound.into())),
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(not(target_os = "linux"))]
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
