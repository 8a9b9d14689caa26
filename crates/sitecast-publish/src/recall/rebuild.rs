//! The published pages, read from the collections.

use sitecast_scp::{HttpUrl, PageRecord, Timestamp};
use sitecast_storage::Store;
use sitecast_tct::{fingerprint, page_text};

use crate::collections::{Chain, each_page};
use crate::ledger::{Known, Ledger, SectionBits, half};
use crate::loss::words_of;
use crate::{Options, PublishError};

/// The pages of the last publication.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pub(crate) ledger: Ledger,
    /// For each section, the time since which only agents that know our extension have learnt of deletions.
    pub(crate) deletions: Vec<Option<Timestamp>>,
}

impl Pages {
    /// Replaces times in the future by that of this publication, which is later than all others.
    pub(super) fn redate(&mut self, latest: Timestamp, generated: Timestamp) {
        for at in 0..self.ledger.len() {
            let known = self.ledger.get_mut(at);
            if let Some(known) = known.filter(|known| known.modified > latest) {
                known.modified = generated;
            }
        }
    }
}

/// Reads the pages of all sections from their collections.
pub(super) fn rebuild(
    store: &dyn Store,
    chains: &[Chain],
    options: &Options,
) -> Result<Pages, PublishError> {
    let mut pages = Pages {
        deletions: vec![None; chains.len()],
        ..Pages::default()
    };
    for (number, chain) in chains.iter().enumerate() {
        let bit: SectionBits = 1 << number;
        for link in chain.present() {
            let ledger = &mut pages.ledger;
            let deleted = each_page(store, link, options, |record| {
                let (url, known) = known_of(record, bit)?;
                match ledger.find(url.as_str()) {
                    Some(at) => {
                        if let Some(old) = ledger.get_mut(at) {
                            let sections = old.sections | bit;
                            // Sections tell of the same page; the newest counts.
                            if known.modified >= old.modified {
                                *old = known;
                            }
                            old.sections = sections;
                        }
                    }
                    None => {
                        ledger.put(url.as_str(), known);
                    }
                }
                Ok(())
            })?;
            if !deleted.is_empty()
                && let Some(since) = pages.deletions.get_mut(number)
            {
                since.get_or_insert(link.generated);
            }
            for url in deleted {
                if let Some(at) = pages.ledger.find(&url)
                    && let Some(known) = pages.ledger.get_mut(at)
                {
                    known.sections &= !bit;
                }
            }
        }
    }
    pages.ledger.retain(|known| known.sections != 0);
    Ok(pages)
}

fn known_of(record: &PageRecord<'_>, bit: SectionBits) -> Result<(HttpUrl, Known), PublishError> {
    let failed = |error| PublishError::previous(record.url(), error);
    let page = record.to_page().map_err(failed)?;
    let text = page_text(&page);
    let known = Known {
        fingerprint: half(&fingerprint(&text)),
        words: words_of(&text),
        modified: page.modified,
        machine: None,
        sections: bit,
        gone: false,
    };
    Ok((page.url, known))
}
