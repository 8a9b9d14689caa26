//! Sync by machine pages: fetches the pages whose hash in the JSON sitemap differs from the copy in the index,
//! with conditional requests.
//!
//! A machine page is kept only if its `Link` header names its page, and its hash is the same in the entity tag,
//! in the payload and when it is computed. Pages that fail are fetched as HTML instead.

mod find;
mod page;

use sitecast_fetch::FetchError;
use sitecast_index::{Origin, OriginKind};
use sitecast_tct::sitemap::{Event, Item};
use url::Url;

use crate::batch::{Batch, Deletions};
use crate::html::{Position, Selector};
use crate::progress::Activity;
use crate::report::counted;
use crate::site::SiteRun;
use crate::{CanonicalRule, SyncError};
pub(crate) use find::NOTE_NONE;
pub(crate) use page::PageResult;

/// The note with the URL of the JSON sitemap.
const NOTE_PLACE: &str = "tct-sitemap";
/// The note with the hash of the JSON sitemaps whose pages were all fetched. A hash, because a visit that was killed
/// may have cached newer sitemaps without fetching their pages.
pub(crate) const NOTE_COMPLETE: &str = "tct-taken";
/// The note with the time when the machine pages turned out to lack the header that names their page.
const NOTE_UNLINKED: &str = "tct-unlinked";
/// The note with the position in the listing from which the next visit fetches HTML instead of machine pages.
const NOTE_POSITION: &str = "tct-position";
/// If this many pages lack the header and none has it, all are assumed to lack it.
const FIRST_PAGES: u32 = 3;
/// The visit ends after this many consecutive failures.
const FAILURES: u32 = 5;

pub(crate) const JSON: &str = "application/json";

impl SiteRun<'_> {
    /// Returns the kind of source that was used: HTML if the machine pages lack their `Link` headers.
    pub(crate) fn sync_machine_pages(&mut self) -> Result<OriginKind, SyncError> {
        let Some(place) = self.json_sitemap()? else {
            // HTML pages may still link to one.
            self.follows_alternates = self.options.prefer != Some(OriginKind::Html);
            return Err(SyncError::NotOffered("JSON sitemap"));
        };
        self.sync_listed(&place)
    }

    /// Fetches the pages that this JSON sitemap lists.
    pub(crate) fn sync_listed(&mut self, place: &Url) -> Result<OriginKind, SyncError> {
        let listed = self.json_sitemaps(place)?;
        let files = listed.files;
        self.notes.push((NOTE_PLACE, Some(place.to_string())));
        let unlinked_recently = self.is_unlinked_recently();
        let way = if unlinked_recently {
            OriginKind::Html
        } else {
            OriginKind::Tct
        };
        if self.state.notes.get(NOTE_COMPLETE) == Some(&listed.hash)
            && self.state.strategy == Some(way)
        {
            return Ok(way);
        }
        let mut links = LinkHeaders::new(unlinked_recently);
        let mut batch = Batch::default();
        let mut deletions = Deletions::new(listed.complete);
        let position = self.state.notes.get(NOTE_POSITION);
        let position = position.and_then(|position| position.parse().ok());
        let most = self.options.html_pages;
        let mut instead = Selector::new(position.unwrap_or_default(), most);
        // The number of pages to fetch as HTML, and the ordinal of the first item that was not looked at.
        let (mut unusable, mut end) = (0, None);
        let mut in_a_row = 0;
        let mut seen = 0;
        'files: for file in &files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut deletions)? {
                let ordinal = seen;
                seen += 1;
                self.activity(Activity::Pages { pages: seen });
                if self.is_item_unchanged(&item, links.are_missing())? {
                    self.report.pages.unchanged += 1;
                    continue;
                }
                let is_known = self.facts_of(&item)?.is_some();
                if links.are_missing() {
                    instead.add(ordinal, is_known);
                    continue;
                }
                // Pages that are fetched as HTML instead count against the same limit.
                let room = most.saturating_sub(unusable);
                match self.machine_page(&item, room) {
                    Ok(PageResult::Fresh(page)) => {
                        links.seen();
                        batch.put(Origin::Tct, *page);
                    }
                    Ok(answer @ (PageResult::Unusable(_) | PageResult::Unlinked)) => {
                        let why = answer.problem().unwrap_or_default();
                        self.report.warn(format!("`{}`: {why}", item.m_url));
                        if matches!(answer, PageResult::Unlinked) {
                            links.missed();
                        }
                        instead.add(ordinal, is_known);
                        unusable += 1;
                    }
                    Ok(PageResult::Unchanged) => self.report.pages.unchanged += 1,
                    Ok(PageResult::LimitReached) => {
                        self.report.warn(format!(
                            "stopped after {} and {} as HTML, the most in one run: the next run goes on with \
                             the others",
                            counted(self.asked_pages, "machine page"),
                            counted(unusable, "page")
                        ));
                        deletions.complete = false;
                        end = Some(ordinal);
                        break 'files;
                    }
                    Ok(PageResult::Gone) => deletions.add(item.c_url.to_string()),
                    Err(SyncError::Fetch(error)) => {
                        in_a_row += 1;
                        if error.ends_visit() || in_a_row >= FAILURES && error.is_unreachable() {
                            self.flush(&mut batch)?;
                            return Err(error.into());
                        }
                        self.report.warn(error.to_string());
                        if !matches!(error, FetchError::Disallowed { .. }) {
                            instead.add(ordinal, is_known);
                            unusable += 1;
                        }
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                in_a_row = 0;
                self.flush_if_due(&mut batch)?;
            }
        }
        self.flush(&mut batch)?;
        if seen == 0 {
            return Err(SyncError::JsonSitemap {
                url: place.to_string(),
                reason: "it lists no page of this site".to_owned(),
            });
        }
        if !unlinked_recently {
            let noted = links.are_missing().then(|| self.now.to_string());
            self.notes.push((NOTE_UNLINKED, noted));
        }
        if links.are_missing() {
            self.report.warn(format!(
                "`{place}`: its machine pages have no `Link` header that names their page, so their HTML is fetched \
                 instead; `canonical = \"lenient\"` accepts them if their hash matches this sitemap"
            ));
        }
        let complete = deletions.complete;
        self.sweep_machine_pages(&files, &deletions)?;
        let failed_before = self.report.failed_pages;
        let chosen = instead.finish(end);
        let left = self.fetch_instead(self.pages_at(&files, &chosen.ordinals)?)?;
        let mut from_last = chosen.ordinals.iter().rev().take(left.len());
        let first_left = from_last.next_back();
        let next = match first_left {
            Some(first) => Some(Position::go_back(chosen.next, *first)),
            None => chosen.next,
        };
        let all = complete && next.is_none() && self.report.failed_pages == failed_before;
        self.notes
            .push((NOTE_POSITION, next.map(|next| next.to_string())));
        self.notes.push((NOTE_COMPLETE, all.then_some(listed.hash)));
        Ok(if links.are_missing() {
            OriginKind::Html
        } else {
            OriginKind::Tct
        })
    }

    /// Returns true if the machine pages lacked the header that names their page within the last week.
    pub(crate) fn is_unlinked_recently(&self) -> bool {
        self.options.canonical == CanonicalRule::Strict && self.is_noted_recently(NOTE_UNLINKED)
    }

    /// Returns true if the copy in the index is the version that the JSON sitemap lists: it has the same hash, or it was
    /// fetched as HTML instead of an unusable machine page after the page last changed.
    pub(crate) fn is_item_unchanged(
        &self,
        item: &Item,
        links_missing: bool,
    ) -> Result<bool, SyncError> {
        if self.has_hash_of(item)?.1 {
            return Ok(true);
        }
        // If the site had no JSON sitemap before, all its pages are in the index as HTML, which is no reason to skip
        // their machine pages.
        let is_instead = links_missing || self.state.strategy == Some(OriginKind::Tct);
        let facts = self
            .facts_of(item)?
            .filter(|facts| facts.origin == OriginKind::Html);
        Ok(match (facts, item.modified) {
            (Some(facts), Some(modified)) if is_instead => {
                modified.unix_seconds() < facts.fetched.unix_seconds()
            }
            _ => false,
        })
    }

    /// Returns the URLs of the site's own items with these ordinals, in order.
    fn pages_at(&self, files: &[Url], ordinals: &[u64]) -> Result<Vec<String>, SyncError> {
        let mut wanted = ordinals.iter().peekable();
        let mut pages = Vec::new();
        let mut at = 0;
        for file in files {
            let mut reader = self.open_json(file)?;
            while wanted.peek().is_some()
                && let Ok(Some(event)) = reader.next_event()
            {
                if let Event::Item(item) = event
                    && self.is_own(&item)
                {
                    if wanted.next_if_eq(&&at).is_some() {
                        pages.push(item.c_url.to_string());
                    }
                    at += 1;
                }
            }
        }
        Ok(pages)
    }

    /// Deletes pages that the JSON sitemaps do not list. Keeps listed pages even if they could not be fetched.
    fn sweep_machine_pages(
        &mut self,
        files: &[Url],
        deletions: &Deletions,
    ) -> Result<(), SyncError> {
        let mut readers = Vec::new();
        for file in files {
            readers.push(self.open_json(file)?);
        }
        self.delete_missing(Origin::Tct, deletions, &mut |keep| {
            for reader in &mut readers {
                while let Ok(Some(event)) = reader.next_event() {
                    if let Event::Item(item) = event
                        && !deletions.contains(item.c_url.as_str())
                    {
                        keep(item.c_url.as_str())?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// Observations of the header `Link: rel="canonical"` on a site's machine pages.
struct LinkHeaders {
    /// True if any page had it.
    some: bool,
    /// The number of pages without it.
    missing: u32,
    /// True if an earlier visit found it missing.
    known: bool,
}

impl LinkHeaders {
    fn new(known: bool) -> Self {
        Self {
            some: false,
            missing: 0,
            known,
        }
    }

    fn seen(&mut self) {
        self.some = true;
    }

    fn missed(&mut self) {
        self.missing += 1;
    }

    /// Returns true if requesting more machine pages would be useless.
    fn are_missing(&self) -> bool {
        self.known || !self.some && self.missing >= FIRST_PAGES
    }
}
