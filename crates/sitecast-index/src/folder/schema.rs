//! The database: its schema, migrations and connections.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::errors::from_sqlite;
use crate::IndexError;

/// The database's file in the folder.
pub(super) const FILE: &str = "index.sqlite";

/// `SCix` in ASCII. Distinguishes an index from other SQLite files.
const APPLICATION_ID: i64 = 0x5343_6978;

/// The migrations: each turns the previous format into the next, and the first creates format 1. A released
/// migration never changes.
const MIGRATIONS: [&str; 1] = [FORMAT_1];

/// The current format.
pub(super) const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Pages are small rows in the order of site and URL; their lines are in compressed blocks, many to a block.
/// The live bytes of a block are in a table of their own, because SQLite would rewrite the whole row with
/// the block's data on each change.
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

/// The time that SQLite waits for its own locks. Merges have exclusive locks of their own, so this matters
/// only when another process opens or closes the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens a connection to the index in `folder`, whatever its format.
fn connect(folder: &Path, purpose: Purpose) -> Result<Connection, IndexError> {
    let failed = from_sqlite(folder);
    let path: PathBuf = folder.join(FILE);
    let connection = match purpose {
        Purpose::Reading | Purpose::Merging => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)
        }
        Purpose::ReadingImmutable => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_URI
                | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(immutable(&path), flags)
        }
    };
    let connection = connection.map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// The purpose of a connection, which determines its flags and the size of its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Reading,
    /// Reading while [`is_log_empty`] holds, without the files that SQLite shares between readers and a writer.
    ReadingImmutable,
    Merging,
}

/// Returns true if the database file holds all commits, and the log none. This stays true while the lock of
/// [`super::lock::acquire_shared`] is held, because no merge can start.
pub(super) fn is_log_empty(folder: &Path) -> bool {
    ["-wal", "-journal"].iter().all(|end| {
        let log = folder.join(format!("{FILE}{end}"));
        fs::metadata(log).map_or_else(
            |error| error.kind() == ErrorKind::NotFound,
            |log| log.len() == 0,
        )
    })
}

/// Returns the URI by which SQLite opens a file as immutable: it takes no locks and creates no files. All characters but
/// ASCII letters and digits are percent-encoded, so that no part of the path is read as a host or a query.
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

/// Opens a connection to an index of the current format.
pub(super) fn open(folder: &Path, purpose: Purpose) -> Result<Connection, IndexError> {
    let connection = connect(folder, purpose)?;
    // SQLite reads negative sizes as KiB.
    let cache = match purpose {
        Purpose::Reading | Purpose::ReadingImmutable => -4_096,
        Purpose::Merging => -24_576,
    };
    let set = |name: &str, value: i64| connection.pragma_update(None, name, value);
    set("cache_size", cache)
        // 2 is FULL: a commit returns when it is on the disk.
        .and_then(|()| set("synchronous", 2))
        // SQLite truncates the log of a large merge to this size.
        .and_then(|()| set("journal_size_limit", 16 << 20))
        .map_err(from_sqlite(folder))?;
    Ok(connection)
}

/// Returns the format of the index; 0 if the file is empty or does not exist yet.
pub(super) fn format(folder: &Path, purpose: Purpose) -> Result<i64, IndexError> {
    format_up_to(folder, FORMAT, purpose)
}

fn format_up_to(folder: &Path, latest: i64, purpose: Purpose) -> Result<i64, IndexError> {
    let mut connection = connect(folder, purpose)?;
    let Header {
        application,
        format,
        is_empty,
    } = read_header(&mut connection).map_err(from_sqlite(folder))?;
    if application == 0 && format == 0 && is_empty {
        return Ok(0);
    }
    if application != APPLICATION_ID {
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

/// The values that identify a database file as an index.
struct Header {
    application: i64,
    format: i64,
    is_empty: bool,
}

/// Reads the header in one transaction, because another process may be creating the index.
fn read_header(connection: &mut Connection) -> rusqlite::Result<Header> {
    let transaction = connection.transaction()?;
    let number = |name: &str| transaction.pragma_query_value(None, name, |row| row.get(0));
    let tables = "SELECT count(*) FROM sqlite_schema";
    Ok(Header {
        application: number("application_id")?,
        format: number("user_version")?,
        is_empty: transaction.query_row(tables, [], |row| row.get::<_, i64>(0))? == 0,
    })
}

/// Migrates the index to the current format, in one transaction. The caller holds the exclusive lock.
pub(super) fn migrate_to_latest(folder: &Path) -> Result<(), IndexError> {
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
        // In WAL mode, readers are not blocked by a merge. The mode is stored in the file.
        connection.pragma_update(None, "journal_mode", "wal")?;
        let change =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for sql in migrations.iter().skip(found.unsigned_abs() as usize) {
            change.execute_batch(sql)?;
        }
        change.pragma_update(None, "application_id", APPLICATION_ID)?;
        change.pragma_update(None, "user_version", latest)?;
        change.commit()
    };
    work(&mut connection).map_err(from_sqlite(folder))
}

/// The page size of the database. Larger pages are faster for blocks, smaller ones for rows; 8 KiB measured best.
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
    fn migration_keeps_existing_rows() {
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
        // A version that knows only the first format refuses it.
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
    fn failed_migration_leaves_the_index_unchanged() {
        let folder = of_format_1();
        let broken = [FORMAT_1, "DELETE FROM sites", "this is not SQL"];
        migrate(folder.path(), &broken).unwrap_err();
        assert_eq!(format_up_to(folder.path(), 1, Purpose::Reading).unwrap(), 1);
        let sites: i64 = connect(folder.path(), Purpose::Reading)
            .unwrap()
            .query_row("SELECT count(*) FROM sites", [], |row| row.get(0))
            .unwrap();
        assert_eq!(sites, 1);
    }

    #[test]
    fn reads_immutable_index_without_creating_files() {
        let folder = of_format_1();
        let odd = folder.path().join("a?b#c%41 ä/");
        fs::create_dir(&odd).unwrap();
        assert!(is_log_empty(folder.path()));
        fs::rename(folder.path().join(FILE), odd.join(FILE)).unwrap();
        assert_eq!(format(&odd, Purpose::ReadingImmutable).unwrap(), FORMAT);
        assert_eq!(fs::read_dir(&odd).unwrap().count(), 1);
    }

    #[test]
    fn index_with_pending_log_is_not_read_as_immutable() {
        let folder = of_format_1();
        let other = connect(folder.path(), Purpose::Merging).unwrap();
        other.execute_batch("DELETE FROM sites").unwrap();
        assert!(!is_log_empty(folder.path()));
        drop(other);
        assert!(is_log_empty(folder.path()));
    }
}
