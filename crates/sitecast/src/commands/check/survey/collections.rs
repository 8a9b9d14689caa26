//! Collections: those that sitemaps name, whether they are what is said of them, and whether an agent
//! can get from one to the next.

use std::collections::HashSet;
use std::time::Duration;

use sitecast_index::SectionState;
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Collection, CollectionKind, ScpBlock};
use sitecast_sync::{MAX_CLOCK_SKEW, Step, plan, sections};
use url::Url;

use super::announced::compare;
use super::{Look, Survey};
use crate::cli::Which;
use crate::commands::check::http;
use crate::commands::check::place::{Place, Thorough, Wanted};
use crate::failure::Failure;
use crate::output::report::{Facts, Shown};

impl Survey<'_, '_> {
    pub(super) fn collections(
        &mut self,
        scp: &ScpBlock,
        which: Which,
        place: &mut dyn Place,
    ) -> Result<(), Failure> {
        for section in sections(scp) {
            self.chain(scp, &section);
            let newest = match which {
                Which::All => None,
                Which::Newest => Some(newest(scp, &section, self.now)),
            };
            let of_section = scp.collections.iter().filter(|c| c.section == section);
            for collection in of_section {
                if newest
                    .as_ref()
                    .is_none_or(|newest| newest.contains(&collection.url))
                {
                    self.collection(collection, place)?;
                }
            }
        }
        Ok(())
    }

    fn collection(&mut self, announced: &Collection, place: &mut dyn Place) -> Result<(), Failure> {
        let Ok(url) = Url::parse(&announced.url) else {
            return Ok(());
        };
        let wanted = Wanted::Collection(announced.size);
        match self.look(&url, wanted, Thorough::Yes, place)? {
            Look::Seen(mut seen) => {
                self.facts.collections_checked += 1;
                let site_is_secure = self.facts.base_url.as_deref();
                if site_is_secure.is_some_and(|base| base.starts_with("https:")) {
                    http::security(&url, &mut seen.report);
                }
                if let Facts::Collection(facts) = seen.report.known() {
                    compare(announced, facts, seen.report.stored_bytes(), &mut self.site);
                }
                self.done(*seen, Shown::Always)
            }
            Look::Absent(why) => {
                let message = format!("`{url}`, which the sitemap names, cannot be had: {why}");
                self.site.finding_between("missing", url.as_str(), message);
                Ok(())
            }
            Look::Elsewhere => {
                self.elsewhere(&url);
                Ok(())
            }
            Look::Failed => Ok(()),
        }
    }

    /// Whether whoever begins with a snapshot can follow the deltas, by what the sitemap says.
    fn chain(&mut self, scp: &ScpBlock, section: &str) {
        let now = self.now.unix_seconds();
        let of_section = scp.collections.iter().filter(|c| c.section == section);
        let mut states: Vec<&Collection> = Vec::new();
        for collection in of_section {
            if let Some(expires) = collection.expires
                && expires.unix_seconds() < now
            {
                let message = format!("it expired at {expires}, and is still named");
                self.site
                    .warning("expired", None, Some(&collection.url), &message);
            }
            if collection.generated.unix_seconds() > now.saturating_add(MAX_CLOCK_SKEW) {
                let message = format!(
                    "`{}` is dated {}, which is in the future: agents refuse it, and no publication follows it; \
                     `sitecast publish --full` starts again",
                    collection.url, collection.generated
                );
                self.site
                    .finding_between("future", &collection.url, message);
            }
            states.push(collection);
        }
        states.sort_by_key(|collection| collection.generated.unix_seconds());
        let usable = |c: &&&Collection| {
            c.kind == CollectionKind::Snapshot
                && c.expires.is_none_or(|at| at.unix_seconds() >= now)
        };
        if !states.iter().any(|c| usable(&c)) {
            let url = states.last().map_or("", |collection| &*collection.url);
            let message = format!("section `{section}` has no snapshot to begin with");
            self.site.finding_between("no-snapshot", url, message);
        }
        let mut reached: Option<i64> = None;
        for collection in states {
            let generated = collection.generated.unix_seconds();
            if let CollectionKind::Delta { since, .. } = &collection.kind
                && let Some(before) = reached
                && since.unix_seconds() > before
            {
                let at = Timestamp::from_unix_seconds(before).map(|at| at.to_string());
                let message = format!(
                    "`{}` has the changes since {since}, and those since {} are in no collection",
                    collection.url,
                    at.unwrap_or_default()
                );
                self.site
                    .finding_between("delta-gap", &collection.url, message);
            }
            reached = reached.max(Some(generated));
        }
    }
}

/// What an agent would fetch that has nothing yet: the URLs of the newest snapshot and of the deltas
/// that lead on from it, in all compressions.
fn newest(scp: &ScpBlock, section: &str, now: Timestamp) -> HashSet<String> {
    let never = Duration::MAX;
    let nothing = SectionState::default();
    let Step::Snapshot(snapshot, _) = plan(scp, section, &nothing, now, never).step else {
        // There is no way in; then all of it may tell why.
        let all = scp.collections.iter().filter(|c| c.section == section);
        return all.map(|collection| collection.url.clone()).collect();
    };
    let begun = SectionState {
        generated: Some(snapshot.generated),
        snapshot: Some(snapshot.generated),
    };
    let deltas = match plan(scp, section, &begun, now, never).step {
        Step::Deltas(deltas) => deltas,
        _ => Vec::new(),
    };
    let files = std::iter::once(&snapshot)
        .chain(&deltas)
        .flat_map(|candidate| &candidate.files);
    files.map(|file| file.url.clone()).collect()
}
