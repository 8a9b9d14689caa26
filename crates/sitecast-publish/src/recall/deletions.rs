//! Pages that a delta has declared deleted.

use std::collections::HashMap;
use std::sync::OnceLock;

use sitecast_scp::Timestamp;

use crate::collections::{Chain, Link, LinkKind, open};
use crate::run::Run;

/// The times of the last deletions, read from the deltas when the first new page needs them: most runs have none.
pub(crate) struct PastDeletions<'a> {
    run: &'a Run<'a>,
    chains: &'a [Chain],
    times: OnceLock<HashMap<String, Timestamp>>,
}

impl<'a> PastDeletions<'a> {
    pub(crate) fn new(run: &'a Run<'a>, chains: &'a [Chain]) -> Self {
        Self {
            run,
            chains,
            times: OnceLock::new(),
        }
    }

    /// Returns the time of the last delta that deleted a page; `None` if no delta of the chains did.
    pub(crate) fn last_of(&self, url: &str) -> Option<Timestamp> {
        self.times.get_or_init(|| self.read()).get(url).copied()
    }

    fn read(&self) -> HashMap<String, Timestamp> {
        let mut times = HashMap::new();
        let links = self.chains.iter().flat_map(|chain| &chain.links);
        let is_delta = |link: &&Link| matches!(link.kind, LinkKind::Delta { .. });
        for link in links.filter(is_delta) {
            // A damaged old delta does not keep the site from being published.
            let Ok(reader) = open(self.run.origin(), link, self.run.options) else {
                continue;
            };
            let deleted = reader.collection().map(|collection| &collection.deleted);
            for url in deleted.into_iter().flatten() {
                let time = times
                    .entry(url.as_str().to_owned())
                    .or_insert(link.generated);
                *time = link.generated.max(*time);
            }
        }
        times
    }
}
