//! Opening files of a folder that others can write to.
//!
//! A file of such a folder can be a link to `/etc/passwd`, a pipe that nobody writes to, a device without end, or be
//! swapped for one of these between a check and its use. So the file is opened first, in a way that cannot leave the
//! folder, and what was opened is looked at afterwards.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A folder whose files are opened without leaving it. Links within it are followed as long as they stay within it.
///
/// Where the system has `openat2` (Linux 5.6) it is one call. Elsewhere, and for absolute links, every folder on the way
/// is opened by itself, without following links.
#[derive(Debug)]
pub struct Beneath {
    /// Without links, to tell what lies within.
    root: PathBuf,
    #[cfg(unix)]
    descriptor: std::os::fd::OwnedFd,
}

/// A regular file of the folder.
#[derive(Debug)]
pub struct RegularFile {
    /// The file, opened for reading.
    pub file: File,
    /// What the system knows about it.
    pub metadata: Metadata,
}

/// Why a file of a folder was not opened or not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is none, or a link leads to nothing.
    #[error("it is not there")]
    Missing,
    /// A link on the way to it leads out of the folder.
    #[error("it is a link that leads out of the folder")]
    Outside,
    /// Links lead to each other.
    #[error("it is a link that leads in a circle")]
    Circle,
    /// It is a folder, a pipe, a socket or a device.
    #[error("it is no regular file")]
    NotRegular,
    /// It is larger than is read.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// The bytes that are read at most.
        limit: u64,
    },
    /// The system does not allow it, or fails.
    #[error(transparent)]
    Io(io::Error),
}

impl Beneath {
    /// Opens the folder. Its own path may be a link: that is the operator's choice.
    pub fn new(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        Ok(Self {
            #[cfg(unix)]
            descriptor: unix::open_folder(&root)?,
            root,
        })
    }

    /// The folder, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Opens a regular file by its path below the folder.
    pub fn open(&self, path: &str) -> Result<RegularFile, Refusal> {
        let file = self.open_any(path)?;
        let metadata = file.metadata().map_err(Refusal::from)?;
        match metadata.is_file() {
            true => Ok(RegularFile { file, metadata }),
            false => Err(Refusal::NotRegular),
        }
    }

    /// Reads a regular file of no more than `limit` bytes.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        self.open(path)?.read(limit)
    }

    #[cfg(unix)]
    fn open_any(&self, path: &str) -> Result<File, Refusal> {
        match unix::open(&self.descriptor, path) {
            Err(unix::Failed::ByLink) => {
                let below = self.resolve(path)?;
                unix::open_by_steps(&self.descriptor, &below).map_err(Refusal::from)
            }
            Err(unix::Failed::ByError(error)) => Err(error.into()),
            Ok(file) => Ok(file),
        }
    }

    #[cfg(not(unix))]
    fn open_any(&self, path: &str) -> Result<File, Refusal> {
        let target = self.root.join(self.resolve(path)?);
        // Before it is opened: to open a device may be to wait for it.
        if !std::fs::metadata(&target)?.is_file() {
            return Err(Refusal::NotRegular);
        }
        Ok(File::open(&target)?)
    }

    /// The path below the folder that a path leads to through its links.
    fn resolve(&self, path: &str) -> Result<PathBuf, Refusal> {
        let target = self.root.join(path).canonicalize()?;
        match target.strip_prefix(&self.root) {
            Ok(below) => Ok(below.to_owned()),
            Err(_) => Err(Refusal::Outside),
        }
    }
}

impl RegularFile {
    /// All of its bytes, if they are no more than `limit`.
    pub fn read(self, limit: u64) -> Result<Vec<u8>, Refusal> {
        let size = self.metadata.len();
        if size > limit {
            return Err(Refusal::TooLarge { limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        // It may grow meanwhile.
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
            Some(unix::CIRCLE) => return Self::Circle,
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

    /// A socket, or a device that is not there.
    pub(crate) const NO_DEVICE: i32 = Errno::NXIO.raw_os_error();
    /// Too many links, one after the other.
    pub(super) const CIRCLE: i32 = Errno::LOOP.raw_os_error();

    pub(crate) enum Failed {
        /// It may be for a link, which has to be looked at.
        ByLink,
        ByError(io::Error),
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
        // Not to wait for who writes to a pipe.
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
    }

    /// Opens a file in one step that the kernel keeps beneath the folder, if it can.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(root: &OwnedFd, path: &str) -> Result<File, Failed> {
        use rustix::fs::{ResolveFlags, openat2};

        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match openat2(root, path, reading(), Mode::empty(), inside) {
            Ok(file) => Ok(File::from(file)),
            // An absolute link, of which the kernel does not say whether it stays inside, or a folder that is
            // being renamed.
            Err(Errno::XDEV | Errno::AGAIN) => Err(Failed::ByLink),
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => open_without_links(root, path),
            Err(error) => Err(Failed::ByError(error.into())),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(root: &OwnedFd, path: &str) -> Result<File, Failed> {
        open_without_links(root, path)
    }

    fn open_without_links(root: &OwnedFd, path: &str) -> Result<File, Failed> {
        match open_by_steps(root, Path::new(path)) {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Failed::ByError(error)),
            Err(_) => Err(Failed::ByLink),
        }
    }

    /// Opens a file through the folders on the way to it, none of which may be a link.
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
        fn steps_do_not_follow_links() {
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
    fn links_are_followed_within_the_folder_alone() {
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
        let beneath = Beneath::new(root).unwrap();
        for inside in ["a/file", "a/relative", "absolute", "folder/file"] {
            assert_eq!(beneath.read(inside, 10).unwrap(), b"file", "{inside}");
        }
        for out in ["out", "out-folder/secret", "../secret"] {
            assert!(beneath.open(out).is_err(), "{out}");
        }
        assert!(matches!(beneath.open("out"), Err(Refusal::Outside)));
        assert!(matches!(beneath.open("dangling"), Err(Refusal::Missing)));
        assert!(matches!(beneath.open("circle"), Err(Refusal::Circle)));
        assert!(matches!(beneath.open("a"), Err(Refusal::NotRegular)));
    }

    #[test]
    fn what_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join("large")).unwrap();
        file.set_len(1 << 40).unwrap();
        let beneath = Beneath::new(folder.path()).unwrap();
        let read = beneath.read("large", 1 << 20);
        assert!(matches!(read, Err(Refusal::TooLarge { .. })), "{read:?}");
    }

    #[test]
    fn a_pipe_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let beneath = Beneath::new(folder.path()).unwrap();
        assert!(matches!(beneath.open("pipe"), Err(Refusal::NotRegular)));
    }
}
