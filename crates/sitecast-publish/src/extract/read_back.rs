//! Pages that stay as they are published, although other text would be extracted from their HTML now: their lines and
//! machine pages are read from the collections.

use std::path::Path;

use sitecast_scp::{Page, PageRecord};
use sitecast_tct::MachinePage;

use super::ExtractedPages;
use super::page_builder::PageBuilder;
use crate::PublishError;
use crate::collections::{Chain, carry};
use crate::error::Stop;
use crate::ledger::Known;

impl PageBuilder<'_> {
    /// Adds the pages that the extraction left to be read from the collections.
    pub(super) fn read_back(&self, pages: &mut ExtractedPages) -> Result<(), Stop> {
        let places = std::mem::take(&mut pages.to_read_back);
        if places.is_empty() {
            return Ok(());
        }
        let mut wanted = vec![false; self.ledger().len()];
        for at in places {
            if let Some(slot) = wanted.get_mut(at) {
                *slot = true;
            }
        }
        let chains: Vec<&Chain> = self.recalled.last.chains.iter().collect();
        let carried = carry(
            self.run.origin(),
            &chains,
            self.ledger(),
            &mut wanted,
            self.run.options,
            |at, record| self.put_back(pages, at, record),
        );
        match carried {
            Ok(()) if !wanted.contains(&true) => Ok(()),
            Ok(()) | Err(PublishError::Previous { .. }) => {
                // The writers of the draft have to end before the next attempt writes files of the same names.
                if let Some(draft) = pages.lines.draft.take() {
                    let _ = draft.finish();
                }
                Err(Stop::MissingLines)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn put_back(
        &self,
        pages: &mut ExtractedPages,
        at: usize,
        record: &PageRecord<'_>,
    ) -> Result<(), PublishError> {
        let failed = |error| PublishError::scratch(Path::new("the temporary folder"), error);
        let (Some(old), Ok(page)) = (self.ledger().get(at), record.to_page()) else {
            return Ok(());
        };
        if self.needs.all_lines {
            let line = record.line();
            let lines = &mut pages.lines;
            lines.spool.add(at, line.as_bytes()).map_err(failed)?;
            let sections = self.sections_of(record.url());
            if let Some(draft) = lines.draft.as_mut().filter(|_| sections & 1 != 0) {
                draft.add(line);
            }
        }
        if self.wants_machine_page(record.url(), Some(old)) {
            let payload = machine_page(&page).payload();
            if payload.json.len() > sitecast_tct::Limits::default().page_bytes {
                pages.machine.too_large.push(page.url);
                return Ok(());
            }
            let spool = &mut pages.machine.spool;
            spool.add(at, payload.json.as_bytes()).map_err(failed)?;
            let known = Known {
                machine: Some(payload.hash),
                ..*old
            };
            pages.updates.known.push((at, known));
        }
        Ok(())
    }
}

/// Makes the machine page of a page from a collection.
fn machine_page(page: &Page) -> MachinePage {
    let mut machine_page = MachinePage::extended(page);
    machine_page.modified = Some(page.modified);
    machine_page.published = page.published;
    machine_page
}
