use std::fs::{self, DirEntry, File, FileType, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sitecast_scp::Timestamp;

use super::explore::explore;
use super::{Item, Items, Loaded, Raw, Source, Stamp, UNRELIABLE};
use crate::exclusion::by_name;
use crate::{PublishError, Reason};

/// A folder of built HTML, whatever built it.
///
/// Files ending in `.html`, `.htm` or `.xhtml` may be pages; names that begin with a dot are passed
/// over. Links to files within the folder are followed, others not.
#[derive(Debug)]
pub struct FolderSource {
    root: PathBuf,
    /// Without links, to tell what lies within.
    real: PathBuf,
}

/// The clock of a file system is this coarse at worst: a file written so recently may be written
/// again without a new date.
const COARSE: Duration = Duration::from_secs(2);

/// More threads than these only wait for the disk, or for each other.
const MOST_WALKERS: usize = 8;

impl FolderSource {
    /// Opens a folder.
    pub fn open(root: &Path) -> Result<Self, PublishError> {
        let failed = |source| PublishError::Source {
            path: root.display().to_string(),
            source,
        };
        let real = fs::canonicalize(root).map_err(failed)?;
        if !real.is_dir() {
            return Err(PublishError::NotASource {
                path: root.display().to_string(),
                problem: "is not a folder".to_owned(),
            });
        }
        Ok(Self {
            root: root.to_owned(),
            real,
        })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.root.join(key)
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
        now: SystemTime,
        items: &mut Items,
    ) -> Result<Vec<String>, PublishError> {
        let mut folders = Vec::new();
        let path = self.path(folder);
        let entries = fs::read_dir(&path).map_err(|error| self.failed(folder, error))?;
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
            if name.starts_with('.') {
                continue;
            }
            let key = if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            };
            let kind = entry
                .file_type()
                .map_err(|error| self.failed(&key, error))?;
            if kind.is_dir() {
                folders.push(key);
            } else if has_page_name(name) {
                self.add(key, &entry, kind, now, items)?;
            }
        }
        Ok(folders)
    }

    fn add(
        &self,
        key: String,
        entry: &DirEntry,
        kind: FileType,
        now: SystemTime,
        items: &mut Items,
    ) -> Result<(), PublishError> {
        if let Some(reason) = by_name(&key) {
            items.excluded.push((key, reason));
            return Ok(());
        }
        let metadata = if kind.is_symlink() {
            let path = self.path(&key);
            let target = fs::canonicalize(&path).map_err(|error| self.failed(&key, error))?;
            if !target.starts_with(&self.real) {
                items.excluded.push((key, Reason::OutsideLink));
                return Ok(());
            }
            fs::metadata(&path)
        } else {
            entry.metadata()
        };
        let metadata = metadata.map_err(|error| self.failed(&key, error))?;
        if !metadata.is_file() {
            return Ok(());
        }
        items.add(Item {
            key: &key,
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

/// A file's date as a number; one that tells nothing where the date is too fresh to be relied on.
fn mark(modified: Option<SystemTime>, now: SystemTime) -> i64 {
    let reliable = modified.filter(|modified| *modified + COARSE < now);
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
        let now = SystemTime::now();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let found = explore(threads.min(MOST_WALKERS), String::new(), |folder, items| {
            self.look(&folder, now, items)
        })?;
        let mut all = Items::default();
        for items in found {
            all.append(items);
        }
        all.sort();
        Ok(all)
    }

    fn load(&self, item: Item<'_>) -> Result<Loaded, PublishError> {
        let path = self.path(item.key);
        let failed = |error| self.failed(item.key, error);
        let file = File::open(&path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        // Not by the file's own method, which would ask for the size again.
        file.take(u64::MAX)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Ok(Loaded::Html(Raw {
            bytes,
            last_modified: metadata.modified().ok().map(Timestamp::from),
            ..Raw::default()
        }))
    }

    fn changed(&self, item: Item<'_>) -> Result<Option<SystemTime>, PublishError> {
        let metadata = fs::metadata(self.path(item.key));
        let metadata = metadata.map_err(|error| self.failed(item.key, error))?;
        Ok(changed(&metadata))
    }

    fn site_file(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        match fs::read(self.path(path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(path, error)),
        }
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_pages_and_passes_over_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("a/.git")).unwrap();
        for name in [
            "index.html",
            "a/b.HTM",
            "a/.git/x.html",
            "style.css",
            "404.html",
        ] {
            fs::write(root.join(name), "<p>").unwrap();
        }
        let items = FolderSource::open(root).unwrap().items().unwrap();
        let keys: Vec<&str> = items.iter().map(|item| item.key).collect();
        assert_eq!(keys, ["a/b.HTM", "index.html"]);
        assert_eq!(items.excluded, [("404.html".to_owned(), Reason::ErrorPage)]);
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_are_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret.html"), "<p>").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("a.html"), "<p>").unwrap();
        let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
        link(outside.path().join("secret.html"), root.join("x.html")).unwrap();
        link(outside.path().to_owned(), root.join("folder")).unwrap();
        link(root.join("a.html"), root.join("b.html")).unwrap();
        let items = FolderSource::open(root).unwrap().items().unwrap();
        let keys: Vec<&str> = items.iter().map(|item| item.key).collect();
        assert_eq!(keys, ["a.html", "b.html"]);
        assert_eq!(items.excluded, [("x.html".to_owned(), Reason::OutsideLink)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn folders_whose_names_are_not_utf_8_are_left_out_aloud() {
        let folder = tempfile::tempdir().unwrap();
        let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9");
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("a.html"), "<p>").unwrap();
        let items = FolderSource::open(folder.path()).unwrap().items().unwrap();
        assert_eq!((items.len(), items.excluded.len()), (0, 1));
    }

    #[test]
    fn a_file_written_just_now_is_looked_at_again() {
        let now = SystemTime::now();
        assert_eq!(mark(Some(now), now), UNRELIABLE);
        assert_ne!(mark(Some(now - Duration::from_secs(10)), now), UNRELIABLE);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = FolderSource::open(Path::new("/no/such/folder")).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
