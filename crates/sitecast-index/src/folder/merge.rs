//! A merge: one transaction.
//!
//! Lines go into blocks as they come. Rows wait until there are many, and are then written in the
//! order of their URLs: the table is in that order, and rows that come in any other would dirty
//! all of it again and again.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use rusqlite::{Connection, params};
use sitecast_scp::{CollectionKind, Timestamp};

use super::failing::engine;
use super::lock::Lock;
use super::marks::Marks;
use super::packer::Packer;
use super::rows::{self, IfThere, PageRow, line_hash};
use super::sites::{self, OriginRow, SiteRow};
use super::turn::Turn;
use super::{compact, sweep, verify};
use crate::{
    IndexError, Mark, Merge, NewPage, Origin, Precedence, Quota, SiteId, SiteState, Sweep, Tally,
    Validators,
};

/// How many rows wait at most, and how many bytes of URLs.
const WAITING_ROWS: usize = 50_000;
const WAITING_BYTES: usize = 8 << 20;

/// Everything between beginning and commit.
pub(super) struct FolderMerge {
    /// Closed before the lock is let go: nobody begins while this is still being undone.
    pub(super) connection: Connection,
    pub(super) folder: PathBuf,
    pub(super) site: SiteRow,
    /// New pages of this merge have numbers from here on.
    pub(super) first_new: u64,
    /// Deletions of pages with lower numbers are losses.
    lost_below: u64,
    pub(super) marks: Marks,
    pub(super) origins: HashMap<i64, OriginRow>,
    current: Option<Current>,
    pub(super) packer: Packer,
    waiting: Waiting,
    /// Bytes of lines that are no longer wanted, by block.
    given_up: HashMap<i64, i64>,
    /// Blocks of which something was given up.
    pub(super) worn: HashSet<i64>,
    pub(super) tally: Tally,
    /// After an error nothing may be committed.
    broken: bool,
    _lock: Lock,
    _turn: Turn,
}

/// Where what comes now comes from.
#[derive(Debug, Clone, Copy)]
struct Current {
    id: i64,
    /// The bit of its section; 0 if it has none.
    section: i64,
}

/// Rows that are not written yet.
struct Waiting {
    rows: Vec<WaitingRow>,
    /// The hashes of their URLs.
    urls: HashSet<u64>,
    hasher: RandomState,
    bytes: usize,
}

struct WaitingRow {
    url: Box<str>,
    row: PageRow,
    precedence: Precedence,
    before: Before,
}

/// What is known of the page that a waiting row is about.
enum Before {
    /// Nobody has looked: when the site was empty, there most likely is none.
    Unknown,
    /// There is none.
    Absent,
    /// There is one, and this one takes its place.
    Replaced(Box<PageRow>),
}

/// Whether what came takes the place of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Takes,
    Same,
    Outdated,
}

/// Whose time counts, if both have one.
fn judge(old: &PageRow, new: &PageRow, precedence: Precedence) -> Verdict {
    let same_line = old.hash == new.hash && old.place.length == new.place.length;
    if same_line && new.modified == old.modified {
        return Verdict::Same;
    }
    match precedence {
        Precedence::Later if new.modified <= old.modified => Verdict::Outdated,
        Precedence::NotOlder if new.modified < old.modified => Verdict::Outdated,
        _ => Verdict::Takes,
    }
}

impl FolderMerge {
    /// Begins. `connection` is its own, and nobody else is merging.
    pub(super) fn begin(
        folder: PathBuf,
        connection: Connection,
        (turn, lock): (Turn, Lock),
        site: &SiteId,
    ) -> Result<Self, IndexError> {
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(engine(&folder))?;
        let site = match sites::find(&connection, &folder, site)? {
            Some(site) => site,
            None => sites::add(&connection, &folder, site)?,
        };
        let packer = Packer::new(&connection, &folder, site.id)?;
        let origins = sites::origins(&connection, &folder, site.id, None)?;
        Ok(Self {
            tally: Tally {
                pages_before: site.pages,
                ..Tally::default()
            },
            first_new: site.next_page,
            lost_below: site.next_page,
            marks: Marks::default(),
            origins,
            current: None,
            packer,
            waiting: Waiting {
                rows: Vec::new(),
                urls: HashSet::new(),
                hasher: RandomState::new(),
                bytes: 0,
            },
            given_up: HashMap::new(),
            worn: HashSet::new(),
            broken: false,
            _lock: lock,
            _turn: turn,
            connection,
            folder,
            site,
        })
    }

    /// Runs a step, and remembers if it failed.
    fn step<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        if self.broken {
            return Err(IndexError::Misuse(
                "the merge failed before, and can only be dropped",
            ));
        }
        // Unless the step gets through, the merge is of no use.
        self.broken = true;
        let result = step(self)?;
        self.broken = false;
        Ok(result)
    }

    fn put_page(&mut self, page: &NewPage<'_>) -> Result<(), IndexError> {
        let Some(current) = self.current else {
            return Err(IndexError::Misuse("pages come after their origin"));
        };
        self.settle(page.url)?;
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
        let before = if self.tally.pages_before == 0 {
            Before::Unknown
        } else {
            match rows::find(&self.connection, self.site.id, page.url)
                .map_err(engine(&self.folder))?
            {
                None => Before::Absent,
                Some(old) => {
                    match judge(&old, &row, self.precedence(&old, &row, page.precedence)) {
                        Verdict::Takes => Before::Replaced(Box::new(old)),
                        verdict => return self.stays(page.url, &old, &row, verdict),
                    }
                }
            }
        };
        row.place = self.packer.push(&self.connection, page.url, page.line)?;
        self.waiting.bytes += page.url.len();
        self.waiting
            .urls
            .insert(self.waiting.hasher.hash_one(page.url));
        self.waiting.rows.push(WaitingRow {
            url: page.url.into(),
            row,
            precedence: page.precedence,
            before,
        });
        if self.waiting.rows.len() >= WAITING_ROWS || self.waiting.bytes >= WAITING_BYTES {
            self.write_waiting()?;
        }
        Ok(())
    }

    /// What counts between the page that is there and one that comes now.
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

    /// The page that is there stays: it is named, and it is in the section.
    fn stays(
        &mut self,
        url: &str,
        old: &PageRow,
        new: &PageRow,
        verdict: Verdict,
    ) -> Result<(), IndexError> {
        self.marks.set(old.id);
        if verdict == Verdict::Outdated {
            self.tally.outdated += 1;
        } else {
            self.tally.unchanged += 1;
        }
        let sections = old.sections | new.sections;
        if sections != old.sections {
            rows::set_sections(&self.connection, self.site.id, url, sections)
                .map_err(engine(&self.folder))?;
        }
        Ok(())
    }

    /// If a row for `url` is waiting, writes what waits: what comes next builds on it.
    fn settle(&mut self, url: &str) -> Result<(), IndexError> {
        let hash = self.waiting.hasher.hash_one(url);
        if self.waiting.urls.contains(&hash) {
            self.write_waiting()?;
        }
        Ok(())
    }

    /// Writes the rows that wait, in the order of their URLs.
    pub(super) fn write_waiting(&mut self) -> Result<(), IndexError> {
        let mut waiting = std::mem::take(&mut self.waiting.rows);
        self.waiting.urls.clear();
        self.waiting.bytes = 0;
        waiting.sort_unstable_by(|a, b| a.url.cmp(&b.url));
        for row in waiting.drain(..) {
            self.write_row(row)?;
        }
        // Its room is used again.
        self.waiting.rows = waiting;
        self.give_up_settled(self.packer.unsettled())
    }

    fn write_row(&mut self, waiting: WaitingRow) -> Result<(), IndexError> {
        let failed = engine(&self.folder);
        let WaitingRow {
            url,
            mut row,
            precedence,
            before,
        } = waiting;
        let site = self.site.id;
        let old = match before {
            Before::Replaced(old) => *old,
            Before::Absent | Before::Unknown => {
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
                // It came twice in one merge.
                let old = rows::find(&self.connection, site, &url).map_err(failed)?;
                let old = old.ok_or_else(|| {
                    super::failing::damaged(&self.folder, format!("{url} is there and is not"))
                })?;
                match judge(&old, &row, self.precedence(&old, &row, precedence)) {
                    Verdict::Takes => old,
                    verdict => {
                        self.give_up(row.place);
                        return self.stays(&url, &old, &row, verdict);
                    }
                }
            }
        };
        row.id = old.id;
        row.sections |= old.sections;
        self.marks.set(old.id);
        rows::write(&self.connection, site, &url, &row, IfThere::Replace).map_err(failed)?;
        self.site.bytes += row.place.length as u64;
        self.site.bytes -= (old.place.length as u64).min(self.site.bytes);
        self.give_up(old.place);
        self.tally.changed += 1;
        Ok(())
    }

    pub(super) fn give_up(&mut self, place: super::blocks::Place) {
        *self.given_up.entry(place.block).or_default() += place.length as i64;
    }

    /// Takes what was given up off the use of blocks below `below`.
    pub(super) fn give_up_settled(&mut self, below: i64) -> Result<(), IndexError> {
        let failed = engine(&self.folder);
        let mut statement = self
            .connection
            .prepare_cached("UPDATE block_use SET live = live - ?2 WHERE id = ?1")
            .map_err(failed)?;
        let mut settled: Vec<(i64, i64)> = self
            .given_up
            .extract_if(|block, _| *block < below)
            .collect();
        settled.sort_unstable();
        for (block, bytes) in settled {
            statement.execute(params![block, bytes]).map_err(failed)?;
            self.worn.insert(block);
        }
        Ok(())
    }

    /// Deletes the page of a row that was just read.
    pub(super) fn delete_row(&mut self, url: &str, row: &PageRow) -> Result<(), IndexError> {
        rows::delete(&self.connection, self.site.id, url).map_err(engine(&self.folder))?;
        self.give_up(row.place);
        self.site.pages -= 1.min(self.site.pages);
        self.site.bytes -= (row.place.length as u64).min(self.site.bytes);
        self.tally.deleted += 1;
        self.tally.lost += u64::from(row.id < self.lost_below);
        Ok(())
    }

    /// Whether the copy that a row is about is newer than `time`: it was modified after it, or what
    /// it came from was made after it.
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
            merge.current = Some(Current { id, section });
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
            merge.settle(url)?;
            let found = rows::find(&merge.connection, merge.site.id, url);
            if let Some(row) = found.map_err(engine(&merge.folder))?
                && row.id < merge.first_new
                && merge.marks.set(row.id)
            {
                merge.tally.unchanged += 1;
            }
            Ok(())
        })
    }

    fn delete(&mut self, url: &str, unless_after: Option<Timestamp>) -> Result<(), IndexError> {
        self.step(|merge| {
            merge.settle(url)?;
            let found = rows::find(&merge.connection, merge.site.id, url);
            let Some(row) = found.map_err(engine(&merge.folder))? else {
                return Ok(());
            };
            if unless_after.is_some_and(|time| merge.is_newer(&row, time)) {
                return Ok(());
            }
            let section = merge.current.map_or(0, |current| current.section);
            sweep::leave(merge, url, &row, section).map(drop)
        })
    }

    fn delete_damaged(&mut self, url: &str) -> Result<Option<Vec<String>>, IndexError> {
        self.step(|merge| {
            merge.settle(url)?;
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
            work().map(drop).map_err(engine(&merge.folder))
        })
    }

    fn count_from(&mut self, mark: Mark) {
        self.lost_below = mark.next_page;
    }

    fn tally(&mut self) -> Result<Tally, IndexError> {
        self.step(|merge| {
            merge.write_waiting()?;
            Ok(merge.current_tally())
        })
    }

    fn commit(mut self: Box<Self>) -> Result<Tally, IndexError> {
        self.step(|merge| {
            merge.write_waiting()?;
            // Blocks of this very merge can be worn, too: they have to be there first.
            merge.packer.finish(&merge.connection)?;
            merge.give_up_settled(i64::MAX)?;
            compact::rewrite_worn(merge)?;
            merge.packer.finish(&merge.connection)?;
            sites::save(&merge.connection, &merge.folder, &merge.site)?;
            merge
                .connection
                .execute_batch("COMMIT")
                .map_err(engine(&merge.folder))?;
            Ok(merge.current_tally())
        })
    }
}
