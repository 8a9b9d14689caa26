//! Pages that come one by one, merged in lots: nothing slow may happen during a merge, and nothing that
//! was fetched should be lost to a crash an hour later.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use sitecast_fetch::Validators;
use sitecast_index::{
    Fingerprint, NewPage, Origin, Precedence, Sweep, Validators as KeptValidators,
};
use sitecast_scp::Timestamp;

use crate::SyncError;
use crate::site::SiteRun;

/// A lot is merged when it has so many pages, so many bytes, or is so old.
const PAGES: usize = 500;
const BYTES: usize = 8 << 20;
const AGE: Duration = Duration::from_secs(5);

/// A page that was fetched.
pub(crate) struct Fresh {
    pub(crate) url: String,
    pub(crate) line: String,
    pub(crate) modified: Timestamp,
    pub(crate) language: String,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) etag: Option<String>,
}

/// Pages that wait to be merged.
pub(crate) struct Batch {
    pages: Vec<(Origin, Fresh)>,
    validators: Vec<(String, Validators)>,
    bytes: usize,
    since: Instant,
    /// What the site's state says while this is under way, for a run that is killed.
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
    pub(crate) fn put(&mut self, origin: Origin, page: Fresh) {
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

/// Called with each page that is there.
pub(crate) type Keep<'k> = dyn FnMut(&str) -> Result<(), SyncError> + 'k;

/// Bytes of the URLs of pages that are found to be gone in one run.
const GONE_BYTES: usize = 32 << 20;

/// What is still there of a site, and what is not, at the end of a run.
#[derive(Default)]
pub(crate) struct Roll {
    /// Pages that are known to be gone.
    gone: HashSet<String>,
    gone_bytes: usize,
    /// Whether whatever is not named is gone as well.
    pub(crate) complete: bool,
}

impl Roll {
    pub(crate) fn new(complete: bool) -> Self {
        Self {
            complete,
            ..Self::default()
        }
    }

    /// A page is gone. Beyond what is held, a later run finds that out again.
    pub(crate) fn is_gone(&mut self, url: String) {
        if self.gone_bytes + url.len() <= GONE_BYTES {
            self.gone_bytes += url.len();
            self.gone.insert(url);
        } else {
            self.complete = false;
        }
    }

    /// Whether the page was found to be gone.
    pub(crate) fn has_gone(&self, url: &str) -> bool {
        self.gone.contains(url)
    }
}

impl SiteRun<'_> {
    /// Merges what waits, if it is time to.
    pub(crate) fn settle(&mut self, batch: &mut Batch) -> Result<(), SyncError> {
        if batch.is_due() {
            self.flush(batch)?;
        }
        Ok(())
    }

    /// Merges what waits.
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

    /// Deletes what is gone: `name` calls the pages that are there.
    pub(crate) fn close(
        &mut self,
        origin: Origin,
        roll: &Roll,
        name: &mut dyn FnMut(&mut Keep<'_>) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        if roll.gone.is_empty() && !roll.complete {
            return Ok(());
        }
        let mut merge = self.begin_merge()?;
        merge.origin(origin)?;
        for url in &roll.gone {
            merge.delete(url, None)?;
        }
        if roll.complete {
            name(&mut |url| Ok(merge.keep(url)?))?;
            merge.delete_unnamed(&Sweep::site(self.now))?;
        }
        // Kept pages were counted when it was found that they are as they were.
        let unchanged = self.report.pages.unchanged;
        self.commit(merge)?;
        self.report.pages.unchanged = unchanged;
        Ok(())
    }
}
