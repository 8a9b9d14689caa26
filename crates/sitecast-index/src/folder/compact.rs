//! Compaction: copies the live lines of sparse blocks into new blocks.
//!
//! A line that is replaced or deleted stays in its block as dead bytes. When less than half of a block is
//! live, its live lines move to a new block. So the index takes at most about twice the space of its pages,
//! and the cost of moving lines stays proportional to the bytes that are released.

use rusqlite::{OptionalExtension, params};

use super::blocks::{BlockReader, entries};
use super::errors::{damaged, from_sqlite};
use super::merge::FolderMerge;
use super::rows;
use crate::IndexError;

pub(super) fn compact_sparse(merge: &mut FolderMerge) -> Result<(), IndexError> {
    let mut shrunk_blocks: Vec<i64> = merge.shrunk_blocks.drain().collect();
    shrunk_blocks.sort_unstable();
    let mut blocks = BlockReader::new();
    for block in shrunk_blocks {
        let sql = "SELECT total, live FROM block_use WHERE id = ?1";
        let read = || -> rusqlite::Result<Option<(i64, i64)>> {
            let mut statement = merge.connection.prepare_cached(sql)?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            statement.query_row([block], row).optional()
        };
        let found = read().map_err(from_sqlite(&merge.folder))?;
        let Some((_, live)) = found.filter(|(total, live)| live * 2 < *total || *live <= 0) else {
            continue;
        };
        if live > 0 {
            match move_lines(merge, &mut blocks, block) {
                // A damaged block stays where it is, so that it does not fail the merge. `verify` reports it.
                Err(IndexError::Damaged { .. }) => continue,
                moved => moved?,
            }
        }
        remove(merge, block).map_err(from_sqlite(&merge.folder))?;
    }
    Ok(())
}

fn remove(merge: &FolderMerge, block: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM blocks WHERE id = ?1",
        "DELETE FROM block_use WHERE id = ?1",
    ] {
        merge
            .connection
            .prepare_cached(sql)?
            .execute(params![block])?;
    }
    Ok(())
}

/// Moves the lines of a block that a row still points to.
fn move_lines(
    merge: &mut FolderMerge,
    blocks: &mut BlockReader,
    block: i64,
) -> Result<(), IndexError> {
    let folder = merge.folder.clone();
    let failed = from_sqlite(&folder);
    let bytes = blocks.block(&merge.connection, &folder, block)?;
    let lines =
        entries(bytes).ok_or_else(|| damaged(&folder, format!("block {block} is malformed")))?;
    for (url, offset, line) in lines {
        let row = rows::find(&merge.connection, merge.site.id, url).map_err(failed)?;
        let is_here = |row: &rows::PageRow| row.place.block == block && row.place.offset == offset;
        if row.as_ref().is_some_and(is_here) {
            let place = merge.block_writer.push(&merge.connection, url, line)?;
            rows::set_place(&merge.connection, merge.site.id, url, place).map_err(failed)?;
        }
    }
    Ok(())
}
