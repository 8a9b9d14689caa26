mod memory;

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
use crate::exclusion::by_name;
use crate::lock::lock;
use crate::options::cores;
use crate::{PublishError, Reason};
use memory::{Memory, Notes, Place};

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
        let failed = |source| PublishError::Source {
            path: root.display().to_string(),
            source,
        };
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

    /// Looks through all folders.
    fn walk(&self, notes: Option<&Notes<'_>>, now: SystemTime) -> Result<Items, PublishError> {
        let found = explore(threads(), String::new(), |folder, items| {
            self.look(&folder, notes, now, items)
        });
        found.map(in_order)
    }

    /// The same, but for what is known from the last time.
    fn walk_with_memory(&self, file: &Path, now: SystemTime) -> Result<Items, PublishError> {
        let Some(place) = Place::of(file, self.files.root()) else {
            return self.walk(None, now);
        };
        let memory = Memory::open(&place);
        if let Some(items) = memory.and_then(|memory| self.recall(memory, now)) {
            return Ok(items);
        }
        let notes = Notes::begin(&place, now);
        let items = self.walk(Some(&notes), now)?;
        notes.keep();
        Ok(items)
    }

    /// All items, if every folder is as it was.
    fn recall(&self, memory: Memory, now: SystemTime) -> Option<Items> {
        let all = 0..memory.portions();
        let found = explore(threads().min(all.len()), all, |portions, items| {
            if portions.len() > 1 {
                let middle = portions.start.midpoint(portions.end);
                return Ok(vec![portions.start..middle, middle..portions.end]);
            }
            // Whatever is wrong will show when all is looked through.
            let recalled = self.recall_portion(&memory, portions.start, now, items);
            recalled.map(|()| Vec::new()).ok_or(())
        });
        drop(memory);
        found.ok().map(in_order)
    }

    fn recall_portion(
        &self,
        memory: &Memory,
        number: usize,
        now: SystemTime,
        items: &mut Items,
    ) -> Option<()> {
        let mut key = String::new();
        for folder in memory.portion(number) {
            let mut path = self.path(folder.path);
            let metadata = fs::symlink_metadata(&path).ok()?;
            for name in folder.names(&metadata)? {
                set_key(&mut key, folder.path, name);
                if name == ACCESS_FILE {
                    items.add_access_file(&key);
                    continue;
                }
                path.push(name);
                self.add(&key, || fs::symlink_metadata(&path), now, items)
                    .ok()?;
                path.pop();
            }
        }
        Some(())
    }

    fn failed(&self, key: &str, source: io::Error) -> PublishError {
        PublishError::Source {
            path: self.path(key).display().to_string(),
            source,
        }
    }

    /// Looks through one folder; the folders in it are named.
    fn look(
        &self,
        folder: &str,
        notes: Option<&Notes<'_>>,
        now: SystemTime,
        items: &mut Items,
    ) -> Result<Vec<String>, PublishError> {
        let path = self.path(folder);
        // Asked before it is looked through: what comes in meanwhile makes it another one.
        let metadata = notes.and_then(|_| fs::symlink_metadata(&path).ok());
        let (mut folders, mut names) = (Vec::new(), notes.map(|_| String::new()));
        let entries = match fs::read_dir(&path) {
            // It was there a moment ago, when the folder above was looked through.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_empty() => {
                items.excluded.push((folder.to_owned(), Reason::Vanished));
                return Ok(Vec::new());
            }
            entries => entries.map_err(|error| self.failed(folder, error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| self.failed(folder, error))?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder || has_page_name(&name.to_string_lossy()) {
                    names = None;
                    let reason = Reason::Unusable("its name is not UTF-8".to_owned());
                    let key = entry.path().display().to_string();
                    items.excluded.push((key, reason));
                }
                continue;
            };
            if name.starts_with('.') && name != ACCESS_FILE {
                continue;
            }
            let mut key = String::new();
            set_key(&mut key, folder, name);
            let kind = entry
                .file_type()
                .map_err(|error| self.failed(&key, error))?;
            if name == ACCESS_FILE && kind.is_dir() {
                continue;
            }
            if name == ACCESS_FILE {
                if let Some(names) = &mut names {
                    names.push_str(name);
                    names.push('\0');
                }
                items.add_access_file(&key);
            } else if kind.is_dir() {
                folders.push(key);
            } else if has_page_name(name) {
                if let Some(names) = &mut names {
                    names.push_str(name);
                    names.push('\0');
                }
                self.add(&key, || entry.metadata(), now, items)?;
            }
        }
        if let Some(notes) = notes {
            notes.add(folder, metadata.as_ref(), names.as_deref());
        }
        Ok(folders)
    }

    /// Adds what may be a page; what the system knows of it, links not followed, is asked for only then.
    fn add(
        &self,
        key: &str,
        metadata: impl FnOnce() -> io::Result<Metadata>,
        now: SystemTime,
        items: &mut Items,
    ) -> Result<(), PublishError> {
        if let Some(reason) = by_name(key) {
            items.excluded.push((key.to_owned(), reason));
            return Ok(());
        }
        let found = match metadata() {
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

    /// Whether it is a link, or one is on the way to it.
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

/// All that was found, in the order of keys.
fn in_order(found: Vec<Items>) -> Items {
    let mut all = Items::default();
    for items in found {
        all.append(items);
    }
    all.sort();
    all
}

/// Makes a key of something in a folder.
fn set_key(key: &mut String, folder: &str, name: &str) {
    key.clear();
    if !folder.is_empty() {
        key.push_str(folder);
        key.push('/');
    }
    key.push_str(name);
}

/// When a file was last changed in any way. Unlike its date, nobody can set this.
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

/// Whether what is done from now on has another date.
fn is_settled(date: SystemTime, now: SystemTime) -> bool {
    date.checked_add(COARSE).is_some_and(|date| date < now)
}

/// A file's date as a number; one that tells nothing where the date is too fresh to be relied on.
fn mark(modified: Option<SystemTime>, now: SystemTime) -> i64 {
    let reliable = modified.filter(|modified| is_settled(*modified, now));
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
        self.walk(None, SystemTime::now())
    }

    fn items_with_memory(&self, file: &Path) -> Result<Items, PublishError> {
        self.walk_with_memory(file, SystemTime::now())
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
