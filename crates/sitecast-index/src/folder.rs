//! An index in a folder: SQLite tables for look-ups, compressed blocks for the lines of pages.

mod block_writer;
mod blocks;
mod compact;
mod errors;
mod lock;
mod merge;
mod page_set;
mod rows;
mod schema;
mod sites;
mod stream;
mod sweep;
mod thread_lock;
mod verify;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use self::blocks::BlockReader;
use self::errors::{from_io, from_sqlite};
use self::lock::FileLock;
use self::merge::FolderMerge;
use self::schema::Purpose;
use self::sites::SiteRow;
use self::stream::FolderStream;
use self::thread_lock::ThreadLock;
use crate::{
    Baseline, CollectionRef, Filter, Index, IndexError, Merge, PageCheck, PageFacts, PageStream,
    SiteId, SiteOverview, SiteState, StoredPage, Validators,
};

/// An index in a folder on a local disk.
///
/// Any number of processes may read while one merges; merges are exclusive. The index stays intact if the
/// process is killed at any moment.
///
/// ```
/// use sitecast_index::{FolderIndex, Index};
///
/// # let folder = tempfile::tempdir()?;
/// let index = FolderIndex::open(folder.path())?;
/// assert!(index.sites()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FolderIndex {
    folder: PathBuf,
    wait: Duration,
    thread_lock: Arc<ThreadLock>,
    reader: Mutex<Reader>,
    /// Held while the disk is full: it excludes merges, so readers need none of the files that SQLite shares with a writer.
    shared_lock: Option<Arc<FileLock>>,
}

/// The connection for look-ups, with the block that was read last.
struct Reader {
    connection: Connection,
    blocks: BlockReader,
}

impl fmt::Debug for FolderIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FolderIndex")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// The default time that a merge waits for one of another process.
const WAIT: Duration = Duration::from_secs(60);

impl FolderIndex {
    /// Opens the index in `folder`, and creates it if it does not exist. Migrates an index of an earlier
    /// version to the current format.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, IndexError> {
        let folder = folder.into();
        if folder.is_file() {
            return Err(IndexError::NotAFolder {
                path: folder.display().to_string(),
            });
        }
        fs::create_dir_all(&folder).map_err(from_io("create the folder", &folder))?;
        Self::open_folder(folder)
    }

    /// Opens the index in `folder`; fails if it does not exist.
    pub fn open_existing(folder: impl Into<PathBuf>) -> Result<Self, IndexError> {
        let folder = folder.into();
        if !folder.join(schema::FILE).is_file() {
            return Err(IndexError::NotFound {
                path: folder.display().to_string(),
            });
        }
        Self::open_folder(folder)
    }

    fn open_folder(folder: PathBuf) -> Result<Self, IndexError> {
        let prepared = schema::format(&folder, Purpose::Reading).and_then(|format| {
            if format < schema::FORMAT {
                let _lock = lock::acquire(&folder, WAIT)?;
                schema::migrate_to_latest(&folder)?;
            }
            Ok(None)
        });
        let shared_lock = match prepared {
            Err(full @ IndexError::Full { .. }) => Some(lock_shared(&folder, full)?),
            prepared => prepared?,
        };
        let connection = schema::open(&folder, purpose(shared_lock.as_ref()))?;
        Ok(Self {
            folder,
            wait: WAIT,
            thread_lock: Arc::default(),
            reader: Mutex::new(Reader {
                connection,
                blocks: BlockReader::new(),
            }),
            shared_lock,
        })
    }

    fn purpose(&self) -> Purpose {
        purpose(self.shared_lock.as_ref())
    }

    /// Acquires the exclusive lock for merging.
    fn lock(&self) -> Result<FileLock, IndexError> {
        if self.shared_lock.is_some() {
            return Err(IndexError::Full {
                path: self.folder.display().to_string(),
            });
        }
        lock::acquire(&self.folder, self.wait)
    }

    /// Sets the time that a merge waits for one of another process before it fails.
    #[must_use]
    pub fn wait_for(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Returns the folder of the index.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ignores poisoning: a panic leaves the connection and the block in a usable state.
    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a page's row, and the row of its site.
    fn look_up(
        &self,
        reader: &Reader,
        site: &SiteId,
        url: &str,
    ) -> Result<Option<(SiteRow, rows::PageRow)>, IndexError> {
        let Some(site) = sites::find(&reader.connection, &self.folder, site)? else {
            return Ok(None);
        };
        let row =
            rows::find(&reader.connection, site.id, url).map_err(from_sqlite(&self.folder))?;
        Ok(row.map(|row| (site, row)))
    }

    fn facts_of(
        &self,
        reader: &Reader,
        site: &SiteRow,
        row: rows::PageRow,
    ) -> Result<PageFacts, IndexError> {
        let origin = Some(row.origin);
        let origins = sites::origins(&reader.connection, &self.folder, site.id, origin)?;
        stream::facts(&self.folder, site, &origins, row)
    }

    /// Runs `read` in a transaction, so that all its statements see the same commit.
    fn in_transaction<T>(
        &self,
        read: impl FnOnce(&mut Reader) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let mut reader = self.reader();
        let failed = from_sqlite(&self.folder);
        reader.connection.execute_batch("BEGIN").map_err(failed)?;
        let result = read(&mut reader);
        let ended = reader.connection.execute_batch("COMMIT").map_err(failed);
        let result = result?;
        ended?;
        Ok(result)
    }
}

fn purpose(shared_lock: Option<&Arc<FileLock>>) -> Purpose {
    match shared_lock {
        None => Purpose::Reading,
        Some(_) => Purpose::ReadingImmutable,
    }
}

/// Acquires the shared lock for reading on a full disk. SQLite then needs no space, because no merge can start while
/// the lock is held. Returns the error `full` if a merge is running, or the log holds commits.
fn lock_shared(folder: &Path, full: IndexError) -> Result<Arc<FileLock>, IndexError> {
    match lock::acquire_shared(folder)? {
        Some(lock)
            if schema::is_log_empty(folder)
                && schema::format(folder, Purpose::ReadingImmutable)? == schema::FORMAT =>
        {
            Ok(Arc::new(lock))
        }
        _ => Err(full),
    }
}

impl Index for FolderIndex {
    fn sites(&self) -> Result<Vec<SiteOverview>, IndexError> {
        self.in_transaction(|reader| {
            let failed = from_sqlite(&self.folder);
            let connection = &reader.connection;
            let stored = sites::stored_bytes(connection).map_err(failed)?;
            let overview = |(site, row): (SiteId, SiteRow)| {
                Ok(SiteOverview {
                    site,
                    state: row.state,
                    pages: row.pages,
                    bytes: row.bytes,
                    stored_bytes: stored.get(&row.id).copied().unwrap_or(0),
                    newest: rows::newest(connection, row.id).map_err(failed)?,
                })
            };
            let sites = sites::all(connection, &self.folder)?;
            sites.into_iter().map(overview).collect()
        })
    }

    fn state(&self, site: &SiteId) -> Result<Option<SiteState>, IndexError> {
        let reader = self.reader();
        let row = sites::find(&reader.connection, &self.folder, site)?;
        Ok(row.map(|row| row.state))
    }

    fn baseline(&self, site: &SiteId) -> Result<Baseline, IndexError> {
        let reader = self.reader();
        let row = sites::find(&reader.connection, &self.folder, site)?;
        Ok(row.map_or_else(Baseline::default, |row| Baseline {
            pages: row.pages,
            next_page: row.next_page,
        }))
    }

    fn page(&self, site: &SiteId, url: &str) -> Result<Option<StoredPage>, IndexError> {
        self.in_transaction(|reader| {
            let Some((row, page)) = self.look_up(reader, site, url)? else {
                return Ok(None);
            };
            let line =
                reader
                    .blocks
                    .line(&reader.connection, &self.folder, page.place, &page.hash)?;
            Ok(Some(StoredPage {
                site: site.clone(),
                url: url.to_owned(),
                line,
                facts: self.facts_of(reader, &row, page)?,
            }))
        })
    }

    fn facts(&self, site: &SiteId, url: &str) -> Result<Option<PageFacts>, IndexError> {
        self.in_transaction(|reader| {
            let found = self.look_up(reader, site, url)?;
            found
                .map(|(row, page)| self.facts_of(reader, &row, page))
                .transpose()
        })
    }

    fn validators(&self, site: &SiteId, url: &str) -> Result<Option<Validators>, IndexError> {
        let sql = "SELECT etag, last_modified FROM validators \
             WHERE site = (SELECT id FROM sites WHERE url = ?1) AND url = ?2";
        let reader = self.reader();
        let found = reader
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| {
                let validators = |row: &rusqlite::Row<'_>| {
                    Ok(Validators {
                        etag: row.get(0)?,
                        last_modified: row.get(1)?,
                    })
                };
                statement
                    .query_row(params![site.as_str(), url], validators)
                    .optional()
            });
        found.map_err(from_sqlite(&self.folder))
    }

    fn is_applied(&self, site: &SiteId, collection: &CollectionRef) -> Result<bool, IndexError> {
        let reader = self.reader();
        match sites::find(&reader.connection, &self.folder, site)? {
            None => Ok(false),
            Some(row) => sites::is_applied(&reader.connection, &self.folder, &row, collection),
        }
    }

    fn pages(&self, filter: &Filter) -> Result<Box<dyn PageStream>, IndexError> {
        let connection = schema::open(&self.folder, self.purpose())?;
        let shared_lock = self.shared_lock.clone();
        let stream = FolderStream::begin(self.folder.clone(), connection, shared_lock, filter)?;
        Ok(Box::new(stream))
    }

    fn verify(&self, checked: &mut dyn FnMut(PageCheck<'_>)) -> Result<(), IndexError> {
        let connection = schema::open(&self.folder, self.purpose())?;
        verify::verify(&self.folder, &connection, checked)
    }

    fn begin(&self, site: &SiteId) -> Result<Box<dyn Merge>, IndexError> {
        let thread_guard = ThreadLock::acquire(&self.thread_lock)?;
        let lock = self.lock()?;
        let connection = schema::open(&self.folder, Purpose::Merging)?;
        let merge =
            FolderMerge::begin(self.folder.clone(), connection, (thread_guard, lock), site)?;
        Ok(Box::new(merge))
    }

    fn forget(&self, site: &SiteId) -> Result<bool, IndexError> {
        let _thread_guard = ThreadLock::acquire(&self.thread_lock)?;
        let _lock = self.lock()?;
        let mut connection = schema::open(&self.folder, Purpose::Merging)?;
        let work = |connection: &mut Connection| -> rusqlite::Result<bool> {
            let change = connection.transaction()?;
            let find = "SELECT id FROM sites WHERE url = ?1";
            let id: Option<i64> = change
                .query_row(find, [site.as_str()], |row| row.get(0))
                .optional()?;
            let Some(id) = id else {
                return Ok(false);
            };
            for sql in [
                "DELETE FROM blocks WHERE id IN (SELECT id FROM block_use WHERE site = ?1)",
                "DELETE FROM block_use WHERE site = ?1",
                "DELETE FROM pages WHERE site = ?1",
                "DELETE FROM origins WHERE site = ?1",
                "DELETE FROM validators WHERE site = ?1",
                "DELETE FROM sites WHERE id = ?1",
            ] {
                change.execute(sql, [id])?;
            }
            change.commit()?;
            Ok(true)
        };
        work(&mut connection).map_err(from_sqlite(&self.folder))
    }
}
