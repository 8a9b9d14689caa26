//! Syncing by collections: download all that are needed, then verify and merge them in one step.
//!
//! What can come: a file that is cut short, damaged, not what its checksum says, a bomb, another section or
//! kind than announced, older than what is here, with pages of other sites. The merge is dropped with the
//! first fatal error, so nothing of a collection is ever used before all of it is known to be right.

mod download;
mod merge;

use std::fs;
use std::time::Duration;

use sitecast_index::SectionState;

use crate::SyncError;
use crate::discover::Found;
use crate::plan::{Candidate, Step, plan, sections};
use crate::site::SiteRun;
use download::Fetched;
use merge::Unmerged;

/// When the site was last synced in another way. Pages that only that way knew go with the first snapshot made
/// later, which is taken as soon as there is one.
pub(crate) const NOTE_OTHERWISE: &str = "synced-otherwise";

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

    /// Pages that the collections have and we cannot use. Everything else is here, so that what goes wrong with
    /// these is no failure of the site.
    fn fetch_what_is_missing(&mut self, pages: Vec<String>) -> Result<(), SyncError> {
        let (count, before) = (pages.len() as u64, self.report.failed_pages);
        match self.fetch_instead(pages) {
            Err(SyncError::Fetch(error)) if !error.is_out_of_visit_time() => {
                self.report.warn(error.to_string());
                self.report.failed_pages = self.report.failed_pages.max(before + count);
                Ok(())
            }
            other => other,
        }
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
        let mut tries: Vec<Vec<Candidate>> = match plan.step {
            Step::UpToDate => return Ok(()),
            Step::Snapshot(candidate, _) => vec![vec![candidate]],
            Step::Deltas(chain) => vec![chain],
            Step::Stuck(reason) => return Err(SyncError::NoCollection { reason }),
        };
        tries.extend(plan.instead.into_iter().map(|snapshot| vec![snapshot]));
        for candidates in &tries {
            match self.apply(candidates, &state, unusable) {
                Ok(()) if candidates.iter().all(|candidate| candidate.since.is_none()) => {
                    return self.follow_on(found, section, unusable);
                }
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

    /// What has changed since the snapshot that was just taken. Whoever takes a snapshot alone has pages that
    /// are gone by now, or were withdrawn.
    fn follow_on(
        &mut self,
        found: &Found,
        section: &str,
        unusable: &mut Vec<String>,
    ) -> Result<(), SyncError> {
        let known = self.index.state(&self.site)?.unwrap_or_default();
        let state = known.sections.get(section).cloned().unwrap_or_default();
        let plan = plan(&found.scp, section, &state, self.now, Duration::MAX);
        let result = match plan.step {
            Step::Deltas(chain) => self.apply(&chain, &state, unusable),
            Step::Stuck(reason) => Err(SyncError::NoCollection { reason }),
            Step::UpToDate | Step::Snapshot(..) => return Ok(()),
        };
        match result {
            // The snapshot is here and right; what is missing is tried again the next time.
            Err(error) if error.allows_another_way() => {
                self.report.warn(error.to_string());
                Ok(())
            }
            result => result,
        }
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
    ) -> Result<(), SyncError> {
        let mut first_files = vec![0; candidates.len()];
        loop {
            let mut locals = Vec::new();
            for (candidate, first) in candidates.iter().zip(&first_files) {
                match self.fetch_candidate(candidate, *first)? {
                    Fetched::Here(local) => locals.push(local),
                    Fetched::Known => {}
                }
            }
            let unmerged = match self.merge(&locals, state) {
                Ok(failed) => {
                    for local in &locals {
                        // It has served its purpose.
                        let _ = fs::remove_file(&local.path);
                    }
                    unusable.extend(failed);
                    return Ok(());
                }
                Err(unmerged) => unmerged,
            };
            let Unmerged { at, error } = *unmerged;
            let damaged = at.filter(|_| error.allows_another_way());
            let Some(damaged) = damaged.and_then(|at| locals.get(at)) else {
                return Err(error);
            };
            let _ = fs::remove_file(&damaged.path);
            let next = damaged.file + 1;
            if next >= damaged.candidate.files.len() {
                return Err(error);
            }
            self.report.warn(error.to_string());
            let place = candidates
                .iter()
                .position(|candidate| std::ptr::eq(candidate, damaged.candidate));
            if let Some(first) = place.and_then(|place| first_files.get_mut(place)) {
                *first = next;
            }
        }
    }
}
