//! The published pages: from the cache, or from the collections.

use super::cache::Cache;
use super::json_sitemap::add_machine_pages;
use super::last::Last;
use super::rebuild::{Pages, rebuild};
use crate::PublishError;
use crate::collections::{Chain, leave_damaged};
use crate::run::Run;

/// Reads the pages of the last publication. Collections that cannot be read leave `last`.
pub(super) fn pages(
    run: &Run<'_>,
    last: &mut Last,
    cache: Option<&Cache>,
    notes: &mut Vec<String>,
) -> Result<Pages, PublishError> {
    let publication = last.publication();
    if publication.is_empty() {
        notes.extend(new_beginning(run, cache));
        return Ok(Pages {
            deletions: vec![None; last.chains.len()],
            ..Pages::default()
        });
    }
    if let Some(cache) = cache.filter(|cache| cache.head.outcome.publication == publication)
        && let Some(ledger) = cache.ledger()
    {
        let mut deletions = cache.deletions();
        deletions.resize(last.chains.len(), None);
        return Ok(Pages { ledger, deletions });
    }
    let mut pages = match rebuild_from_any(run, &mut last.chains, notes) {
        // With `full` a new chain begins: the owner asked for it because of such damage.
        Err(PublishError::Previous { .. }) if run.options.full => {
            drop_damaged(run, &mut last.chains, notes)?;
            rebuild(run.origin(), &last.chains, run.options)?
        }
        pages => pages?,
    };
    add_machine_pages(run.origin(), &mut pages.ledger, run.options)?;
    Ok(pages)
}

/// Tells the owner that there is no publication where one is expected.
fn new_beginning(run: &Run<'_>, cache: Option<&Cache>) -> Option<String> {
    if let Some(previous) = run.previous {
        let place = previous.name();
        return Some(format!(
            "there is no publication in `{place}`: this is a new beginning"
        ));
    }
    let cache = cache.filter(|cache| !cache.head.outcome.publication.is_empty());
    cache.map(|_| {
        format!(
            "what was published last time is no longer in `{}`: this is a new beginning; \
             `--previous` can name where it is",
            run.origin().name()
        )
    })
}

/// Reads the pages. If a file of a collection is damaged, its other file is read.
fn rebuild_from_any(
    run: &Run<'_>,
    chains: &mut Vec<Chain>,
    notes: &mut Vec<String>,
) -> Result<Pages, PublishError> {
    let mut tried = chains.clone();
    let mut new_notes = Vec::new();
    loop {
        let error = match rebuild(run.origin(), &tried, run.options) {
            Ok(pages) => {
                *chains = tried;
                notes.append(&mut new_notes);
                return Ok(pages);
            }
            Err(error) => error,
        };
        match leave_damaged(&mut tried, &error) {
            Some(note) => new_notes.push(note),
            None => return Err(error),
        }
    }
}

/// Empties the chains that cannot be read. Agents can continue to follow the others.
fn drop_damaged(
    run: &Run<'_>,
    chains: &mut [Chain],
    notes: &mut Vec<String>,
) -> Result<(), PublishError> {
    for chain in chains {
        match rebuild(run.origin(), std::slice::from_ref(chain), run.options) {
            Ok(_) => {}
            Err(error @ PublishError::Previous { .. }) => {
                notes.push(error.to_string());
                *chain = Chain::default();
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
