//! Syncing by collections: download all that are needed, then verify and merge them in one step.
//!
//! What can come: a file that is cut short, damaged, not what its checksum says, a bomb, another section or
//! kind than announced, older than what is here, with pages of other sites. The merge is dropped with the
//! first fatal error, so nothing of a collection is ever used before all of it is known to be right.

mod download;
mod merge;

use std::time::Duration;

use sitecast_index::SectionState;

use crate::discover::Found;
use crate::plan::{Candidate, Step, plan, sections};
use crate::site::SiteRun;
use crate::url_file::{UrlFile, saved};
use crate::{SyncError, Trouble};
use download::{Fetched, Local};
use merge::Unmerged;

/// When the site was last synced in another way. Pages that only that way knew go with the first snapshot made
/// later, which is taken as soon as there is one.
pub(crate) const NOTE_OTHERWISE: &str = "synced-otherwise";
/// The file of pages that the collections have, that cannot be used, and that were not fetched as HTML yet.
const MISSING: &str = "scp-missing.urls";

impl SiteRun<'_> {
    pub(crate) fn sync_collections(&mut self, found: &Found) -> Result<(), SyncError> {
        if found.scp.collections.is_empty() {
            return Err(SyncError::NotOffered("collections"));
        }
        let mut unusable = Vec::new();
        for section in self.wanted_sections(found)? {
            self.sync_section(found, &section, &mut unusable)?;
        }
        self.fetch_what_is_missing(unusable)
    }

    pub(crate) fn wanted_sections(&self, found: &Found) -> Result<Vec<String>, SyncError> {
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

    /// Pages that the collections have and we cannot use, of which the last run may have left some. Everything
    /// else is here, so that what goes wrong with these is no failure of the site.
    fn fetch_what_is_missing(&mut self, mut pages: Vec<String>) -> Result<(), SyncError> {
        let path = self.scratch.path(MISSING);
        pages.extend(saved(&path).into_iter().flatten());
        let mut waiting = UrlFile::create(self.scratch.path("missing-new.urls"), u64::MAX)?;
        let keep = |pages: &[String], waiting: &mut UrlFile| {
            for page in pages {
                waiting.push(page)?;
            }
            waiting.save(&path)
        };
        // A run that is killed has them still to do: the collections are merged and do not come again.
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

    /// How old the last snapshot of a section may be.
    pub(crate) fn snapshot_every(&self) -> Duration {
        if self.state.notes.contains_key(NOTE_OTHERWISE) {
            return Duration::ZERO;
        }
        self.options.snapshot_every
    }

    fn sync_section(
        &mut self,
        found: &Found,
        section: &str,
        unusable: &mut Vec<String>,
    ) -> Result<(), SyncError> {
        let state = self.section_state(section);
        let plan = plan(&found.scp, section, &state, self.now, self.snapshot_every());
        for oddity in plan.oddities {
            self.report.warn(oddity);
        }
        let mut last = None;
        let first = match plan.step {
            Step::UpToDate => return Ok(()),
            Step::Snapshot(candidate, _) => Some(candidate),
            Step::Deltas(chain) => match self.apply(&chain, &state, unusable) {
                Ok(()) => return Ok(()),
                Err(unapplied) if unapplied.error.allows_another_way() => {
                    last = Some(unapplied.error);
                    None
                }
                Err(unapplied) => return Err(unapplied.error),
            },
            Step::Stuck(reason) => return Err(SyncError::NoCollection { reason }),
        };
        for snapshot in first.into_iter().chain(plan.instead) {
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

    /// Applies a snapshot and the deltas that follow it, in one step: whoever takes a snapshot alone has pages
    /// that are gone by now, or were withdrawn, and what both delete together is what the guard has to see.
    fn apply_snapshot(
        &mut self,
        found: &Found,
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
            // It is tried again the next time.
            Step::Stuck(reason) => {
                let error = SyncError::NoCollection { reason };
                self.report.warn(error.to_string());
            }
            Step::UpToDate | Step::Snapshot(..) => {}
        }
        let unapplied = match self.apply(&chain, state, unusable) {
            Ok(()) => return Ok(()),
            Err(unapplied) => unapplied,
        };
        let is_of_a_delta = unapplied.at.is_some_and(|at| at > 0);
        if !is_of_a_delta || !unapplied.error.allows_another_way() {
            return Err(unapplied.error);
        }
        // The snapshot is right; what is missing is tried again the next time.
        self.report.warn(unapplied.error.to_string());
        chain.truncate(1);
        let applied = self.apply(&chain, state, unusable);
        applied.map_err(|unapplied| unapplied.error)
    }

    pub(crate) fn section_state(&self, section: &str) -> SectionState {
        let known = self.state.sections.get(section);
        known.cloned().unwrap_or_default()
    }

    /// Downloads and merges a snapshot or a chain of deltas. Where a file turns out damaged, the same in
    /// another compression is tried.
    fn apply(
        &mut self,
        candidates: &[Candidate],
        state: &SectionState,
        unusable: &mut Vec<String>,
    ) -> Result<(), Box<Unapplied>> {
        let mut first_files = vec![0; candidates.len()];
        loop {
            let mut locals = Vec::new();
            for (at, (candidate, first)) in candidates.iter().zip(&first_files).enumerate() {
                let fetched = self.fetch_candidate(candidate, *first);
                let fetched = fetched.map_err(|error| {
                    let at = Some(at);
                    Box::new(Unapplied { at, error })
                })?;
                match fetched {
                    Fetched::Here(local) => locals.push(local),
                    Fetched::Known => {}
                }
            }
            let unmerged = match self.merge(&locals, state) {
                Ok(failed) => {
                    // They have served their purpose.
                    locals.iter().for_each(Local::discard);
                    unusable.extend(failed);
                    return Ok(());
                }
                Err(unmerged) => unmerged,
            };
            let Unmerged { at, error } = *unmerged;
            if error.trouble() == Trouble::Refused {
                // Whoever allows it later means what the server has then.
                locals.iter().for_each(Local::discard);
            }
            let damaged = at.and_then(|at| locals.get(at));
            let place = damaged.and_then(|damaged| {
                let mut places = candidates.iter();
                places.position(|candidate| std::ptr::eq(candidate, damaged.candidate))
            });
            let unapplied = |error| Box::new(Unapplied { at: place, error });
            let Some(damaged) = damaged.filter(|_| error.allows_another_way()) else {
                return Err(unapplied(error));
            };
            damaged.discard();
            let next = damaged.file + 1;
            if next >= damaged.candidate.files.len() {
                return Err(unapplied(error));
            }
            self.report.warn(error.to_string());
            if let Some(first) = place.and_then(|place| first_files.get_mut(place)) {
                *first = next;
            }
        }
    }
}

/// Why nothing was applied, and which of the collections is at fault, if it is one of them.
struct Unapplied {
    at: Option<usize>,
    error: SyncError,
}
