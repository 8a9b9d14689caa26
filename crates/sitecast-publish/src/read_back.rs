//! Reading back pages that stay as they are published, although their HTML would now become others: their lines and
//! machine pages cannot be made of the HTML, and are those that are published.

use sitecast_scp::{Page, PageRecord};
use sitecast_tct::MachinePage;

use crate::PublishError;
use crate::chain::Chain;
use crate::ledger::Known;
use crate::making::Workshop;
use crate::previous::carry;
use crate::survey::Survey;

impl Workshop<'_> {
    /// Adds the pages that the survey left to be read back; `false` if some of them are not in the collections.
    pub(crate) fn read_back(&self, survey: &mut Survey) -> Result<bool, PublishError> {
        let places = std::mem::take(&mut survey.to_read_back);
        if places.is_empty() {
            return Ok(true);
        }
        let mut wanted = vec![false; self.ledger.len()];
        for at in places {
            if let Some(slot) = wanted.get_mut(at) {
                *slot = true;
            }
        }
        let chains: Vec<&Chain> = self.gone.chains.iter().collect();
        let carried = carry(
            self.gone.store,
            &chains,
            self.ledger,
            &mut wanted,
            self.options,
            |at, record| self.put_back(survey, at, record),
        );
        match carried {
            Ok(()) if !wanted.contains(&true) => Ok(true),
            Ok(()) | Err(PublishError::Previous { .. }) => {
                // Its writers have to be done before others write files of the same names.
                if let Some(draft) = survey.draft.take() {
                    let _ = draft.finish();
                }
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn put_back(
        &self,
        survey: &mut Survey,
        at: usize,
        record: &PageRecord<'_>,
    ) -> Result<(), PublishError> {
        let failed = |source| PublishError::Scratch {
            folder: "the temporary folder".to_owned(),
            source,
        };
        let (Some(old), Ok(page)) = (self.ledger.get(at), record.to_page()) else {
            return Ok(());
        };
        if self.all_lines {
            let line = record.line();
            survey.lines.add(at, line.as_bytes()).map_err(failed)?;
            let sections = self.sections_of(record.url());
            if let Some(draft) = survey.draft.as_mut().filter(|_| sections & 1 != 0) {
                draft.add(line);
            }
        }
        if self.wants_machine_page(record.url(), Some(old)) {
            let payload = machine_page(&page).payload();
            if payload.json.len() > sitecast_tct::Limits::default().page_bytes {
                survey.too_large.push(page.url);
                return Ok(());
            }
            let machine = &mut survey.machine;
            machine.add(at, payload.json.as_bytes()).map_err(failed)?;
            let known = Known {
                machine: Some(payload.hash),
                ..*old
            };
            survey.pages.updates.push((at, known));
        }
        Ok(())
    }
}

/// The machine page of a page as it stands in a collection.
fn machine_page(page: &Page) -> MachinePage {
    let mut machine_page = MachinePage::extended(page);
    machine_page.modified = Some(page.modified);
    machine_page.published = page.published;
    machine_page
}
