//! Sync by HTML: finds pages through sitemaps or links, and skips unchanged pages by `lastmod`, by conditional
//! requests, or by comparing their text.
//!
//! One thread fetches, because each host has one connection; extraction runs on all cores.

mod alternate;
mod crawl;
mod extraction;
mod frontier;
mod links;
mod login;
mod outcome;
mod rotation;

use sitecast_index::{Filter, Origin, OriginKind, PageFacts};
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Date, Precision};

use crate::SyncError;
use crate::discover::Discovered;
use crate::listing::{Listing, Sitemaps};
use crate::machine_pages::NOTE_NONE;
use crate::report::{CrawlCost, counted};
use crate::site::SiteRun;
use crate::url_queue::saved;
use frontier::{Frontier, ListedSelection, SeenState};
use rotation::share_of_new;
pub(crate) use rotation::{Position, Selector};

/// The note with the hash of the sitemaps whose pages were all looked at and all have a `lastmod`. A hash, because a
/// visit that was killed may have cached newer sitemaps without fetching their pages.
pub(crate) const NOTE_COMPLETE: &str = "html-taken";
/// The note with the position in the listing from which the next visit continues.
const NOTE_POSITION: &str = "html-position";
/// The note with the URL in the index after which the next visit continues to request known pages.
const NOTE_KNOWN: &str = "html-known";
/// The note with the state of the links that were not followed: [`SAVED`] or [`UNFINISHED`].
pub(crate) const NOTE_LINKS: &str = "html-links";
/// The links are in a file of the scratch folder.
const SAVED: &str = "saved";
/// Some links were lost, so the pages with them have to be fetched again with their bodies.
pub(crate) const UNFINISHED: &str = "unfinished";
/// The file of links that were not followed.
const WAITING: &str = "html-waiting.urls";

/// The pages that a crawl may fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Only the pages that were listed.
    Listed,
    /// Also the pages that they link to.
    Links,
}

impl SiteRun<'_> {
    /// Returns the kind of source that was used: machine pages if a page links to a JSON sitemap.
    pub(crate) fn sync_html(&mut self, found: &Discovered) -> Result<OriginKind, SyncError> {
        let position = self.state.notes.get(NOTE_POSITION);
        let position: Position = position
            .and_then(|position| position.parse().ok())
            .unwrap_or_default();
        let enough = position.enough(self.options.html_pages);
        let listing = self.listing(found, Sitemaps::Fetched(enough))?;
        if self.state.notes.get(NOTE_COMPLETE) == Some(&listing.hash)
            && listing.pages > 0
            && self.state.strategy == Some(OriginKind::Html)
        {
            return Ok(OriginKind::Html);
        }
        let reach = if listing.pages == 0 {
            Reach::Links
        } else {
            Reach::Listed
        };
        let mut frontier = Frontier::new(reach, &self.scratch, "html")?;
        let next = match reach {
            Reach::Listed => self.choose(position, &listing, &mut frontier)?,
            Reach::Links => {
                self.add_links(&mut frontier)?;
                None
            }
        };
        // Without a complete sitemap, a page that nothing links to any more may still exist, so it is not deleted.
        frontier.deletions.complete = reach == Reach::Listed && listing.complete && next.is_none();
        let failed_before = self.report.failed_pages;
        frontier.follows_alternates = self.follows_alternates;
        let mut crawled = self.crawl(&mut frontier);
        if crawled.is_ok()
            && let Some(place) = frontier.json_sitemap.take()
        {
            match self.sync_listed(&place) {
                Ok(way) => {
                    self.notes.push((NOTE_NONE, None));
                    return Ok(way);
                }
                Err(error) if error.allows_another_way() => {
                    self.report.warn(error.to_string());
                    frontier.follows_alternates = false;
                    crawled = self.crawl(&mut frontier);
                }
                Err(error) => return Err(error),
            }
        }
        match reach {
            Reach::Listed if crawled.is_ok() => {
                let left = frontier
                    .listed
                    .as_mut()
                    .and_then(ListedSelection::next_ordinal);
                let next = match left {
                    Some(left) => Some(Position::go_back(next, left)),
                    None => next,
                };
                let next = next.map(|next| next.to_string());
                self.notes.push((NOTE_POSITION, next));
            }
            Reach::Listed => {}
            Reach::Links => self.keep_links(&mut frontier)?,
        }
        crawled?;
        let failed = self.report.failed_pages - failed_before;
        // Pages that failed may still exist.
        frontier.deletions.complete &= failed == 0;
        // If no page could be fetched, the site has a problem; its pages are not deleted.
        if frontier.good == 0 {
            let first_failure = self.first_failure.take();
            return Err(first_failure.map_or(
                SyncError::NotOffered("page that could be fetched"),
                SyncError::NoPage,
            ));
        }
        let deletions = std::mem::take(&mut frontier.deletions);
        self.delete_missing(Origin::Html, &deletions, &mut |keep| {
            while let Some(url) = frontier.named.pop()? {
                keep(&url)?;
            }
            Ok(())
        })?;
        let stays = reach == Reach::Listed && frontier.dated && deletions.complete;
        self.notes
            .push((NOTE_COMPLETE, stays.then_some(listing.hash)));
        if frontier.bytes > 0 {
            self.report.crawling = Some(CrawlCost {
                requests: frontier.pages,
                bytes: Some(frontier.bytes),
            });
        }
        Ok(OriginKind::Html)
    }

    /// Selects the listed pages to request. Returns the position of the next visit if this one does not request all.
    fn choose(
        &mut self,
        position: Position,
        listing: &Listing,
        frontier: &mut Frontier,
    ) -> Result<Option<Position>, SyncError> {
        let most = self.options.html_pages;
        let mut choice = Selector::new(position, most);
        for page in self.listed(listing) {
            if frontier.seen.insert(&page.url) == SeenState::Before {
                continue;
            }
            let facts = self.index.facts(&self.site, &page.url)?;
            frontier.dated &= page.lastmod.is_some();
            if is_unchanged(facts.as_ref(), page.lastmod) {
                self.report.pages.unchanged += 1;
                frontier.good += 1;
                frontier.named.push(&page.url)?;
            } else {
                choice.add(page.ordinal, facts.is_some());
            }
        }
        let chosen = choice.finish(listing.stopped.then_some(listing.pages));
        if chosen.next.is_some() {
            self.report.warn(format!(
                "the site lists more than {}, the most in one run: the next run goes on with the others",
                counted(most, "page")
            ));
        }
        frontier.listed = Some(ListedSelection::new(self.listed(listing), chosen.ordinals));
        Ok(chosen.next)
    }

    /// Adds the homepage, the links that the last visit did not follow, and the pages of the index. The latter are
    /// needed because an unchanged page is answered with 304, without the body that links to them.
    fn add_links(&mut self, frontier: &mut Frontier) -> Result<(), SyncError> {
        let most = self.options.html_pages;
        let root = self.scope.root().to_string();
        frontier.seen.insert(&root);
        frontier.root = Some(root);
        let waiting = saved(&self.scratch.path(WAITING));
        frontier.conditional = match self.state.notes.get(NOTE_LINKS).map(String::as_str) {
            None => true,
            Some(SAVED) => waiting.is_some(),
            Some(_) => false,
        };
        for url in waiting.into_iter().flatten() {
            if self.scope.has_text(&url) {
                frontier.add(&url)?;
            }
        }
        let from = self.state.notes.get(NOTE_KNOWN).cloned();
        let filter = Filter {
            site: Some(self.site.clone()),
            ..Filter::default()
        };
        // Starts where the last visit ended, and wraps around.
        for is_after in [true, false] {
            if from.is_none() && !is_after {
                break;
            }
            let mut known = self.index.pages(&filter)?;
            while let Some(page) = known.next_page()? {
                if from
                    .as_ref()
                    .is_some_and(|from| (page.url > *from) != is_after)
                {
                    continue;
                }
                if frontier.known.len() >= most {
                    frontier.known_rotates = true;
                    break;
                }
                frontier.add_known(&page.url)?;
            }
        }
        if !frontier.known.is_empty() {
            frontier.links_first = share_of_new(most).min(frontier.links.len());
        }
        Ok(())
    }

    /// Saves the links that were not followed for the next visit.
    fn keep_links(&mut self, frontier: &mut Frontier) -> Result<(), SyncError> {
        let drained = frontier.is_empty();
        let left = !frontier.links.is_empty();
        frontier.links.save(&self.scratch.path(WAITING))?;
        let links = if frontier.dropped || !frontier.conditional && !drained {
            Some(UNFINISHED)
        } else if left {
            Some(SAVED)
        } else {
            None
        };
        if frontier.dropped {
            self.report.warn(
                "the site has more links than one run keeps: a later run looks for the others again",
            );
        }
        self.notes.push((NOTE_LINKS, links.map(str::to_owned)));
        let known = frontier.last_known.take();
        let known = known.filter(|_| frontier.known_rotates || !frontier.known.is_empty());
        self.notes.push((NOTE_KNOWN, known));
        Ok(())
    }

    /// Fetches pages as HTML that another source failed to provide. Returns the last of them that are left because the
    /// visit has reached its limit on pages.
    pub(crate) fn fetch_instead(&mut self, pages: Vec<String>) -> Result<Vec<String>, SyncError> {
        let pages: Vec<String> = pages
            .into_iter()
            .filter(|url| self.scope.has_text(url))
            .collect();
        if pages.is_empty() {
            return Ok(pages);
        }
        self.report.warn(format!(
            "fetching {} as HTML instead",
            counted(pages.len() as u64, "page")
        ));
        let mut frontier = Frontier::new(Reach::Listed, &self.scratch, "instead")?;
        // Machine pages count against the same limit.
        frontier.pages = self.asked_pages;
        for url in &pages {
            frontier.add_known(url)?;
        }
        self.crawl(&mut frontier)?;
        let mut left = Vec::new();
        while let Some(url) = frontier.known.pop()? {
            left.push(url);
        }
        Ok(left)
    }
}

/// Returns true if the sitemap shows that a page has not changed since it was fetched.
pub(crate) fn is_unchanged(facts: Option<&PageFacts>, lastmod: Option<Date>) -> bool {
    match (facts, lastmod) {
        (Some(facts), Some(lastmod)) => is_before(lastmod, facts.fetched),
        _ => false,
    }
}

/// Returns true if `lastmod` was over before `fetched`. A `lastmod` without a time covers the whole day.
fn is_before(lastmod: Date, fetched: Timestamp) -> bool {
    let ends = match lastmod.precision() {
        Precision::Year => 366 * 24 * 3600,
        Precision::Month => 31 * 24 * 3600,
        Precision::Day => 24 * 3600,
        Precision::Minute => 60,
        _ => 1,
    };
    lastmod.unix_seconds().saturating_add(ends) <= fetched.unix_seconds()
}
