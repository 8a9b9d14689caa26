use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use sitecast_scp::Timestamp;
use sitecast_storage::{ConfinedFolder, Refusal};

use super::explore::explore;
use super::{Item, Items, Loaded, Raw, Source, Stamp, UNRELIABLE};
use crate::lock::lock;
use crate::ordered::cores;
use crate::source::names::by_name;
use crate::{PublishError, Reason};

/// A folder of built HTML, whatever built it.
///
/// Files ending in `.html`, `.htm` or `.xhtml` may be pages; names that begin with a dot are passed
/// over. Links to files within the folder are followed, others not. Every file is opened by [`ConfinedFolder`]: what is no
/// regular file of the folder is never read, also if it is put there while the folder is being published.
#[derive(Debug)]
pub struct FolderSource {
    root: PathBuf,
    files: ConfinedFolder,
    /// Files beside the pages that were asked for and not read.
    refused: Mutex<BTreeMap<String, Reason>>,
}

/// A page of more bytes is left out: a collection takes none over 100 MB, and its HTML is rarely twice as long.
const MOST_PAGE_BYTES: u64 = 256 << 20;

/// A sitemap of more bytes is not read: 50 MiB are allowed.
const MOST_SITE_FILE_BYTES: u64 = 100 << 20;

/// The clock of a file system is this coarse at worst: a file written so recently may be written
/// again without a new date.
const COARSE: Duration = Duration::from_secs(2);

/// More threads than these only wait for the disk, or for each other.
const MOST_WALKERS: usize = 8;

/// Apache's rules for a folder, the one file with a dot that says something about pages.
const ACCESS_FILE: &str = ".htaccess";

impl FolderSource {
    /// Opens a folder.
    pub fn open(root: &Path) -> Result<Self, PublishError> {
        let failed = |error| PublishError::source(root.display(), error);
        if !fs::metadata(root).map_err(failed)?.is_dir() {
            return Err(PublishError::NotASource {
                path: root.display().to_string(),
                problem: "is not a folder".to_owned(),
            });
        }
        Ok(Self {
            root: root.to_owned(),
            files: ConfinedFolder::new(root).map_err(failed)?,
            refused: Mutex::default(),
        })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// Lists the files of all folders.
    fn walk(&self, now: SystemTime) -> Result<Items, PublishError> {
        let found = explore(threads(), String::new(), |folder, items| {
            self.look(&folder, now, items)
        })?;
        let mut all = Items::default();
        for items in found {
            all.append(items);
        }
        all.sort();
        Ok(all)
    }

    fn failed(&self, key: &str, source: io::Error) -> PublishError {
        PublishError::source(self.path(key).display(), source)
    }

    /// Lists the files of one folder and returns the folders in it.
    fn look(
        &self,
        folder: &str,
        now: SystemTime,
        items: &mut Items,
    ) -> Result<Vec<String>, PublishError> {
        let entries = match fs::read_dir(self.path(folder)) {
            // It existed a moment ago, when its parent was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_empty() => {
                items.excluded.push((folder.to_owned(), Reason::Vanished));
                return Ok(Vec::new());
            }
            entries => entries.map_err(|error| self.failed(folder, error))?,
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| self.failed(folder, error))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder || has_page_name(&name.to_string_lossy()) {
                    let reason = Reason::Unusable("its name is not UTF-8".to_owned());
                    let key = entry.path().display().to_string();
                    items.excluded.push((key, reason));
                }
                continue;
            };
            if name.starts_with('.') && name != ACCESS_FILE {
                continue;
            }
            let key = key_in(folder, name);
            let kind = entry
                .file_type()
                .map_err(|error| self.failed(&key, error))?;
            match (name, kind.is_dir()) {
                (ACCESS_FILE, true) => {}
                (ACCESS_FILE, false) => items.add_access_file(&key),
                (_, true) => folders.push(key),
                (_, false) if has_page_name(name) => {
                    self.add(&key, &entry, now, items)?;
                }
                (_, false) => {}
            }
        }
        Ok(folders)
    }

    /// Adds a file whose name is that of a page, if it is a regular file of the folder.
    fn add(
        &self,
        key: &str,
        entry: &fs::DirEntry,
        now: SystemTime,
        items: &mut Items,
    ) -> Result<(), PublishError> {
        if let Some(reason) = by_name(key) {
            items.excluded.push((key.to_owned(), reason));
            return Ok(());
        }
        let found = match entry.metadata() {
            Ok(metadata) if metadata.is_file() => Ok(metadata),
            Ok(metadata) if metadata.is_symlink() => {
                let opened = self.files.open(key);
                match opened {
                    Ok(opened) => Ok(opened.metadata),
                    Err(Refusal::Missing) => Err(Reason::DanglingLink),
                    Err(refusal) => Err(self.reason(key, refusal)?),
                }
            }
            Ok(_) => Err(Reason::NotAFile),
            Err(error) => Err(self.reason(key, error.into())?),
        };
        let metadata = match found {
            Ok(metadata) if metadata.len() > MOST_PAGE_BYTES => Err(too_large(MOST_PAGE_BYTES)),
            found => found,
        };
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(reason) => {
                items.excluded.push((key.to_owned(), reason));
                return Ok(());
            }
        };
        items.add(Item {
            key,
            stamp: Stamp {
                size: metadata.len(),
                mark: mark(metadata.modified().ok(), now),
            },
            place: 0,
        });
        items.changed = items.changed.max(changed(&metadata));
        Ok(())
    }
}

impl FolderSource {
    /// The reason to leave a file out that was refused; an error that is not the file's stays one. What a link leads to is
    /// nobody's fault here: a target that may not be looked at, or with a name that no system takes.
    fn reason(&self, key: &str, refusal: Refusal) -> Result<Reason, PublishError> {
        match refusal {
            Refusal::Missing => Ok(Reason::Vanished),
            Refusal::Outside => Ok(Reason::OutsideLink),
            Refusal::Loop => Ok(Reason::DanglingLink),
            Refusal::NotRegular => Ok(Reason::NotAFile),
            Refusal::TooLarge { limit } => Ok(too_large(limit)),
            Refusal::Io(error) if self.is_by_link(key) => Ok(match error.kind() {
                io::ErrorKind::PermissionDenied => Reason::OutsideLink,
                _ => Reason::DanglingLink,
            }),
            Refusal::Io(error) => Err(self.failed(key, error)),
            other => Err(self.failed(key, io::Error::other(other))),
        }
    }

    /// Returns true if the path of a key has a symbolic link.
    fn is_by_link(&self, key: &str) -> bool {
        let ends = key.match_indices('/').map(|(at, _)| at);
        ends.chain([key.len()])
            .filter_map(|end| key.get(..end))
            .any(|step| {
                let metadata = fs::symlink_metadata(self.path(step));
                metadata.is_ok_and(|metadata| metadata.is_symlink())
            })
    }
}

fn too_large(limit: u64) -> Reason {
    Reason::Unusable(format!("it is larger than {} MiB", limit >> 20))
}

fn threads() -> usize {
    cores().min(MOST_WALKERS)
}

/// Returns the key of a file or folder from the key of its folder.
fn key_in(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// Returns the time of the last change of any kind. Unlike the date of a file, programs cannot set it.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;

    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanos = u32::try_from(metadata.ctime_nsec()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn changed(_metadata: &Metadata) -> Option<SystemTime> {
    None
}

/// A file's date as a number; one that tells nothing where the date is too fresh to be relied on.
fn mark(modified: Option<SystemTime>, now: SystemTime) -> i64 {
    let is_settled = |date: SystemTime| date.checked_add(COARSE).is_some_and(|date| date < now);
    let reliable = modified.filter(|modified| is_settled(*modified));
    let since_epoch = reliable.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since_epoch
        .and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or(UNRELIABLE)
}

fn has_page_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|extension| {
        ["html", "htm", "xhtml"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

impl Source for FolderSource {
    fn name(&self) -> String {
        self.root.display().to_string()
    }

    fn items(&self) -> Result<Items, PublishError> {
        self.walk(SystemTime::now())
    }

    fn load(&self, item: Item<'_>) -> Result<Loaded, PublishError> {
        let opened = self.files.open(item.key).and_then(|opened| {
            let modified = opened.metadata.modified().ok();
            Ok((opened.read(MOST_PAGE_BYTES)?, modified))
        });
        match opened {
            Ok((bytes, modified)) => Ok(Loaded::Html(Raw {
                bytes,
                last_modified: modified.map(Timestamp::from),
                ..Raw::default()
            })),
            Err(refusal) => Ok(Loaded::Excluded(self.reason(item.key, refusal)?)),
        }
    }

    fn changed(&self, item: Item<'_>) -> Result<Option<SystemTime>, PublishError> {
        match fs::metadata(self.path(item.key)) {
            Ok(metadata) => Ok(changed(&metadata)),
            // Whatever became of it shows when it is opened.
            Err(_) => Ok(Some(SystemTime::now())),
        }
    }

    fn site_file(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        let refusal = match self.files.read(path, MOST_SITE_FILE_BYTES) {
            Ok(bytes) => return Ok(Some(bytes)),
            Err(Refusal::Missing) => return Ok(None),
            Err(refusal) => refusal,
        };
        let reason = self.reason(path, refusal)?;
        lock(&self.refused).insert(path.to_owned(), reason.clone());
        Err(PublishError::Refused {
            path: self.path(path).display().to_string(),
            reason,
        })
    }

    fn refused(&self) -> Vec<(String, Reason)> {
        let refused = lock(&self.refused).clone();
        refused.into_iter().collect()
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests;
