//! Checking the collections that sitemaps name: each against its announcement, and all of a section as a chain that an
//! agent can follow.

use std::collections::HashSet;
use std::time::Duration;

use sitecast_index::SectionState;
use sitecast_scp::Timestamp;
use sitecast_sitemap::{Collection, CollectionKind, ScpBlock};
use sitecast_sync::{MAX_CLOCK_SKEW, Step, plan, sections};
use url::Url;

use super::announced::compare;
use super::{Outcome, SiteCheck};
use crate::files::{Expected, Probes, SiteFiles};
use crate::http;
use crate::report::facts::Facts;
use crate::{CheckError, CollectionChoice, Role};

impl SiteCheck<'_, '_> {
    pub(crate) fn collections(
        &mut self,
        scp: &ScpBlock,
        choice: CollectionChoice,
        files: &mut dyn SiteFiles,
    ) -> Result<(), CheckError> {
        for section in sections(scp) {
            self.chain(scp, &section);
            let newest = match choice {
                CollectionChoice::All => None,
                CollectionChoice::Newest => Some(newest(scp, &section, self.now)),
            };
            let of_section = scp.collections.iter().filter(|c| c.section == section);
            for collection in of_section {
                if newest
                    .as_ref()
                    .is_none_or(|newest| newest.contains(&collection.url))
                {
                    self.collection(collection, files)?;
                }
            }
        }
        Ok(())
    }

    fn collection(
        &mut self,
        announced: &Collection,
        files: &mut dyn SiteFiles,
    ) -> Result<(), CheckError> {
        let Ok(url) = Url::parse(&announced.url) else {
            return Ok(());
        };
        let expected = Expected::Collection(announced.size);
        match self.read(&url, expected, Probes::Send, files)? {
            Outcome::Read(mut read) => {
                self.facts.collections_checked += 1;
                let base = self.facts.base_url.as_deref();
                if base.is_some_and(|base| base.starts_with("https:")) {
                    http::check_scheme(&url, &mut read.report);
                }
                if let Facts::Collection(facts) = &read.report.facts {
                    compare(
                        announced,
                        facts,
                        read.report.compressed_bytes,
                        &mut self.report,
                    );
                }
                self.add_read(Role::Part, *read)
            }
            Outcome::Absent(why) => {
                let message = format!("`{url}`, which the sitemap names, cannot be had: {why}");
                self.report.error_between("missing", url.as_str(), message);
                Ok(())
            }
            Outcome::Elsewhere => {
                self.note_elsewhere(&url);
                Ok(())
            }
            Outcome::Failed => Ok(()),
        }
    }

    /// Checks, by what the sitemap says, that an agent can begin with a snapshot and follow the deltas.
    fn chain(&mut self, scp: &ScpBlock, section: &str) {
        let now = self.now.unix_seconds();
        let of_section = scp.collections.iter().filter(|c| c.section == section);
        let mut states: Vec<&Collection> = Vec::new();
        for collection in of_section {
            if let Some(expires) = collection.expires
                && expires.unix_seconds() < now
            {
                let message = format!("it expired at {expires}, and is still named");
                self.report
                    .warning("expired", None, Some(&collection.url), &message);
            }
            if collection.generated.unix_seconds() > now.saturating_add(MAX_CLOCK_SKEW) {
                let message = format!(
                    "`{}` is dated {}, which is in the future: agents refuse it, and no publication follows it; \
                     `sitecast publish --full` starts again",
                    collection.url, collection.generated
                );
                self.report
                    .error_between("future", &collection.url, message);
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
            self.report.error_between("no-snapshot", url, message);
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
                self.report
                    .error_between("delta-gap", &collection.url, message);
            }
            reached = reached.max(Some(generated));
        }
    }
}

/// Returns the URLs that an agent without a copy would fetch: the newest snapshot and the deltas that follow it, in all
/// compressions.
fn newest(scp: &ScpBlock, section: &str, now: Timestamp) -> HashSet<String> {
    let never = Duration::MAX;
    let nothing = SectionState::default();
    let Step::Snapshot(snapshot, _) = plan(scp, section, &nothing, now, never).step else {
        // An agent can fetch none of them. The check of all may show why.
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
