//! The database: how it is opened, and what is in it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::failing::engine;
use crate::IndexError;

/// The database's file in the folder.
pub(super) const FILE: &str = "index.sqlite";

/// `SCix`: tells an index from any other SQLite file.
const APPLICATION: i64 = 0x5343_6978;

/// What makes each format of the one before it. The first makes the first of nothing. Never
/// changed once released; what changes comes after.
const MIGRATIONS: [&str; 1] = [FORMAT_1];

/// The latest format, which is ours.
pub(super) const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Pages are small rows in the order of site and URL; their lines are in blocks, many to a block,
/// compressed. What is left of a block is kept apart from its bytes, since SQLite rewrites a row
/// as a whole.
const FORMAT_1: &str = "
CREATE TABLE sites (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    sections TEXT NOT NULL,
    pages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    next_page INTEGER NOT NULL
);
CREATE TABLE origins (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    kind TEXT NOT NULL,
    section TEXT,
    type TEXT,
    generated TEXT,
    url TEXT
);
CREATE UNIQUE INDEX applied ON origins (site, kind, section, type, generated);
CREATE TABLE pages (
    site INTEGER NOT NULL,
    url TEXT NOT NULL,
    id INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    nanos INTEGER NOT NULL,
    fetched INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    sections INTEGER NOT NULL,
    language TEXT NOT NULL,
    hash BLOB NOT NULL,
    fingerprint BLOB,
    etag TEXT,
    block INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (site, url)
) WITHOUT ROWID;
CREATE TABLE blocks (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
);
CREATE TABLE block_use (
    id INTEGER PRIMARY KEY,
    site INTEGER NOT NULL,
    total INTEGER NOT NULL,
    live INTEGER NOT NULL,
    stored INTEGER NOT NULL
);
CREATE TABLE validators (
    site INTEGER NOT NULL,
    url TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    PRIMARY KEY (site, url)
) WITHOUT ROWID;
";

/// How long the database itself waits for a moment that must be undisturbed. Writers take turns by
/// a lock of ours, so this is about opening and closing.
const MOMENT: Duration = Duration::from_secs(10);

/// A connection to the index in `folder`, whatever format it has.
fn connect(folder: &Path, purpose: Purpose) -> Result<Connection, IndexError> {
    let failed = engine(folder);
    let path: PathBuf = folder.join(FILE);
    let connection = match purpose {
        Purpose::Reading | Purpose::Merging => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)
        }
        Purpose::ReadingStill => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_URI
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(immutable(&path), flags)
        }
    };
    let connection = connection.map_err(failed)?;
    connection.busy_timeout(MOMENT).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// What a connection is for, which decides how much it may remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Reading,
    /// Reading what [`is_still`], without the files that readers and a writer share.
    ReadingStill,
    Merging,
}

/// Whether all that was committed is in the database itself. It stays so while somebody has the lock of
/// [`super::lock::share`]: nobody can begin a merge, and without one there is nothing to move into the database.
pub(super) fn is_still(folder: &Path) -> bool {
    ["-wal", "-journal"].iter().all(|end| {
        let log = folder.join(format!("{FILE}{end}"));
        fs::metadata(log).map_or_else(
            |error| error.kind() == ErrorKind::NotFound,
            |log| log.len() == 0,
        )
    })
}

/// The URI by which SQLite opens a file as one that nobody changes: it locks nothing and makes no files. Only plain
/// characters stand for themselves, so that no path begins like a host or a query.
fn immutable(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() {
            uri.push(char::from(*byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri + "?immutable=1"
}

/// A connection to an index that [`prepare`] has seen.
pub(super) fn open(folder: &Path, purpose: Purpose) -> Result<Connection, IndexError> {
    let connection = connect(folder, purpose)?;
    // In KiB, and so negative.
    let cache = match purpose {
        Purpose::Reading | Purpose::ReadingStill => -4_096,
        Purpose::Merging => -24_576,
    };
    let set = |name: &str, value: i64| connection.pragma_update(None, name, value);
    set("cache_size", cache)
        // FULL: a commit is on the disk when it returns.
        .and_then(|()| set("synchronous", 2))
        // What a large merge leaves of its log is cut to this.
        .and_then(|()| set("journal_size_limit", 16 << 20))
        .map_err(engine(folder))?;
    Ok(connection)
}

/// The format of what is there; 0 for a file that is empty or not there yet.
pub(super) fn format(folder: &Path, purpose: Purpose) -> Result<i64, IndexError> {
    format_up_to(folder, FORMAT, purpose)
}

fn format_up_to(folder: &Path, latest: i64, purpose: Purpose) -> Result<i64, IndexError> {
    let mut connection = connect(folder, purpose)?;
    let Label {
        application,
        format,
        is_empty,
    } = label(&mut connection).map_err(engine(folder))?;
    if application == 0 && format == 0 && is_empty {
        return Ok(0);
    }
    if application != APPLICATION {
        return Err(IndexError::NotAnIndex {
            path: folder.join(FILE).display().to_string(),
        });
    }
    if format > latest {
        return Err(IndexError::NewerFormat {
            path: folder.display().to_string(),
            found: format,
            known: latest,
        });
    }
    Ok(format)
}

/// What tells whose file it is.
struct Label {
    application: i64,
    format: i64,
    is_empty: bool,
}

/// All of one moment: another process may be making the index just now.
fn label(connection: &mut Connection) -> rusqlite::Result<Label> {
    let moment = connection.transaction()?;
    let number = |name: &str| moment.pragma_query_value(None, name, |row| row.get(0));
    let tables = "SELECT count(*) FROM sqlite_schema";
    Ok(Label {
        application: number("application_id")?,
        format: number("user_version")?,
        is_empty: moment.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0,
    })
}

/// Brings what is there to our format, in one step. The caller holds the lock of writers.
pub(super) fn prepare(folder: &Path) -> Result<(), IndexError> {
    migrate(folder, &MIGRATIONS)
}

fn migrate(folder: &Path, migrations: &[&str]) -> Result<(), IndexError> {
    let latest = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let found = format_up_to(folder, latest, Purpose::Merging)?;
    let mut connection = connect(folder, Purpose::Merging)?;
    let work = |connection: &mut Connection| -> rusqlite::Result<()> {
        if found == 0 {
            connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        }
        // Readers go on while a merge is written; the file remembers this.
        connection.pragma_update(None, "journal_mode", "wal")?;
        let change =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for sql in migrations.iter().skip(found.unsigned_abs() as usize) {
            change.execute_batch(sql)?;
        }
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.pragma_update(None, "user_version", latest)?;
        change.commit()
    };
    work(&mut connection).map_err(engine(folder))
}

/// Of the database. Larger ones suit the blocks, smaller ones the rows; measured.
const PAGE_BYTES: i64 = 8_192;

#[cfg(test)]
mod tests {
    use super::*;

    /// An index of the first format, with a site in it.
    fn of_format_1() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        migrate(folder.path(), &[FORMAT_1]).unwrap();
        let insert = "INSERT INTO sites (url, state, sections, pages, bytes, next_page) \
             VALUES ('https://example.com/', '{}', '[]', 0, 0, 0)";
        connect(folder.path(), Purpose::Reading)
            .unwrap()
            .execute_batch(insert)
            .unwrap();
        folder
    }

    #[test]
    fn an_index_is_brought_to_a_later_format_with_all_that_is_in_it() {
        let folder = of_format_1();
        let later = [
            FORMAT_1,
            "ALTER TABLE sites ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",
            "UPDATE sites SET note = url",
        ];
        migrate(folder.path(), &later).unwrap();
        assert_eq!(format_up_to(folder.path(), 3, Purpose::Reading).unwrap(), 3);
        let note: String = connect(folder.path(), Purpose::Reading)
            .unwrap()
            .query_row("SELECT note FROM sites", [], |row| row.get(0))
            .unwrap();
        assert_eq!(note, "https://example.com/");
        // Those who know only the first format leave it alone.
        assert!(matches!(
            migrate(folder.path(), &[FORMAT_1]),
            Err(IndexError::NewerFormat {
                found: 3,
                known: 1,
                ..
            })
        ));
    }

    #[test]
    fn a_change_of_format_that_fails_leaves_the_index_as_it_was() {
        let folder = of_format_1();
        let broken = [FORMAT_1, "DELETE FROM sites", "this is no SQL"];
        migrate(folder.path(), &broken).unwrap_err();
        assert_eq!(format_up_to(folder.path(), 1, Purpose::Reading).unwrap(), 1);
        let sites: i64 = connect(folder.path(), Purpose::Reading)
            .unwrap()
            .query_row("SELECT count(*) FROM sites", [], |row| row.get(0))
            .unwrap();
        assert_eq!(sites, 1);
    }

    #[test]
    fn a_still_index_is_read_without_files_beside_it_wherever_it_is() {
        let folder = of_format_1();
        let odd = folder.path().join("a?b#c%41 ä/");
        fs::create_dir(&odd).unwrap();
        assert!(is_still(folder.path()));
        fs::rename(folder.path().join(FILE), odd.join(FILE)).unwrap();
        assert_eq!(format(&odd, Purpose::ReadingStill).unwrap(), FORMAT);
        assert_eq!(fs::read_dir(&odd).unwrap().count(), 1);
    }

    #[test]
    fn an_index_with_something_in_its_log_is_not_still() {
        let folder = of_format_1();
        let other = connect(folder.path(), Purpose::Merging).unwrap();
        other.execute_batch("DELETE FROM sites").unwrap();
        assert!(!is_still(folder.path()));
        drop(other);
        assert!(is_still(folder.path()));
    }
}
