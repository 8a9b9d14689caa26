//! Second stage: reads what was published last.
//!
//! The sitemap names the collections, and the collections hold the pages. The cache holds the same pages, and is read
//! in their place if it names the same collections.

pub(crate) mod cache;
pub(crate) mod cache_writer;
pub(crate) mod crash_marker;
pub(crate) mod deletions;
pub(crate) mod json_sitemap;
pub(crate) mod last;
pub(crate) mod page_settings;
mod pages;
mod rebuild;
mod recover;
pub(crate) mod sitemaps;

use sitecast_scp::Timestamp;

use crate::PublishError;
use crate::list::Listing;
use crate::progress::Step;
use crate::run::Run;
use cache::Cache;
use crash_marker::CrashMarker;
use last::Last;
use page_settings::cache_key;
pub(crate) use rebuild::Pages;

/// The last publication, and what else an earlier run left.
pub(crate) struct Recalled<'a> {
    pub(crate) last: Last,
    pub(crate) cache: Option<Cache>,
    pub(crate) marker: CrashMarker<'a>,
    /// The time of this publication: now, and later than the last one.
    pub(crate) generated: Timestamp,
    /// The store may hold other machine pages than the JSON sitemap says: they are elsewhere, or a run was killed.
    pub(crate) may_differ: bool,
}

/// Finds the last publication, without its pages.
pub(crate) fn recall<'a>(
    run: &Run<'a>,
    listing: &Listing,
    notes: &mut Vec<String>,
) -> Result<Recalled<'a>, PublishError> {
    run.progress.begin(Step::Previous, None);
    let folder = run.options.cache.as_deref();
    let key = cache_key(run)?;
    let cache = folder.and_then(|folder| Cache::open(folder, &key));
    let marker = CrashMarker::find(run.store)?;
    let last = Last::find(run, &listing.site_sitemap, &marker, notes)?;
    let generated = last.next(run)?;
    Ok(Recalled {
        may_differ: marker.is_left() || run.previous.is_some(),
        last,
        cache,
        marker,
        generated,
    })
}

impl Recalled<'_> {
    /// Reads the published pages, and prepares the collections for a run that starts again.
    pub(crate) fn pages(
        &mut self,
        run: &Run<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Pages, PublishError> {
        let mut pages = pages::pages(run, &mut self.last, self.cache.as_ref(), notes)?;
        if run.options.full {
            self.last.drop_future(run.latest(), notes);
            pages.redate(run.latest(), self.generated);
        }
        Ok(pages)
    }
}
