//! The writer of blocks, with compression on a second thread.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, params};

use super::blocks::{BLOCK_BYTES, Compressor, OpenBlock, Place};
use super::errors::{from_io, from_sqlite};
use crate::IndexError;

/// The capacity of the queue to the compressor. A few more blocks are being compressed or on their way back.
const WAITING: usize = 4;

/// Puts lines into blocks and blocks into the database.
pub(super) struct BlockWriter {
    folder: PathBuf,
    site: i64,
    open: Option<OpenBlock>,
    next_id: i64,
    /// The buffer of an earlier block, for the next one.
    buffer: Vec<u8>,
    /// Started with the first full block: a small merge needs no thread.
    worker: Option<Worker>,
}

/// A block as it is stored in the database.
struct CompressedBlock {
    id: i64,
    stored: Result<Vec<u8>, String>,
    /// The buffer of the block, for reuse.
    buffer: Vec<u8>,
}

struct Worker {
    blocks: SyncSender<OpenBlock>,
    compressed: Receiver<CompressedBlock>,
    in_flight: usize,
    thread: JoinHandle<()>,
}

impl BlockWriter {
    pub(super) fn new(
        connection: &Connection,
        folder: &Path,
        site: i64,
    ) -> Result<Self, IndexError> {
        let highest = "SELECT coalesce(max(id), 0) FROM block_use";
        let highest: i64 = connection
            .query_row(highest, [], |row| row.get(0))
            .map_err(from_sqlite(folder))?;
        Ok(Self {
            folder: folder.to_owned(),
            site,
            open: None,
            next_id: highest + 1,
            buffer: Vec::new(),
            worker: None,
        })
    }

    /// Adds a line, and returns its location.
    pub(super) fn push(
        &mut self,
        connection: &Connection,
        url: &str,
        line: &str,
    ) -> Result<Place, IndexError> {
        // A long line gets a block of its own, so that reading a short one does not decompress it.
        if line.len() >= BLOCK_BYTES {
            self.close(connection)?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let id = self.next_id;
                self.next_id += 1;
                none.insert(OpenBlock::new(id, std::mem::take(&mut self.buffer)))
            }
        };
        let place = open.push(url, line);
        if open.is_full() {
            self.close(connection)?;
        }
        Ok(place)
    }

    /// Returns the lowest number of a block that `block_use` does not have yet.
    pub(super) fn first_unrecorded(&self) -> i64 {
        self.open.as_ref().map_or(self.next_id, |open| open.id)
    }

    /// Hands the open block to the compressor.
    fn close(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let Some(block) = self.open.take() else {
            return Ok(());
        };
        insert_block_use(connection, &self.folder, self.site, &block)?;
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start().map_err(from_io("start a thread for", &self.folder))?,
        };
        while let Ok(compressed) = worker.compressed.try_recv() {
            worker.in_flight -= 1;
            self.store(connection, compressed)?;
        }
        if worker.blocks.send(block).is_err() {
            return Err(IndexError::Misuse(
                "the compression thread has ended unexpectedly",
            ));
        }
        worker.in_flight += 1;
        self.worker = Some(worker);
        Ok(())
    }

    /// Writes all blocks to the database.
    pub(super) fn finish(&mut self, connection: &Connection) -> Result<(), IndexError> {
        if let Some(mut worker) = self.worker.take() {
            if let Some(block) = self.open.take() {
                insert_block_use(connection, &self.folder, self.site, &block)?;
                worker.in_flight += 1;
                if worker.blocks.send(block).is_err() {
                    return Err(IndexError::Misuse(
                        "the compression thread has ended unexpectedly",
                    ));
                }
            }
            drop(worker.blocks);
            let mut missing = worker.in_flight;
            for compressed in worker.compressed {
                missing -= 1;
                self.store(connection, compressed)?;
            }
            if worker.thread.join().is_err() || missing > 0 {
                return Err(IndexError::Misuse(
                    "the compression thread has ended unexpectedly",
                ));
            }
        } else if let Some(block) = self.open.take() {
            insert_block_use(connection, &self.folder, self.site, &block)?;
            let compressed = compress_block(&mut Compressor::new(), block);
            self.store(connection, compressed)?;
        }
        Ok(())
    }

    fn store(
        &mut self,
        connection: &Connection,
        compressed: CompressedBlock,
    ) -> Result<(), IndexError> {
        let problem = |problem| IndexError::Database {
            path: self.folder.display().to_string(),
            problem,
        };
        let stored = compressed.stored.map_err(problem)?;
        let work = || -> rusqlite::Result<()> {
            connection
                .prepare_cached("INSERT INTO blocks (id, data) VALUES (?1, ?2)")?
                .execute(params![compressed.id, stored])?;
            connection
                .prepare_cached("UPDATE block_use SET stored = ?2 WHERE id = ?1")?
                .execute(params![compressed.id, stored.len() as i64])?;
            Ok(())
        };
        work().map_err(from_sqlite(&self.folder))?;
        // The large buffer of a long line is not kept.
        if compressed.buffer.capacity() <= 4 * BLOCK_BYTES {
            self.buffer = compressed.buffer;
        }
        Ok(())
    }
}

/// Records the size of a block before it is compressed, so that its lines can be released at any time.
fn insert_block_use(
    connection: &Connection,
    folder: &Path,
    site: i64,
    block: &OpenBlock,
) -> Result<(), IndexError> {
    let insert = "INSERT INTO block_use (id, site, total, live, stored) VALUES (?1, ?2, ?3, ?3, 0)";
    connection
        .prepare_cached(insert)
        .and_then(|mut statement| statement.execute(params![block.id, site, block.lines as i64]))
        .map_err(from_sqlite(folder))?;
    Ok(())
}

fn compress_block(
    compressor: &mut Result<Compressor, String>,
    block: OpenBlock,
) -> CompressedBlock {
    let stored = match compressor {
        Ok(compressor) => compressor.compress(&block.bytes),
        Err(problem) => Err(problem.clone()),
    };
    CompressedBlock {
        id: block.id,
        stored,
        buffer: block.bytes,
    }
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let (blocks, incoming) = sync_channel(WAITING);
        let (outgoing, compressed) = channel();
        let thread = std::thread::Builder::new()
            .name("index-compress".to_owned())
            .spawn(move || work(&incoming, &outgoing))?;
        Ok(Self {
            blocks,
            compressed,
            in_flight: 0,
            thread,
        })
    }
}

/// Runs until the writer closes one of the channels.
fn work(incoming: &Receiver<OpenBlock>, outgoing: &Sender<CompressedBlock>) {
    let mut compressor = Compressor::new();
    for block in incoming {
        if outgoing
            .send(compress_block(&mut compressor, block))
            .is_err()
        {
            return;
        }
    }
}
