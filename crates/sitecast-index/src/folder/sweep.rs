//! Deleting what a snapshot does not name, what is old, and what is too much.

use rusqlite::params;
use sitecast_scp::Timestamp;

use super::failing::engine;
use super::merge::FolderMerge;
use super::rows::{self, PageRow};
use crate::{IndexError, Quota, Sweep};

/// Rows are read so many at a time.
const ROWS: i64 = 1_000;

/// What a sweep does with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    /// It is in another section as well.
    LeavesSection,
    Goes,
}

fn fate(merge: &FolderMerge, row: &PageRow, sweep: &Sweep, section: i64) -> Fate {
    let named = row.id >= merge.first_new || merge.marks.has(row.id);
    if named || merge.is_newer(row, sweep.unless_after) {
        return Fate::Stays;
    }
    match &sweep.section {
        None => Fate::Goes,
        Some(_) if row.sections == 0 && sweep.strays => Fate::Goes,
        Some(_) if row.sections & section == 0 => Fate::Stays,
        Some(_) if row.sections == section => Fate::Goes,
        Some(_) => Fate::LeavesSection,
    }
}

/// Takes a page out of a section, and deletes it if it is in no other. Answers whether it did.
pub(super) fn leave(
    merge: &mut FolderMerge,
    url: &str,
    row: &PageRow,
    section: i64,
) -> Result<bool, IndexError> {
    let left = row.sections & !section;
    if section != 0 && left != 0 {
        rows::set_sections(&merge.connection, merge.site.id, url, left)
            .map_err(engine(&merge.folder))?;
        return Ok(false);
    }
    merge.delete_row(url, row)?;
    Ok(true)
}

/// Calls `visit` with all pages of the site, in order.
fn each(
    merge: &mut FolderMerge,
    mut visit: impl FnMut(&mut FolderMerge, &str, &PageRow) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    merge.write_waiting()?;
    let mut last = String::new();
    loop {
        let rows = rows::after(&merge.connection, merge.site.id, &last, ROWS)
            .map_err(engine(&merge.folder))?;
        for (url, row) in &rows {
            visit(merge, url, row)?;
        }
        match rows.into_iter().next_back() {
            Some((url, _)) => last = url,
            None => return Ok(()),
        }
    }
}

/// Whether all pages that were there before were named, so that nobody needs to look for others.
fn are_all_named(merge: &FolderMerge) -> bool {
    merge.marks.below(merge.first_new) == merge.tally.pages_before
}

fn section_bit(merge: &FolderMerge, sweep: &Sweep) -> i64 {
    let bit = |name: &sitecast_scp::Identifier| merge.site.bit(name.as_str());
    sweep.section.as_ref().and_then(bit).unwrap_or(0)
}

pub(super) fn count(merge: &mut FolderMerge, sweep: &Sweep) -> Result<u64, IndexError> {
    merge.write_waiting()?;
    if are_all_named(merge) {
        return Ok(0);
    }
    let section = section_bit(merge, sweep);
    let mut count = 0;
    each(merge, |merge, _, row| {
        count += u64::from(fate(merge, row, sweep, section) == Fate::Goes);
        Ok(())
    })?;
    Ok(count)
}

pub(super) fn delete(merge: &mut FolderMerge, sweep: &Sweep) -> Result<u64, IndexError> {
    merge.write_waiting()?;
    if are_all_named(merge) {
        return Ok(0);
    }
    let section = section_bit(merge, sweep);
    let mut count = 0;
    each(merge, |merge, url, row| {
        match fate(merge, row, sweep, section) {
            Fate::Stays => {}
            Fate::LeavesSection => drop(leave(merge, url, row, section)?),
            Fate::Goes => {
                merge.delete_row(url, row)?;
                count += 1;
            }
        }
        Ok(())
    })?;
    Ok(count)
}

pub(super) fn delete_older(merge: &mut FolderMerge, before: Timestamp) -> Result<u64, IndexError> {
    let mut count = 0;
    each(merge, |merge, url, row| {
        if row.modified < before {
            merge.delete_row(url, row)?;
            count += 1;
        }
        Ok(())
    })?;
    Ok(count)
}

pub(super) fn shrink_to(merge: &mut FolderMerge, quota: &Quota) -> Result<u64, IndexError> {
    merge.write_waiting()?;
    let mut count = 0;
    // Sorting takes place on the disk where it does not fit; so many are taken from it at a time.
    while merge.site.pages > 0 && !quota.allows(merge.site.pages, merge.site.bytes) {
        for url in oldest(merge)? {
            if quota.allows(merge.site.pages, merge.site.bytes) {
                break;
            }
            let row = rows::find(&merge.connection, merge.site.id, &url);
            if let Some(row) = row.map_err(engine(&merge.folder))? {
                merge.delete_row(&url, &row)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// The URLs of the pages that were modified longest ago.
fn oldest(merge: &FolderMerge) -> Result<Vec<String>, IndexError> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT url FROM pages WHERE site = ?1 ORDER BY modified, nanos, url LIMIT ?2";
        let mut statement = merge.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![merge.site.id, 10 * ROWS], |row| row.get(0))?;
        rows.collect()
    };
    read().map_err(engine(&merge.folder))
}
