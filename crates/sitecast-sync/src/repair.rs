//! Repair of the index: removes damaged pages, so that the next sync fetches them again.

use sitecast_index::{Index, IndexError, OriginKind, SiteId, Validators};

use crate::{html, machine_pages};

/// The most pages that are removed at once, which bounds the memory for their URLs.
const AT_ONCE: usize = 10_000;

/// The counts of one repair.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The number of pages that were verified.
    pub pages: u64,
    /// The number of damaged pages that were removed.
    pub removed: u64,
}

/// Reads every page of the index against its hash and removes those that are damaged. The next sync of their sites
/// fetches them again: the snapshots of the sections they were in, or the pages alone where there are no collections.
///
/// Calls `damaged` with the site, URL and damage of each damaged page, and `progress` with the number of pages so far.
pub fn repair(
    index: &dyn Index,
    damaged: &mut dyn FnMut(&SiteId, &str, &str),
    progress: &dyn Fn(u64),
) -> Result<Repaired, IndexError> {
    let mut repaired = Repaired::default();
    let mut found: Vec<(SiteId, String)> = Vec::new();
    let mut failed = None;
    index.verify(&mut |check| {
        repaired.pages += 1;
        progress(repaired.pages);
        let Some(problem) = &check.damage else { return };
        damaged(check.site, check.url, problem);
        found.push((check.site.clone(), check.url.to_owned()));
        let is_full = found.len() >= AT_ONCE;
        if is_full && failed.is_none() {
            match remove(index, &found) {
                Ok(removed) => repaired.removed += removed,
                Err(error) => failed = Some(error),
            }
        }
        if is_full {
            found.clear();
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    repaired.removed += remove(index, &found)?;
    Ok(repaired)
}

/// Removes pages, which are in the order of their sites, with one merge for each site.
fn remove(index: &dyn Index, pages: &[(SiteId, String)]) -> Result<u64, IndexError> {
    let mut removed = 0;
    for pages in pages.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((site, _)) = pages.first() else {
            continue;
        };
        let mut merge = index.begin(site)?;
        for (_, url) in pages {
            let Some(sections) = merge.delete_damaged(url)? else {
                continue;
            };
            removed += 1;
            // With validators, the server could answer 304 for the copy that is removed.
            merge.set_validators(url, &Validators::default())?;
            for section in sections {
                merge.state_mut().sections.remove(&section);
            }
        }
        for note in [html::NOTE_COMPLETE, machine_pages::NOTE_COMPLETE] {
            merge.state_mut().notes.remove(note);
        }
        if merge.state_mut().strategy == Some(OriginKind::Html) {
            // A page that only links lead to is found only if the pages with the links are fetched with their bodies.
            let notes = &mut merge.state_mut().notes;
            notes.insert(html::NOTE_LINKS.to_owned(), html::UNFINISHED.to_owned());
        }
        merge.commit()?;
    }
    Ok(removed)
}
