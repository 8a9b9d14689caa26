//! Counts the pages, and refuses publications that would empty the site.

use crate::PublishError;
use crate::changes::Change;
use crate::extract::ExtractedPages;
use crate::report::{PageCounts, Report};
use crate::run::Run;

/// A larger site does not lose half of its pages by intention.
const SMALL_SITE: u64 = 20;

/// Counts the pages of this run by what happened to them.
pub(super) fn count(pages: &ExtractedPages, report: &mut Report) {
    let counted = |change: Option<Change>| {
        let pages = pages.changes.iter().filter(|known| **known == change);
        pages.count() as u64
    };
    report.pages = PageCounts {
        new: counted(Some(Change::New)),
        changed: counted(Some(Change::Changed)),
        unchanged: counted(Some(Change::Unchanged)),
        deleted: counted(None),
        excluded: report.excluded.len() as u64,
        folded: report.folded.len() as u64,
    };
}

/// Fails for a site without pages, and for one that lost more than half of them.
pub(super) fn guard(run: &Run<'_>, report: &Report) -> Result<(), PublishError> {
    // A rehearsal goes on, so that all that is left out can be listed.
    if !run.options.dry_run
        && let Some(empty) = report.without_pages(run.source)
    {
        return Err(empty);
    }
    let counts = report.pages;
    let (deleted, pages) = (
        counts.deleted,
        counts.changed + counts.unchanged + counts.deleted,
    );
    if pages > SMALL_SITE && deleted * 2 > pages && !run.options.mass_deletion {
        return Err(PublishError::MassDeletion { deleted, pages });
    }
    Ok(())
}
