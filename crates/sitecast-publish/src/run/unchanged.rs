//! The short way of a run that finds everything as the last one left it: nothing is looked at but what would show a
//! difference.

use sitecast_scp::Timestamp;

use super::last::{Last, publication};
use super::{Run, excluded};
use crate::PublishError;
use crate::cache::Cache;
use crate::report::{PageCounts, Report};
use crate::schedule::{Lifetimes, Situation};
use crate::sections::without_pages;
use crate::source::Items;

impl Run<'_> {
    /// Completes the report of a run that has nothing to do; `false` if there is, or may be, something.
    pub(super) fn is_done(
        &self,
        items: &mut Items,
        inputs: &str,
        cache: &Cache,
        last: &Last,
        generated: Timestamp,
        report: &mut Report,
    ) -> Result<bool, PublishError> {
        if self.options.full
            || self.options.dry_run
            || cache.head.listing.is_none()
            || cache.is_older_than(items).is_some()
            || cache.head.publication != publication(&last.chains)
            || self.is_something_due(cache, last, generated)
            || cache.head.listing != items.fingerprint()
        {
            return Ok(false);
        }
        let Some(seal) = &cache.head.seal else {
            return Ok(false);
        };
        if !seal.holds(inputs, self.store)? {
            return Ok(false);
        }
        let Some(left_out) = cache.excluded() else {
            return Ok(false);
        };
        let at_first_sight = std::mem::take(&mut items.excluded);
        report.exclude(left_out);
        report.exclude(excluded(
            at_first_sight,
            cache.head.style,
            &self.options.base,
        ));
        report.pages = PageCounts {
            unchanged: cache.head.pages,
            excluded: report.excluded.len() as u64,
            ..PageCounts::default()
        };
        report.savings = cache.head.savings;
        report.named_crawlers = cache.head.named_crawlers.clone();
        let empty = self.options.sections.iter().zip(&last.chains);
        let empty = empty.filter(|(_, chain)| chain.links.is_empty());
        report
            .notes
            .extend(empty.map(|(section, _)| without_pages(section)));
        report.notes.extend(seal.notes.iter().cloned());
        Ok(true)
    }

    /// Whether time alone asks for something: a new snapshot, or that something is removed.
    fn is_something_due(&self, cache: &Cache, last: &Last, generated: Timestamp) -> bool {
        let deletions = cache.deletions();
        let mut sections = self.options.sections.iter().zip(&last.chains).enumerate();
        let wants_snapshot = sections.any(|(number, (section, chain))| {
            let situation = Situation {
                chain,
                now: generated,
                lifetimes: Lifetimes::of(section.update_frequency),
                changed: false,
                moved: false,
                asked: false,
                deletions_since: deletions.get(number).copied().flatten(),
                delta_share: self.options.delta_share,
                new_delta_bytes: 0,
            };
            !chain.links.is_empty() && situation.snapshot().is_some()
        });
        let (expired, _) = self.expire(&mut last.chains.clone(), last.retired.clone());
        wants_snapshot || !expired.is_empty()
    }
}
