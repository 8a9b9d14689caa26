//! Syncing by HTML: sitemaps or links say which pages there are, and what did not change is not asked
//! for, not sent again, or found to say the same.
//!
//! One thread fetches, as one connection to a host allows; extraction is on all cores beside it.

mod alternate;
mod crawl;
mod extraction;
mod links;
mod take;

use std::collections::{HashSet, VecDeque};

use sitecast_index::{Filter, Origin, OriginKind, PageFacts};
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Date, Precision};
use url::Url;

use crate::SyncError;
use crate::batch::Roll;
use crate::discover::Found;
use crate::machine_pages::NOTE_NONE;
use crate::report::Crawling;
use crate::site::SiteRun;
use alternate::MachinePages;

/// Of which sitemaps every page was looked at, and none needs to be while they stay as they are. By their
/// hash: a run that was killed after it had fetched newer ones must not be the last to look at them.
pub(crate) const NOTE_COMPLETE: &str = "html-taken";
/// What to do with the pages that are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// These and no others.
    Listed,
    /// Those they link to as well.
    Links,
}

/// Pages to fetch.
struct Frontier {
    queue: VecDeque<(String, Option<Date>)>,
    /// All that were ever in the queue, in the spelling of their URLs.
    seen: HashSet<String>,
    reach: Reach,
    /// Pages that are still there as far as is known.
    named: Vec<String>,
    roll: Roll,
    bytes: u64,
    pages: u64,
    /// Pages that could be had, or are as they were.
    good: u64,
    /// Whether all pages that were looked at say in the sitemap when they changed.
    dated: bool,
    /// Whether to look at what pages link to for machines.
    heeds_links: bool,
    /// The JSON sitemap that a page names: there is a better way than this.
    json_sitemap: Option<Url>,
    machine_pages: MachinePages,
}

impl Frontier {
    fn new(reach: Reach) -> Self {
        Self {
            queue: VecDeque::new(),
            seen: HashSet::new(),
            reach,
            named: Vec::new(),
            roll: Roll::default(),
            bytes: 0,
            pages: 0,
            good: 0,
            dated: true,
            heeds_links: false,
            json_sitemap: None,
            machine_pages: MachinePages::Untried,
        }
    }

    fn add(&mut self, url: &str, lastmod: Option<Date>) {
        let Ok(mut parsed) = Url::parse(url) else {
            return;
        };
        parsed.set_fragment(None);
        if self.seen.insert(parsed.to_string()) {
            self.queue.push_back((url.to_owned(), lastmod));
        }
    }
}

impl SiteRun<'_> {
    /// Answers how the site was synced in the end: its pages may name a JSON sitemap.
    pub(crate) fn sync_html(&mut self, found: &Found) -> Result<OriginKind, SyncError> {
        let listed = self.listed_pages(found)?;
        if self.state.notes.get(NOTE_COMPLETE) == Some(&listed.hash)
            && !listed.pages.is_empty()
            && self.state.strategy == Some(OriginKind::Html)
        {
            return Ok(OriginKind::Html);
        }
        let reach = if listed.pages.is_empty() {
            Reach::Links
        } else {
            Reach::Listed
        };
        let mut frontier = Frontier::new(reach);
        frontier.roll.complete = listed.complete;
        for (url, lastmod) in listed.pages {
            frontier.add(&url, lastmod);
        }
        if reach == Reach::Links {
            let root = self.scope.root().clone();
            frontier.add(root.as_str(), None);
            self.add_known(&mut frontier)?;
            // What nothing leads to any more may well be there: only who says so is gone.
            frontier.roll.complete = false;
        }
        let failed_before = self.report.failed_pages;
        frontier.heeds_links = self.heeds_links;
        self.crawl(&mut frontier)?;
        if let Some(place) = frontier.json_sitemap.take() {
            match self.sync_listed(&place) {
                Ok(way) => {
                    self.notes.push((NOTE_NONE, None));
                    return Ok(way);
                }
                Err(error) if error.allows_another_way() => {
                    self.report.warn(error.to_string());
                    frontier.heeds_links = false;
                    self.crawl(&mut frontier)?;
                }
                Err(error) => return Err(error),
            }
        }
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
        let named = std::mem::take(&mut frontier.named);
        self.close(Origin::Html, &roll, &mut |keep| {
            named.iter().try_for_each(|url| keep(url))
        })?;
        let stays = reach == Reach::Listed && frontier.dated && roll.complete;
        self.notes
            .push((NOTE_COMPLETE, stays.then_some(listed.hash)));
        if frontier.bytes > 0 {
            self.report.crawling = Some(Crawling {
                requests: frontier.pages,
                bytes: frontier.bytes,
                estimated: false,
            });
        }
        Ok(OriginKind::Html)
    }

    /// Adds the pages that are here: one that is as it was comes without its body, and so without the links that
    /// led to them.
    fn add_known(&self, frontier: &mut Frontier) -> Result<(), SyncError> {
        let filter = Filter {
            site: Some(self.site.clone()),
            ..Filter::default()
        };
        let mut known = self.index.pages(&filter)?;
        let most = usize::try_from(self.options.html_pages).unwrap_or(usize::MAX);
        while frontier.queue.len() < most
            && let Some(page) = known.next_page()?
        {
            frontier.add(&page.url, None);
        }
        Ok(())
    }

    /// Fetches some pages as HTML, which could not be had in a better way.
    pub(crate) fn fetch_instead(&mut self, pages: Vec<String>) -> Result<(), SyncError> {
        let pages: Vec<String> = pages
            .into_iter()
            .filter(|url| self.scope.has_text(url))
            .collect();
        if pages.is_empty() {
            return Ok(());
        }
        self.report
            .warn(format!("{} pages are fetched as HTML instead", pages.len()));
        let mut frontier = Frontier::new(Reach::Listed);
        // What was asked for in a better way counts, too.
        frontier.pages = self.asked_pages;
        for url in &pages {
            frontier.add(url, None);
        }
        self.crawl(&mut frontier)
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
