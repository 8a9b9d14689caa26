//! Rows of the tables `sites` and `origins`.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};
use sitecast_scp::Timestamp;

use super::errors::{damaged, from_sqlite};
use crate::{CollectionRef, IndexError, Origin, OriginKind, SiteId, SiteState};

/// The sections of a page are bits of a non-negative 64-bit integer.
const MOST_SECTIONS: usize = 63;

/// A row of the table `sites`.
#[derive(Debug, Clone)]
pub(super) struct SiteRow {
    pub(super) id: i64,
    pub(super) state: SiteState,
    /// The sections of its pages; the index in this list is the number of the bit.
    pub(super) sections: Vec<String>,
    pub(super) pages: u64,
    pub(super) bytes: u64,
    /// The number of the next new page.
    pub(super) next_page: u64,
}

pub(super) fn find(
    connection: &Connection,
    folder: &Path,
    site: &SiteId,
) -> Result<Option<SiteRow>, IndexError> {
    let sql = "SELECT id, state, sections, pages, bytes, next_page FROM sites WHERE url = ?1";
    let found = connection
        .prepare_cached(sql)
        .and_then(|mut statement| {
            statement
                .query_row([site.as_str()], read_columns)
                .optional()
        })
        .map_err(from_sqlite(folder))?;
    found
        .map(|parts| site_row(folder, site.as_str(), parts))
        .transpose()
}

/// Returns all sites in the order of their URLs.
pub(super) fn all(
    connection: &Connection,
    folder: &Path,
) -> Result<Vec<(SiteId, SiteRow)>, IndexError> {
    let sql = "SELECT id, state, sections, pages, bytes, next_page, url FROM sites ORDER BY url";
    let read = || -> rusqlite::Result<Vec<(String, SiteColumns)>> {
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(6)?, read_columns(row)?)))?;
        rows.collect()
    };
    let found = read().map_err(from_sqlite(folder))?;
    let whole = |(url, parts): (String, SiteColumns)| {
        let row = site_row(folder, &url, parts)?;
        Ok((SiteId::from_stored(url), row))
    };
    found.into_iter().map(whole).collect()
}

type SiteColumns = (i64, String, String, i64, i64, i64);

fn read_columns(row: &rusqlite::Row<'_>) -> rusqlite::Result<SiteColumns> {
    Ok((
        row.get(0)?,
        row.get(1)?,
        row.get(2)?,
        row.get(3)?,
        row.get(4)?,
        row.get(5)?,
    ))
}

fn site_row(folder: &Path, site: &str, parts: SiteColumns) -> Result<SiteRow, IndexError> {
    let (id, state, sections, pages, bytes, next_page) = parts;
    let unreadable = |what: &str, error: serde_json::Error| {
        damaged(
            folder,
            format!("the {what} of {site} cannot be read: {error}"),
        )
    };
    Ok(SiteRow {
        id,
        state: serde_json::from_str(&state).map_err(|error| unreadable("state", error))?,
        sections: serde_json::from_str(&sections).map_err(|error| unreadable("sections", error))?,
        pages: pages.unsigned_abs(),
        bytes: bytes.unsigned_abs(),
        next_page: next_page.unsigned_abs(),
    })
}

/// Inserts a new site without pages.
pub(super) fn add(
    connection: &Connection,
    folder: &Path,
    site: &SiteId,
) -> Result<SiteRow, IndexError> {
    let sql = "INSERT INTO sites (url, state, sections, pages, bytes, next_page) \
         VALUES (?1, '{}', '[]', 0, 0, 0)";
    connection
        .execute(sql, [site.as_str()])
        .map_err(from_sqlite(folder))?;
    Ok(SiteRow {
        id: connection.last_insert_rowid(),
        state: SiteState::default(),
        sections: Vec::new(),
        pages: 0,
        bytes: 0,
        next_page: 0,
    })
}

pub(super) fn save(
    connection: &Connection,
    folder: &Path,
    site: &SiteRow,
) -> Result<(), IndexError> {
    let text = |result: serde_json::Result<String>| {
        result.map_err(|error| IndexError::Database {
            path: folder.display().to_string(),
            problem: error.to_string(),
        })
    };
    let state = text(serde_json::to_string(&site.state))?;
    let sections = text(serde_json::to_string(&site.sections))?;
    let sql = "UPDATE sites SET state = ?2, sections = ?3, pages = ?4, bytes = ?5, next_page = ?6 \
         WHERE id = ?1";
    connection
        .execute(
            sql,
            params![
                site.id,
                state,
                sections,
                site.pages as i64,
                site.bytes as i64,
                site.next_page as i64
            ],
        )
        .map_err(from_sqlite(folder))?;
    Ok(())
}

impl SiteRow {
    /// Returns the bit of a section, if it has one.
    pub(super) fn bit(&self, section: &str) -> Option<i64> {
        let at = self.sections.iter().position(|known| known == section)?;
        Some(1 << at)
    }

    /// Returns the bit of a section, and assigns one if it has none.
    pub(super) fn bit_or_new(&mut self, section: &str) -> Result<i64, IndexError> {
        if let Some(bit) = self.bit(section) {
            return Ok(bit);
        }
        if self.sections.len() >= MOST_SECTIONS {
            return Err(IndexError::TooManySections {
                most: MOST_SECTIONS,
            });
        }
        self.sections.push(section.to_owned());
        Ok(1 << (self.sections.len() - 1))
    }

    /// Returns true if each of the bits belongs to a section.
    pub(super) fn has_sections(&self, bits: i64) -> bool {
        bits >= 0 && bits.checked_shr(self.sections.len() as u32).unwrap_or(0) == 0
    }

    /// Returns the names of the sections whose bits are set, sorted.
    pub(super) fn section_names(&self, bits: i64) -> Vec<String> {
        let mut names: Vec<String> = self
            .sections
            .iter()
            .enumerate()
            .filter(|(at, _)| bits & (1 << at) != 0)
            .map(|(_, name)| name.clone())
            .collect();
        names.sort();
        names
    }
}

/// Returns the size of each site's compressed blocks in bytes, by site number.
pub(super) fn stored_bytes(connection: &Connection) -> rusqlite::Result<HashMap<i64, u64>> {
    let sql = "SELECT site, sum(stored) FROM block_use GROUP BY site";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
    })?;
    rows.collect()
}

/// A row of the table `origins`.
#[derive(Debug, Clone)]
pub(super) struct OriginRow {
    pub(super) kind: OriginKind,
    pub(super) url: Option<String>,
    /// The `generated` of a collection; `None` for machine pages and HTML.
    pub(super) generated: Option<Timestamp>,
}

/// Returns all origins of a site's pages, or only the origin `one`.
pub(super) fn origins(
    connection: &Connection,
    folder: &Path,
    site: i64,
    one: Option<i64>,
) -> Result<HashMap<i64, OriginRow>, IndexError> {
    type Columns = (i64, String, Option<String>, Option<String>);
    let read = || -> rusqlite::Result<Vec<Columns>> {
        let sql = match one {
            None => "SELECT id, kind, url, generated FROM origins WHERE site = ?1",
            Some(_) => "SELECT id, kind, url, generated FROM origins WHERE id = ?2 AND site = ?1",
        };
        let columns =
            |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let mut statement = connection.prepare_cached(sql)?;
        let rows = match one {
            None => statement.query_map([site], columns)?,
            Some(id) => statement.query_map([site, id], columns)?,
        };
        rows.collect()
    };
    let whole = |(id, kind, url, generated): Columns| {
        let kind = [OriginKind::Scp, OriginKind::Tct, OriginKind::Html]
            .into_iter()
            .find(|known| known.name() == kind)
            .ok_or_else(|| damaged(folder, format!("origin {id} has an unknown kind")))?;
        let generated = generated.map(|text| text.parse()).transpose();
        let generated =
            generated.map_err(|_| damaged(folder, format!("origin {id} has an invalid time")))?;
        Ok((
            id,
            OriginRow {
                kind,
                url,
                generated,
            },
        ))
    };
    read()
        .map_err(from_sqlite(folder))?
        .into_iter()
        .map(whole)
        .collect()
}

/// Returns true if a collection was applied, and the position of its section was not moved back since.
pub(super) fn is_applied(
    connection: &Connection,
    folder: &Path,
    site: &SiteRow,
    collection: &CollectionRef,
) -> Result<bool, IndexError> {
    let section = site.state.sections.get(collection.section.as_str());
    let reached = section.and_then(|section| section.generated);
    if reached.is_none_or(|reached| reached < collection.generated) {
        return Ok(false);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM origins WHERE site = ?1 AND kind = 'scp' \
         AND section = ?2 AND type = ?3 AND generated = ?4)";
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| {
            statement.query_row(
                params![
                    site.id,
                    collection.section.as_str(),
                    collection.kind.name(),
                    collection.generated.to_string()
                ],
                |row| row.get(0),
            )
        })
        .map_err(from_sqlite(folder))
}

/// Returns the number and row of an origin, and inserts it if it is new.
pub(super) fn origin(
    connection: &Connection,
    folder: &Path,
    site: i64,
    origin: &Origin,
) -> Result<(i64, OriginRow), IndexError> {
    let failed = from_sqlite(folder);
    let (kind, collection) = match origin {
        Origin::Scp(collection) => (OriginKind::Scp, Some(collection)),
        Origin::Tct => (OriginKind::Tct, None),
        Origin::Html => (OriginKind::Html, None),
    };
    let row = OriginRow {
        kind,
        url: collection.map(|collection| collection.url.clone()),
        generated: collection.map(|collection| collection.generated),
    };
    let section = collection.map(|collection| collection.section.as_str());
    let name = collection.map(|collection| collection.kind.name());
    let generated = collection.map(|collection| collection.generated.to_string());
    let sql = "SELECT id FROM origins WHERE site = ?1 AND kind = ?2 AND section IS ?3 \
         AND type IS ?4 AND generated IS ?5";
    let known: Option<i64> = connection
        .query_row(
            sql,
            params![site, kind.name(), section, name, generated],
            |row| row.get(0),
        )
        .optional()
        .map_err(failed)?;
    if let Some(id) = known {
        return Ok((id, row));
    }
    let sql = "INSERT INTO origins (site, kind, section, type, generated, url) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    connection
        .execute(
            sql,
            params![site, kind.name(), section, name, generated, row.url],
        )
        .map_err(failed)?;
    Ok((connection.last_insert_rowid(), row))
}
