//! What becomes of a page that was fetched.

use sitecast_fetch::FetchError;
use sitecast_index::{Origin, PageFacts};
use sitecast_scp::{Page, Timestamp};
use sitecast_tct::{fingerprint, page_text};

use super::extraction::{Outcome, Verdict};
use super::frontier::Frontier;
use crate::SyncError;
use crate::batch::{Batch, Fresh};
use crate::site::SiteRun;

impl SiteRun<'_> {
    /// Takes what became of a page.
    pub(super) fn take(
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
                // It says so itself, so a copy from earlier goes.
                if facts.is_some() {
                    frontier.roll.is_gone(url.clone());
                }
                self.report.warn(format!("`{url}` is left out: {why}"));
                return Ok(());
            }
            Verdict::Login => {
                // What used to be here is no longer for everybody.
                if facts.is_some() {
                    frontier.roll.is_gone(url.clone());
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
                        "`{url}` is left out: it says that it is a copy of `{canonical}`"
                    ));
                }
                if facts.is_some() {
                    frontier.roll.is_gone(url);
                }
                return Ok(());
            }
        };
        frontier.good += 1;
        frontier.named.push(&url)?;
        // With the page, in one step: validators of something newer than what is here would keep it away.
        batch.remember(&url, outcome.validators.clone());
        if let Some(machine_page) = outcome.machine_page
            && self.take_machine_page(&url, &machine_page, frontier, batch)?
        {
            return Ok(());
        }
        let text = *fingerprint(&page_text(&page)).bytes();
        if self.says_the_same(&url, facts.as_ref(), text)? {
            self.report.pages.unchanged += 1;
            return Ok(());
        }
        let modified = moved_on(page.modified, facts.as_ref(), self.now);
        let page = Page { modified, ..page };
        let line =
            serde_json::to_string(&page).map_err(|error| FetchError::Setup(error.to_string()))?;
        let fresh = Fresh {
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

    /// Whether the copy here has the same text.
    fn says_the_same(
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
        // Pages of collections come without; they are rarely asked for as HTML.
        let stored = self.index.page(&self.site, url)?;
        let limits = &self.options.scp_limits;
        let page = stored.and_then(|stored| Page::from_line(&stored.line, limits).ok());
        Ok(page.is_some_and(|(page, _)| *fingerprint(&page_text(&page)).bytes() == text))
    }
}

/// When a page with another text than before changed: as it says, if that is later than what we know
/// and not in the future, else now.
fn moved_on(stated: Timestamp, facts: Option<&PageFacts>, now: Timestamp) -> Timestamp {
    match facts {
        Some(facts) if stated <= facts.modified => now,
        _ => stated.min(now),
    }
}
