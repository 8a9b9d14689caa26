//! Verification and merging of collections, in one transaction.

use std::fs::File;

use sitecast_index::{
    CollectionRef, Merge, NewPage, Origin, Precedence, SectionState, Sweep,
    Validators as KeptValidators,
};
use sitecast_scp::{
    Checksum, Collection, CollectionKind, Event, MissingMetadata, ReadError, ReaderOptions,
    Timestamp, WarningKind,
};
use sitecast_sitemap::Collection as Announced;

use super::NOTE_OTHERWISE;
use super::download::LocalFile;
use crate::SyncError;
use crate::plan::{Candidate, MAX_CLOCK_SKEW};
use crate::progress::Activity;
use crate::report::{AppliedCollection, counted};
use crate::site::SiteRun;

/// A collection may have been generated this many seconds before the time in the sitemap. Some publishers write
/// the time of the sitemap instead.
const DRIFT: i64 = 3600;
/// The most rejected pages of a collection that are fetched as HTML instead.
const FETCHED_INSTEAD: usize = 1_000;
/// The number of pages between two reports of progress.
const STEP: u64 = 1_000;

/// The error that ended a merge, with the index of the file that caused it, if one did.
pub(super) struct MergeFailure {
    pub(super) at: Option<usize>,
    pub(super) error: SyncError,
}

impl SiteRun<'_> {
    /// Verifies and merges collections in one transaction. Returns the URLs of pages that were rejected.
    pub(super) fn merge(
        &mut self,
        locals: &[LocalFile<'_>],
        state: &SectionState,
    ) -> Result<Vec<String>, Box<MergeFailure>> {
        let failure = |at, error| Box::new(MergeFailure { at, error });
        let begun = self.begin_merge();
        let mut merge = begun.map_err(|error| failure(None, error))?;
        let mut applied = Vec::new();
        let mut unusable = Vec::new();
        let mut position = state.clone();
        for (at, local) in locals.iter().enumerate() {
            let one = self
                .merge_one(&mut *merge, local, &mut position, &mut unusable)
                .map_err(|error| failure(Some(at), error))?;
            applied.extend(one);
        }
        self.commit(merge).map_err(|error| failure(None, error))?;
        self.report.applied.extend(applied);
        Ok(unusable)
    }

    fn merge_one(
        &mut self,
        merge: &mut dyn Merge,
        local: &LocalFile<'_>,
        position: &mut SectionState,
        unusable: &mut Vec<String>,
    ) -> Result<Option<AppliedCollection>, SyncError> {
        let announced = local.candidate.files.get(local.file);
        let url = announced.map_or("", |file| file.url.as_str());
        let broken = |source: ReadError| SyncError::Collection {
            url: url.to_owned(),
            source,
        };
        let file = File::open(&local.path).map_err(|source| SyncError::Scratch {
            path: local.path.clone(),
            source,
        })?;
        let options = ReaderOptions {
            limits: self.options.scp_limits.clone(),
            missing_metadata: MissingMetadata::Refuse,
        };
        let mut reader = options.read_ahead(file).map_err(broken)?;
        let Some(collection) = reader.collection().cloned() else {
            return Ok(None);
        };
        check_metadata(&collection, local.candidate, announced, position, self.now).map_err(
            |problem| SyncError::NotAsAnnounced {
                url: url.to_owned(),
                problem,
            },
        )?;
        let reference = CollectionRef {
            url: url.to_owned(),
            section: collection.section.clone(),
            kind: collection.kind,
            generated: collection.generated,
        };
        if self.index.is_applied(&self.site, &reference)? {
            return Ok(None);
        }
        merge.origin(Origin::Scp(reference))?;
        merge.set_validators(
            url,
            &KeptValidators {
                etag: local.validators.etag.clone(),
                last_modified: local.validators.last_modified.clone(),
            },
        )?;
        let precedence = match collection.kind {
            CollectionKind::Snapshot => Precedence::NotOlder,
            CollectionKind::Delta { .. } => Precedence::Later,
        };
        let oldest = self.oldest();
        let mut pages = 0;
        let (mut own, mut elsewhere) = (0u64, 0u64);
        // A page from the future could not be replaced before that time.
        let latest = self.now.unix_seconds().saturating_add(MAX_CLOCK_SKEW);
        let mut future = 0u64;
        while let Some(event) = reader.next_event().map_err(broken)? {
            match event {
                Event::Page(page) => {
                    if !self.scope.has_text(page.url()) {
                        elsewhere += 1;
                        continue;
                    }
                    own += 1;
                    if oldest.is_some_and(|oldest| page.modified() < oldest) {
                        continue;
                    }
                    if page.modified().unix_seconds() > latest {
                        future += 1;
                        continue;
                    }
                    merge.put(&NewPage {
                        url: page.url(),
                        line: page.line(),
                        modified: page.modified(),
                        language: page.language(),
                        fingerprint: None,
                        etag: None,
                        fetched: self.now,
                        precedence,
                    })?;
                    pages += 1;
                    if pages % STEP == 0 {
                        self.activity(Activity::Merging { pages });
                    }
                }
                Event::Warning(warning) => {
                    if matches!(warning.kind, WarningKind::PageRejected(_))
                        && let Some(page) = &warning.url
                        && unusable.len() < FETCHED_INSTEAD
                    {
                        unusable.push(page.to_string());
                        // The site has the page, so the snapshot must not delete the copy in the index.
                        merge.keep(page)?;
                    }
                    self.report.warn(format!("`{url}`, {warning}"));
                }
            }
        }
        if own == 0 && elsewhere > 0 && collection.kind == CollectionKind::Snapshot {
            return Err(SyncError::NotAsAnnounced {
                url: url.to_owned(),
                problem: format!(
                    "it has no page of this site, and {} of other sites",
                    counted(elsewhere, "page")
                ),
            });
        }
        if elsewhere > 0 {
            self.report.warn(format!(
                "`{url}` has {} of other sites: left out",
                counted(elsewhere, "page")
            ));
        }
        if future > 0 {
            self.report.warn(format!(
                "`{url}` has {} from the future: left out",
                counted(future, "page")
            ));
        }
        match collection.kind {
            CollectionKind::Snapshot => {
                let mut sweep = Sweep::section(collection.section.clone(), collection.generated);
                if let Some(time) = self.state.notes.get(NOTE_OTHERWISE) {
                    sweep.include_unsectioned = true;
                    let time = time.parse::<Timestamp>().ok();
                    if time.is_none_or(|time| collection.generated > time) {
                        merge.state_mut().notes.remove(NOTE_OTHERWISE);
                    }
                }
                merge.delete_unnamed(&sweep)?;
            }
            CollectionKind::Delta { .. } => {
                for gone in &collection.deleted {
                    merge.delete(gone.as_str(), Some(collection.generated))?;
                }
            }
        }
        // The next plan compares the position with the sitemap, which may give a later time.
        let reached = collection.generated.max(local.candidate.generated);
        let section = collection.section.to_string();
        let kept = merge.state_mut().sections.entry(section).or_default();
        for place in [position, kept] {
            place.generated = place.generated.max(Some(reached));
            if collection.kind == CollectionKind::Snapshot {
                place.snapshot = place.snapshot.max(Some(reached));
            }
        }
        Ok(Some(AppliedCollection {
            kind: collection.kind.name(),
            section: collection.section.to_string(),
            url: url.to_owned(),
            generated: collection.generated,
            pages,
            bytes: local.bytes,
        }))
    }
}

/// Fails if the file is not the one that was planned. It may be newer than the sitemap says, because publishers
/// reuse names, but it must not be older, of another section or kind, or leave a gap. Sitemaps round to seconds.
fn check_metadata(
    collection: &Collection,
    candidate: &Candidate,
    announced: Option<&Announced>,
    position: &SectionState,
    now: Timestamp,
) -> Result<(), String> {
    if collection.generated.unix_seconds() > now.unix_seconds().saturating_add(MAX_CLOCK_SKEW) {
        return Err(format!(
            "it was made at {}, which is in the future",
            collection.generated
        ));
    }
    if announced.is_some_and(|file| file.section != collection.section.as_str()) {
        return Err(format!("its section is `{}`", collection.section));
    }
    // The schema of `scp:collection` has no checksum, but some sitemaps give one.
    let checksum = announced.and_then(|file| file.checksum.as_deref()?.parse::<Checksum>().ok());
    if let (Some(announced), Some(own)) = (checksum, collection.checksum)
        && announced != own
    {
        return Err(format!("its checksum is {own}, not {announced}"));
    }
    let (kind, expected) = (
        collection.kind.name(),
        if candidate.since.is_some() {
            "delta"
        } else {
            "snapshot"
        },
    );
    if kind != expected {
        return Err(format!("it is a {kind}, not a {expected}"));
    }
    if collection.generated.unix_seconds().saturating_add(DRIFT)
        < candidate.generated.unix_seconds()
    {
        return Err(format!(
            "it was made at {}, before {}",
            collection.generated, candidate.generated
        ));
    }
    match (collection.kind, position.generated) {
        (CollectionKind::Delta { since }, Some(at)) if since.unix_seconds() > at.unix_seconds() => {
            Err(format!(
                "it has the changes since {since}, and those since {at} are missing"
            ))
        }
        (CollectionKind::Delta { .. }, None) => {
            Err("no snapshot has been applied before it".to_owned())
        }
        _ => Ok(()),
    }
}
