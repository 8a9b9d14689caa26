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
        let is_strict = self.options.canonical == CanonicalRule::Strict;
        let unlinked_lately = is_strict && self.is_noted_lately(NOTE_UNLINKED);
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
        let mut instead = Vec::new();
        let mut in_a_row = 0;
        let mut seen = 0;
        'files: for file in &files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut roll)? {
                seen += 1;
                self.doing(Doing::Pages { pages: seen });
                if links.are_missing() {
                    if self.has_hash_of(&item)?.1 {
                        self.report.pages.unchanged += 1;
                    } else {
                        self.instead_of(&item, &mut instead, &mut roll);
                    }
                    continue;
                }
                match self.machine_page(&item) {
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
                        self.instead_of(&item, &mut instead, &mut roll);
                    }
                    Ok(Answer::Unchanged) => self.report.pages.unchanged += 1,
                    Ok(Answer::NotAsked) => {
                        self.report.warn(format!(
                            "stopped after {} machine pages, the most that are fetched in one run",
                            self.asked_pages
                        ));
                        roll.complete = false;
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
                            instead.push(item.c_url.to_string());
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
        self.fetch_instead(instead)?;
        let all = complete && self.report.failed_pages == failed_before;
        self.notes.push((NOTE_COMPLETE, all.then_some(listed.hash)));
        Ok(if links.are_missing() {
            OriginKind::Html
        } else {
            OriginKind::Tct
        })
    }

    /// Has a page fetched as HTML, if there is room for it in this run.
    fn instead_of(&self, item: &Item, instead: &mut Vec<String>, roll: &mut Roll) {
        if (instead.len() as u64) < self.options.html_pages {
            instead.push(item.c_url.to_string());
        } else {
            roll.complete = false;
        }
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
