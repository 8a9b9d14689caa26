//! Syncing by machine pages: the JSON sitemap says which have another hash than ours, and only those are
//! fetched, on the condition that they are not ours after all.
//!
//! Before a machine page is kept its `Link` must name the page it is for, its hash must be the same in the
//! entity tag, in the payload and when it is computed. What fails is fetched as HTML instead.

mod find;
mod page;

use sitecast_fetch::FetchError;
use sitecast_index::{Origin, OriginKind};
use sitecast_tct::sitemap::{Event, Item};
use url::Url;

use crate::batch::{Batch, Roll};
use crate::html::{Choice, Position};
use crate::progress::Doing;
use crate::site::SiteRun;
use crate::{CanonicalRule, SyncError};
pub(crate) use find::NOTE_NONE;
pub(crate) use page::Answer;

/// Where the JSON sitemap was found.
const NOTE_PLACE: &str = "tct-sitemap";
/// Of which JSON sitemaps everything that they list was taken. By their hash: a run that was killed after it
/// had fetched newer ones must not be the last to look at them.
pub(crate) const NOTE_COMPLETE: &str = "tct-taken";
/// When it was found that machine pages come without the header that names their page.
const NOTE_UNLINKED: &str = "tct-unlinked";
/// Where the next run goes on with pages that are fetched as HTML instead, where one run does not fetch all.
const NOTE_POSITION: &str = "tct-position";
/// So many without it, and none with it, say that it is missing on all.
const FEW: u32 = 3;
/// A site that fails so often in a row is left alone.
const FAILURES: u32 = 5;

pub(crate) const JSON: &str = "application/json";

impl SiteRun<'_> {
    /// Answers how the site was synced in the end: its machine pages may be of no use.
    pub(crate) fn sync_machine_pages(&mut self) -> Result<OriginKind, SyncError> {
        let Some(place) = self.json_sitemap()? else {
            // Pages may still name one.
            self.heeds_links = self.options.prefer != Some(OriginKind::Html);
            return Err(SyncError::NotOffered("JSON sitemap"));
        };
        self.sync_listed(&place)
    }

    /// Takes what this JSON sitemap lists.
    pub(crate) fn sync_listed(&mut self, place: &Url) -> Result<OriginKind, SyncError> {
        let listed = self.json_sitemaps(place)?;
        let files = listed.files;
        self.notes.push((NOTE_PLACE, Some(place.to_string())));
        let unlinked_lately = self.is_unlinked_lately();
        let way = if unlinked_lately {
            OriginKind::Html
        } else {
            OriginKind::Tct
        };
        if self.state.notes.get(NOTE_COMPLETE) == Some(&listed.hash)
            && self.state.strategy == Some(way)
        {
            return Ok(way);
        }
        let mut links = Links::new(unlinked_lately);
        let mut batch = Batch::default();
        let mut roll = Roll::new(listed.complete);
        let position = self.state.notes.get(NOTE_POSITION);
        let position = position.and_then(|position| position.parse().ok());
        let most = self.options.html_pages;
        let mut instead = Choice::new(position.unwrap_or_default(), most);
        // Pages that are fetched as HTML, and where the items end that were looked at.
        let (mut unusable, mut end) = (0, None);
        let mut in_a_row = 0;
        let mut seen = 0;
        'files: for file in &files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut roll)? {
                let ordinal = seen;
                seen += 1;
                self.doing(Doing::Pages { pages: seen });
                if self.is_item_as_it_was(&item, links.are_missing())? {
                    self.report.pages.unchanged += 1;
                    continue;
                }
                let is_known = self.facts_of(&item)?.is_some();
                if links.are_missing() {
                    instead.add(ordinal, is_known);
                    continue;
                }
                // Those that are fetched as HTML instead need room in this run, too.
                let room = most.saturating_sub(unusable);
                match self.machine_page(&item, room) {
                    Ok(Answer::Fresh(page)) => {
                        links.seen();
                        batch.put(Origin::Tct, *page);
                    }
                    Ok(answer @ (Answer::Unusable(_) | Answer::Unlinked)) => {
                        let why = answer.problem().unwrap_or_default();
                        self.report.warn(format!("`{}`: {why}", item.m_url));
                        if matches!(answer, Answer::Unlinked) {
                            links.missed();
                        }
                        instead.add(ordinal, is_known);
                        unusable += 1;
                    }
                    Ok(Answer::Unchanged) => self.report.pages.unchanged += 1,
                    Ok(Answer::NotAsked) => {
                        self.report.warn(format!(
                            "stopped after {} machine pages and {unusable} pages as HTML, the most that are \
                             fetched in one run: the next run goes on with the others",
                            self.asked_pages
                        ));
                        roll.complete = false;
                        end = Some(ordinal);
                        break 'files;
                    }
                    Ok(Answer::Gone) => roll.is_gone(item.c_url.to_string()),
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
                self.settle(&mut batch)?;
            }
        }
        self.flush(&mut batch)?;
        if seen == 0 {
            return Err(SyncError::JsonSitemap {
                url: place.to_string(),
                reason: "it lists no page of this site".to_owned(),
            });
        }
        if !unlinked_lately {
            let noted = links.are_missing().then(|| self.now.to_string());
            self.notes.push((NOTE_UNLINKED, noted));
        }
        if links.are_missing() {
            self.report.warn(format!(
                "`{place}`: its machine pages come without a `Link` header that names their page, and the HTML is \
                 taken instead; `canonical = \"lenient\"` takes them on the word of this sitemap"
            ));
        }
        let complete = roll.complete;
        self.sweep_machine_pages(&files, &roll)?;
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

    /// Whether it was found lately that machine pages come without the header that names their page.
    pub(crate) fn is_unlinked_lately(&self) -> bool {
        self.options.canonical == CanonicalRule::Strict && self.is_noted_lately(NOTE_UNLINKED)
    }

    /// Whether our copy of a page is what the JSON sitemap lists: it has the same hash, or it was fetched as HTML,
    /// for want of a usable machine page, after the page changed last.
    pub(crate) fn is_item_as_it_was(
        &self,
        item: &Item,
        links_missing: bool,
    ) -> Result<bool, SyncError> {
        if self.has_hash_of(item)?.1 {
            return Ok(true);
        }
        // Pages of a site that had no JSON sitemap so far are all here as HTML.
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

    /// The pages at these places among the site's own items, in their order.
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

    /// Everything that is listed is there, whether or not it could be had this time.
    fn sweep_machine_pages(&mut self, files: &[Url], roll: &Roll) -> Result<(), SyncError> {
        let mut readers = Vec::new();
        for file in files {
            readers.push(self.open_json(file)?);
        }
        self.close(Origin::Tct, roll, &mut |keep| {
            for reader in &mut readers {
                while let Ok(Some(event)) = reader.next_event() {
                    if let Event::Item(item) = event
                        && !roll.has_gone(item.c_url.as_str())
                    {
                        keep(item.c_url.as_str())?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// What is known of the header `Link: rel="canonical"` on a site's machine pages.
struct Links {
    /// Whether any page had it.
    some: bool,
    /// How many had not.
    missing: u32,
    known: bool,
}

impl Links {
    /// Nothing is known yet, or it was found lately that they are missing.
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

    /// Whether asking for more machine pages is of no use.
    fn are_missing(&self) -> bool {
        self.known || !self.some && self.missing >= FEW
    }
}
