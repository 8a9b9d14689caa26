use std::time::SystemTime;

use crate::StorePath;

/// Where an opened object lies in its store, with links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its path without links; `None` where that cannot be told.
    pub path: Option<StorePath>,
    /// Its file, where that has other names beside this one.
    pub hard_linked: Option<HardLinked>,
}

/// A file with several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HardLinked {
    /// The file.
    pub id: FileId,
    /// When it last got or lost a name, or was otherwise changed.
    pub changed: SystemTime,
}

/// The files of a store that have several names.
#[derive(Debug, Default)]
pub struct HardLinks {
    /// Each of their paths, with the file that it names.
    pub names: Vec<(StorePath, FileId)>,
    /// Folders that this process may not read, with a slash at the end. They may hold further names.
    pub unreadable: Vec<String>,
}

/// A file, whatever its names are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

#[cfg(unix)]
impl HardLinked {
    /// The file that this is of, if it has several names.
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
    /// Names of a file are not counted here.
    pub(crate) fn of(_metadata: &std::fs::Metadata) -> Option<Self> {
        None
    }
}
