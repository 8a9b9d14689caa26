//! A merge, as one SQLite transaction.
//!
//! Lines are written to blocks at once. Rows are buffered and written in the order of their URLs, which is
//! the order of the table: in another order, each row would dirty a different page of the database.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use rusqlite::{Connection, params};
use sitecast_scp::{CollectionKind, Timestamp};

use super::block_writer::BlockWriter;
use super::errors::from_sqlite;
use super::lock::FileLock;
use super::page_set::PageSet;
use super::rows::{self, IfThere, PageRow, line_hash};
use super::sites::{self, OriginRow, SiteRow};
use super::thread_lock::ThreadGuard;
use super::{compact, sweep, verify};
use crate::{
    Baseline, IndexError, Merge, NewPage, Origin, Precedence, Quota, SiteId, SiteState, Sweep,
    Tally, Validators,
};

/// The buffered rows are flushed at this many rows or bytes of URLs.
const PENDING_ROWS: usize = 50_000;
const PENDING_BYTES: usize = 8 << 20;

/// An open merge.
pub(super) struct FolderMerge {
    /// Dropped before the lock, so that no other merge starts while SQLite rolls this one back.
    pub(super) connection: Connection,
    pub(super) folder: PathBuf,
    pub(super) site: SiteRow,
    /// New pages of this merge have this number or a higher one.
    pub(super) first_new: u64,
    /// Deleted pages with lower numbers count as lost.
    lost_below: u64,
    pub(super) named: PageSet,
    pub(super) origins: HashMap<i64, OriginRow>,
    current: Option<CurrentOrigin>,
    pub(super) block_writer: BlockWriter,
    pending: Pending,
    /// Bytes of released lines that `block_use` does not reflect yet, by block.
    dead_bytes: HashMap<i64, i64>,
    /// Blocks with released lines, which compaction looks at.
    pub(super) shrunk_blocks: HashSet<i64>,
    pub(super) tally: Tally,
    /// After an error, the merge cannot be committed.
    has_failed: bool,
    _lock: FileLock,
    _thread_guard: ThreadGuard,
}

/// The origin of the pages that are being added.
#[derive(Debug, Clone, Copy)]
struct CurrentOrigin {
    id: i64,
    /// The bit of the collection's section; 0 for machine pages and HTML.
    section: i64,
}

/// Buffered rows.
struct Pending {
    rows: Vec<PendingRow>,
    /// The hashes of the rows' URLs.
    urls: HashSet<u64>,
    hasher: RandomState,
    bytes: usize,
}

struct PendingRow {
    url: Box<str>,
    row: PageRow,
    precedence: Precedence,
    existing: Existing,
}

/// The existing row of the page that a pending row is for.
enum Existing {
    /// Not looked up: the site was empty, so there most likely is none.
    Unknown,
    /// No row exists.
    Absent,
    /// This row exists, and the pending row replaces it.
    Replaced(Box<PageRow>),
}

/// The result of comparing a page with the existing copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Replaces,
    Same,
    Outdated,
}

/// Compares a page with the existing copy by the rule `precedence`.
fn compare(old: &PageRow, new: &PageRow, precedence: Precedence) -> Verdict {
    let same_line = old.hash == new.hash && old.place.length == new.place.length;
    if same_line && new.modified == old.modified {
        return Verdict::Same;
    }
    match precedence {
        Precedence::Later if new.modified <= old.modified => Verdict::Outdated,
        Precedence::NotOlder if new.modified < old.modified => Verdict::Outdated,
        _ => Verdict::Replaces,
    }
}

impl FolderMerge {
    /// Begins the transaction. The merge owns `connection`, and the guards exclude other merges.
    pub(super) fn begin(
        folder: PathBuf,
        connection: Connection,
        (thread_guard, lock): (ThreadGuard, FileLock),
        site: &SiteId,
    ) -> Result<Self, IndexError> {
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(from_sqlite(&folder))?;
        let site = match sites::find(&connection, &folder, site)? {
            Some(site) => site,
            None => sites::add(&connection, &folder, site)?,
        };
        let block_writer = BlockWriter::new(&connection, &folder, site.id)?;
        let origins = sites::origins(&connection, &folder, site.id, None)?;
        Ok(Self {
            tally: Tally {
                pages_before: site.pages,
                ..Tally::default()
            },
            first_new: site.next_page,
            lost_below: site.next_page,
            named: PageSet::default(),
            origins,
            current: None,
            block_writer,
            pending: Pending {
                rows: Vec::new(),
                urls: HashSet::new(),
                hasher: RandomState::new(),
                bytes: 0,
            },
            dead_bytes: HashMap::new(),
            shrunk_blocks: HashSet::new(),
            has_failed: false,
            _lock: lock,
            _thread_guard: thread_guard,
            connection,
            folder,
            site,
        })
    }

    /// Runs a step. After a failed step, all later ones fail.
    fn step<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if self.has_failed {
            return Err(IndexError::Misuse(
                "the merge has failed and can only be dropped",
            ));
        }
        // Set before the step, so that a panic counts as a failure, too.
        self.has_failed = true;
        let result = step(self)?;
        self.has_failed = false;
        Ok(result)
    }

    fn put_page(&mut self, page: &NewPage<'_>) -> Result<(), IndexError> {
        let Some(current) = self.current else {
            return Err(IndexError::Misuse("`put` was called before `origin`"));
        };
        self.flush_if_pending(page.url)?;
        let mut row = PageRow {
            id: 0,
            modified: page.modified,
            fetched: Timestamp::from_unix_seconds(page.fetched.unix_seconds())
                .unwrap_or(page.fetched),
            origin: current.id,
            sections: current.section,
            language: page.language.to_owned(),
            hash: line_hash(page.line),
            fingerprint: page.fingerprint,
            etag: page.etag.map(str::to_owned),
            place: super::blocks::Place {
                block: 0,
                offset: 0,
                length: page.line.len(),
            },
        };
        let existing = if self.tally.pages_before == 0 {
            Existing::Unknown
        } else {
            match rows::find(&self.connection, self.site.id, page.url)
                .map_err(from_sqlite(&self.folder))?
            {
                None => Existing::Absent,
                Some(old) => {
                    match compare(&old, &row, self.precedence(&old, &row, page.precedence)) {
                        Verdict::Replaces => Existing::Replaced(Box::new(old)),
                        verdict => return self.keep_existing(page.url, &old, &row, verdict),
                    }
                }
            }
        };
        row.place = self
            .block_writer
            .push(&self.connection, page.url, page.line)?;
        self.pending.bytes += page.url.len();
        self.pending
            .urls
            .insert(self.pending.hasher.hash_one(page.url));
        self.pending.rows.push(PendingRow {
            url: page.url.into(),
            row,
            precedence: page.precedence,
            existing,
        });
        if self.pending.rows.len() >= PENDING_ROWS || self.pending.bytes >= PENDING_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Returns the rule for a page and the existing copy: a page from a collection always replaces one that is not.
    fn precedence(&self, old: &PageRow, new: &PageRow, wanted: Precedence) -> Precedence {
        let collected = |row: &PageRow| {
            let origin = self.origins.get(&row.origin);
            origin.is_some_and(|origin| origin.generated.is_some())
        };
        match (collected(old), collected(new)) {
            (false, true) => Precedence::Always,
            _ => wanted,
        }
    }

    /// Keeps the existing copy, names the page, and adds it to the section.
    fn keep_existing(
        &mut self,
        url: &str,
        old: &PageRow,
        new: &PageRow,
        verdict: Verdict,
    ) -> Result<(), IndexError> {
        self.named.insert(old.id);
        if verdict == Verdict::Outdated {
            self.tally.outdated += 1;
        } else {
            self.tally.unchanged += 1;
        }
        let sections = old.sections | new.sections;
        if sections != old.sections {
            rows::set_sections(&self.connection, self.site.id, url, sections)
                .map_err(from_sqlite(&self.folder))?;
        }
        Ok(())
    }

    /// Flushes the pending rows if one is for `url`, because the next step has to see it.
    fn flush_if_pending(&mut self, url: &str) -> Result<(), IndexError> {
        let hash = self.pending.hasher.hash_one(url);
        if self.pending.urls.contains(&hash) {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the pending rows in the order of their URLs.
    pub(super) fn flush(&mut self) -> Result<(), IndexError> {
        let mut pending = std::mem::take(&mut self.pending.rows);
        self.pending.urls.clear();
        self.pending.bytes = 0;
        pending.sort_unstable_by(|a, b| a.url.cmp(&b.url));
        for row in pending.drain(..) {
            self.write_row(row)?;
        }
        // Reuses the allocation.
        self.pending.rows = pending;
        self.record_released(self.block_writer.first_unrecorded())
    }

    fn write_row(&mut self, pending: PendingRow) -> Result<(), IndexError> {
        let failed = from_sqlite(&self.folder);
        let PendingRow {
            url,
            mut row,
            precedence,
            existing,
        } = pending;
        let site = self.site.id;
        let old = match existing {
            Existing::Replaced(old) => *old,
            Existing::Absent | Existing::Unknown => {
                row.id = self.site.next_page;
                let written = rows::write(&self.connection, site, &url, &row, IfThere::Leave)
                    .map_err(failed)?;
                if written {
                    self.site.next_page += 1;
                    self.site.pages += 1;
                    self.site.bytes += row.place.length as u64;
                    self.tally.new += 1;
                    return Ok(());
                }
                // The page was put twice in this merge.
                let old = rows::find(&self.connection, site, &url).map_err(failed)?;
                let old = old.ok_or_else(|| {
                    super::errors::damaged(
                        &self.folder,
                        format!("the row of {url} cannot be inserted and cannot be found"),
                    )
                })?;
                match compare(&old, &row, self.precedence(&old, &row, precedence)) {
                    Verdict::Replaces => old,
                    verdict => {
                        self.release(row.place);
                        return self.keep_existing(&url, &old, &row, verdict);
                    }
                }
            }
        };
        row.id = old.id;
        row.sections |= old.sections;
        self.named.insert(old.id);
        rows::write(&self.connection, site, &url, &row, IfThere::Replace).map_err(failed)?;
        self.site.bytes += row.place.length as u64;
        self.site.bytes -= (old.place.length as u64).min(self.site.bytes);
        self.release(old.place);
        self.tally.changed += 1;
        Ok(())
    }

    pub(super) fn release(&mut self, place: super::blocks::Place) {
        *self.dead_bytes.entry(place.block).or_default() += place.length as i64;
    }

    /// Subtracts released bytes from the live bytes of the blocks below `below`.
    pub(super) fn record_released(&mut self, below: i64) -> Result<(), IndexError> {
        let failed = from_sqlite(&self.folder);
        let mut statement = self
            .connection
            .prepare_cached("UPDATE block_use SET live = live - ?2 WHERE id = ?1")
            .map_err(failed)?;
        let mut settled: Vec<(i64, i64)> = self
            .dead_bytes
            .extract_if(|block, _| *block < below)
            .collect();
        settled.sort_unstable();
        for (block, bytes) in settled {
            statement.execute(params![block, bytes]).map_err(failed)?;
            self.shrunk_blocks.insert(block);
        }
        Ok(())
    }

    /// Deletes the page of a row.
    pub(super) fn delete_row(&mut self, url: &str, row: &PageRow) -> Result<(), IndexError> {
        rows::delete(&self.connection, self.site.id, url).map_err(from_sqlite(&self.folder))?;
        self.release(row.place);
        self.site.pages -= 1.min(self.site.pages);
        self.site.bytes -= (row.place.length as u64).min(self.site.bytes);
        self.tally.deleted += 1;
        self.tally.lost += u64::from(row.id < self.lost_below);
        Ok(())
    }

    /// Returns true if the copy is newer than `time`: it was modified later, or its collection was generated
    /// later, or it was fetched later if it is not from a collection.
    pub(super) fn is_newer(&self, row: &PageRow, time: Timestamp) -> bool {
        let origin = self.origins.get(&row.origin);
        let seen = origin.and_then(|origin| origin.generated);
        row.modified > time || seen.unwrap_or(row.fetched) > time
    }

    fn current_tally(&self) -> Tally {
        Tally {
            pages: self.site.pages,
            bytes: self.site.bytes,
            ..self.tally
        }
    }
}

impl Merge for FolderMerge {
    fn state(&self) -> &SiteState {
        &self.site.state
    }

    fn state_mut(&mut self) -> &mut SiteState {
        &mut self.site.state
    }

    fn origin(&mut self, origin: Origin) -> Result<(), IndexError> {
        if let Origin::Scp(collection) = &origin
            && sites::is_applied(&self.connection, &self.folder, &self.site, collection)?
        {
            return Err(IndexError::AlreadyApplied {
                kind: collection.kind.name(),
                section: collection.section.to_string(),
                generated: collection.generated.to_string(),
            });
        }
        self.step(|merge| {
            let section = match &origin {
                Origin::Scp(collection) => merge.site.bit_or_new(collection.section.as_str())?,
                Origin::Tct | Origin::Html => 0,
            };
            let (id, row) =
                sites::origin(&merge.connection, &merge.folder, merge.site.id, &origin)?;
            merge.origins.insert(id, row);
            merge.current = Some(CurrentOrigin { id, section });
            if let Origin::Scp(collection) = &origin {
                let name = collection.section.to_string();
                let section = merge.site.state.sections.entry(name).or_default();
                section.generated = section.generated.max(Some(collection.generated));
                if collection.kind == CollectionKind::Snapshot {
                    section.snapshot = section.snapshot.max(Some(collection.generated));
                }
            }
            Ok(())
        })
    }

    fn put(&mut self, page: &NewPage<'_>) -> Result<(), IndexError> {
        self.step(|merge| merge.put_page(page))
    }

    fn keep(&mut self, url: &str) -> Result<(), IndexError> {
        self.step(|merge| {
            merge.flush_if_pending(url)?;
            let found = rows::find(&merge.connection, merge.site.id, url);
            if let Some(row) = found.map_err(from_sqlite(&merge.folder))?
                && row.id < merge.first_new
                && merge.named.insert(row.id)
            {
                merge.tally.unchanged += 1;
            }
            Ok(())
        })
    }

    fn delete(&mut self, url: &str, unless_after: Option<Timestamp>) -> Result<(), IndexError> {
        self.step(|merge| {
            merge.flush_if_pending(url)?;
            let found = rows::find(&merge.connection, merge.site.id, url);
            let Some(row) = found.map_err(from_sqlite(&merge.folder))? else {
                return Ok(());
            };
            if unless_after.is_some_and(|time| merge.is_newer(&row, time)) {
                return Ok(());
            }
            let section = merge.current.map_or(0, |current| current.section);
            sweep::remove_from_section(merge, url, &row, section).map(drop)
        })
    }

    fn delete_damaged(&mut self, url: &str) -> Result<Option<Vec<String>>, IndexError> {
        self.step(|merge| {
            merge.flush_if_pending(url)?;
            verify::delete_damaged(merge, url)
        })
    }

    fn unnamed(&mut self, sweep: &Sweep) -> Result<u64, IndexError> {
        self.step(|merge| sweep::count(merge, sweep))
    }

    fn delete_unnamed(&mut self, sweep: &Sweep) -> Result<u64, IndexError> {
        self.step(|merge| sweep::delete(merge, sweep))
    }

    fn delete_older(&mut self, before: Timestamp) -> Result<u64, IndexError> {
        self.step(|merge| sweep::delete_older(merge, before))
    }

    fn shrink_to(&mut self, quota: &Quota) -> Result<u64, IndexError> {
        self.step(|merge| sweep::shrink_to(merge, quota))
    }

    fn set_validators(&mut self, url: &str, validators: &Validators) -> Result<(), IndexError> {
        self.step(|merge| {
            let work = || {
                if *validators == Validators::default() {
                    let sql = "DELETE FROM validators WHERE site = ?1 AND url = ?2";
                    let mut statement = merge.connection.prepare_cached(sql)?;
                    return statement.execute(params![merge.site.id, url]);
                }
                let sql = "INSERT OR REPLACE INTO validators (site, url, etag, last_modified) \
                     VALUES (?1, ?2, ?3, ?4)";
                let Validators {
                    etag,
                    last_modified,
                } = validators;
                let mut statement = merge.connection.prepare_cached(sql)?;
                statement.execute(params![merge.site.id, url, etag, last_modified])
            };
            work().map(drop).map_err(from_sqlite(&merge.folder))
        })
    }

    fn count_losses_from(&mut self, mark: Baseline) {
        self.lost_below = mark.next_page;
    }

    fn tally(&mut self) -> Result<Tally, IndexError> {
        self.step(|merge| {
            merge.flush()?;
            Ok(merge.current_tally())
        })
    }

    fn commit(mut self: Box<Self>) -> Result<Tally, IndexError> {
        self.step(|merge| {
            merge.flush()?;
            // Compaction may read blocks of this merge, so they have to be in the database first.
            merge.block_writer.finish(&merge.connection)?;
            merge.record_released(i64::MAX)?;
            compact::compact_sparse(merge)?;
            merge.block_writer.finish(&merge.connection)?;
            sites::save(&merge.connection, &merge.folder, &merge.site)?;
            merge
                .connection
                .execute_batch("COMMIT")
                .map_err(from_sqlite(&merge.folder))?;
            Ok(merge.current_tally())
        })
    }
}
