//! Everything: a run that finds all as the last one left it ends here.

use super::site_files::{are_unchanged, inputs};
use crate::PublishError;
use crate::collections::{Lifetimes, Situation, expire};
use crate::list::Listing;
use crate::recall::Recalled;
use crate::recall::cache::{Cache, SiteFiles};
use crate::report::{PageCounts, Report, excluded, without_pages};
use crate::run::Run;

/// Returns the report of a run that has nothing to do; `None` if something changed, or may have changed.
pub(crate) fn report_if_unchanged(
    run: &Run<'_>,
    listing: &mut Listing,
    recalled: &Recalled<'_>,
    notes: &[String],
) -> Result<Option<Report>, PublishError> {
    let Some(cache) = recalled.cache.as_ref().filter(|_| !recalled.may_differ) else {
        return Ok(None);
    };
    let Some(site_files) = unchanged_files(run, listing, recalled, cache)? else {
        return Ok(None);
    };
    let Some(left_out) = cache.excluded() else {
        return Ok(None);
    };
    let outcome = &cache.head.outcome;
    let mut report = Report {
        savings: outcome.savings,
        named_crawlers: outcome.named_crawlers.clone(),
        notes: notes.to_vec(),
        ..Report::default()
    };
    report.exclude(left_out);
    let not_loaded = std::mem::take(&mut listing.items.excluded);
    report.exclude(excluded(not_loaded, outcome.style, &run.options.base));
    report.pages = PageCounts {
        unchanged: cache.head.pages,
        excluded: report.excluded.len() as u64,
        ..PageCounts::default()
    };
    let empty = run.options.sections.iter().zip(&recalled.last.chains);
    let empty = empty.filter(|(_, chain)| chain.links.is_empty());
    let empty = empty.map(|(section, _)| without_pages(section));
    report.notes.extend(empty);
    report.notes.extend(site_files.notes.iter().cloned());
    Ok(Some(report))
}

/// Returns the files beside the collections, if they and everything else are as the last run left them.
fn unchanged_files<'c>(
    run: &Run<'_>,
    listing: &Listing,
    recalled: &Recalled<'_>,
    cache: &'c Cache,
) -> Result<Option<&'c SiteFiles>, PublishError> {
    let may_be_unchanged = !run.options.full
        && !run.options.dry_run
        && cache.head.listing.is_some()
        && cache.is_older_than(&listing.items).is_none()
        && cache.head.outcome.publication == recalled.last.publication()
        && !is_something_due(run, recalled, cache)
        && cache.head.listing == listing.items.fingerprint();
    let site_files = cache.head.outcome.site_files.as_ref();
    let Some(site_files) = site_files.filter(|_| may_be_unchanged) else {
        return Ok(None);
    };
    let is_same =
        site_files.inputs == inputs(run, listing)? && are_unchanged(site_files, run.store)?;
    Ok(is_same.then_some(site_files))
}

/// Returns true if time alone asks for a new snapshot, or for the removal of a collection.
fn is_something_due(run: &Run<'_>, recalled: &Recalled<'_>, cache: &Cache) -> bool {
    let deletions = cache.deletions();
    let last = &recalled.last;
    let mut sections = run.options.sections.iter().zip(&last.chains).enumerate();
    let wants_snapshot = sections.any(|(number, (section, chain))| {
        let situation = Situation {
            chain,
            now: recalled.generated,
            lifetimes: Lifetimes::of(section.update_frequency),
            changed: false,
            moved: false,
            asked: false,
            deletions_since: deletions.get(number).copied().flatten(),
            delta_share: run.options.delta_share,
            new_delta_bytes: 0,
        };
        !chain.links.is_empty() && situation.snapshot().is_some()
    });
    let (mut chains, mut retired) = (last.chains.clone(), last.retired.clone());
    wants_snapshot || !expire(&mut chains, &mut retired, run.now).is_empty()
}
