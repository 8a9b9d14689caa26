//! Machine pages that pages name themselves (`rel="alternate"`), where no JSON sitemap lists them.
//!
//! What can come: a link to anything that happens to be JSON. Every page of every WordPress site has one, to its
//! own interface. So the first that is no machine page is the last that is tried, for a week.

use sitecast_index::Origin;
use sitecast_tct::sitemap::Item;
use url::Url;

use super::frontier::Frontier;
use crate::SyncError;
use crate::batch::Batch;
use crate::machine_pages::Answer;
use crate::site::SiteRun;

/// When it was found that what pages name are no machine pages.
const NOTE_NO_ALTERNATES: &str = "tct-no-alternates";

/// What is known of the machine pages that pages name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MachinePages {
    Untried,
    /// At least one is what it should be.
    Good,
    /// They are something else.
    Bad,
}

impl SiteRun<'_> {
    /// Takes the machine page that a page names in place of what was made of its HTML. Answers whether that went
    /// well.
    pub(super) fn take_machine_page(
        &mut self,
        page: &str,
        machine_page: &Url,
        frontier: &mut Frontier,
        batch: &mut Batch,
    ) -> Result<bool, SyncError> {
        let tried = frontier.machine_pages;
        if !frontier.heeds_links
            || tried == MachinePages::Bad
            || tried == MachinePages::Untried && self.is_noted_lately(NOTE_NO_ALTERNATES)
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
            Ok(Answer::Fresh(fresh)) => {
                batch.put(Origin::Tct, *fresh);
                frontier.machine_pages = MachinePages::Good;
                return Ok(true);
            }
            Ok(Answer::Unchanged) => {
                self.report.pages.unchanged += 1;
                frontier.machine_pages = MachinePages::Good;
                return Ok(true);
            }
            Ok(Answer::NotAsked) => return Ok(false),
            Ok(Answer::Gone) => "it is gone".to_owned(),
            Ok(answer @ (Answer::Unusable(_) | Answer::Unlinked)) => {
                answer.problem().unwrap_or_default().to_owned()
            }
            Err(SyncError::Fetch(error)) if !error.ends_visit() => error.to_string(),
            Err(error) => return Err(error),
        };
        if tried == MachinePages::Untried {
            frontier.machine_pages = MachinePages::Bad;
            self.notes
                .push((NOTE_NO_ALTERNATES, Some(self.now.to_string())));
        } else {
            self.report.warn(format!("`{machine_page}`: {why}"));
        }
        Ok(false)
    }
}
