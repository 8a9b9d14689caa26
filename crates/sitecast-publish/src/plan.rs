//! Fourth stage: decides which collections each section gets, and prepares them in the scratch folder.

mod guard;
mod merge;
mod savings;
mod sections;

use sitecast_scp::Timestamp;

use crate::collections::{Chain, Link};
use crate::error::Stop;
use crate::extract::Extraction;
use crate::ledger::{Deleted, Ledger};
use crate::list::Listing;
use crate::progress::Step;
use crate::recall::{Pages, Recalled};
use crate::report::Report;
use crate::run::Run;
use guard::{count, guard};
use merge::merge;
use savings::named_crawlers;
pub(crate) use savings::savings;
pub(crate) use sections::PreparedSection;
use sections::Sections;

/// A publication that is complete in the scratch folder.
pub(crate) struct Plan {
    pub(crate) publication: Publication,
    /// New collections, in the order in which they are put.
    pub(crate) prepared: Vec<PreparedSection>,
    /// For each section, the time since which deletions wait for a snapshot.
    pub(crate) deletions: Vec<Option<Timestamp>>,
    /// Collections dated in the future, which are removed.
    pub(crate) future: Vec<Link>,
}

/// Everything that is published after this run.
pub(crate) struct Publication {
    pub(crate) ledger: Ledger,
    pub(crate) deleted: Vec<Deleted>,
    /// One chain for each section of the settings.
    pub(crate) chains: Vec<Chain>,
    /// Chains of sections that the settings no longer have.
    pub(crate) retired: Vec<(String, Chain)>,
    pub(crate) generated: Timestamp,
}

/// Plans the publication, and adds it to the report.
pub(crate) fn plan(
    run: &Run<'_>,
    listing: &Listing,
    recalled: &mut Recalled<'_>,
    published: Pages,
    extraction: &mut Extraction,
    report: &mut Report,
) -> Result<Plan, Stop> {
    count(&extraction.pages, report);
    guard(run, report)?;
    let merged = merge(run, published.ledger, &mut extraction.pages);
    report.named_crawlers = named_crawlers(&listing.robots, &merged.ledger);
    run.progress.begin(Step::Collections, None);
    let last = std::mem::take(&mut recalled.last);
    let mut sections = Sections {
        run,
        extraction,
        merged: &merged,
        generated: recalled.generated,
        chains: last.chains,
        deletions: published.deletions,
        prepared: Vec::new(),
    };
    sections.prepare(report)?;
    let Sections {
        chains,
        deletions,
        prepared,
        ..
    } = sections;
    report.savings = savings(&chains, &prepared, &merged.ledger, extraction.site.html);
    Ok(Plan {
        publication: Publication {
            ledger: merged.ledger,
            deleted: merged.deleted,
            chains,
            retired: last.retired,
            generated: recalled.generated,
        },
        prepared,
        deletions,
        future: last.future,
    })
}
