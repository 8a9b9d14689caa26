//! Databases behind one trait: two tables that map bytes to bytes.

use std::path::Path;

use rusqlite::OptionalExtension;

/// One of the two tables.
#[derive(Clone, Copy)]
pub enum Table {
    Pages,
    Blocks,
}

/// A database. `get` sees earlier calls of `put`; `commit` makes them durable.
pub trait Engine {
    fn get(&mut self, table: Table, key: &[u8]) -> Option<Vec<u8>>;
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]);
    fn commit(&mut self);
}

pub fn open(name: &str, folder: &Path) -> Box<dyn Engine> {
    std::fs::create_dir_all(folder).unwrap();
    match name {
        "sqlite" => Box::new(Sqlite::open(folder)),
        "fjall" => Box::new(Fjall::open(folder)),
        "redb" => Box::new(Redb::open(folder)),
        other => panic!("no engine {other}"),
    }
}

/// SQLite with a write-ahead log, and one transaction between two commits.
struct Sqlite {
    connection: rusqlite::Connection,
    writing: bool,
}

impl Sqlite {
    fn open(folder: &Path) -> Self {
        let connection = rusqlite::Connection::open(folder.join("db.sqlite")).unwrap();
        connection
            .execute_batch(
                "PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; \
                 PRAGMA cache_size=-24576; PRAGMA journal_size_limit=16777216; \
                 CREATE TABLE IF NOT EXISTS pages (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB); \
                 CREATE TABLE IF NOT EXISTS blocks (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB);",
            )
            .unwrap();
        Self {
            connection,
            writing: false,
        }
    }
}

impl Engine for Sqlite {
    fn get(&mut self, table: Table, key: &[u8]) -> Option<Vec<u8>> {
        let sql = match table {
            Table::Pages => "SELECT value FROM pages WHERE key = ?1",
            Table::Blocks => "SELECT value FROM blocks WHERE key = ?1",
        };
        let mut statement = self.connection.prepare_cached(sql).unwrap();
        statement
            .query_row([key], |row| row.get(0))
            .optional()
            .unwrap()
    }

    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        if !self.writing {
            self.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            self.writing = true;
        }
        let sql = match table {
            Table::Pages => {
                "INSERT INTO pages (key, value) VALUES (?1, ?2) \
                 ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            }
            Table::Blocks => "INSERT INTO blocks (key, value) VALUES (?1, ?2)",
        };
        let mut statement = self.connection.prepare_cached(sql).unwrap();
        statement.execute([key, value]).unwrap();
    }

    fn commit(&mut self) {
        if std::mem::take(&mut self.writing) {
            self.connection.execute_batch("COMMIT").unwrap();
        }
    }
}

/// fjall. Its batches are held in memory, so a load cannot be one batch: each put is separate here, and only
/// the last state is durable. That guarantees less than the index does.
struct Fjall {
    database: fjall::Database,
    pages: fjall::Keyspace,
    blocks: fjall::Keyspace,
}

impl Fjall {
    fn open(folder: &Path) -> Self {
        use fjall::{CompressionType, KeyspaceCreateOptions, KvSeparationOptions};
        let database = fjall::Database::builder(folder.join("db.fjall"))
            .cache_size(24 << 20)
            .open()
            .unwrap();
        let options = |large: bool| {
            let options = KeyspaceCreateOptions::default();
            let blobs = KvSeparationOptions::default().compression(CompressionType::None);
            options.with_kv_separation(large.then_some(blobs))
        };
        let rows_are_large = std::env::var_os("RIVAL_ROWS").is_some();
        Self {
            pages: database
                .keyspace("pages", || options(rows_are_large))
                .unwrap(),
            blocks: database.keyspace("blocks", || options(true)).unwrap(),
            database,
        }
    }

    fn table(&self, table: Table) -> &fjall::Keyspace {
        match table {
            Table::Pages => &self.pages,
            Table::Blocks => &self.blocks,
        }
    }
}

impl Engine for Fjall {
    fn get(&mut self, table: Table, key: &[u8]) -> Option<Vec<u8>> {
        self.table(table)
            .get(key)
            .unwrap()
            .map(|value| value.to_vec())
    }

    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.table(table).insert(key, value).unwrap();
    }

    fn commit(&mut self) {
        self.database.persist(fjall::PersistMode::SyncAll).unwrap();
    }
}

const PAGES: redb::TableDefinition<'static, &[u8], &[u8]> = redb::TableDefinition::new("pages");
const BLOCKS: redb::TableDefinition<'static, &[u8], &[u8]> = redb::TableDefinition::new("blocks");

/// redb, with one transaction between two commits.
struct Redb {
    database: redb::Database,
    writing: Option<redb::WriteTransaction>,
    reading: Option<redb::ReadTransaction>,
}

impl Redb {
    fn open(folder: &Path) -> Self {
        let database = redb::Database::builder()
            .set_cache_size(24 << 20)
            .create(folder.join("db.redb"))
            .unwrap();
        Self {
            database,
            writing: None,
            reading: None,
        }
    }
}

impl Engine for Redb {
    fn get(&mut self, table: Table, key: &[u8]) -> Option<Vec<u8>> {
        use redb::{ReadableDatabase, ReadableTable};
        let table = match table {
            Table::Pages => PAGES,
            Table::Blocks => BLOCKS,
        };
        if let Some(writing) = &self.writing {
            let table = writing.open_table(table).unwrap();
            return table.get(key).unwrap().map(|value| value.value().to_vec());
        }
        if self.reading.is_none() {
            self.reading = Some(self.database.begin_read().unwrap());
        }
        let table = match self.reading.as_ref().unwrap().open_table(table) {
            Ok(table) => table,
            Err(redb::TableError::TableDoesNotExist(_)) => return None,
            Err(error) => panic!("{error}"),
        };
        table.get(key).unwrap().map(|value| value.value().to_vec())
    }

    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.reading = None;
        if self.writing.is_none() {
            self.writing = Some(self.database.begin_write().unwrap());
        }
        let table = match table {
            Table::Pages => PAGES,
            Table::Blocks => BLOCKS,
        };
        let mut table = self.writing.as_ref().unwrap().open_table(table).unwrap();
        table.insert(key, value).unwrap();
    }

    fn commit(&mut self) {
        if let Some(writing) = self.writing.take() {
            writing.commit().unwrap();
        }
    }
}
