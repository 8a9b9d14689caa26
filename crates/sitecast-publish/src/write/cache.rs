//! The cache for the next run.

use sitecast_scp::Timestamp;

use super::writer::FileWriter;
use crate::PublishError;
use crate::changes::site_files::describe;
use crate::extract::{Extraction, no_cache};
use crate::plan::{Publication, savings};
use crate::recall::cache::Outcome;
use crate::recall::last::publication as published_files;
use crate::recall::page_settings::cache_key;
use crate::report::Report;
use crate::run::Run;

/// Completes the cache. If that fails, the next run takes longer: the owner is told, and the publication stands.
pub(super) fn write_cache(
    run: &Run<'_>,
    publication: &Publication,
    deletions: &[Option<Timestamp>],
    extraction: Extraction,
    writer: &FileWriter<'_>,
    report: &mut Report,
) -> Result<(), PublishError> {
    let Some(cache) = extraction.cache else {
        return Ok(());
    };
    let (site, ledger) = (&extraction.site, &publication.ledger);
    let notes = writer.notes.clone();
    let site_files = describe(run, writer.listing, &writer.looked_at, notes)?;
    let outcome = Outcome {
        key: cache_key(run)?,
        publication: published_files(&publication.chains),
        deletions: deletions
            .iter()
            .map(|time| time.map(|time| time.to_string()))
            .collect(),
        html: site.html,
        style: site.style,
        site_files: Some(site_files),
        savings: savings(&publication.chains, &[], ledger, site.html),
        named_crawlers: report.named_crawlers.clone(),
    };
    if let Err(error) = cache.finish(outcome, ledger, &site.template.store()) {
        report.notes.push(no_cache(&error));
    }
    Ok(())
}
