//! Compares a page with the published one, and writes its line and its machine page where they are needed.

use sitecast_extract::{Coverage, Fold, fold};
use sitecast_scp::{CheckedLine, Page, Timestamp, WriteError};
use sitecast_tct::{ContentHash, MachinePage, fingerprint};

use super::page_builder::{BuiltPage, MachineJson, PageBuilder};
use crate::changes::Change;
use crate::changes::pages::change;
use crate::ledger::{Fingerprint, Known, half};
use crate::loss::{Loss, words_of};
use crate::time::{later, whole_seconds};
use crate::{Options, Reason};

/// A page with its text as it is compared.
pub(super) struct ComposedPage {
    page: Page,
    folded: Option<Fold>,
    machine_page: MachinePage,
    pub(super) print: Fingerprint,
}

impl ComposedPage {
    pub(super) fn of(mut page: Page, options: &Options) -> Self {
        let folded = fold(&mut page, options.limits.page_blocks);
        let machine_page = MachinePage::extended(&page);
        let print = half(&fingerprint(&machine_page.content));
        Self {
            page,
            folded,
            machine_page,
            print,
        }
    }
}

/// The item that a page comes from.
pub(super) struct Origin<'a> {
    pub(super) key: &'a str,
    /// The time of the last change that the page itself states.
    pub(super) stated: Option<Timestamp>,
    pub(super) coverage: Option<Coverage>,
}

impl PageBuilder<'_> {
    /// Builds a page. The error is the reason to leave it out.
    pub(super) fn page(
        &self,
        composed: ComposedPage,
        origin: &Origin<'_>,
    ) -> Result<BuiltPage, Reason> {
        let ComposedPage {
            mut page,
            folded,
            machine_page,
            print,
        } = composed;
        let old = self.ledger().by_url(page.url.as_str());
        let change = change(&print, old);
        let modified = self.modified(&page, origin.stated, change, old);
        set_times(&mut page, modified);
        let words = words_of(&machine_page.content);
        let (machine, machine_hash) = self.machine_page(machine_page, &page, change, old);
        let needs_line = self.needs.all_lines || change != Change::Unchanged;
        let before = old.filter(|_| change == Change::Changed);
        let before = before.map(|old| old.words);
        Ok(BuiltPage {
            loss: Loss::of(
                page.url.as_str(),
                origin.key,
                origin.coverage,
                before,
                words,
            ),
            line: needs_line.then(|| self.line(&page)).transpose()?,
            known: Known {
                fingerprint: print,
                modified: page.modified,
                machine: machine_hash,
                sections: self.sections_of(page.url.as_str()),
                words,
                gone: false,
            },
            machine,
            url: page.url,
            change,
            fold: folded,
            needs_link: false,
        })
    }

    /// Returns the machine page if it has to be written, and the hash of the one that the page has then.
    fn machine_page(
        &self,
        mut machine_page: MachinePage,
        page: &Page,
        change: Change,
        old: Option<&Known>,
    ) -> (MachineJson, Option<ContentHash>) {
        let url = page.url.as_str();
        let is_needed = match change {
            Change::Unchanged => self.wants_machine_page(url, old),
            Change::New | Change::Changed => self.has_machine_page(url),
        };
        if !is_needed {
            return (MachineJson::NotNeeded, old.and_then(|old| old.machine));
        }
        machine_page.modified = Some(page.modified);
        machine_page.published = page.published;
        let payload = machine_page.payload();
        if payload.json.len() > sitecast_tct::Limits::default().page_bytes {
            return (MachineJson::TooLarge, None);
        }
        (MachineJson::New(payload.json), Some(payload.hash))
    }

    /// Returns the page as a line. A line that readers would not take as it is makes the page unusable.
    fn line(&self, page: &Page) -> Result<CheckedLine, Reason> {
        let line =
            serde_json::to_string(page).map_err(|error| Reason::Unusable(error.to_string()))?;
        CheckedLine::new(line, &self.run.options.limits).map_err(|error| {
            Reason::Unusable(match error {
                WriteError::Page { problem, .. } => problem.to_string(),
                other => other.to_string(),
            })
        })
    }

    /// Returns the time of a page, which moves when, and only when, its content does. The time that the page states
    /// counts if it can be true: a change is not older than the last publication, which did not have it, and nothing
    /// comes from the future.
    fn modified(
        &self,
        page: &Page,
        stated: Option<Timestamp>,
        change: Change,
        old: Option<&Known>,
    ) -> Timestamp {
        let generated = self.recalled.generated;
        match (change, old) {
            (Change::Unchanged, Some(old)) => old.modified,
            (Change::Changed, Some(old)) => {
                let last = self.recalled.last.newest;
                let earliest = last.map_or(old.modified, |last| last.max(old.modified));
                stated
                    .map(whole_seconds)
                    .filter(|stated| *stated > earliest && *stated <= generated)
                    .unwrap_or_else(|| generated.max(later(old.modified, 1)))
            }
            // A copy fetched before the page was deleted carries an older timestamp.
            _ => {
                let deleted = self.deletions.last_of(page.url.as_str());
                let own = whole_seconds(page.modified).min(generated);
                deleted.map_or(own, |deleted| own.max(deleted))
            }
        }
    }
}

/// Sets the time of a page. A page cannot have been published after its last change.
pub(crate) fn set_times(page: &mut Page, modified: Timestamp) {
    page.modified = modified;
    let published = page.published.map(whole_seconds);
    page.published = published.filter(|published| *published <= modified);
}
