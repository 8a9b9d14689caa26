//! The snapshot of the first section, written while pages are extracted.

use crate::PublishError;
use crate::collections::{Draft, DraftPlan, LinkKind};
use crate::list::Listing;
use crate::recall::Recalled;
use crate::run::Run;

/// Bytes of HTML that become one byte of a collection, on most sites.
const HTML_PER_LINE: u64 = 3;

/// Begins the snapshot of the first section if it is certain that the run makes one from all lines: it is compressed
/// while pages are extracted. Only the first section, since each draft takes memory.
pub(super) fn early_snapshot(
    run: &Run<'_>,
    listing: &Listing,
    recalled: &Recalled<'_>,
    all_lines: bool,
) -> Result<Option<Draft>, PublishError> {
    let chain = recalled.last.chains.first();
    let is_first = chain.is_none_or(|chain| chain.snapshot().is_none());
    let section = run.options.sections.first();
    let Some(section) = section.filter(|_| all_lines && !run.options.dry_run) else {
        return Ok(None);
    };
    if !is_first && !run.options.full {
        return Ok(None);
    }
    let html = listing
        .items
        .iter()
        .map(|item| item.stamp.size)
        .sum::<u64>();
    let plan = DraftPlan {
        section,
        kind: LinkKind::Snapshot,
        generated: recalled.generated,
        deleted: Vec::new(),
        expected_bytes: Some(html / HTML_PER_LINE),
    };
    Draft::begin(&plan, run.store, run.options).map(Some)
}
