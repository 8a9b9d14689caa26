//! Brings the ledger up to date.

use sitecast_scp::HttpUrl;

use crate::changes::Change;
use crate::extract::{ExtractedPages, Updates};
use crate::ledger::{Deleted, Ledger, SectionBits};
use crate::run::Run;

/// The ledger of this publication.
pub(super) struct Merged {
    pub(super) ledger: Ledger,
    pub(super) deleted: Vec<Deleted>,
    /// The sections that pages moved into or out of without a change of their own.
    pub(super) moved: SectionBits,
}

/// Merges the extracted pages into the ledger of the last publication.
pub(super) fn merge(run: &Run<'_>, mut ledger: Ledger, pages: &mut ExtractedPages) -> Merged {
    let updates = &mut pages.updates;
    let mut moved = update_known(&mut ledger, updates);
    let mut deleted = Vec::new();
    for (at, change) in pages.changes.iter().enumerate() {
        let url = ledger.url(at);
        match change {
            None => {
                let url = url.parse::<HttpUrl>();
                let Some(known) = ledger.get_mut(at) else {
                    continue;
                };
                if let Ok(url) = url {
                    let known = *known;
                    deleted.push(Deleted { url, known });
                }
                // It keeps its place, since the places of other pages must not change.
                known.sections = 0;
                known.gone = true;
            }
            Some(Change::Unchanged) => {
                let path = run.options.base.path_of_page(url);
                let sections = run.rules.sections(&path.unwrap_or_default());
                if let Some(known) = ledger.get_mut(at) {
                    moved |= known.sections ^ sections;
                    known.sections = sections;
                }
            }
            Some(Change::New | Change::Changed) => {}
        }
    }
    let new = std::mem::take(&mut updates.new);
    if ledger.len() == 0 {
        ledger = new;
    } else {
        for (url, known) in new.iter() {
            ledger.put(url, *known);
        }
    }
    Merged {
        ledger,
        deleted,
        moved,
    }
}

fn update_known(ledger: &mut Ledger, updates: &mut Updates) -> SectionBits {
    let mut moved = 0;
    for (at, known) in updates.known.drain(..) {
        if let Some(old) = ledger.get_mut(at) {
            moved |= old.sections ^ known.sections;
            *old = known;
        }
    }
    moved
}
