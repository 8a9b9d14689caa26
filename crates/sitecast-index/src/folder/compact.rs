//! What is left of worn blocks goes into new ones.
//!
//! A line that is replaced or deleted stays in its block, which nobody rewrites for its sake. When
//! less than half of a block is of use, the rest moves. So the index takes at most about twice what
//! its pages need, and a line is moved no oftener than as many bytes beside it are given up.

use rusqlite::{OptionalExtension, params};

use super::blocks::{Blocks, entries};
use super::failing::{damaged, engine};
use super::merge::FolderMerge;
use super::rows;
use crate::IndexError;

pub(super) fn rewrite_worn(merge: &mut FolderMerge) -> Result<(), IndexError> {
    let mut worn: Vec<i64> = merge.worn.drain().collect();
    worn.sort_unstable();
    let mut blocks = Blocks::new();
    for block in worn {
        let sql = "SELECT total, live FROM block_use WHERE id = ?1";
        let read = || -> rusqlite::Result<Option<(i64, i64)>> {
            let mut statement = merge.connection.prepare_cached(sql)?;
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            statement.query_row([block], row).optional()
        };
        let found = read().map_err(engine(&merge.folder))?;
        let Some((_, live)) = found.filter(|(total, live)| live * 2 < *total || *live <= 0) else {
            continue;
        };
        if live > 0 {
            match move_lines(merge, &mut blocks, block) {
                // A damaged block stays where it is: it must not keep new pages out. `verify` finds it.
                Err(IndexError::Damaged { .. }) => continue,
                moved => moved?,
            }
        }
        remove(merge, block).map_err(engine(&merge.folder))?;
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

/// Moves the lines that a row still points to.
fn move_lines(merge: &mut FolderMerge, blocks: &mut Blocks, block: i64) -> Result<(), IndexError> {
    let folder = merge.folder.clone();
    let failed = engine(&folder);
    let bytes = blocks.block(&merge.connection, &folder, block)?;
    let lines = entries(bytes)
        .ok_or_else(|| damaged(&folder, format!("block {block} is not as it was")))?;
    for (url, offset, line) in lines {
        let row = rows::find(&merge.connection, merge.site.id, url).map_err(failed)?;
        let is_here = |row: &rows::PageRow| row.place.block == block && row.place.offset == offset;
        if row.as_ref().is_some_and(is_here) {
            let place = merge.packer.push(&merge.connection, url, line)?;
            rows::set_place(&merge.connection, merge.site.id, url, place).map_err(failed)?;
        }
    }
    Ok(())
}
