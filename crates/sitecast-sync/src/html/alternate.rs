//! Machine pages that HTML pages link to (`rel="alternate"`), for sites without a JSON sitemap.
//!
//! Such a link can lead to any JSON: every page of a WordPress site links to its REST API. So if the first link
//! does not lead to a machine page, no other is tried for a week.

use sitecast_index::Origin;
use sitecast_tct::sitemap::Item;
use url::Url;

use super::frontier::Frontier;
use crate::SyncError;
use crate::batch::Batch;
use crate::machine_pages::PageResult;
use crate::site::SiteRun;

/// The note with the time when links of pages turned out not to lead to machine pages.
const NOTE_NO_ALTERNATES: &str = "tct-no-alternates";

/// The result of following links to machine pages so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alternates {
    Untried,
    /// At least one link led to a machine page.
    Good,
    /// The first link led to something else.
    Bad,
}

impl SiteRun<'_> {
    /// Fetches the machine page that a page links to. Returns true if it replaces the page's HTML.
    pub(super) fn take_alternate(
        &mut self,
        page: &str,
        machine_page: &Url,
        frontier: &mut Frontier,
        batch: &mut Batch,
    ) -> Result<bool, SyncError> {
        let tried = frontier.alternates;
        if !frontier.follows_alternates
            || tried == Alternates::Bad
            || tried == Alternates::Untried && self.is_noted_recently(NOTE_NO_ALTERNATES)
            || !self.scope.has_host(machine_page)
        {
            return Ok(false);
        }
        let (Ok(c_url), Ok(m_url)) = (page.parse(), machine_page.as_str().parse()) else {
            return Ok(false);
        };
        let item = Item {
            c_url,
            m_url,
            hash: None,
            modified: None,
        };
        let why = match self.machine_page(&item, self.options.html_pages) {
            Ok(PageResult::Fresh(fresh)) => {
                batch.put(Origin::Tct, *fresh);
                frontier.alternates = Alternates::Good;
                return Ok(true);
            }
            Ok(PageResult::Unchanged) => {
                self.report.pages.unchanged += 1;
                frontier.alternates = Alternates::Good;
                return Ok(true);
            }
            Ok(PageResult::LimitReached) => return Ok(false),
            Ok(PageResult::Gone) => "the server answers 410".to_owned(),
            Ok(answer @ (PageResult::Unusable(_) | PageResult::Unlinked)) => {
                answer.problem().unwrap_or_default().to_owned()
            }
            Err(SyncError::Fetch(error)) if !error.ends_visit() => error.to_string(),
            Err(error) => return Err(error),
        };
        if tried == Alternates::Untried {
            frontier.alternates = Alternates::Bad;
            self.notes
                .push((NOTE_NO_ALTERNATES, Some(self.now.to_string())));
        } else {
            self.report.warn(format!("`{machine_page}`: {why}"));
        }
        Ok(false)
    }
}
