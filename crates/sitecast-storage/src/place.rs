//! The location of an opened object in its store, and hard links.

use std::time::SystemTime;

use crate::StorePath;

/// The location of an opened object in its store, with links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path without links; `None` if it cannot be determined.
    pub path: Option<StorePath>,
    /// The object's file, if it has more than one hard link.
    pub hard_linked: Option<HardLinked>,
}

/// A file with more than one hard link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardLinked {
    /// The identity of the file.
    pub id: FileId,
    /// The file's `ctime`: the last change of its links, permissions or content.
    pub changed: SystemTime,
}

/// All files of a store with more than one hard link.
#[derive(Debug, Default)]
pub struct HardLinks {
    /// The path of each link, with the file that it names.
    pub names: Vec<(StorePath, FileId)>,
    /// Folders that this process may not read, with a slash at the end. They may contain further links.
    pub unreadable: Vec<String>,
}

/// The identity of a file, independent of its names: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

#[cfg(unix)]
impl HardLinked {
    /// Returns the file's identity and `ctime` if it has more than one hard link.
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        use std::time::Duration;

        if metadata.nlink() < 2 {
            return None;
        }
        let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
        Some(Self {
            id: FileId {
                device: metadata.dev(),
                inode: metadata.ino(),
            },
            changed: SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
        })
    }
}

#[cfg(not(unix))]
impl HardLinked {
    /// Returns `None`: hard links are not counted on this system.
    pub(crate) fn of(_metadata: &std::fs::Metadata) -> Option<Self> {
        None
    }
}
