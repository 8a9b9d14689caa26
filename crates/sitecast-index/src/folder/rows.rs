//! Rows of the table `pages`.

use std::time::{Duration, SystemTime};

use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension, Row, params};
use sha2::{Digest, Sha256};
use sitecast_scp::Timestamp;

use super::blocks::Place;
use crate::Fingerprint;

/// The first half of a line's SHA-256. Detects damage, and changed lines with the same `modified`.
pub(super) type LineHash = [u8; 16];

pub(super) fn line_hash(line: &str) -> LineHash {
    let digest = Sha256::digest(line.as_bytes());
    let mut hash = LineHash::default();
    for (to, from) in hash.iter_mut().zip(digest) {
        *to = from;
    }
    hash
}

/// A row without its key, the site and the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageRow {
    /// The number of the page within its site.
    pub(super) id: u64,
    pub(super) modified: Timestamp,
    /// In whole seconds.
    pub(super) fetched: Timestamp,
    pub(super) origin: i64,
    /// The sections of the page, as bits: see [`super::sites::SiteRow::bit`].
    pub(super) sections: i64,
    pub(super) language: String,
    pub(super) hash: LineHash,
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) etag: Option<String>,
    pub(super) place: Place,
}

/// The columns in the order in which [`PageRow::read`] expects them.
pub(super) const COLUMNS: &str = "id, modified, nanos, fetched, origin, sections, language, hash, \
     fingerprint, etag, block, offset, length";

impl PageRow {
    /// Reads a row with the columns of [`COLUMNS`].
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |at| row.get::<_, i64>(at);
        let size = |at| number(at).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Self {
            id: number(0)?.unsigned_abs(),
            modified: timestamp(number(1)?, number(2)?)
                .ok_or_else(|| invalid_time(1, Type::Integer))?,
            fetched: timestamp(number(3)?, 0).ok_or_else(|| invalid_time(3, Type::Integer))?,
            origin: number(4)?,
            sections: number(5)?,
            language: row.get(6)?,
            hash: row.get(7)?,
            fingerprint: row.get(8)?,
            etag: row.get(9)?,
            place: Place {
                block: number(10)?,
                offset: size(11)?,
                length: size(12)?,
            },
        })
    }
}

fn invalid_time(column: usize, kind: Type) -> Error {
    Error::FromSqlConversionFailure(column, kind, "not a valid time".into())
}

/// Converts seconds and nanoseconds since 1970.
fn timestamp(seconds: i64, nanos: i64) -> Option<Timestamp> {
    // Rejects seconds outside the years 0 to 9999, which converting from a `SystemTime` would clamp.
    let whole = Timestamp::from_unix_seconds(seconds)?;
    let nanos = u32::try_from(nanos).ok().filter(|n| *n < 1_000_000_000)?;
    if nanos == 0 {
        return Some(whole);
    }
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let second = if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    };
    let instant = second?.checked_add(Duration::from_nanos(u64::from(nanos)))?;
    Some(Timestamp::from(instant))
}

pub(super) fn find(
    connection: &Connection,
    site: i64,
    url: &str,
) -> rusqlite::Result<Option<PageRow>> {
    connection
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM pages WHERE site = ?1 AND url = ?2"
        ))?
        .query_row(params![site, url], PageRow::read)
        .optional()
}

/// The action if the page already has a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfThere {
    Replace,
    Leave,
}

/// Writes a row, and returns true if it was written.
pub(super) fn write(
    connection: &Connection,
    site: i64,
    url: &str,
    row: &PageRow,
    if_there: IfThere,
) -> rusqlite::Result<bool> {
    const VALUES: &str =
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    const INTO: &str = "INTO pages (site, url, id, modified, nanos, fetched, origin, sections, \
         language, hash, fingerprint, etag, block, offset, length)";
    let sql = match if_there {
        IfThere::Replace => format!("INSERT OR REPLACE {INTO} {VALUES}"),
        IfThere::Leave => format!("INSERT {INTO} {VALUES} ON CONFLICT DO NOTHING"),
    };
    let written = connection.prepare_cached(&sql)?.execute(params![
        site,
        url,
        row.id as i64,
        row.modified.unix_seconds(),
        row.modified.subsec_nanos(),
        row.fetched.unix_seconds(),
        row.origin,
        row.sections,
        row.language,
        row.hash,
        row.fingerprint,
        row.etag,
        row.place.block,
        row.place.offset as i64,
        row.place.length as i64,
    ])?;
    Ok(written > 0)
}

pub(super) fn set_sections(
    connection: &Connection,
    site: i64,
    url: &str,
    sections: i64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE pages SET sections = ?3 WHERE site = ?1 AND url = ?2")?
        .execute(params![site, url, sections])?;
    Ok(())
}

pub(super) fn set_place(
    connection: &Connection,
    site: i64,
    url: &str,
    place: Place,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE pages SET block = ?3, offset = ?4 WHERE site = ?1 AND url = ?2")?
        .execute(params![site, url, place.block, place.offset as i64])?;
    Ok(())
}

pub(super) fn delete(connection: &Connection, site: i64, url: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM pages WHERE site = ?1 AND url = ?2")?
        .execute(params![site, url])?;
    Ok(())
}

/// Returns at most `most` rows of a site after a URL, in the order of their URLs.
pub(super) fn after(
    connection: &Connection,
    site: i64,
    url: &str,
    most: i64,
) -> rusqlite::Result<Vec<(String, PageRow)>> {
    let rows = each_after(connection, site, url, most)?;
    rows.into_iter()
        .map(|(url, row)| row.map(|row| (url, row)))
        .collect()
}

/// Like [`after`], but returns a result for each row, so that one unreadable row does not hide the others.
pub(super) fn each_after(
    connection: &Connection,
    site: i64,
    url: &str,
    most: i64,
) -> rusqlite::Result<Vec<(String, rusqlite::Result<PageRow>)>> {
    let sql = format!(
        "SELECT {COLUMNS}, url FROM pages WHERE site = ?1 AND url > ?2 ORDER BY url LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params![site, url, most], |row| {
        Ok((row.get(13)?, PageRow::read(row)))
    })?;
    rows.collect()
}

/// Returns the latest `modified` of a site's pages.
pub(super) fn newest(connection: &Connection, site: i64) -> rusqlite::Result<Option<Timestamp>> {
    let sql = "SELECT modified, nanos FROM pages WHERE site = ?1 \
         ORDER BY modified DESC, nanos DESC LIMIT 1";
    let found = connection
        .prepare_cached(sql)?
        .query_row([site], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.and_then(|(seconds, nanos)| timestamp(seconds, nanos)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn timestamps_round_trip(seconds in -62_167_219_200_i64..253_402_300_799, nanos in 0_i64..1_000_000_000) {
            let time = timestamp(seconds, nanos).unwrap();
            prop_assert_eq!((time.unix_seconds(), i64::from(time.subsec_nanos())), (seconds, nanos));
        }
    }

    #[test]
    fn rejects_invalid_timestamps() {
        assert_eq!(timestamp(i64::MAX, 0), None);
        assert_eq!(timestamp(0, 1_000_000_000), None);
        assert_eq!(timestamp(0, -1), None);
    }
}
