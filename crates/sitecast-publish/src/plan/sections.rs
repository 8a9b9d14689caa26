//! The collections of each section.

use std::path::Path;

use sitecast_scp::{HttpUrl, Timestamp};

use super::merge::Merged;
use crate::changes::Change;
use crate::collections::{
    Chain, Draft, DraftPlan, Lifetimes, LinkKind, Prepared, Situation, carry, leave_damaged,
};
use crate::error::Stop;
use crate::extract::Extraction;
use crate::extract::spool::Spool;
use crate::ledger::SectionBits;
use crate::report::{Report, WrittenCollection, WrittenFile, without_pages};
use crate::run::Run;
use crate::{PublishError, Section, SnapshotReason};

/// A new collection of a section.
pub(crate) struct PreparedSection {
    /// The number of the section.
    pub(crate) number: usize,
    pub(crate) collection: Prepared,
}

/// Prepares the collections of all sections.
pub(super) struct Sections<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) extraction: &'a mut Extraction,
    pub(super) merged: &'a Merged,
    pub(super) generated: Timestamp,
    pub(super) chains: Vec<Chain>,
    /// For each section, the time since which deletions wait for a snapshot.
    pub(super) deletions: Vec<Option<Timestamp>>,
    pub(super) prepared: Vec<PreparedSection>,
}

/// One section and its pages.
struct Members<'s> {
    section: &'s Section,
    number: usize,
    bit: SectionBits,
    deleted: Vec<HttpUrl>,
    is_empty: bool,
    has_changed: bool,
    /// True if the section needs a snapshot because a delta cannot tell what happened.
    has_moved: bool,
}

impl Sections<'_> {
    /// Prepares all collections, and adds them to the report.
    pub(super) fn prepare(&mut self, report: &mut Report) -> Result<(), Stop> {
        let run = self.run;
        for (number, section) in run.options.sections.iter().enumerate() {
            let members = self.members(number, section);
            if !members.deleted.is_empty()
                && let Some(since) = self.deletions.get_mut(number)
            {
                since.get_or_insert(self.generated);
            }
            let chain = self.chains.get(number).cloned().unwrap_or_default();
            if members.is_empty && chain.links.is_empty() {
                report.notes.push(without_pages(section));
                continue;
            }
            self.section(&members, &chain, report)?;
        }
        Ok(())
    }

    fn members<'s>(&self, number: usize, section: &'s Section) -> Members<'s> {
        let bit: SectionBits = 1 << number;
        let deleted = self.merged.deleted.iter();
        let deleted: Vec<HttpUrl> = deleted
            .filter(|page| page.known.sections & bit != 0)
            .map(|page| page.url.clone())
            .collect();
        let url_bytes: usize = deleted.iter().map(|url| url.as_str().len() + 3).sum();
        let is_too_much = url_bytes > self.run.options.limits.metadata_bytes / 2;
        let mut changes = self.changes(bit);
        Members {
            section,
            number,
            bit,
            is_empty: self.changes(bit).next().is_none(),
            has_changed: changes.any(|(_, change)| change != Change::Unchanged)
                || !deleted.is_empty(),
            has_moved: self.merged.moved & bit != 0 || is_too_much,
            deleted,
        }
    }

    /// Prepares a delta, a snapshot, both or neither.
    fn section(
        &mut self,
        members: &Members<'_>,
        chain: &Chain,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let (section, options) = (members.section, self.run.options);
        let delta = chain.head().filter(|_| !members.has_moved);
        let delta = delta.map(|since| DraftPlan {
            section,
            kind: LinkKind::Delta { since },
            generated: self.generated,
            deleted: members.deleted.clone(),
            expected_bytes: None,
        });
        let mut new_delta_bytes = 0;
        if let Some(plan) = delta.as_ref().filter(|_| members.has_changed) {
            new_delta_bytes = self.delta(members, plan, report)?;
        }
        let deletions_since = self.deletions.get(members.number).copied().flatten();
        let situation = Situation {
            chain,
            now: self.generated,
            lifetimes: Lifetimes::of(section.update_frequency),
            changed: members.has_changed,
            moved: members.has_moved,
            asked: options.full,
            deletions_since,
            delta_share: options.delta_share,
            new_delta_bytes,
        };
        let Some(reason) = situation.snapshot() else {
            return Ok(());
        };
        // Without this delta, which has no pages, there would be a gap: agents that follow the deltas need no snapshot.
        let says_nothing_new =
            reason == SnapshotReason::Expiry && !members.has_changed && deletions_since.is_none();
        if let Some(plan) = delta.filter(|_| says_nothing_new) {
            self.delta(members, &plan, report)?;
        }
        self.snapshot(members, reason, report)?;
        if let Some(since) = self.deletions.get_mut(members.number) {
            *since = None;
        }
        Ok(())
    }

    /// The pages of a section, by place.
    fn changes(&self, bit: SectionBits) -> impl Iterator<Item = (usize, Change)> {
        let changes = self.extraction.pages.changes.iter().enumerate();
        changes.filter_map(move |(at, change)| {
            let known = self.merged.ledger.get(at)?;
            let change = (*change).filter(|_| known.sections & bit != 0)?;
            Some((at, change))
        })
    }

    /// Prepares a delta; returns its size.
    fn delta(
        &mut self,
        members: &Members<'_>,
        plan: &DraftPlan<'_>,
        report: &mut Report,
    ) -> Result<u64, PublishError> {
        let is_in = self.marked(members.bit, |change| change != Change::Unchanged);
        if self.run.options.dry_run {
            let pages = is_in.iter().filter(|is_in| **is_in).count() as u64;
            report.collections.push(planned(plan, None, pages));
            return Ok(0);
        }
        let mut draft = Draft::begin(plan, self.run.store, self.run.options)?;
        let lines = &mut self.extraction.pages.lines;
        spooled(&mut lines.spool, &is_in, |line| draft.add(line))?;
        let collection = draft.finish()?;
        let bytes = collection.link.size();
        self.done(members, plan, None, collection, report);
        Ok(bytes)
    }

    /// Prepares a snapshot. The lines of unchanged pages come from the collections.
    fn snapshot(
        &mut self,
        members: &Members<'_>,
        reason: SnapshotReason,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let plan = &DraftPlan {
            section: members.section,
            kind: LinkKind::Snapshot,
            generated: self.generated,
            deleted: Vec::new(),
            expected_bytes: None,
        };
        let has_all_lines = self.extraction.has_all_lines;
        let is_spooled = |change| has_all_lines || change != Change::Unchanged;
        let from_spool = self.marked(members.bit, is_spooled);
        let wanted = self.marked(members.bit, |change| !is_spooled(change));
        if self.run.options.dry_run {
            let pages = from_spool.iter().zip(&wanted).filter(|(a, b)| **a || **b);
            let pages = pages.count() as u64;
            report.collections.push(planned(plan, Some(reason), pages));
            return Ok(());
        }
        let lines = &mut self.extraction.pages.lines;
        if let Some(draft) = lines.draft.take_if(|_| members.number == 0) {
            // It got its lines while pages were extracted.
            let collection = draft.finish()?;
            self.done(members, plan, Some(reason), collection, report);
            return Ok(());
        }
        let (mut draft, is_whole) = self.carried(members, plan, &wanted, report)?;
        let lines = &mut self.extraction.pages.lines;
        spooled(&mut lines.spool, &from_spool, |line| draft.add(line))?;
        let collection = draft.finish()?;
        if !is_whole {
            return Err(Stop::MissingLines);
        }
        self.done(members, plan, Some(reason), collection, report);
        Ok(())
    }

    /// Begins a draft with the lines of unchanged pages; false if lines are missing.
    fn carried(
        &mut self,
        members: &Members<'_>,
        plan: &DraftPlan<'_>,
        wanted: &[bool],
        report: &mut Report,
    ) -> Result<(Draft, bool), PublishError> {
        loop {
            let mut draft = Draft::begin(plan, self.run.store, self.run.options)?;
            let mut missing = wanted.to_vec();
            let Err(error) = self.carry_into(&mut draft, members.number, &mut missing) else {
                return Ok((draft, !missing.contains(&true)));
            };
            // The draft has lines of the damaged file.
            match leave_damaged(&mut self.chains, &error) {
                Some(note) => report.notes.push(note),
                None => return Err(error),
            }
            // Its writers have to end before others write files of the same names.
            let _ = draft.finish();
        }
    }

    /// Adds the lines of unchanged pages to a draft, from the collections of the section or else of the others.
    fn carry_into(
        &self,
        draft: &mut Draft,
        number: usize,
        wanted: &mut [bool],
    ) -> Result<(), PublishError> {
        let own = self.chains.get(number).into_iter();
        let others = self.chains.iter().enumerate();
        let others = others.filter(|(at, _)| *at != number);
        let chains: Vec<&Chain> = own.chain(others.map(|(_, chain)| chain)).collect();
        let (store, ledger) = (self.run.origin(), &self.merged.ledger);
        let options = self.run.options;
        carry(store, &chains, ledger, wanted, options, |_, record| {
            draft.add(record.line());
            Ok(())
        })
    }

    /// Returns for each place whether the page is in the section and `wanted`.
    fn marked(&self, bit: SectionBits, wanted: impl Fn(Change) -> bool) -> Vec<bool> {
        let mut marks = vec![false; self.extraction.pages.changes.len()];
        for (at, change) in self.changes(bit) {
            if let Some(mark) = marks.get_mut(at) {
                *mark = wanted(change);
            }
        }
        marks
    }

    fn done(
        &mut self,
        members: &Members<'_>,
        plan: &DraftPlan<'_>,
        reason: Option<SnapshotReason>,
        collection: Prepared,
        report: &mut Report,
    ) {
        let files = collection.link.files.iter().map(|file| WrittenFile {
            path: file.path.to_string(),
            url: self.run.options.url_of_collection(&file.path),
            bytes: file.size,
        });
        report.collections.push(WrittenCollection {
            uncompressed_bytes: collection.uncompressed_bytes,
            files: files.collect(),
            ..planned(plan, reason, collection.link.pages)
        });
        self.prepared.push(PreparedSection {
            number: members.number,
            collection,
        });
    }
}

fn planned(plan: &DraftPlan<'_>, reason: Option<SnapshotReason>, pages: u64) -> WrittenCollection {
    WrittenCollection {
        section: plan.section.name.to_string(),
        kind: match plan.kind {
            LinkKind::Snapshot => "snapshot",
            LinkKind::Delta { .. } => "delta",
        },
        reason,
        pages,
        deleted: plan.deleted.len() as u64,
        uncompressed_bytes: 0,
        files: Vec::new(),
    }
}

/// Reads the spooled lines of the pages that are marked.
fn spooled(
    lines: &mut Spool,
    marks: &[bool],
    mut take: impl FnMut(&str),
) -> Result<(), PublishError> {
    let failed = |error| PublishError::scratch(Path::new("the temporary folder"), error);
    let mut reader = lines.read().map_err(failed)?;
    while let Some((at, bytes)) = reader.next().map_err(failed)? {
        if marks.get(at) == Some(&true)
            && let Ok(line) = std::str::from_utf8(bytes)
        {
            take(line);
        }
    }
    Ok(())
}
