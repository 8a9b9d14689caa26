//! Fills blocks, and has them compressed on a second thread.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, params};

use super::blocks::{BLOCK_BYTES, Compressor, OpenBlock, Place};
use super::failing::{engine, io};
use crate::IndexError;

/// Blocks on their way to the compressor. Some more are in its hands and on their way back.
const WAITING: usize = 4;

/// Puts lines into blocks and blocks into the database.
pub(super) struct Packer {
    folder: PathBuf,
    site: i64,
    open: Option<OpenBlock>,
    next_id: i64,
    /// Room for the next block: that of an earlier one.
    room: Vec<u8>,
    /// Begun with the first block that is full: a small merge needs no thread.
    worker: Option<Worker>,
}

/// A block as it is stored.
struct Packed {
    id: i64,
    stored: Result<Vec<u8>, String>,
    /// To be filled again.
    room: Vec<u8>,
}

struct Worker {
    blocks: SyncSender<OpenBlock>,
    packed: Receiver<Packed>,
    under_way: usize,
    thread: JoinHandle<()>,
}

impl Packer {
    pub(super) fn new(
        connection: &Connection,
        folder: &Path,
        site: i64,
    ) -> Result<Self, IndexError> {
        let highest = "SELECT coalesce(max(id), 0) FROM block_use";
        let highest: i64 = connection
            .query_row(highest, [], |row| row.get(0))
            .map_err(engine(folder))?;
        Ok(Self {
            folder: folder.to_owned(),
            site,
            open: None,
            next_id: highest + 1,
            room: Vec::new(),
            worker: None,
        })
    }

    /// Adds a line, and answers where it will be.
    pub(super) fn push(
        &mut self,
        connection: &Connection,
        url: &str,
        line: &str,
    ) -> Result<Place, IndexError> {
        // A long line gets a block of its own, so that nobody decompresses it for a short one.
        if line.len() >= BLOCK_BYTES {
            self.close(connection)?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let id = self.next_id;
                self.next_id += 1;
                none.insert(OpenBlock::new(id, std::mem::take(&mut self.room)))
            }
        };
        let place = open.push(url, line);
        if open.is_full() {
            self.close(connection)?;
        }
        Ok(place)
    }

    /// The least number of a block whose use is not in the database yet.
    pub(super) fn unsettled(&self) -> i64 {
        self.open.as_ref().map_or(self.next_id, |open| open.id)
    }

    /// Hands the open block to the compressor.
    fn close(&mut self, connection: &Connection) -> Result<(), IndexError> {
        let Some(block) = self.open.take() else {
            return Ok(());
        };
        note_use(connection, &self.folder, self.site, &block)?;
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start().map_err(io("start a thread for", &self.folder))?,
        };
        while let Ok(packed) = worker.packed.try_recv() {
            worker.under_way -= 1;
            self.store(connection, packed)?;
        }
        if worker.blocks.send(block).is_err() {
            return Err(IndexError::Misuse("the thread that compresses is gone"));
        }
        worker.under_way += 1;
        self.worker = Some(worker);
        Ok(())
    }

    /// Has everything in the database.
    pub(super) fn finish(&mut self, connection: &Connection) -> Result<(), IndexError> {
        if let Some(mut worker) = self.worker.take() {
            if let Some(block) = self.open.take() {
                note_use(connection, &self.folder, self.site, &block)?;
                worker.under_way += 1;
                if worker.blocks.send(block).is_err() {
                    return Err(IndexError::Misuse("the thread that compresses is gone"));
                }
            }
            drop(worker.blocks);
            let mut missing = worker.under_way;
            for packed in worker.packed {
                missing -= 1;
                self.store(connection, packed)?;
            }
            if worker.thread.join().is_err() || missing > 0 {
                return Err(IndexError::Misuse("the thread that compresses is gone"));
            }
        } else if let Some(block) = self.open.take() {
            note_use(connection, &self.folder, self.site, &block)?;
            let packed = pack(&mut Compressor::new(), block);
            self.store(connection, packed)?;
        }
        Ok(())
    }

    fn store(&mut self, connection: &Connection, packed: Packed) -> Result<(), IndexError> {
        let problem = |problem| IndexError::Engine {
            path: self.folder.display().to_string(),
            problem,
        };
        let stored = packed.stored.map_err(problem)?;
        let work = || -> rusqlite::Result<()> {
            connection
                .prepare_cached("INSERT INTO blocks (id, data) VALUES (?1, ?2)")?
                .execute(params![packed.id, stored])?;
            connection
                .prepare_cached("UPDATE block_use SET stored = ?2 WHERE id = ?1")?
                .execute(params![packed.id, stored.len() as i64])?;
            Ok(())
        };
        work().map_err(engine(&self.folder))?;
        // That of a long line is not kept.
        if packed.room.capacity() <= 4 * BLOCK_BYTES {
            self.room = packed.room;
        }
        Ok(())
    }
}

/// Before the block itself, so that lines of it can be given up at any time.
fn note_use(
    connection: &Connection,
    folder: &Path,
    site: i64,
    block: &OpenBlock,
) -> Result<(), IndexError> {
    let insert = "INSERT INTO block_use (id, site, total, live, stored) VALUES (?1, ?2, ?3, ?3, 0)";
    connection
        .prepare_cached(insert)
        .and_then(|mut statement| statement.execute(params![block.id, site, block.lines as i64]))
        .map_err(engine(folder))?;
    Ok(())
}

fn pack(compressor: &mut Result<Compressor, String>, block: OpenBlock) -> Packed {
    let stored = match compressor {
        Ok(compressor) => compressor.compress(&block.bytes),
        Err(problem) => Err(problem.clone()),
    };
    Packed {
        id: block.id,
        stored,
        room: block.bytes,
    }
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let (blocks, incoming) = sync_channel(WAITING);
        let (outgoing, packed) = channel();
        let thread = std::thread::Builder::new()
            .name("index-compress".to_owned())
            .spawn(move || work(&incoming, &outgoing))?;
        Ok(Self {
            blocks,
            packed,
            under_way: 0,
            thread,
        })
    }
}

/// Ends when there are no more blocks, or nobody wants them any more.
fn work(incoming: &Receiver<OpenBlock>, outgoing: &Sender<Packed>) {
    let mut compressor = Compressor::new();
    for block in incoming {
        if outgoing.send(pack(&mut compressor, block)).is_err() {
            return;
        }
    }
}
