//! Which collections each section gets, and what goes into them.

use sitecast_scp::{HttpUrl, Timestamp};

use crate::chain::{Chain, LinkKind};
use crate::collections::{Draft, Plan, Prepared};
use crate::ledger::{Deleted, Ledger, SectionBits};
use crate::making::Change;
use crate::previous::{carry, leave_damaged};
use crate::report::{Report, WrittenCollection, WrittenFile};
use crate::run::Run;
use crate::schedule::{Lifetimes, Situation, SnapshotReason};
use crate::source::Items;
use crate::survey::{Fate, Survey};
use crate::{PublishError, Section};

/// What is needed to write the collections of all sections.
pub(crate) struct Writing<'a, 'r> {
    pub(crate) run: &'a Run<'r>,
    pub(crate) ledger: &'a Ledger,
    pub(crate) survey: &'a mut Survey,
    pub(crate) chains: Vec<Chain>,
    pub(crate) deletions: Vec<Option<Timestamp>>,
    pub(crate) deleted: &'a [Deleted],
    pub(crate) moved: SectionBits,
    pub(crate) generated: Timestamp,
    pub(crate) all_lines: bool,
    pub(crate) prepared: Vec<(usize, Option<SnapshotReason>, Prepared)>,
}

/// How many bytes of HTML become one of a collection, on most sites.
const HTML_PER_LINE: u64 = 3;

/// Begins the snapshot of the first section before there are lines, if it is known already that
/// there will be one of all lines that are made: so it is compressed while pages are extracted.
/// Only that one: each takes some memory, and the others repeat parts of it.
pub(crate) fn early_draft(
    run: &Run<'_>,
    items: &Items,
    chains: &[Chain],
    generated: Timestamp,
    all_lines: bool,
) -> Result<Option<Draft>, PublishError> {
    let is_first = chains
        .first()
        .is_none_or(|chain| chain.snapshot().is_none());
    let section = run.options.sections.first();
    let Some(section) = section.filter(|_| all_lines && !run.options.dry_run) else {
        return Ok(None);
    };
    if !is_first && !run.options.full {
        return Ok(None);
    }
    let plan = Plan {
        section,
        kind: LinkKind::Snapshot,
        generated,
        deleted: Vec::new(),
        expected_bytes: Some(items.iter().map(|item| item.stamp.size).sum::<u64>() / HTML_PER_LINE),
    };
    Draft::begin(&plan, run.store, run.options).map(Some)
}

impl Writing<'_, '_> {
    /// Decides about all sections and prepares their collections; `false` if lines are missing.
    pub(crate) fn sections(&mut self, report: &mut Report) -> Result<bool, PublishError> {
        let options = self.run.options;
        for (number, section) in options.sections.iter().enumerate() {
            let bit: SectionBits = 1 << number;
            let deleted: Vec<HttpUrl> = self
                .deleted
                .iter()
                .filter(|page| page.known.sections & bit != 0)
                .map(|page| page.url.clone())
                .collect();
            let changed = self
                .members(bit)
                .any(|(_, change)| change != Change::Unchanged);
            let chain = self.chains.get(number).cloned().unwrap_or_default();
            let is_too_much = deleted
                .iter()
                .map(|url| url.as_str().len() + 3)
                .sum::<usize>()
                > options.limits.metadata_bytes / 2;
            let moved = self.moved & bit != 0 || is_too_much;
            if let Some(since) = self.deletions.get_mut(number)
                && !deleted.is_empty()
            {
                since.get_or_insert(self.generated);
            }
            let is_empty = self.members(bit).next().is_none();
            if is_empty && chain.links.is_empty() {
                report.notes.push(without_pages(section));
                continue;
            }
            let changed = changed || !deleted.is_empty();
            let delta = |since| Plan {
                section,
                kind: LinkKind::Delta { since },
                generated: self.generated,
                deleted: deleted.clone(),
                expected_bytes: None,
            };
            let delta = chain.head().filter(|_| !moved).map(delta);
            let mut new_delta_bytes = 0;
            if let Some(plan) = delta.as_ref().filter(|_| changed) {
                new_delta_bytes = self.delta(number, plan, bit, report)?;
            }
            let reason = Situation {
                chain: &chain,
                now: self.generated,
                lifetimes: Lifetimes::of(section.update_frequency),
                changed,
                moved,
                asked: options.full,
                deletions_since: self.deletions.get(number).copied().flatten(),
                delta_share: options.delta_share,
                new_delta_bytes,
            }
            .snapshot();
            if let Some(reason) = reason {
                // Whoever follows the deltas has all of it already; without this one there would be a gap in them.
                let says_nothing_new = reason == SnapshotReason::Expiry
                    && !changed
                    && self.deletions.get(number).copied().flatten().is_none();
                if let Some(plan) = delta.filter(|_| says_nothing_new) {
                    self.delta(number, &plan, bit, report)?;
                }
                let plan = Plan {
                    section,
                    kind: LinkKind::Snapshot,
                    generated: self.generated,
                    deleted: Vec::new(),
                    expected_bytes: None,
                };
                if !self.snapshot(number, &plan, bit, reason, report)? {
                    return Ok(false);
                }
                if let Some(since) = self.deletions.get_mut(number) {
                    *since = None;
                }
            }
        }
        Ok(true)
    }

    /// The pages of a section, by place, and what became of each.
    fn members(&self, bit: SectionBits) -> impl Iterator<Item = (usize, Change)> {
        let fates = self.survey.fates.iter().enumerate();
        fates.filter_map(move |(at, fate)| match fate {
            Fate::Is(change) => {
                let known = self.ledger.get(at)?;
                (known.sections & bit != 0).then_some((at, *change))
            }
            Fate::Gone => None,
        })
    }

    /// Answers the size of the delta.
    fn delta(
        &mut self,
        number: usize,
        plan: &Plan<'_>,
        bit: SectionBits,
        report: &mut Report,
    ) -> Result<u64, PublishError> {
        let is_in: Vec<bool> = self.marked(bit, |change| change != Change::Unchanged);
        if self.run.options.dry_run {
            let pages = is_in.iter().filter(|is_in| **is_in).count() as u64;
            report.collections.push(planned(plan, None, pages));
            return Ok(0);
        }
        let mut draft = Draft::begin(plan, self.run.store, self.run.options)?;
        spooled(self.survey, &is_in, |line| draft.add(line))?;
        let prepared = draft.finish()?;
        let bytes = prepared.link.size();
        self.done(number, plan, None, prepared, report);
        Ok(bytes)
    }

    /// `false` if lines are missing.
    fn snapshot(
        &mut self,
        number: usize,
        plan: &Plan<'_>,
        bit: SectionBits,
        reason: SnapshotReason,
        report: &mut Report,
    ) -> Result<bool, PublishError> {
        let all_lines = self.all_lines;
        let from_spool = self.marked(bit, |change| all_lines || change != Change::Unchanged);
        let mut carried = self.marked(bit, |change| !all_lines && change == Change::Unchanged);
        let pages = from_spool.iter().zip(&carried).filter(|(a, b)| **a || **b);
        if self.run.options.dry_run {
            let pages = pages.count() as u64;
            report.collections.push(planned(plan, Some(reason), pages));
            return Ok(true);
        }
        if let Some(draft) = self.survey.draft.take_if(|_| number == 0) {
            // Its lines went into it as they were made.
            let prepared = draft.finish()?;
            self.done(number, plan, Some(reason), prepared, report);
            return Ok(true);
        }
        let wanted = carried.clone();
        let mut draft = loop {
            let mut draft = Draft::begin(plan, self.run.store, self.run.options)?;
            match self.carry_into(&mut draft, number, &mut carried) {
                Ok(()) => break draft,
                // What came of the damaged file is in the draft.
                Err(error) => match leave_damaged(&mut self.chains, &error) {
                    Some(note) => report.notes.push(note),
                    None => return Err(error),
                },
            }
            // Its writers have to be done before others write files of the same names.
            let _ = draft.finish();
            carried.clone_from(&wanted);
        };
        let is_whole = !carried.contains(&true);
        spooled(self.survey, &from_spool, |line| draft.add(line))?;
        let prepared = draft.finish()?;
        if is_whole {
            self.done(number, plan, Some(reason), prepared, report);
        }
        Ok(is_whole)
    }

    /// Adds the lines of unchanged pages to a draft, from the collections of the section and else of the others.
    fn carry_into(
        &self,
        draft: &mut Draft,
        number: usize,
        carried: &mut [bool],
    ) -> Result<(), PublishError> {
        let own = self.chains.get(number).into_iter();
        let others = self.chains.iter().enumerate();
        let others = others.filter(|(at, _)| *at != number);
        let chains: Vec<&Chain> = own.chain(others.map(|(_, chain)| chain)).collect();
        let run = self.run;
        carry(
            run.origin(),
            &chains,
            self.ledger,
            carried,
            run.options,
            |_, record| {
                draft.add(record.line());
                Ok(())
            },
        )
    }

    /// For each place, whether it is in the section and `wanted`.
    fn marked(&self, bit: SectionBits, wanted: impl Fn(Change) -> bool) -> Vec<bool> {
        let mut marks = vec![false; self.survey.fates.len()];
        for (at, change) in self.members(bit) {
            if let Some(mark) = marks.get_mut(at) {
                *mark = wanted(change);
            }
        }
        marks
    }

    fn done(
        &mut self,
        number: usize,
        plan: &Plan<'_>,
        reason: Option<SnapshotReason>,
        prepared: Prepared,
        report: &mut Report,
    ) {
        let files = prepared.link.files.iter().map(|file| WrittenFile {
            path: file.path.to_string(),
            url: self.run.options.url_of_collection(&file.path),
            bytes: file.size,
        });
        report.collections.push(WrittenCollection {
            uncompressed_bytes: prepared.uncompressed_bytes,
            files: files.collect(),
            ..planned(plan, reason, prepared.link.pages)
        });
        self.prepared.push((number, reason, prepared));
    }
}

/// What the owner is told of a section that has no pages.
pub(crate) fn without_pages(section: &Section) -> String {
    let name = &section.name;
    format!("no page belongs to section `{name}`: it has no collection")
}

fn planned(plan: &Plan<'_>, reason: Option<SnapshotReason>, pages: u64) -> WrittenCollection {
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

/// Hands over the spooled lines of the pages that are marked.
fn spooled(
    survey: &mut Survey,
    marks: &[bool],
    mut take: impl FnMut(&str),
) -> Result<(), PublishError> {
    let failed = |source| PublishError::Scratch {
        folder: "the temporary folder".to_owned(),
        source,
    };
    let mut reader = survey.lines.read().map_err(failed)?;
    while let Some((at, bytes)) = reader.next().map_err(failed)? {
        if marks.get(at) == Some(&true)
            && let Ok(line) = std::str::from_utf8(bytes)
        {
            take(line);
        }
    }
    Ok(())
}
