//! Verification: compares every page with its hash, and removes damaged pages.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::Connection;

use super::blocks::BlockReader;
use super::errors::{damaged, from_sqlite};
use super::merge::FolderMerge;
use super::rows::{self, PageRow};
use super::sites::{self, OriginRow, SiteRow};
use crate::export::page_of_line;
use crate::{IndexError, OriginKind, PageCheck};

/// The number of rows that are read at a time.
const ROWS: i64 = 500;
/// The most problems of the database itself that an error lists.
const NAMED: i64 = 3;

/// Damage to one page.
pub(super) enum Damage {
    /// The row is damaged. The line may be intact, but the row does not point to it.
    Row(String),
    /// The sections in the row are damaged. They are not stored anywhere else.
    Sections(String),
    /// The block with the line is damaged.
    Block(String),
}

impl Damage {
    fn into_text(self) -> String {
        match self {
            Self::Row(problem) | Self::Sections(problem) | Self::Block(problem) => problem,
        }
    }
}

/// Checks the database and then every page, in one transaction on `connection`.
pub(super) fn verify(
    folder: &Path,
    connection: &Connection,
    checked: &mut dyn FnMut(PageCheck<'_>),
) -> Result<(), IndexError> {
    let failed = from_sqlite(folder);
    connection.execute_batch("BEGIN").map_err(failed)?;
    check_database(folder, connection)?;
    let mut blocks = BlockReader::new();
    for (site, row) in sites::all(connection, folder)? {
        let origins = sites::origins(connection, folder, row.id, None)?;
        let mut last = String::new();
        loop {
            let rows = rows::each_after(connection, row.id, &last, ROWS).map_err(failed)?;
            let Some((url, _)) = rows.last() else { break };
            last.clone_from(url);
            for (url, page) in rows {
                let damage = match readable(folder, page)? {
                    Ok(page) => page_damage(
                        folder,
                        connection,
                        &mut blocks,
                        (&row, &origins),
                        &url,
                        &page,
                    )?,
                    Err(damage) => Some(damage),
                };
                checked(PageCheck {
                    site: &site,
                    url: &url,
                    damage: damage.map(Damage::into_text),
                });
            }
        }
    }
    Ok(())
}

/// Fails if the tables themselves are damaged, which removing single pages cannot repair.
fn check_database(folder: &Path, connection: &Connection) -> Result<(), IndexError> {
    let problems = || -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({NAMED})"))?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.collect()
    };
    let problems = problems().map_err(from_sqlite(folder))?;
    if problems.iter().all(|problem| problem == "ok") {
        return Ok(());
    }
    Err(damaged(folder, problems.join("; ").replace('\n', " ")))
}

/// Distinguishes a damaged row from a database that cannot be read.
fn readable(
    folder: &Path,
    row: rusqlite::Result<PageRow>,
) -> Result<Result<PageRow, Damage>, IndexError> {
    match row.map_err(from_sqlite(folder)) {
        Ok(row) => Ok(Ok(row)),
        Err(IndexError::Damaged { problem, .. }) => Ok(Err(Damage::Row(problem))),
        Err(error) => Err(error),
    }
}

/// Returns the damage to a page whose row can be read, if any.
fn page_damage(
    folder: &Path,
    connection: &Connection,
    blocks: &mut BlockReader,
    (site, origins): (&SiteRow, &HashMap<i64, OriginRow>),
    url: &str,
    row: &PageRow,
) -> Result<Option<Damage>, IndexError> {
    let Some(origin) = origins.get(&row.origin) else {
        let problem = format!("origin {} is missing", row.origin);
        return Ok(Some(Damage::Row(problem)));
    };
    if !site.has_sections(row.sections) || (origin.kind == OriginKind::Scp && row.sections == 0) {
        let problem = format!(
            "its section bits ({:#b}) are not those of the site",
            row.sections
        );
        return Ok(Some(Damage::Sections(problem)));
    }
    match blocks.block(connection, folder, row.place.block) {
        Ok(_) => {}
        Err(IndexError::Damaged { problem, .. }) => return Ok(Some(Damage::Block(problem))),
        Err(error) => return Err(error),
    }
    match blocks.line(connection, folder, row.place, &row.hash) {
        Ok(line) if blocks.is_of(row.place, url) => Ok(disagreement(&line, row).map(Damage::Row)),
        Ok(_) => Ok(Some(Damage::Row(format!(
            "block {} has its line under another URL",
            row.place.block
        )))),
        Err(IndexError::Damaged { problem, .. }) => Ok(Some(Damage::Row(problem))),
        Err(error) => Err(error),
    }
}

/// Describes a difference between the row and the line, from which the row was made.
fn disagreement(line: &str, row: &PageRow) -> Option<String> {
    let page = page_of_line(line).ok()?;
    if page.modified != row.modified {
        let (row, line) = (row.modified, page.modified);
        return Some(format!("its row has the `modified` {row}, its line {line}"));
    }
    let (row, line) = (&row.language, page.language.as_str());
    (row != line).then(|| format!("its row has the language `{row}`, its line `{line}`"))
}

/// Deletes a page if it is damaged. Returns the sections that it was in, or all sections of the site if the row
/// is unreadable.
pub(super) fn delete_damaged(
    merge: &mut FolderMerge,
    url: &str,
) -> Result<Option<Vec<String>>, IndexError> {
    let folder = merge.folder.clone();
    let found = rows::find(&merge.connection, merge.site.id, url).transpose();
    let Some(found) = found else {
        return Ok(None);
    };
    let row = match readable(&folder, found)? {
        Err(_) => {
            remove(merge, url)?;
            return Ok(Some(merge.site.sections.clone()));
        }
        Ok(row) => row,
    };
    let connection = &merge.connection;
    let damage = page_damage(
        &folder,
        connection,
        &mut BlockReader::new(),
        (&merge.site, &merge.origins),
        url,
        &row,
    )?;
    let sections = match damage {
        Some(Damage::Sections(_)) => merge.site.sections.clone(),
        _ => merge.site.section_names(row.sections),
    };
    match damage {
        None => return Ok(None),
        // All lines of the block are lost. It is removed when the last of its pages is deleted.
        Some(Damage::Block(_)) => merge.release(row.place),
        // The block is intact, and the length in a damaged row must not change its count of live bytes.
        Some(Damage::Row(_) | Damage::Sections(_)) => {}
    }
    remove(merge, url)?;
    merge.site.bytes -= (row.place.length as u64).min(merge.site.bytes);
    Ok(Some(sections))
}

fn remove(merge: &mut FolderMerge, url: &str) -> Result<(), IndexError> {
    rows::delete(&merge.connection, merge.site.id, url).map_err(from_sqlite(&merge.folder))?;
    merge.site.pages -= 1.min(merge.site.pages);
    merge.tally.deleted += 1;
    Ok(())
}
