//! What was published last time.

use std::collections::HashSet;

use sitecast_scp::Timestamp;
use sitecast_storage::StorePath;

use super::Run;
use crate::PublishError;
use crate::cache::Cache;
use crate::carrier::{Carrier, published_scp};
use crate::chain::{Chain, Link, chains_of, parse_name};
use crate::previous::{
    State, add_machine_pages, collections_folder, leave_damaged, rebuild, recover,
};
use crate::report::Report;
use crate::schedule::later;
use crate::under_way::UnderWay;

/// Clocks may be wrong by this much.
const CLOCK_SKEW_SECONDS: i64 = 86_400;

/// The last publication.
pub(super) struct Last {
    pub(super) chains: Vec<Chain>,
    /// Of sections that are no longer wanted; they are named until they expire.
    pub(super) retired: Vec<(String, Chain)>,
    pub(super) state: State,
    /// When the newest collection was made, but for those dated in the future.
    pub(super) head: Option<Timestamp>,
    /// The first section with collections dated in the future, and the latest of their times.
    ahead: Option<(String, Timestamp)>,
    /// Collections dated in the future, which are removed.
    pub(super) future: Vec<Link>,
}

impl Last {
    /// Starts the chains again before the collections that are dated in the future: agents with a right clock never
    /// took those. Their pages stay known, so that deletions are still guarded; a time of theirs that is to
    /// come becomes that of this publication, which is later than all true ones.
    pub(super) fn start_again(
        &mut self,
        latest: Timestamp,
        generated: Timestamp,
        report: &mut Report,
    ) {
        let retired = self.retired.iter_mut().map(|(_, chain)| chain);
        for chain in self.chains.iter_mut().chain(retired) {
            let (future, past) = std::mem::take(&mut chain.links)
                .into_iter()
                .partition::<Vec<_>, _>(|link| link.generated > latest);
            chain.links = past;
            self.future.extend(future);
        }
        self.retired.retain(|(_, chain)| !chain.links.is_empty());
        let ledger = &mut self.state.ledger;
        for at in 0..ledger.len() {
            if let Some(known) = ledger.get_mut(at).filter(|known| known.modified > latest) {
                known.modified = generated;
            }
        }
        let files = self
            .future
            .iter()
            .map(|link| link.files.len())
            .sum::<usize>();
        if files > 0 {
            report.notes.push(format!(
                "{files} files of collections are dated in the future and are removed: agents take the new snapshot"
            ));
        }
    }
}

impl Run<'_> {
    /// What the sitemap says of it, without its pages.
    pub(super) fn last(
        &self,
        carrier: &Carrier,
        under_way: &UnderWay<'_>,
        report: &mut Report,
    ) -> Result<Last, PublishError> {
        let published = published_scp(self.origin(), carrier)?;
        let mut named = chains_of(&published.scp, self.options);
        if let Some(previous) = self.previous
            && published.scp.collections.is_empty()
            && let Some((path, problem)) = published.unreadable
        {
            // Taken for a place without a publication, it would cost the chain and the guard against deletions.
            let error = PublishError::NoPublication {
                place: previous.name(),
                path: path.to_string(),
                problem,
            };
            if !self.options.full {
                return Err(error);
            }
            report.notes.push(error.to_string());
        }
        if named.is_empty() && self.previous.is_none() {
            named = recover(self.store, self.options, under_way.since())?;
        }
        let mut chains = Vec::new();
        for section in &self.options.sections {
            let at = named
                .iter()
                .position(|(name, _)| name == section.name.as_str());
            chains.push(at.map_or_else(Chain::default, |at| named.swap_remove(at).1));
        }
        let latest = self.latest();
        let links = chains.iter().flat_map(|chain| &chain.links);
        let times = links.map(|link| link.generated);
        let head = times.filter(|time| *time <= latest).max();
        let sections = self.options.sections.iter().zip(&chains);
        let ahead = sections
            .filter_map(|(section, chain)| Some((section.name.to_string(), chain.head()?)))
            .find(|(_, head)| *head > latest);
        if self.previous.is_none() {
            self.miss(&mut chains, report)?;
        }
        Ok(Last {
            chains,
            retired: named,
            state: State::default(),
            head,
            ahead,
            future: Vec::new(),
        })
    }

    /// Its pages: from the cache, or from what is published.
    pub(super) fn add_state(
        &self,
        last: &mut Last,
        cache: Option<&Cache>,
        report: &mut Report,
    ) -> Result<(), PublishError> {
        let publication = publication(&last.chains);
        if publication.is_empty() {
            if let Some(previous) = self.previous {
                report.notes.push(format!(
                    "there is no publication in `{}`: this is a new beginning",
                    previous.name()
                ));
            } else if cache.is_some_and(|cache| !cache.head.publication.is_empty()) {
                report.notes.push(format!(
                    "what was published last time is no longer in `{}`: this is a new beginning; \
                     `--previous` can name where it is",
                    self.origin().name()
                ));
            }
            last.state.deletions = vec![None; last.chains.len()];
            return Ok(());
        }
        if let Some(cache) = cache.filter(|cache| cache.head.publication == publication)
            && let Some(ledger) = cache.ledger()
        {
            last.state = State {
                ledger,
                deletions: cache.deletions(),
            };
            last.state.deletions.resize(last.chains.len(), None);
            return Ok(());
        }
        match self.rebuild_from_any(&mut last.chains, report) {
            Ok(state) => last.state = state,
            // Asked to begin anew, what is broken no longer matters.
            Err(PublishError::Previous { .. }) if self.options.full => {
                self.drop_damaged(&mut last.chains, report)?;
                last.state = rebuild(self.origin(), &last.chains, self.options)?;
            }
            Err(error) => return Err(error),
        }
        add_machine_pages(self.origin(), &mut last.state.ledger, self.options)
    }

    /// Looks whether what the sitemap names is there. Of what only those need who come from long ago, it is
    /// named no longer; without the rest nobody can go on, and neither can we, unless asked to begin anew.
    fn miss(&self, chains: &mut [Chain], report: &mut Report) -> Result<(), PublishError> {
        if chains.iter().all(|chain| chain.links.is_empty()) {
            return Ok(());
        }
        // Where they are, not where new ones will be: that may have been set anew.
        let links = chains.iter().flat_map(|chain| &chain.links);
        let paths = links.flat_map(|link| &link.files).map(|file| &file.path);
        let folders: HashSet<Option<StorePath>> = paths.map(parent).collect();
        let mut there = HashSet::new();
        for folder in folders {
            let listed = self.store.list(folder.as_ref())?;
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
            let error = PublishError::Previous {
                path,
                problem: "it is missing, and the sitemap names it".to_owned(),
            };
            if !self.options.full {
                return Err(error);
            }
            report.notes.push(error.to_string());
            *chain = Chain::default();
        }
        Ok(())
    }

    /// Rebuilds the state. Of a collection with a file that cannot be read, another is read.
    fn rebuild_from_any(
        &self,
        chains: &mut Vec<Chain>,
        report: &mut Report,
    ) -> Result<State, PublishError> {
        let mut tried = chains.clone();
        let mut notes = Vec::new();
        loop {
            let error = match rebuild(self.origin(), &tried, self.options) {
                Ok(state) => {
                    *chains = tried;
                    report.notes.append(&mut notes);
                    return Ok(state);
                }
                Err(error) => error,
            };
            match leave_damaged(&mut tried, &error) {
                Some(note) => notes.push(note),
                None => return Err(error),
            }
        }
    }

    /// Empties the chains that cannot be read. The others are as good as before, and whoever follows them can go on.
    fn drop_damaged(&self, chains: &mut [Chain], report: &mut Report) -> Result<(), PublishError> {
        for chain in chains {
            match rebuild(self.origin(), std::slice::from_ref(chain), self.options) {
                Ok(_) => {}
                Err(error @ PublishError::Previous { .. }) => {
                    report.notes.push(error.to_string());
                    *chain = Chain::default();
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The moment of this publication: now, and after the last one.
    pub(super) fn generated(&self, last: &Last) -> Result<Timestamp, PublishError> {
        if let Some((section, generated)) = last.ahead.as_ref().filter(|_| !self.options.full) {
            return Err(PublishError::FromTheFuture {
                section: section.clone(),
                generated: generated.to_string(),
            });
        }
        let now = later(self.now, 0);
        let after_last = last.head.map_or(now, |head| later(head, 1));
        Ok(now.max(after_last).max(self.after_orphans()?))
    }

    /// The latest time that is not in the future, if clocks differ.
    pub(super) fn latest(&self) -> Timestamp {
        later(self.now, CLOCK_SKEW_SECONDS)
    }

    /// A moment after all collections that are there, named or not: a run that was killed may
    /// have left one of this very second, and names are never used twice.
    fn after_orphans(&self) -> Result<Timestamp, PublishError> {
        let folder = collections_folder(self.options)?;
        let listed = self.store.list(Some(&folder))?;
        let newest = listed
            .iter()
            .filter_map(|listed| parse_name(listed.path.parts().last()?))
            .map(|(_, _, time)| time)
            .filter(|time| *time <= self.latest())
            .max();
        Ok(newest.map_or(later(self.now, 0), |newest| later(newest, 1)))
    }
}

/// The folder that something is in; `None` if that is the whole store.
fn parent(path: &StorePath) -> Option<StorePath> {
    let (folder, _) = path.as_str().rsplit_once('/')?;
    folder.parse().ok()
}

/// The files that make up what is published: whoever knows them knows the state.
pub(super) fn publication(chains: &[Chain]) -> Vec<String> {
    let links = chains.iter().flat_map(Chain::present);
    let files = links.flat_map(|link| &link.files);
    files
        .map(|file| format!("{} {}", file.path, file.size))
        .collect()
}
