//! The stream of pages behind [`Index::pages`](crate::Index::pages).

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use super::blocks::BlockReader;
use super::errors::from_sqlite;
use super::lock::FileLock;
use super::rows::{self, PageRow};
use super::sites::{self, OriginRow, SiteRow};
use crate::{Filter, IndexError, PageFacts, PageStream, SiteId, StoredPage};

/// The number of rows that are read at a time.
const ROWS: i64 = 500;

/// A stream of pages, one site after the other.
pub(super) struct FolderStream {
    folder: PathBuf,
    /// In a transaction, so that later commits are not visible.
    connection: Connection,
    filter: Filter,
    sites: VecDeque<(SiteId, SiteRow)>,
    current: Option<CurrentSite>,
    blocks: BlockReader,
    /// Declared after the connection, so that it is released after the connection is closed.
    _shared_lock: Option<Arc<FileLock>>,
}

struct CurrentSite {
    id: SiteId,
    row: SiteRow,
    origins: HashMap<i64, OriginRow>,
    /// The bit of the section in the filter.
    section: Option<i64>,
    rows: VecDeque<(String, PageRow)>,
    last: String,
}

impl FolderStream {
    pub(super) fn begin(
        folder: PathBuf,
        connection: Connection,
        shared_lock: Option<Arc<FileLock>>,
        filter: &Filter,
    ) -> Result<Self, IndexError> {
        connection
            .execute_batch("BEGIN")
            .map_err(from_sqlite(&folder))?;
        let mut sites: VecDeque<_> = sites::all(&connection, &folder)?.into();
        sites.retain(|(id, _)| filter.site.as_ref().is_none_or(|site| site == id));
        Ok(Self {
            folder,
            connection,
            filter: filter.clone(),
            sites,
            current: None,
            blocks: BlockReader::new(),
            _shared_lock: shared_lock,
        })
    }

    /// Moves to the next site that can have matching pages.
    fn next_site(&mut self) -> Result<bool, IndexError> {
        while let Some((id, row)) = self.sites.pop_front() {
            let section = match &self.filter.section {
                None => None,
                Some(name) => match row.bit(name) {
                    None => continue,
                    bit => bit,
                },
            };
            let origins = sites::origins(&self.connection, &self.folder, row.id, None)?;
            self.current = Some(CurrentSite {
                id,
                row,
                origins,
                section,
                rows: VecDeque::new(),
                last: String::new(),
            });
            return Ok(true);
        }
        Ok(false)
    }
}

impl PageStream for FolderStream {
    fn next_page(&mut self) -> Result<Option<StoredPage>, IndexError> {
        loop {
            let Some(site) = &mut self.current else {
                if self.next_site()? {
                    continue;
                }
                return Ok(None);
            };
            let Some((url, row)) = site.rows.pop_front() else {
                let rows = rows::after(&self.connection, site.row.id, &site.last, ROWS)
                    .map_err(from_sqlite(&self.folder))?;
                match rows.last() {
                    Some((url, _)) => site.last.clone_from(url),
                    None => self.current = None,
                }
                if let Some(site) = &mut self.current {
                    site.rows = rows.into();
                }
                continue;
            };
            if !is_wanted(&self.filter, site.section, &row) {
                continue;
            }
            let line = self
                .blocks
                .line(&self.connection, &self.folder, row.place, &row.hash)?;
            return Ok(Some(StoredPage {
                site: site.id.clone(),
                url,
                line,
                facts: facts(&self.folder, &site.row, &site.origins, row)?,
            }));
        }
    }
}

fn is_wanted(filter: &Filter, section: Option<i64>, row: &PageRow) -> bool {
    section.is_none_or(|bit| row.sections & bit != 0)
        && filter.since.is_none_or(|since| row.modified > since)
        && filter
            .language
            .as_deref()
            .is_none_or(|range| is_in_language(&row.language, range))
}

/// Basic filtering (RFC 4647 §3.3.1): matches the same tag, or one that begins with it and a hyphen.
fn is_in_language(tag: &str, range: &str) -> bool {
    let Some((begins, rest)) = tag.split_at_checked(range.len()) else {
        return false;
    };
    begins.eq_ignore_ascii_case(range) && (rest.is_empty() || rest.starts_with('-'))
}

pub(super) fn facts(
    folder: &Path,
    site: &SiteRow,
    origins: &HashMap<i64, OriginRow>,
    row: PageRow,
) -> Result<PageFacts, IndexError> {
    let origin = origins.get(&row.origin).ok_or_else(|| {
        super::errors::damaged(folder, format!("origin {} is missing", row.origin))
    })?;
    Ok(PageFacts {
        modified: row.modified,
        language: row.language,
        fingerprint: row.fingerprint,
        etag: row.etag,
        fetched: row.fetched,
        origin: origin.kind,
        collection: origin.url.clone(),
        sections: site.section_names(row.sections),
        bytes: row.place.length as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_filter_includes_regional_variants() {
        assert!(is_in_language("en", "en"));
        assert!(is_in_language("en-GB", "EN"));
        assert!(is_in_language("zh-Hant-TW", "zh-hant"));
        assert!(!is_in_language("eng", "en"));
        assert!(!is_in_language("en", "en-GB"));
        assert!(!is_in_language("é", "e"));
    }
}
