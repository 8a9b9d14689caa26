//! Handling of extraction results: merges pages, and deletes copies of pages that are left out.

use sitecast_fetch::FetchError;
use sitecast_index::{Origin, PageFacts};
use sitecast_scp::{Page, Timestamp};
use sitecast_tct::{fingerprint, page_text};

use super::extraction::{Outcome, Verdict};
use super::frontier::Frontier;
use crate::SyncError;
use crate::batch::{Batch, FetchedPage};
use crate::site::SiteRun;

impl SiteRun<'_> {
    /// Handles the result of an extraction.
    pub(super) fn handle_outcome(
        &mut self,
        outcome: Outcome,
        frontier: &mut Frontier,
        batch: &mut Batch,
    ) -> Result<(), SyncError> {
        for link in outcome.links {
            frontier.add(link.as_str())?;
        }
        let url = outcome.url;
        let facts = self.index.facts(&self.site, &url)?;
        let page = match outcome.verdict {
            Verdict::Page(page) => *page,
            Verdict::LeftOut(why) => {
                // The page itself forbids indexing, so an earlier copy is deleted, too.
                if facts.is_some() {
                    frontier.deletions.add(url.clone());
                }
                self.report.warn(format!("`{url}` is left out: {why}"));
                return Ok(());
            }
            Verdict::Login => {
                // The page is no longer public, so an earlier copy is deleted.
                if facts.is_some() {
                    frontier.deletions.add(url.clone());
                }
                self.report
                    .warn(format!("`{url}` is left out: it is a login form"));
                frontier.logins.add(&url);
                return Ok(());
            }
            Verdict::NotAPage => return Ok(()),
            Verdict::Canonical(canonical) => {
                if self.scope.has(&canonical) {
                    frontier.add(canonical.as_str())?;
                } else {
                    self.report.warn(format!(
                        "`{url}` is left out: its canonical URL is `{canonical}`"
                    ));
                }
                if facts.is_some() {
                    frontier.deletions.add(url);
                }
                return Ok(());
            }
        };
        frontier.good += 1;
        frontier.named.push(&url)?;
        // Merged in the same transaction as the page: validators that are newer than the copy in the index would
        // make the server answer 304 for a page that the index does not have.
        batch.remember(&url, outcome.validators.clone());
        if let Some(machine_page) = outcome.machine_page
            && self.take_alternate(&url, &machine_page, frontier, batch)?
        {
            return Ok(());
        }
        let text = *fingerprint(&page_text(&page)).bytes();
        if self.has_same_text(&url, facts.as_ref(), text)? {
            self.report.pages.unchanged += 1;
            return Ok(());
        }
        let modified = modified_time(page.modified, facts.as_ref(), self.now);
        let page = Page { modified, ..page };
        let line =
            serde_json::to_string(&page).map_err(|error| FetchError::Setup(error.to_string()))?;
        let fresh = FetchedPage {
            url,
            line,
            modified,
            language: page.language.as_str().to_owned(),
            fingerprint: text,
            etag: outcome.validators.etag,
        };
        batch.put(Origin::Html, fresh);
        Ok(())
    }

    /// Returns true if the copy in the index has the same text.
    fn has_same_text(
        &self,
        url: &str,
        facts: Option<&PageFacts>,
        text: [u8; 32],
    ) -> Result<bool, SyncError> {
        let Some(facts) = facts else {
            return Ok(false);
        };
        if let Some(known) = facts.fingerprint {
            return Ok(known == text);
        }
        // Pages of collections have no fingerprint; they are rarely fetched as HTML.
        let stored = self.index.page(&self.site, url)?;
        let limits = &self.options.scp_limits;
        let page = stored.and_then(|stored| Page::from_line(&stored.line, limits).ok());
        Ok(page.is_some_and(|(page, _)| *fingerprint(&page_text(&page)).bytes() == text))
    }
}

/// Returns the `modified` of a page whose text changed: the stated time if it is later than that of the copy in the index
/// and not in the future, otherwise now.
fn modified_time(stated: Timestamp, facts: Option<&PageFacts>, now: Timestamp) -> Timestamp {
    match facts {
        Some(facts) if stated <= facts.modified => now,
        _ => stated.min(now),
    }
}
