//! Batches of pages that are fetched one by one. A merge must not include anything slow such as a request, and
//! a crash should lose only a few seconds of work.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use sitecast_fetch::Validators;
use sitecast_index::{
    Fingerprint, NewPage, Origin, Precedence, Sweep, Validators as KeptValidators,
};
use sitecast_scp::Timestamp;

use crate::SyncError;
use crate::site::SiteRun;

/// A batch is merged at this many pages, bytes of lines, or time since the last merge.
const PAGES: usize = 500;
const BYTES: usize = 8 << 20;
const AGE: Duration = Duration::from_secs(5);

/// A page that was fetched.
pub(crate) struct FetchedPage {
    pub(crate) url: String,
    pub(crate) line: String,
    pub(crate) modified: Timestamp,
    pub(crate) language: String,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) etag: Option<String>,
}

/// Fetched pages that have not been merged yet.
pub(crate) struct Batch {
    pages: Vec<(Origin, FetchedPage)>,
    validators: Vec<(String, Validators)>,
    bytes: usize,
    since: Instant,
    /// A note for the site's state that is committed with each batch, so that it is present if the process is killed.
    pub(crate) note: Option<(&'static str, &'static str)>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            validators: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            note: None,
        }
    }
}

impl Batch {
    pub(crate) fn put(&mut self, origin: Origin, page: FetchedPage) {
        self.bytes += page.line.len();
        self.pages.push((origin, page));
    }

    pub(crate) fn remember(&mut self, url: &str, validators: Validators) {
        self.validators.push((url.to_owned(), validators));
    }

    fn is_due(&self) -> bool {
        self.pages.len().max(self.validators.len()) >= PAGES
            || self.bytes >= BYTES
            || self.since.elapsed() >= AGE
    }
}

/// A callback for the URL of each page that the site still has.
pub(crate) type Keep<'k> = dyn FnMut(&str) -> Result<(), SyncError> + 'k;

/// The most bytes of the URLs of deleted pages that one visit holds.
const MAX_DELETED_BYTES: usize = 32 << 20;

/// The pages to delete at the end of a visit.
#[derive(Default)]
pub(crate) struct Deletions {
    /// URLs of pages that the site has deleted.
    urls: HashSet<String>,
    bytes: usize,
    /// True if the visit saw all pages of the site, so that all others can be deleted, too.
    pub(crate) complete: bool,
}

impl Deletions {
    pub(crate) fn new(complete: bool) -> Self {
        Self {
            complete,
            ..Self::default()
        }
    }

    /// Adds a page that the site has deleted. If the limit is reached, a later visit finds it again.
    pub(crate) fn add(&mut self, url: String) {
        if self.bytes + url.len() <= MAX_DELETED_BYTES {
            self.bytes += url.len();
            self.urls.insert(url);
        } else {
            self.complete = false;
        }
    }

    /// Returns true if the page was added.
    pub(crate) fn contains(&self, url: &str) -> bool {
        self.urls.contains(url)
    }
}

impl SiteRun<'_> {
    /// Merges the batch if it is large or old enough.
    pub(crate) fn flush_if_due(&mut self, batch: &mut Batch) -> Result<(), SyncError> {
        if batch.is_due() {
            self.flush(batch)?;
        }
        Ok(())
    }

    /// Merges the batch.
    pub(crate) fn flush(&mut self, batch: &mut Batch) -> Result<(), SyncError> {
        batch.since = Instant::now();
        if batch.pages.is_empty() && batch.validators.is_empty() {
            return Ok(());
        }
        let mut merge = self.begin_merge()?;
        let mut from = None;
        for (origin, page) in batch.pages.drain(..) {
            if from.as_ref() != Some(&origin) {
                merge.origin(origin.clone())?;
                from = Some(origin);
            }
            merge.put(&NewPage {
                url: &page.url,
                line: &page.line,
                modified: page.modified,
                language: &page.language,
                fingerprint: Some(page.fingerprint),
                etag: page.etag.as_deref(),
                fetched: self.now,
                precedence: Precedence::Always,
            })?;
        }
        for (url, validators) in batch.validators.drain(..) {
            let validators = KeptValidators {
                etag: validators.etag,
                last_modified: validators.last_modified,
            };
            merge.set_validators(&url, &validators)?;
        }
        if let Some((name, value)) = batch.note {
            let notes = &mut merge.state_mut().notes;
            notes.insert(name.to_owned(), value.to_owned());
        }
        batch.bytes = 0;
        self.commit(merge)?;
        Ok(())
    }

    /// Deletes the pages in `deletions`. If they are complete, `name` calls its argument with each page that the site
    /// still has, and all others are deleted.
    pub(crate) fn delete_missing(
        &mut self,
        origin: Origin,
        deletions: &Deletions,
        name: &mut dyn FnMut(&mut Keep<'_>) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        if deletions.urls.is_empty() && !deletions.complete {
            return Ok(());
        }
        let mut merge = self.begin_merge()?;
        merge.origin(origin)?;
        for url in &deletions.urls {
            merge.delete(url, None)?;
        }
        if deletions.complete {
            name(&mut |url| Ok(merge.keep(url)?))?;
            merge.delete_unnamed(&Sweep::site(self.now))?;
        }
        // The pages that are kept here were already counted as unchanged.
        let unchanged = self.report.pages.unchanged;
        self.commit(merge)?;
        self.report.pages.unchanged = unchanged;
        Ok(())
    }
}
