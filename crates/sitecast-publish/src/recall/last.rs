//! The collections of the last publication.

use std::collections::HashSet;

use sitecast_scp::Timestamp;
use sitecast_storage::StorePath;

use super::crash_marker::CrashMarker;
use super::recover::recover;
use super::sitemaps::published_scp;
use crate::PublishError;
use crate::collections::{Chain, Link, chains_of, collections_folder, parse_name};
use crate::list::site_sitemap::SiteSitemap;
use crate::run::Run;
use crate::time::{later, whole_seconds};

/// The collections of the last publication, by section.
#[derive(Debug, Default)]
pub(crate) struct Last {
    /// One chain for each section of the settings.
    pub(crate) chains: Vec<Chain>,
    /// Chains of sections that the settings no longer have; the sitemap names them until they expire.
    pub(crate) retired: Vec<(String, Chain)>,
    /// The time of the newest collection that is not dated in the future.
    pub(crate) newest: Option<Timestamp>,
    /// The first section with collections dated in the future, and the latest of their times.
    ahead: Option<(String, Timestamp)>,
    /// Collections dated in the future that this run removes.
    pub(crate) future: Vec<Link>,
}

impl Last {
    /// Finds the collections through the sitemap, or by their names if no sitemap names them.
    pub(super) fn find(
        run: &Run<'_>,
        site_sitemap: &SiteSitemap,
        marker: &CrashMarker<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Self, PublishError> {
        let mut named = named(run, site_sitemap, notes)?;
        if named.is_empty() && run.previous.is_none() {
            named = recover(run.store, run.options, marker.since())?;
        }
        let mut chains = Vec::new();
        for section in &run.options.sections {
            let at = named
                .iter()
                .position(|(name, _)| name == section.name.as_str());
            chains.push(at.map_or_else(Chain::default, |at| named.swap_remove(at).1));
        }
        let latest = run.latest();
        let links = chains.iter().flat_map(|chain| &chain.links);
        let times = links.map(|link| link.generated);
        let newest = times.filter(|time| *time <= latest).max();
        let sections = run.options.sections.iter().zip(&chains);
        let ahead = sections
            .filter_map(|(section, chain)| Some((section.name.to_string(), chain.head()?)))
            .find(|(_, head)| *head > latest);
        if run.previous.is_none() {
            drop_missing(run, &mut chains, notes)?;
        }
        Ok(Self {
            chains,
            retired: named,
            newest,
            ahead,
            future: Vec::new(),
        })
    }

    /// Returns the time of the next publication: now, and later than every collection that exists.
    pub(super) fn next(&self, run: &Run<'_>) -> Result<Timestamp, PublishError> {
        if let Some((section, generated)) = self.ahead.as_ref().filter(|_| !run.options.full) {
            return Err(PublishError::FromTheFuture {
                section: section.clone(),
                generated: generated.to_string(),
            });
        }
        let now = whole_seconds(run.now);
        let after_newest = self.newest.map_or(now, |newest| later(newest, 1));
        Ok(now.max(after_newest).max(after_orphans(run)?))
    }

    /// Removes the collections that are dated in the future from the chains: agents with a right clock never took
    /// them. Their pages stay known, so that deletions are still guarded.
    pub(super) fn drop_future(&mut self, latest: Timestamp, notes: &mut Vec<String>) {
        let retired = self.retired.iter_mut().map(|(_, chain)| chain);
        for chain in self.chains.iter_mut().chain(retired) {
            let (future, past) = std::mem::take(&mut chain.links)
                .into_iter()
                .partition::<Vec<_>, _>(|link| link.generated > latest);
            chain.links = past;
            self.future.extend(future);
        }
        self.retired.retain(|(_, chain)| !chain.links.is_empty());
        let files: usize = self.future.iter().map(|link| link.files.len()).sum();
        if files > 0 {
            notes.push(format!(
                "{files} files of collections are dated in the future and are removed: agents take the new snapshot"
            ));
        }
    }

    /// Returns the files that make up what is published: they stand for all pages.
    pub(crate) fn publication(&self) -> Vec<String> {
        publication(&self.chains)
    }
}

/// Returns the files that make up a publication with these chains.
pub(crate) fn publication(chains: &[Chain]) -> Vec<String> {
    let links = chains.iter().flat_map(Chain::present);
    let files = links.flat_map(|link| &link.files);
    files
        .map(|file| format!("{} {}", file.path, file.size))
        .collect()
}

/// Returns the chains that the sitemaps name.
fn named(
    run: &Run<'_>,
    site_sitemap: &SiteSitemap,
    notes: &mut Vec<String>,
) -> Result<Vec<(String, Chain)>, PublishError> {
    let published = published_scp(run.origin(), site_sitemap)?;
    if let Some(previous) = run.previous
        && published.scp.collections.is_empty()
        && let Some((path, problem)) = published.unreadable
    {
        // Without this error a run would lose the chain and the guard against mass deletion.
        let error = PublishError::NoPublication {
            place: previous.name(),
            path: path.to_string(),
            problem,
        };
        if !run.options.full {
            return Err(error);
        }
        notes.push(error.to_string());
    }
    Ok(chains_of(&published.scp, run.options))
}

/// Checks that the named files exist. Older collections without a file are no longer named. If the newest snapshot or
/// a delta after it lacks a file, no agent can continue: an error, or with `full` an empty chain.
fn drop_missing(
    run: &Run<'_>,
    chains: &mut [Chain],
    notes: &mut Vec<String>,
) -> Result<(), PublishError> {
    if chains.iter().all(|chain| chain.links.is_empty()) {
        return Ok(());
    }
    // Their own folders: the settings may put new collections into another one.
    let links = chains.iter().flat_map(|chain| &chain.links);
    let paths = links.flat_map(|link| &link.files).map(|file| &file.path);
    let folders: HashSet<Option<StorePath>> = paths.map(parent).collect();
    let mut there = HashSet::new();
    for folder in folders {
        let listed = run.store.list(folder.as_ref())?;
        there.extend(listed.into_iter().map(|listed| listed.path));
    }
    for chain in chains {
        let missing = |link: &Link| {
            let mut files = link.files.iter().map(|file| &file.path);
            files
                .find(|path| !there.contains(*path))
                .map(StorePath::to_string)
        };
        let Some(path) = chain.present().into_iter().find_map(missing) else {
            chain.links.retain(|link| missing(link).is_none());
            continue;
        };
        let error = PublishError::previous(&path, "it is missing, and the sitemap names it");
        if !run.options.full {
            return Err(error);
        }
        notes.push(error.to_string());
        *chain = Chain::default();
    }
    Ok(())
}

/// Returns a time after all collections that exist, named or not: a run that was killed may have left one of this
/// very second, and names are never used twice.
fn after_orphans(run: &Run<'_>) -> Result<Timestamp, PublishError> {
    let folder = collections_folder(run.options)?;
    let listed = run.store.list(Some(&folder))?;
    let newest = listed
        .iter()
        .filter_map(|listed| parse_name(listed.path.parts().last()?))
        .map(|(_, _, time)| time)
        .filter(|time| *time <= run.latest())
        .max();
    Ok(newest.map_or(whole_seconds(run.now), |newest| later(newest, 1)))
}

/// Returns the folder of a file; `None` for the root of the store.
fn parent(path: &StorePath) -> Option<StorePath> {
    let (folder, _) = path.as_str().rsplit_once('/')?;
    folder.parse().ok()
}
