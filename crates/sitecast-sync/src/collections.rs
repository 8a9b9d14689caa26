//! Syncing by collections: download all that are needed, then verify and merge them in one step.
//!
//! What can come: a file that is cut short, damaged, not what its checksum says, a bomb, another section or
//! kind than announced, older than what is here, with pages of other sites. The merge is dropped with the
//! first fatal error, so nothing of a collection is ever used before all of it is known to be right.

use std::fs::{self, File};
use std::path::PathBuf;

use sitecast_fetch::{Coding, Download, Downloaded, FetchError, Request, Validators};
use sitecast_index::{
    CollectionRef, Merge, NewPage, Origin, Precedence, SectionState, Sweep,
    Validators as KeptValidators,
};
use sitecast_scp::{
    Checksum, Collection, CollectionKind, Event, MissingMetadata, ReadError, ReaderOptions,
    Timestamp, WarningKind,
};
use sitecast_sitemap::Collection as Announced;
use url::Url;

use crate::SyncError;
use crate::discover::Found;
use crate::plan::{Candidate, SKEW, Step, plan, sections};
use crate::progress::Doing;
use crate::report::Applied;
use crate::site::SiteRun;

/// How much larger than announced a collection may be.
const SLACK: u64 = 1 << 20;
/// Pages that a collection has and we cannot use, which are then fetched as HTML.
const FETCHED_INSTEAD: usize = 1_000;
/// So many pages are merged between two looks at how far it has come.
const STEP: u64 = 1_000;

/// A collection that is here and still to be verified.
struct Local<'c> {
    candidate: &'c Candidate,
    /// Which of its files it is.
    file: usize,
    path: PathBuf,
    validators: Validators,
    bytes: u64,
}

/// Why nothing was merged, and which file is at fault, if it is one of them.
struct Unmerged {
    at: Option<usize>,
    error: SyncError,
}

/// How fetching a candidate ended.
enum Fetched<'c> {
    Here(Local<'c>),
    /// The server says it is what was applied before.
    Known,
}

impl SiteRun<'_> {
    pub(crate) fn sync_collections(&mut self, found: &Found) -> Result<(), SyncError> {
        if found.scp.collections.is_empty() {
            return Err(SyncError::NotOffered("collections"));
        }
        for section in self.wanted_sections(found)? {
            self.sync_section(found, &section)?;
        }
        Ok(())
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

    fn sync_section(&mut self, found: &Found, section: &str) -> Result<(), SyncError> {
        let state = self.section_state(section);
        let plan = plan(
            &found.scp,
            section,
            &state,
            self.now,
            self.options.snapshot_every,
        );
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
            match self.apply(candidates, &state) {
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

    pub(crate) fn section_state(&self, section: &str) -> SectionState {
        let known = self.state.sections.get(section);
        known.cloned().unwrap_or_default()
    }

    /// Downloads and merges a snapshot or a chain of deltas. Where a file turns out damaged, the same in
    /// another compression is tried.
    fn apply(&mut self, candidates: &[Candidate], state: &SectionState) -> Result<(), SyncError> {
        let mut first_files = vec![0; candidates.len()];
        loop {
            let mut locals = Vec::new();
            for (candidate, first) in candidates.iter().zip(&first_files) {
                match self.fetch_candidate(candidate, *first)? {
                    Fetched::Here(local) => locals.push(local),
                    Fetched::Known => {}
                }
            }
            let Err(unmerged) = self.merge(&locals, state) else {
                for local in &locals {
                    // It has served its purpose.
                    let _ = fs::remove_file(&local.path);
                }
                return Ok(());
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

    /// Downloads the first of a candidate's files that can be had.
    fn fetch_candidate<'c>(
        &mut self,
        candidate: &'c Candidate,
        first: usize,
    ) -> Result<Fetched<'c>, SyncError> {
        let mut last = SyncError::NoCollection {
            reason: "it names no file".to_owned(),
        };
        for (file, collection) in candidate.files.iter().enumerate().skip(first) {
            let fetched = self.fetch_file(candidate, file, &collection.url, collection.size);
            match fetched {
                Ok(fetched) => return Ok(fetched),
                Err(error) if error.allows_another_way() => {
                    if file + 1 < candidate.files.len() {
                        self.report.warn(error.to_string());
                    }
                    last = error;
                }
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn fetch_file<'c>(
        &mut self,
        candidate: &'c Candidate,
        file: usize,
        url: &str,
        size: Option<u64>,
    ) -> Result<Fetched<'c>, SyncError> {
        let place = Url::parse(url).map_err(|_| FetchError::NotHttp {
            url: url.to_owned(),
        })?;
        self.check_host(&place)?;
        let path = self
            .scratch
            .file(&format!("{url} {}", candidate.generated), "scp");
        // Downloaded by a process that did not come to merge it.
        if let Ok(metadata) = fs::metadata(&path) {
            return Ok(Fetched::Here(Local {
                candidate,
                file,
                path,
                validators: Validators::default(),
                bytes: metadata.len(),
            }));
        }
        let most = self.options.scp_limits.compressed_bytes;
        let limit = size.map_or(most, |size| {
            size.saturating_mul(2)
                .max(size.saturating_add(SLACK))
                .min(most)
        });
        let known = self.index.validators(&self.site, url)?.unwrap_or_default();
        let request = Request {
            coding: Coding::Stored,
            known: Validators {
                etag: known.etag,
                last_modified: known.last_modified,
            },
            ..Request::new(place, limit).accept("application/scp,*/*;q=0.5")
        };
        let progress = |bytes, total: Option<u64>| {
            let total = total.or(size);
            self.doing(Doing::Downloading { url, bytes, total });
        };
        let done = self.client.download(Download {
            request: &request,
            to: &path,
            progress: &progress,
        });
        let done = done.map_err(|error| self.without_collections(error, &request.url))?;
        match done {
            Downloaded::Whole { head, bytes } => {
                if size.is_some_and(|size| size != bytes) {
                    self.report.warn(format!(
                        "`{url}` has {bytes} bytes, not the {} that the sitemap says",
                        size.unwrap_or_default()
                    ));
                }
                Ok(Fetched::Here(Local {
                    candidate,
                    file,
                    path,
                    validators: head.validators,
                    bytes,
                }))
            }
            Downloaded::NotModified(_) => Ok(Fetched::Known),
            Downloaded::Nothing(head) => Err(FetchError::Status {
                url: url.to_owned(),
                status: head.status,
                wait: None,
            }
            .into()),
        }
    }

    /// A site whose collections are elsewhere can be there though they are not, and a collection that leads
    /// to a private address is no reason to leave the site.
    fn without_collections(&self, error: FetchError, url: &Url) -> SyncError {
        let is_private = matches!(error, FetchError::Address { .. });
        if error.is_unreachable() && (is_private || !self.scope.has_host(url)) {
            return SyncError::NoCollection {
                reason: error.to_string(),
            };
        }
        error.into()
    }

    /// Whether collections may come from there.
    fn check_host(&self, url: &Url) -> Result<(), SyncError> {
        let Some(allowed) = &self.options.collection_hosts else {
            return Ok(());
        };
        let host = url.host_str().unwrap_or_default();
        if self.scope.has_host(url) || allowed.contains(host) {
            return Ok(());
        }
        Err(SyncError::NoCollection {
            reason: format!("`{host}` is not a host that collections may come from"),
        })
    }

    /// Verifies and merges, all in one step.
    fn merge(&mut self, locals: &[Local<'_>], state: &SectionState) -> Result<(), Box<Unmerged>> {
        let unmerged = |at, error| Box::new(Unmerged { at, error });
        let index = self.index;
        let begun = index.begin(&self.site);
        let mut merge = begun.map_err(|error| unmerged(None, error.into()))?;
        let mut applied = Vec::new();
        let mut unusable = Vec::new();
        let mut position = state.clone();
        for (at, local) in locals.iter().enumerate() {
            let one = self
                .merge_one(&mut *merge, local, &mut position, &mut unusable)
                .map_err(|error| unmerged(Some(at), error))?;
            applied.extend(one);
        }
        self.commit(merge).map_err(|error| unmerged(None, error))?;
        self.report.applied.extend(applied);
        self.fetch_instead(unusable)
            .map_err(|error| unmerged(None, error))
    }

    fn merge_one(
        &mut self,
        merge: &mut dyn Merge,
        local: &Local<'_>,
        position: &mut SectionState,
        unusable: &mut Vec<String>,
    ) -> Result<Option<Applied>, SyncError> {
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
        let oldest = self.oldest();
        let mut pages = 0;
        let mut elsewhere = 0u64;
        // One such page could never be replaced.
        let latest = self.now.unix_seconds().saturating_add(SKEW);
        let mut future = 0u64;
        while let Some(event) = reader.next_event().map_err(broken)? {
            match event {
                Event::Page(page) => {
                    if !self.scope.has_text(page.url()) {
                        elsewhere += 1;
                        continue;
                    }
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
                        precedence: Precedence::Newer,
                    })?;
                    pages += 1;
                    if pages % STEP == 0 {
                        self.doing(Doing::Merging { pages });
                    }
                }
                Event::Warning(warning) => {
                    if matches!(warning.kind, WarningKind::PageRejected(_))
                        && let Some(page) = &warning.url
                        && unusable.len() < FETCHED_INSTEAD
                    {
                        unusable.push(page.to_string());
                        // It is still there, only not to be had here.
                        merge.keep(page)?;
                    }
                    self.report.warn(format!("`{url}`, {warning}"));
                }
            }
        }
        if elsewhere > 0 {
            self.report.warn(format!(
                "`{url}` has {elsewhere} pages of other sites, which are left out"
            ));
        }
        if future > 0 {
            self.report.warn(format!(
                "`{url}` has {future} pages from the future, which are left out"
            ));
        }
        match collection.kind {
            CollectionKind::Snapshot => {
                let sweep = Sweep::section(collection.section.clone(), collection.generated);
                merge.delete_unnamed(&sweep)?;
                position.snapshot = Some(collection.generated);
            }
            CollectionKind::Delta { .. } => {
                for gone in &collection.deleted {
                    merge.delete(gone.as_str(), Some(collection.generated))?;
                }
            }
        }
        position.generated = position.generated.max(Some(collection.generated));
        Ok(Some(Applied {
            kind: collection.kind.name(),
            section: collection.section.to_string(),
            url: url.to_owned(),
            generated: collection.generated,
            pages,
            bytes: local.bytes,
        }))
    }
}

/// Whether the file is what was planned with: it may be newer than the sitemap, if it is made anew under
/// the same name, but never older, of another kind or with a gap before it.
fn check_metadata(
    collection: &Collection,
    candidate: &Candidate,
    announced: Option<&Announced>,
    position: &SectionState,
    now: Timestamp,
) -> Result<(), String> {
    if collection.generated.unix_seconds() > now.unix_seconds().saturating_add(SKEW) {
        return Err(format!(
            "it was made at {}, which is in the future",
            collection.generated
        ));
    }
    if announced.is_some_and(|file| file.section != collection.section.as_str()) {
        return Err(format!("it is of section `{}`", collection.section));
    }
    // The schema does not know it; some sitemaps have it.
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
    if collection.generated.unix_seconds() < candidate.generated.unix_seconds() {
        return Err(format!(
            "it was made at {}, before {}",
            collection.generated, candidate.generated
        ));
    }
    match (collection.kind, position.generated) {
        (CollectionKind::Delta { since }, Some(at)) if since > at => Err(format!(
            "it has the changes since {since}, and those since {at} are missing"
        )),
        (CollectionKind::Delta { .. }, None) => Err("it needs a snapshot before it".to_owned()),
        _ => Ok(()),
    }
}
