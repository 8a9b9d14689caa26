//! One run, stage by stage.

use sitecast_scp::Timestamp;
use sitecast_storage::Store;

use crate::changes::publication::report_if_unchanged;
use crate::error::Stop;
use crate::extract::{Reuse, extract};
use crate::files::own_path;
use crate::list::list;
use crate::plan::plan;
use crate::recall::json_sitemap::{JSON_SITEMAP, is_our_json_sitemap};
use crate::recall::recall;
use crate::report::{Report, excluded};
use crate::rules::Rules;
use crate::run::Run;
use crate::source::Source;
use crate::write::obstacles::refuse_obstacles;
use crate::write::write;
use crate::{Options, Progress, PublishError};

/// Publishes a source: finds the changes since the last publication and writes them into the store, the sitemap last.
/// After an error the sitemap and the collections that it names are as they were: see [`PublishError`].
///
/// `previous` is the store of the last publication, if that is another one; its collections are copied. `now` is the
/// time of everything that is published.
pub fn publish(
    source: &dyn Source,
    store: &dyn Store,
    previous: Option<&dyn Store>,
    options: &Options,
    now: Timestamp,
    progress: &dyn Progress,
) -> Result<Report, PublishError> {
    let rules = Rules::new(options)?;
    if options.compressions.is_empty() {
        let problem = "collections have to be stored in some form: name a compression";
        return Err(PublishError::Settings(problem.to_owned()));
    }
    let lock = (!options.dry_run).then(|| store.lock()).transpose()?;
    refuse_obstacles(store, options)?;
    // Two programs that make machine pages would overwrite each other's.
    let has_other_maker = options.artefacts.tct
        && is_our_json_sitemap(store, &own_path(JSON_SITEMAP), options)? == Some(false);
    let mut own_options = options.clone();
    own_options.artefacts.tct &= !has_other_maker;
    let run = Run {
        source,
        store,
        previous,
        options: &own_options,
        rules,
        now,
        progress,
        lock,
    };
    let mut attempt = stages(&run, Reuse::Published);
    if matches!(attempt, Err(Stop::MissingLines)) {
        attempt = stages(&run, Reuse::Nothing);
    }
    let mut report = attempt.map_err(|stop| match stop {
        Stop::Failed(error) => error,
        Stop::MissingLines => {
            PublishError::internal("some pages have no lines, although all were made")
        }
    })?;
    if has_other_maker {
        report.notes.push(format!(
            "`{JSON_SITEMAP}` is not of Sitecast's making and stays as it is: no machine pages are made; \
             remove it, or switch `tct` off"
        ));
    }
    Ok(report)
}

/// Goes through the stages. Nothing is put before the last one, so that an earlier error costs only time.
fn stages(run: &Run<'_>, reuse: Reuse) -> Result<Report, Stop> {
    let mut report = Report {
        dry_run: run.options.dry_run,
        ..Report::default()
    };
    let notes = &mut report.notes;
    let warning = run.lock.as_ref().and_then(|lock| lock.warning());
    notes.extend(warning.map(str::to_owned));

    let mut listing = list(run)?;
    notes.extend(listing.owners.notes.iter().cloned());
    listing.items.excluded.extend(run.source.refused());

    let mut recalled = recall(run, &listing, notes)?;
    if let Some(unchanged) = report_if_unchanged(run, &mut listing, &recalled, notes)? {
        return Ok(unchanged);
    }
    let published = recalled.pages(run, notes)?;

    let mut extraction = extract(run, &listing, &recalled, &published, reuse, notes)?;
    report.exclude(std::mem::take(&mut extraction.excluded));
    let not_loaded = std::mem::take(&mut listing.items.excluded);
    report.exclude(excluded(
        not_loaded,
        extraction.site.style,
        &run.options.base,
    ));
    let findings = &mut extraction.pages.findings;
    report.folded = std::mem::take(&mut findings.folded);
    report.losses = std::mem::take(&mut findings.losses);

    let plan = plan(
        run,
        &listing,
        &mut recalled,
        published,
        &mut extraction,
        &mut report,
    )?;
    if !run.options.dry_run {
        write(run, &listing, recalled, plan, extraction, &mut report)?;
    }
    Ok(report)
}
