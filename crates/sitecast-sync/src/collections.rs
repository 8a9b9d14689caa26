//! Sync by collections: downloads all that are needed, then verifies and merges them in one transaction.
//!
//! A collection may be truncated, damaged, not match its checksum, be a decompression bomb, have another section
//! or kind than announced, be older than the copy in the index, or contain pages of other sites. The first fatal
//! error drops the merge, so no part of a collection is used before all of it is verified.

mod download;
mod merge;

use std::time::Duration;

use sitecast_index::SectionState;

use crate::discover::Discovered;
use crate::plan::{Candidate, Step, plan, sections};
use crate::site::SiteRun;
use crate::url_queue::{UrlQueue, saved};
use crate::{FailureKind, SyncError};
use download::{Fetched, LocalFile};
use merge::MergeFailure;

/// The note with the time of the last sync from another kind of source. The first snapshot that was generated later is
/// applied as soon as it exists, and deletes pages that only the other source had.
pub(crate) const NOTE_OTHERWISE: &str = "synced-otherwise";
/// The file of pages whose lines in a collection were rejected, and that have not been fetched as HTML yet.
const MISSING: &str = "scp-missing.urls";

impl SiteRun<'_> {
    pub(crate) fn sync_collections(&mut self, found: &Discovered) -> Result<(), SyncError> {
        if found.scp.collections.is_empty() {
            return Err(SyncError::NotOffered("collections"));
        }
        let mut unusable = Vec::new();
        for section in self.wanted_sections(found)? {
            self.sync_section(found, &section, &mut unusable)?;
        }
        self.fetch_missing(unusable)
    }

    pub(crate) fn wanted_sections(&self, found: &Discovered) -> Result<Vec<String>, SyncError> {
        let known = sections(&found.scp);
        if self.options.sections.is_empty() {
            return Ok(known.into_iter().take(1).collect());
        }
        for section in &self.options.sections {
            if !known.contains(section) {
                return Err(SyncError::NoSection {
                    section: section.clone(),
                    known: known.join(", "),
                });
            }
        }
        Ok(self.options.sections.clone())
    }

    /// Fetches pages as HTML whose lines in a collection were rejected, including those that the last visit left. All
    /// other pages are merged, so a failure here does not fail the sync.
    fn fetch_missing(&mut self, mut pages: Vec<String>) -> Result<(), SyncError> {
        let path = self.scratch.path(MISSING);
        pages.extend(saved(&path).into_iter().flatten());
        let mut waiting = UrlQueue::create(self.scratch.path("missing-new.urls"), u64::MAX)?;
        let keep = |pages: &[String], waiting: &mut UrlQueue| {
            for page in pages {
                waiting.push(page)?;
            }
            waiting.save(&path)
        };
        // Saved first, for the case that the process is killed: the collections are not downloaded again.
        keep(&pages, &mut waiting)?;
        let (count, before) = (pages.len() as u64, self.report.failed_pages);
        let left = match self.fetch_instead(pages) {
            Err(SyncError::Fetch(error)) if !error.is_out_of_visit_time() => {
                self.report.warn(error.to_string());
                self.report.failed_pages = self.report.failed_pages.max(before + count);
                return Ok(());
            }
            left => left?,
        };
        keep(&left, &mut waiting)
    }

    /// Returns the greatest age of the last snapshot before the next one is due.
    pub(crate) fn snapshot_every(&self) -> Duration {
        if self.state.notes.contains_key(NOTE_OTHERWISE) {
            return Duration::ZERO;
        }
        self.options.snapshot_every
    }

    fn sync_section(
        &mut self,
        found: &Discovered,
        section: &str,
        unusable: &mut Vec<String>,
    ) -> Result<(), SyncError> {
        let state = self.section_state(section);
        let plan = plan(&found.scp, section, &state, self.now, self.snapshot_every());
        for warning in plan.warnings {
            self.report.warn(warning);
        }
        let mut last = None;
        let first = match plan.step {
            Step::UpToDate => return Ok(()),
            Step::Snapshot(candidate, _) => Some(candidate),
            Step::Deltas(chain) => match self.apply(&chain, &state, unusable) {
                Ok(()) => return Ok(()),
                Err(failure) if failure.error.allows_another_way() => {
                    last = Some(failure.error);
                    None
                }
                Err(failure) => return Err(failure.error),
            },
            Step::Stuck(reason) => return Err(SyncError::NoCollection { reason }),
        };
        for snapshot in first.into_iter().chain(plan.fallbacks) {
            match self.apply_snapshot(found, snapshot, &state, unusable) {
                Ok(()) => return Ok(()),
                Err(error) if error.allows_another_way() => {
                    if let Some(earlier) = last.replace(error) {
                        self.report.warn(earlier.to_string());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(last.unwrap_or(SyncError::NotOffered("collections")))
    }

    /// Applies a snapshot and the deltas that follow it, in one transaction. The snapshot alone may contain pages that
    /// were deleted since, and the deletion guard has to see the deletions of all of them together.
    fn apply_snapshot(
        &mut self,
        found: &Discovered,
        snapshot: Candidate,
        state: &SectionState,
        unusable: &mut Vec<String>,
    ) -> Result<(), SyncError> {
        let section = snapshot.files.first().map(|file| file.section.clone());
        let reached = SectionState {
            generated: Some(snapshot.generated).max(state.generated),
            snapshot: Some(snapshot.generated).max(state.snapshot),
        };
        let after = plan(
            &found.scp,
            section.as_deref().unwrap_or_default(),
            &reached,
            self.now,
            Duration::MAX,
        );
        let mut chain = vec![snapshot];
        match after.step {
            Step::Deltas(deltas) => chain.extend(deltas),
            // The next visit tries again.
            Step::Stuck(reason) => {
                let error = SyncError::NoCollection { reason };
                self.report.warn(error.to_string());
            }
            Step::UpToDate | Step::Snapshot(..) => {}
        }
        let failure = match self.apply(&chain, state, unusable) {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        let is_of_a_delta = failure.at.is_some_and(|at| at > 0);
        if !is_of_a_delta || !failure.error.allows_another_way() {
            return Err(failure.error);
        }
        // The snapshot is usable; the next visit tries the deltas again.
        self.report.warn(failure.error.to_string());
        chain.truncate(1);
        let applied = self.apply(&chain, state, unusable);
        applied.map_err(|failure| failure.error)
    }

    pub(crate) fn section_state(&self, section: &str) -> SectionState {
        let known = self.state.sections.get(section);
        known.cloned().unwrap_or_default()
    }

    /// Downloads and merges a snapshot or a chain of deltas. If a file is damaged, tries the same collection in
    /// another compression.
    fn apply(
        &mut self,
        candidates: &[Candidate],
        state: &SectionState,
        unusable: &mut Vec<String>,
    ) -> Result<(), Box<ApplyFailure>> {
        let mut first_files = vec![0; candidates.len()];
        loop {
            let mut locals = Vec::new();
            for (at, (candidate, first)) in candidates.iter().zip(&first_files).enumerate() {
                let fetched = self.fetch_candidate(candidate, *first);
                let fetched = fetched.map_err(|error| {
                    let at = Some(at);
                    Box::new(ApplyFailure { at, error })
                })?;
                match fetched {
                    Fetched::File(local) => locals.push(local),
                    Fetched::AlreadyApplied => {}
                }
            }
            let failure = match self.merge(&locals, state) {
                Ok(failed) => {
                    // Merged files are no longer needed.
                    locals.iter().for_each(LocalFile::discard);
                    unusable.extend(failed);
                    return Ok(());
                }
                Err(failure) => failure,
            };
            let MergeFailure { at, error } = *failure;
            if error.failure_kind() == FailureKind::Refused {
                // If the deletion is allowed later, the files that the server has by then are to be applied.
                locals.iter().for_each(LocalFile::discard);
            }
            let damaged = at.and_then(|at| locals.get(at));
            let place = damaged.and_then(|damaged| {
                let mut places = candidates.iter();
                places.position(|candidate| std::ptr::eq(candidate, damaged.candidate))
            });
            let failure = |error| Box::new(ApplyFailure { at: place, error });
            let Some(damaged) = damaged.filter(|_| error.allows_another_way()) else {
                return Err(failure(error));
            };
            damaged.discard();
            let next = damaged.file + 1;
            if next >= damaged.candidate.files.len() {
                return Err(failure(error));
            }
            self.report.warn(error.to_string());
            if let Some(first) = place.and_then(|place| first_files.get_mut(place)) {
                *first = next;
            }
        }
    }
}

/// The error that kept collections from being applied, with the index of the collection that caused it, if one did.
struct ApplyFailure {
    at: Option<usize>,
    error: SyncError,
}
