//! An index in a folder: SQLite for what is looked up, compressed blocks for the lines.

mod blocks;
mod compact;
mod failing;
mod lock;
mod marks;
mod merge;
mod packer;
mod rows;
mod schema;
mod sites;
mod stream;
mod sweep;
mod turn;
mod verify;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use self::blocks::Blocks;
use self::failing::{engine, io};
use self::lock::Lock;
use self::merge::FolderMerge;
use self::schema::Purpose;
use self::sites::SiteRow;
use self::stream::FolderStream;
use self::turn::Turns;
use crate::{
    CollectionRef, Filter, Index, IndexError, Mark, Merge, PageCheck, PageFacts, PageStream,
    SiteId, SiteOverview, SiteState, StoredPage, Validators,
};

/// An index in a folder on a local disk.
///
/// Any number of processes may read while one merges; merges take turns. It survives being killed
/// at any moment.
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
    turns: Arc<Turns>,
    reading: Mutex<Reading>,
    /// There is no room on the disk: while this is held nothing is merged, and so nothing has to be shared with a writer.
    still: Option<Arc<Lock>>,
}

/// What one needs to look something up.
struct Reading {
    connection: Connection,
    blocks: Blocks,
}

impl fmt::Debug for FolderIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FolderIndex")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// How long a merge waits for another one by default.
const WAIT: Duration = Duration::from_secs(60);

impl FolderIndex {
    /// Opens the index in `folder`, which is made if it is not there. One that an earlier version
    /// made is brought to this version's format.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, IndexError> {
        let folder = folder.into();
        if folder.is_file() {
            return Err(IndexError::NotAFolder {
                path: folder.display().to_string(),
            });
        }
        fs::create_dir_all(&folder).map_err(io("make the folder", &folder))?;
        Self::open_folder(folder)
    }

    /// Opens the index in `folder`, and makes none.
    pub fn open_existing(folder: impl Into<PathBuf>) -> Result<Self, IndexError> {
        let folder = folder.into();
        if !folder.join(schema::FILE).is_file() {
            return Err(IndexError::NotThere {
                path: folder.display().to_string(),
            });
        }
        Self::open_folder(folder)
    }

    fn open_folder(folder: PathBuf) -> Result<Self, IndexError> {
        let prepared = schema::format(&folder, Purpose::Reading).and_then(|format| {
            if format < schema::FORMAT {
                let _lock = lock::take(&folder, WAIT)?;
                schema::prepare(&folder)?;
            }
            Ok(None)
        });
        let still = match prepared {
            Err(full @ IndexError::Full { .. }) => Some(hold_still(&folder, full)?),
            prepared => prepared?,
        };
        let connection = schema::open(&folder, purpose(still.as_ref()))?;
        Ok(Self {
            folder,
            wait: WAIT,
            turns: Arc::default(),
            reading: Mutex::new(Reading {
                connection,
                blocks: Blocks::new(),
            }),
            still,
        })
    }

    fn purpose(&self) -> Purpose {
        purpose(self.still.as_ref())
    }

    /// The lock of those who write.
    fn lock(&self) -> Result<Lock, IndexError> {
        if self.still.is_some() {
            return Err(IndexError::Full {
                path: self.folder.display().to_string(),
            });
        }
        lock::take(&self.folder, self.wait)
    }

    /// How long a merge waits for another one before it gives up.
    #[must_use]
    pub fn wait_for(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A panic elsewhere leaves nothing half done here.
    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A page's row with what it takes to understand it.
    fn look_up(
        &self,
        reading: &Reading,
        site: &SiteId,
        url: &str,
    ) -> Result<Option<(SiteRow, rows::PageRow)>, IndexError> {
        let Some(site) = sites::find(&reading.connection, &self.folder, site)? else {
            return Ok(None);
        };
        let row = rows::find(&reading.connection, site.id, url).map_err(engine(&self.folder))?;
        Ok(row.map(|row| (site, row)))
    }

    fn facts_of(
        &self,
        reading: &Reading,
        site: &SiteRow,
        row: rows::PageRow,
    ) -> Result<PageFacts, IndexError> {
        let origin = Some(row.origin);
        let origins = sites::origins(&reading.connection, &self.folder, site.id, origin)?;
        stream::facts(&self.folder, site, &origins, row)
    }

    /// Runs `read` so that all it sees is of one moment.
    fn at_once<T>(
        &self,
        read: impl FnOnce(&mut Reading) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let mut reading = self.reading();
        let failed = engine(&self.folder);
        reading.connection.execute_batch("BEGIN").map_err(failed)?;
        let result = read(&mut reading);
        let ended = reading.connection.execute_batch("COMMIT").map_err(failed);
        let result = result?;
        ended?;
        Ok(result)
    }
}

fn purpose(still: Option<&Arc<Lock>>) -> Purpose {
    match still {
        None => Purpose::Reading,
        Some(_) => Purpose::ReadingStill,
    }
}

/// Reading needs no room if nobody writes, and nobody can for as long as the lock is held. Otherwise the disk is `full`.
fn hold_still(folder: &Path, full: IndexError) -> Result<Arc<Lock>, IndexError> {
    match lock::share(folder)? {
        Some(lock)
            if schema::is_still(folder)
                && schema::format(folder, Purpose::ReadingStill)? == schema::FORMAT =>
        {
            Ok(Arc::new(lock))
        }
        _ => Err(full),
    }
}

impl Index for FolderIndex {
    fn sites(&self) -> Result<Vec<SiteOverview>, IndexError> {
        self.at_once(|reading| {
            let failed = engine(&self.folder);
            let connection = &reading.connection;
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
        let reading = self.reading();
        let row = sites::find(&reading.connection, &self.folder, site)?;
        Ok(row.map(|row| row.state))
    }

    fn mark(&self, site: &SiteId) -> Result<Mark, IndexError> {
        let reading = self.reading();
        let row = sites::find(&reading.connection, &self.folder, site)?;
        Ok(row.map_or_else(Mark::default, |row| Mark {
            pages: row.pages,
            next_page: row.next_page,
        }))
    }

    fn page(&self, site: &SiteId, url: &str) -> Result<Option<StoredPage>, IndexError> {
        self.at_once(|reading| {
            let Some((row, page)) = self.look_up(reading, site, url)? else {
                return Ok(None);
            };
            let line =
                reading
                    .blocks
                    .line(&reading.connection, &self.folder, page.place, &page.hash)?;
            Ok(Some(StoredPage {
                site: site.clone(),
                url: url.to_owned(),
                line,
                facts: self.facts_of(reading, &row, page)?,
            }))
        })
    }

    fn facts(&self, site: &SiteId, url: &str) -> Result<Option<PageFacts>, IndexError> {
        self.at_once(|reading| {
            let found = self.look_up(reading, site, url)?;
            found
                .map(|(row, page)| self.facts_of(reading, &row, page))
                .transpose()
        })
    }

    fn validators(&self, site: &SiteId, url: &str) -> Result<Option<Validators>, IndexError> {
        let sql = "SELECT etag, last_modified FROM validators \
             WHERE site = (SELECT id FROM sites WHERE url = ?1) AND url = ?2";
        let reading = self.reading();
        let found = reading
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
        found.map_err(engine(&self.folder))
    }

    fn is_applied(&self, site: &SiteId, collection: &CollectionRef) -> Result<bool, IndexError> {
        let reading = self.reading();
        match sites::find(&reading.connection, &self.folder, site)? {
            None => Ok(false),
            Some(row) => sites::is_applied(&reading.connection, &self.folder, &row, collection),
        }
    }

    fn pages(&self, filter: &Filter) -> Result<Box<dyn PageStream>, IndexError> {
        let connection = schema::open(&self.folder, self.purpose())?;
        let still = self.still.clone();
        let stream = FolderStream::begin(self.folder.clone(), connection, still, filter)?;
        Ok(Box::new(stream))
    }

    fn verify(&self, checked: &mut dyn FnMut(PageCheck<'_>)) -> Result<(), IndexError> {
        let connection = schema::open(&self.folder, self.purpose())?;
        verify::verify(&self.folder, &connection, checked)
    }

    fn begin(&self, site: &SiteId) -> Result<Box<dyn Merge>, IndexError> {
        let turn = Turns::take(&self.turns)?;
        let lock = self.lock()?;
        let connection = schema::open(&self.folder, Purpose::Merging)?;
        let merge = FolderMerge::begin(self.folder.clone(), connection, (turn, lock), site)?;
        Ok(Box::new(merge))
    }

    fn forget(&self, site: &SiteId) -> Result<bool, IndexError> {
        let _turn = Turns::take(&self.turns)?;
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
        work(&mut connection).map_err(engine(&self.folder))
    }
}
