//! A store in a local folder.
//!
//! Failures and their remedies: a crash during a put (write to a temporary file, then rename), a full disk (the same;
//! the temporary file is removed), a link that leads out of the folder (`inside.rs`), a second publisher
//! (`lock.rs`), a loss of power (`durable.rs`).

mod durable;
mod inside;
mod listing;
mod lock;
mod resolve;
mod staged;

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::reserved::{self, SCRATCH};
use crate::{
    Condition, Content, HardLinked, HardLinks, Listed, Lock, Object, Opened, Place, Put, Store,
    StoreError, StorePath, Tag,
};

use durable::Durable;
use staged::Staged;

/// Attempts of a put. It is repeated if a concurrent delete removed its folder, or if the temporary file is on another
/// disk.
const ATTEMPTS: u32 = 8;

/// Threads of [`Store::put_all`]. More would only wait for each other, since all rename in one file system.
const PUT_THREADS: usize = 4;

/// A [`Store`] in a local folder.
///
/// A put writes a temporary file in `.sitecast-tmp` within the folder and renames it into place. A replaced
/// object keeps its permissions; a new one gets those of the umask. Attributes are not stored. A delete also removes
/// folders that it leaves empty.
///
/// The [`Tag`] of an object consists of its size, its modification time in nanoseconds and its inode: every put makes a
/// new inode while the old one still exists, and hashing gigabytes on each open would be slow.
/// [`Condition::Absent`] is atomic for all programs, [`Condition::Unchanged`] only for users of the same `Folder` and
/// holders of the [lock](Store::lock).
///
/// Links are followed if their target is within the folder. Files whose names are not
/// a [`StorePath`] (not UTF-8, control characters, a backslash) are ignored.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    durable: Durable,
    /// Held from the comparison of a tag until the rename, so that no other put of this store changes the object
    /// in between.
    compare_lock: Mutex<()>,
}

impl Folder {
    /// Returns the store in a folder. The first put or lock creates the folder. A relative path is resolved now, so that a
    /// later change of the working directory has no effect.
    pub fn new(root: impl AsRef<Path>) -> Result<Self, StoreError> {
        let given = root.as_ref();
        let root = std::path::absolute(given).map_err(|problem| StoreError::Location {
            location: given.display().to_string(),
            problem: problem.to_string(),
        })?;
        Ok(Self {
            root,
            durable: Durable::default(),
            compare_lock: Mutex::new(()),
        })
    }

    /// Returns the folder as an absolute path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn file_of(&self, path: &StorePath) -> PathBuf {
        // Part by part, for the system's own separator.
        let mut file = self.root.clone();
        file.extend(path.parts());
        file
    }

    /// Opens a regular file within the folder; `None` if there is none.
    fn open_file(&self, path: &StorePath) -> Result<Option<(File, Metadata)>, StoreError> {
        let target = self.file_of(path);
        let open = || -> io::Result<Option<(File, Metadata)>> {
            let file = match inside::open(&self.root, path) {
                Some(file) => file?,
                None => {
                    inside::check(&self.root, path)?;
                    // Checked before opening, because opening a pipe waits for a writer.
                    if !fs::metadata(&target)?.is_file() {
                        return Ok(None);
                    }
                    File::open(&target)?
                }
            };
            let metadata = file.metadata()?;
            Ok(metadata.is_file().then_some((file, metadata)))
        };
        match open() {
            Ok(opened) => Ok(opened),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(at("read", &target)(error)),
        }
    }

    /// Renames a staged file into place, with retries.
    fn put_staged(
        &self,
        mut staged: Staged,
        path: &StorePath,
        condition: &Condition,
    ) -> Result<Tag, StoreError> {
        let target = self.file_of(path);
        let failed = |error| at("write", &target)(error);
        let mut attempt = 0;
        loop {
            attempt += 1;
            inside::create_parents(&self.root, path).map_err(failed)?;
            let result = match condition {
                Condition::None => staged.replace(&target),
                Condition::Absent => staged.create(&target),
                Condition::Unchanged(tag) => {
                    let _guard = lock(&self.compare_lock);
                    if current_tag(&target).map_err(failed)?.as_ref() != Some(tag) {
                        return Err(StoreError::Conflict(path.clone()));
                    }
                    staged.replace(&target)
                }
            };
            let (error, again) = match result {
                Ok(tag) => {
                    self.durable.note(&target);
                    return Ok(tag);
                }
                Err(failure) => failure,
            };
            staged = match error.kind() {
                io::ErrorKind::AlreadyExists if *condition == Condition::Absent => {
                    return Err(StoreError::Conflict(path.clone()));
                }
                io::ErrorKind::NotFound if attempt < ATTEMPTS => again,
                // The file was prepared on another disk, or a subfolder is a mount point.
                io::ErrorKind::CrossesDevices if attempt < ATTEMPTS => {
                    let scratch = self.scratch()?;
                    let nearer = match target.parent() {
                        Some(parent) if again.is_in(&scratch) => parent,
                        _ => &scratch,
                    };
                    again.copied_into(nearer).map_err(failed)?
                }
                _ => return Err(failed(error)),
            };
        }
    }
}

impl Store for Folder {
    fn name(&self) -> String {
        self.root.display().to_string()
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.root)
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        if reserved::is_reserved(path) {
            return Ok(None);
        }
        let opened = self.open_file(path)?;
        Ok(opened.map(|(file, metadata)| Object {
            size: metadata.len(),
            tag: tag_of(&metadata),
            reader: Box::new(file),
        }))
    }

    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError> {
        if reserved::is_reserved(path) {
            return Ok(None);
        }
        let opened = self.open_file(path)?;
        Ok(opened.map(|(file, metadata)| Opened {
            size: metadata.len(),
            tag: tag_of(&metadata),
            modified: metadata.modified().ok(),
            content: Content::File(Arc::new(file)),
        }))
    }

    fn place(&self, path: &StorePath, opened: &Opened) -> Result<Place, StoreError> {
        let Content::File(file) = &opened.content else {
            return Ok(Place {
                path: None,
                hard_linked: None,
            });
        };
        let target = self.file_of(path);
        let place = || -> io::Result<Place> {
            Ok(Place {
                path: resolve::resolve(&self.root, &target, file)?,
                hard_linked: HardLinked::of(&file.metadata()?),
            })
        };
        place().map_err(at("read", &target))
    }

    fn hard_links(&self) -> Result<HardLinks, StoreError> {
        let mut names = Vec::new();
        let unreadable = listing::walk_readable(&self.root, &mut |path, metadata, is_symlink| {
            let linked = HardLinked::of(metadata).filter(|_| !is_symlink);
            names.extend(linked.map(|linked| (path, linked.id)));
        })?;
        Ok(HardLinks { names, unreadable })
    }

    fn put(&self, put: Put) -> Result<Tag, StoreError> {
        let target = self.file_of(&put.path);
        let staged = Staged::new(put.body, || self.scratch(), &target)?;
        if reserved::is_reserved(&put.path) {
            let refusal = io::Error::new(io::ErrorKind::InvalidInput, reserved::REFUSAL);
            return Err(at("write", &target)(refusal));
        }
        self.put_staged(staged, &put.path, &put.condition)
    }

    fn put_all(&self, puts: &mut (dyn Iterator<Item = Put> + Send)) -> Result<(), StoreError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (puts, failure) = (Mutex::new(puts), Mutex::new(None));
        let next = || match lock(&failure).is_some() {
            true => None,
            false => lock(&puts).next(),
        };
        let work = || {
            while let Some(put) = next() {
                if let Err(error) = self.put(put) {
                    lock(&failure).get_or_insert(error);
                }
            }
        };
        // This thread does not write itself: it would compete with the scoped threads for its processor.
        std::thread::scope(|scope| {
            for _ in 0..cores.min(PUT_THREADS) {
                scope.spawn(work);
            }
        });
        let failure = failure.into_inner();
        failure
            .unwrap_or_else(PoisonError::into_inner)
            .map_or(Ok(()), Err)
    }

    fn delete(&self, path: &StorePath) -> Result<(), StoreError> {
        if reserved::is_reserved(path) {
            return Ok(());
        }
        let target = self.file_of(path);
        let delete = || -> io::Result<()> {
            inside::check_parents(&self.root, path)?;
            if fs::symlink_metadata(&target)?.is_dir() {
                return Ok(());
            }
            fs::remove_file(&target)?;
            self.durable.note_removed(&target);
            // Removes empty parent folders; `all` stops at the first that is not empty.
            target
                .ancestors()
                .skip(1)
                .take_while(|folder| *folder != self.root)
                .all(|folder| fs::remove_dir(folder).is_ok());
            Ok(())
        };
        match delete() {
            Err(error) if !is_absence(&error) => Err(at("delete", &target)(error)),
            _ => Ok(()),
        }
    }

    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        listing::list(&self.root, folder)
    }

    fn lock(&self) -> Result<Box<dyn Lock>, StoreError> {
        lock::acquire(&self.root).map(|lock| Box::new(lock) as Box<dyn Lock>)
    }

    fn scratch(&self) -> Result<PathBuf, StoreError> {
        let scratch = self.root.join(SCRATCH);
        inside::create_private(&scratch).map_err(at("write", &scratch))?;
        Ok(scratch)
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.durable
            .sync(&self.root)
            .map_err(at("write", &self.root))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the tag of a file; [`Folder`] describes it.
fn tag_of(metadata: &Metadata) -> Tag {
    let changed = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos());
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Tag(format!("{:x}-{changed:x}-{inode:x}", metadata.len()))
}

fn current_tag(file: &Path) -> io::Result<Option<Tag>> {
    match fs::metadata(file) {
        Ok(metadata) => Ok(metadata.is_file().then(|| tag_of(&metadata))),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if the file does not exist. `a/b` is also absent if `a` is a file.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn at(action: &'static str, place: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let place = place.display().to_string();
    move |source| StoreError::Io {
        action,
        place,
        source,
    }
}
