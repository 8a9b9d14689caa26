//! Syncing by HTML: sitemaps or links say which pages there are, and what did not change is not asked
//! for, not sent again, or found to say the same.
//!
//! One thread fetches, as one connection to a host allows; extraction is on all cores beside it.

mod alternate;
mod crawl;
mod extraction;
mod frontier;
mod links;
mod login;
mod rotation;
mod take;

use sitecast_index::{Filter, Origin, OriginKind, PageFacts};
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Date, Precision};

use crate::SyncError;
use crate::discover::Found;
use crate::listing::{Listing, Sitemaps};
use crate::machine_pages::NOTE_NONE;
use crate::report::Crawling;
use crate::site::SiteRun;
use crate::url_file::saved;
use frontier::{Chosen, Frontier, Seeing};
use rotation::share_of_new;
pub(crate) use rotation::{Choice, Position};

/// Of which sitemaps every page was looked at, and none needs to be while they stay as they are. By their
/// hash: a run that was killed after it had fetched newer ones must not be the last to look at them.
pub(crate) const NOTE_COMPLETE: &str = "html-taken";
/// Where the next run goes on in the listing, where one run does not fetch all of it.
const NOTE_POSITION: &str = "html-position";
/// The page that is here after which the next run goes on, where one run does not ask for all of them.
const NOTE_KNOWN: &str = "html-known";
/// What became of the links that were not followed.
pub(crate) const NOTE_LINKS: &str = "html-links";
/// They are in a file of the scratch folder.
const SAVED: &str = "saved";
/// Not all are known: the pages they are on have to come again with their bodies.
pub(crate) const UNFINISHED: &str = "unfinished";
/// The file of links that were not followed.
const WAITING: &str = "html-waiting.urls";

/// What to do with the pages that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// These and no others.
    Listed,
    /// Those they link to as well.
    Links,
}

impl SiteRun<'_> {
    /// Answers how the site was synced in the end: its pages may name a JSON sitemap.
    pub(crate) fn sync_html(&mut self, found: &Found) -> Result<OriginKind, SyncError> {
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
        // What nothing leads to any more may well be there: only who says so is gone.
        frontier.roll.complete = reach == Reach::Listed && listing.complete && next.is_none();
        let failed_before = self.report.failed_pages;
        frontier.heeds_links = self.heeds_links;
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
                    frontier.heeds_links = false;
                    crawled = self.crawl(&mut frontier);
                }
                Err(error) => return Err(error),
            }
        }
        match reach {
            Reach::Listed if crawled.is_ok() => {
                let left = frontier.listed.as_mut().and_then(Chosen::next_ordinal);
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
        // What could not be looked at may well be there.
        frontier.roll.complete &= failed == 0;
        // A site on which nothing works is not one whose pages are all gone.
        if frontier.good == 0 {
            let refusal = self.refusal.take();
            return Err(refusal.map_or(
                SyncError::NotOffered("page that could be fetched"),
                SyncError::NoPage,
            ));
        }
        let roll = std::mem::take(&mut frontier.roll);
        self.close(Origin::Html, &roll, &mut |keep| {
            while let Some(url) = frontier.named.pop()? {
                keep(&url)?;
            }
            Ok(())
        })?;
        let stays = reach == Reach::Listed && frontier.dated && roll.complete;
        self.notes
            .push((NOTE_COMPLETE, stays.then_some(listing.hash)));
        if frontier.bytes > 0 {
            self.report.crawling = Some(Crawling {
                requests: frontier.pages,
                bytes: Some(frontier.bytes),
            });
        }
        Ok(OriginKind::Html)
    }

    /// Chooses which of the listed pages are asked for. Answers where the next run goes on, if one run does not
    /// fetch them all.
    fn choose(
        &mut self,
        position: Position,
        listing: &Listing,
        frontier: &mut Frontier,
    ) -> Result<Option<Position>, SyncError> {
        let most = self.options.html_pages;
        let mut choice = Choice::new(position, most);
        for page in self.listed(listing) {
            if frontier.seen.insert(&page.url) == Seeing::Before {
                continue;
            }
            let facts = self.index.facts(&self.site, &page.url)?;
            frontier.dated &= page.lastmod.is_some();
            if is_as_it_was(facts.as_ref(), page.lastmod) {
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
                "the site lists more pages than the {most} that are fetched at most in one run: the next \
                 run goes on with the others"
            ));
        }
        frontier.listed = Some(Chosen::new(self.listed(listing), chosen.ordinals));
        Ok(chosen.next)
    }

    /// Adds the homepage, the links that the last run did not follow, and the pages that are here: one that is
    /// as it was comes without its body, and so without the links that led to them.
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
        // From where the last run ended to the end, and then from the beginning.
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
                    frontier.known_in_turn = true;
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

    /// Keeps the links that were not followed for the next run.
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
                "the site has more links than are kept for one run: those that were left out are looked \
                 for again by a later run",
            );
        }
        self.notes.push((NOTE_LINKS, links.map(str::to_owned)));
        let known = frontier.last_known.take();
        let known = known.filter(|_| frontier.known_in_turn || !frontier.known.is_empty());
        self.notes.push((NOTE_KNOWN, known));
        Ok(())
    }

    /// Fetches some pages as HTML, which could not be had in a better way. Answers those that are left because
    /// as many were asked for as may be: the last of them.
    pub(crate) fn fetch_instead(&mut self, pages: Vec<String>) -> Result<Vec<String>, SyncError> {
        let pages: Vec<String> = pages
            .into_iter()
            .filter(|url| self.scope.has_text(url))
            .collect();
        if pages.is_empty() {
            return Ok(pages);
        }
        self.report
            .warn(format!("{} pages are fetched as HTML instead", pages.len()));
        let mut frontier = Frontier::new(Reach::Listed, &self.scratch, "instead")?;
        // What was asked for in a better way counts, too.
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

/// Whether a page that the sitemap says changed last then is known to be what it was.
pub(crate) fn is_as_it_was(facts: Option<&PageFacts>, lastmod: Option<Date>) -> bool {
    match (facts, lastmod) {
        (Some(facts), Some(lastmod)) => is_before(lastmod, facts.fetched),
        _ => false,
    }
}

/// Whether something that changed last then has not changed since it was fetched. A day is not over
/// before its end.
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
