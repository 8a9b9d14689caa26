//! Safe opening of files in a folder that others can write to.
//!
//! A file in such a folder can be a link to `/etc/passwd`, a pipe without a writer or an endless device, or be replaced by
//! one of these between a check and its use. So the file is opened first, in a way that cannot leave the folder, and
//! checked afterwards through its descriptor.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A folder whose files are opened without leaving it. Links are followed if their target is within the folder.
///
/// On systems with `openat2` (Linux 5.6) this takes one call. On others, and for absolute links, every folder on the way
/// is opened separately, without following links.
#[derive(Debug)]
pub struct ConfinedFolder {
    /// The canonical path, to compare link targets with.
    root: PathBuf,
    #[cfg(unix)]
    descriptor: std::os::fd::OwnedFd,
}

/// A regular file of the folder.
#[derive(Debug)]
pub struct RegularFile {
    /// The file, opened for reading.
    pub file: File,
    /// Metadata of the opened file.
    pub metadata: Metadata,
}

/// The reason why a file was not opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The file does not exist, or is a dangling link.
    #[error("it does not exist")]
    Missing,
    /// A link in the path leads out of the folder.
    #[error("it is a link that leads out of the folder")]
    Outside,
    /// The links in the path form a loop.
    #[error("it is a link that leads in a circle")]
    Loop,
    /// The path names a folder, a pipe, a socket or a device.
    #[error("it is not a regular file")]
    NotRegular,
    /// The file is larger than the limit.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system reported another error.
    #[error(transparent)]
    Io(io::Error),
}

impl ConfinedFolder {
    /// Opens the folder. Its own path may contain links: the operator chose it.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        Ok(Self {
            #[cfg(unix)]
            descriptor: unix::open_folder(&root)?,
            root,
        })
    }

    /// Returns the canonical path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens a regular file by its path relative to the folder.
    pub fn open(&self, path: &str) -> Result<RegularFile, Refusal> {
        let file = self.open_any(path)?;
        let metadata = file.metadata().map_err(Refusal::from)?;
        match metadata.is_file() {
            true => Ok(RegularFile { file, metadata }),
            false => Err(Refusal::NotRegular),
        }
    }

    /// Reads a regular file of at most `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.open(path)?.read(limit)
    }

    #[cfg(unix)]
    fn open_any(&self, path: &str) -> Result<File, Refusal> {
        match unix::open(&self.descriptor, path) {
            Err(unix::OpenFailure::MayBeLink) => {
                let below = self.resolve(path)?;
                unix::open_by_steps(&self.descriptor, &below).map_err(Refusal::from)
            }
            Err(unix::OpenFailure::Io(error)) => Err(error.into()),
            Ok(file) => Ok(file),
        }
    }

    #[cfg(not(unix))]
    fn open_any(&self, path: &str) -> Result<File, Refusal> {
        let target = self.root.join(self.resolve(path)?);
        // Checked before opening, because opening a device may block.
        if !std::fs::metadata(&target)?.is_file() {
            return Err(Refusal::NotRegular);
        }
        Ok(File::open(&target)?)
    }

    /// Resolves all links of a path. Returns the result relative to the folder.
    fn resolve(&self, path: &str) -> Result<PathBuf, Refusal> {
        let target = self.root.join(path).canonicalize()?;
        match target.strip_prefix(&self.root) {
            Ok(below) => Ok(below.to_owned()),
            Err(_) => Err(Refusal::Outside),
        }
    }
}

impl RegularFile {
    /// Reads the whole file if it has at most `limit` bytes.
    pub fn read(self, limit: u64) -> Result<Vec<u8>, Refusal> {
        let size = self.metadata.len();
        if size > limit {
            return Err(Refusal::TooLarge { limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        // The file may grow while it is being read.
        self.file
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(Refusal::Io)?;
        match bytes.len() as u64 > limit {
            true => Err(Refusal::TooLarge { limit }),
            false => Ok(bytes),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};

        #[cfg(unix)]
        match error.raw_os_error() {
            Some(unix::NO_DEVICE) => return Self::NotRegular,
            Some(unix::LOOP) => return Self::Loop,
            _ => {}
        }
        match error.kind() {
            NotFound | NotADirectory => Self::Missing,
            IsADirectory => Self::NotRegular,
            _ => Self::Io(error),
        }
    }
}

#[cfg(unix)]
pub(crate) mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    /// The error for opening a socket, or a device without a driver.
    pub(crate) const NO_DEVICE: i32 = Errno::NXIO.raw_os_error();
    /// The error for too many links in a row.
    pub(super) const LOOP: i32 = Errno::LOOP.raw_os_error();

    pub(crate) enum OpenFailure {
        /// The cause may be a link whose target has to be resolved.
        MayBeLink,
        Io(io::Error),
    }

    pub(crate) fn open_folder(path: &Path) -> io::Result<OwnedFd> {
        Ok(openat(CWD, path, folder(), Mode::empty())?)
    }

    #[cfg(target_os = "linux")]
    fn folder() -> OFlags {
        OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC
    }

    #[cfg(not(target_os = "linux"))]
    fn folder() -> OFlags {
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC
    }

    fn reading() -> OFlags {
        // Without `NONBLOCK`, opening a pipe would wait for a writer.
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
    }

    /// Opens a file with one call that the kernel confines to the folder, if it supports that.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(root: &OwnedFd, path: &str) -> Result<File, OpenFailure> {
        use rustix::fs::{ResolveFlags, openat2};

        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match openat2(root, path, reading(), Mode::empty(), inside) {
            Ok(file) => Ok(File::from(file)),
            // An absolute link, which the kernel refuses even if it stays inside, or a concurrent rename.
            Err(Errno::XDEV | Errno::AGAIN) => Err(OpenFailure::MayBeLink),
            // An old kernel, or a sandbox that blocks the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => open_without_links(root, path),
            Err(error) => Err(OpenFailure::Io(error.into())),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(root: &OwnedFd, path: &str) -> Result<File, OpenFailure> {
        open_without_links(root, path)
    }

    fn open_without_links(root: &OwnedFd, path: &str) -> Result<File, OpenFailure> {
        match open_by_steps(root, Path::new(path)) {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(OpenFailure::Io(error)),
            Err(_) => Err(OpenFailure::MayBeLink),
        }
    }

    /// Opens a file step by step, without following links.
    pub(super) fn open_by_steps(root: &OwnedFd, path: &Path) -> io::Result<File> {
        let mut steps = path.components().peekable();
        let mut here: Option<OwnedFd> = None;
        while let Some(step) = steps.next() {
            let std::path::Component::Normal(name) = step else {
                return Err(io::ErrorKind::NotFound.into());
            };
            let is_last = steps.peek().is_none();
            let how = if is_last { reading() } else { folder() } | OFlags::NOFOLLOW;
            let from = here.as_ref().unwrap_or(root).as_fd();
            let opened = openat(from, name, how, Mode::empty())?;
            if is_last {
                return Ok(File::from(opened));
            }
            here = Some(opened);
        }
        Err(io::ErrorKind::IsADirectory.into())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn opens_steps_without_following_links() {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            std::fs::create_dir_all(root.join("a/b")).unwrap();
            std::fs::write(root.join("a/b/c.html"), "c").unwrap();
            std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
            std::os::unix::fs::symlink("c.html", root.join("a/b/d.html")).unwrap();
            let opened = open_folder(root).unwrap();
            let open = |path: &str| open_by_steps(&opened, Path::new(path)).is_ok();
            assert!(open("a/b/c.html"));
            assert!(!open("link/b/c.html"));
            assert!(!open("a/b/d.html"));
            assert!(!open("../etc/passwd"));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn follows_links_only_within_the_folder() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("a")).unwrap();
        std::fs::write(root.join("a/file"), "file").unwrap();
        symlink("../a/file", root.join("a/relative")).unwrap();
        symlink(root.join("a/file"), root.join("absolute")).unwrap();
        symlink(root.join("a"), root.join("folder")).unwrap();
        symlink(outside.path().join("secret"), root.join("out")).unwrap();
        symlink(outside.path(), root.join("out-folder")).unwrap();
        symlink("nothing", root.join("dangling")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        let confined = ConfinedFolder::new(root).unwrap();
        for inside in ["a/file", "a/relative", "absolute", "folder/file"] {
            assert_eq!(confined.read(inside, 10).unwrap(), b"file", "{inside}");
        }
        for out in ["out", "out-folder/secret", "../secret"] {
            assert!(confined.open(out).is_err(), "{out}");
        }
        assert!(matches!(confined.open("out"), Err(Refusal::Outside)));
        assert!(matches!(confined.open("dangling"), Err(Refusal::Missing)));
        assert!(matches!(confined.open("circle"), Err(Refusal::Loop)));
        assert!(matches!(confined.open("a"), Err(Refusal::NotRegular)));
    }

    #[test]
    fn refuses_files_over_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("large")).unwrap();
        file.set_len(1 << 40).unwrap();
        let confined = ConfinedFolder::new(folder.path()).unwrap();
        let read = confined.read("large", 1 << 20);
        assert!(matches!(read, Err(Refusal::TooLarge { .. })), "{read:?}");
    }

    #[test]
    fn refuses_pipes_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let confined = ConfinedFolder::new(folder.path()).unwrap();
        assert!(matches!(confined.open("pipe"), Err(Refusal::NotRegular)));
    }
}
