//! Deletion of unnamed pages, of old pages and of pages over a quota.

use rusqlite::params;
use sitecast_scp::Timestamp;

use super::errors::from_sqlite;
use super::merge::FolderMerge;
use super::rows::{self, PageRow};
use crate::{IndexError, Quota, Sweep};

/// The number of rows that are read at a time.
const ROWS: i64 = 1_000;

/// The action of a sweep on one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SweepAction {
    Keep,
    /// Another section has the page, too.
    RemoveFromSection,
    Delete,
}

fn sweep_action(merge: &FolderMerge, row: &PageRow, sweep: &Sweep, section: i64) -> SweepAction {
    let named = row.id >= merge.first_new || merge.named.contains(row.id);
    if named || merge.is_newer(row, sweep.unless_after) {
        return SweepAction::Keep;
    }
    match &sweep.section {
        None => SweepAction::Delete,
        Some(_) if row.sections == 0 && sweep.include_unsectioned => SweepAction::Delete,
        Some(_) if row.sections & section == 0 => SweepAction::Keep,
        Some(_) if row.sections == section => SweepAction::Delete,
        Some(_) => SweepAction::RemoveFromSection,
    }
}

/// Removes a page from a section, and deletes it if it is in no other. Returns true if it was deleted.
pub(super) fn remove_from_section(
    merge: &mut FolderMerge,
    url: &str,
    row: &PageRow,
    section: i64,
) -> Result<bool, IndexError> {
    let left = row.sections & !section;
    if section != 0 && left != 0 {
        rows::set_sections(&merge.connection, merge.site.id, url, left)
            .map_err(from_sqlite(&merge.folder))?;
        return Ok(false);
    }
    merge.delete_row(url, row)?;
    Ok(true)
}

/// Calls `visit` with all pages of the site, in the order of their URLs.
fn for_each_page(
    merge: &mut FolderMerge,
    mut visit: impl FnMut(&mut FolderMerge, &str, &PageRow) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    merge.flush()?;
    let mut last = String::new();
    loop {
        let rows = rows::after(&merge.connection, merge.site.id, &last, ROWS)
            .map_err(from_sqlite(&merge.folder))?;
        for (url, row) in &rows {
            visit(merge, url, row)?;
        }
        match rows.into_iter().next_back() {
            Some((url, _)) => last = url,
            None => return Ok(()),
        }
    }
}

/// Returns true if the merge has named all pages that the site had before, so that the table need not be scanned.
fn are_all_named(merge: &FolderMerge) -> bool {
    merge.named.count_below(merge.first_new) == merge.tally.pages_before
}

fn section_bit(merge: &FolderMerge, sweep: &Sweep) -> i64 {
    let bit = |name: &sitecast_scp::Identifier| merge.site.bit(name.as_str());
    sweep.section.as_ref().and_then(bit).unwrap_or(0)
}

pub(super) fn count(merge: &mut FolderMerge, sweep: &Sweep) -> Result<u64, IndexError> {
    merge.flush()?;
    if are_all_named(merge) {
        return Ok(0);
    }
    let section = section_bit(merge, sweep);
    let mut count = 0;
    for_each_page(merge, |merge, _, row| {
        count += u64::from(sweep_action(merge, row, sweep, section) == SweepAction::Delete);
        Ok(())
    })?;
    Ok(count)
}

pub(super) fn delete(merge: &mut FolderMerge, sweep: &Sweep) -> Result<u64, IndexError> {
    merge.flush()?;
    if are_all_named(merge) {
        return Ok(0);
    }
    let section = section_bit(merge, sweep);
    let mut count = 0;
    for_each_page(merge, |merge, url, row| {
        match sweep_action(merge, row, sweep, section) {
            SweepAction::Keep => {}
            SweepAction::RemoveFromSection => drop(remove_from_section(merge, url, row, section)?),
            SweepAction::Delete => {
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
    for_each_page(merge, |merge, url, row| {
        if row.modified < before {
            merge.delete_row(url, row)?;
            count += 1;
        }
        Ok(())
    })?;
    Ok(count)
}

pub(super) fn shrink_to(merge: &mut FolderMerge, quota: &Quota) -> Result<u64, IndexError> {
    merge.flush()?;
    let mut count = 0;
    // Each round sorts the whole site, on the disk if it does not fit into memory, so it takes many pages at once.
    while merge.site.pages > 0 && !quota.allows(merge.site.pages, merge.site.bytes) {
        for url in oldest(merge)? {
            if quota.allows(merge.site.pages, merge.site.bytes) {
                break;
            }
            let row = rows::find(&merge.connection, merge.site.id, &url);
            if let Some(row) = row.map_err(from_sqlite(&merge.folder))? {
                merge.delete_row(&url, &row)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Returns the URLs of the pages with the oldest `modified`.
fn oldest(merge: &FolderMerge) -> Result<Vec<String>, IndexError> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT url FROM pages WHERE site = ?1 ORDER BY modified, nanos, url LIMIT ?2";
        let mut statement = merge.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![merge.site.id, 10 * ROWS], |row| row.get(0))?;
        rows.collect()
    };
    read().map_err(from_sqlite(&merge.folder))
}
