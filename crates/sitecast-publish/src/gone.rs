//! Pages that were published once, and of which a delta said that they are gone.

use std::collections::HashMap;
use std::sync::OnceLock;

use sitecast_scp::Timestamp;
use sitecast_storage::Store;

use crate::Options;
use crate::chain::{Chain, Link, LinkKind};
use crate::previous::open;

/// When pages that are there no longer were last said to be gone. It is read only when somebody asks, which takes a
/// new page: most runs have none.
pub(crate) struct Gone<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) chains: &'a [Chain],
    pub(crate) options: &'a Options,
    pub(crate) said: OnceLock<HashMap<String, Timestamp>>,
}

impl Gone<'_> {
    /// Since when a page is gone; `None` if no delta that is still named says so.
    pub(crate) fn since(&self, url: &str) -> Option<Timestamp> {
        self.said.get_or_init(|| self.read()).get(url).copied()
    }

    fn read(&self) -> HashMap<String, Timestamp> {
        let mut said = HashMap::new();
        let links = self.chains.iter().flat_map(|chain| &chain.links);
        let is_delta = |link: &&Link| matches!(link.kind, LinkKind::Delta { .. });
        for link in links.filter(is_delta) {
            // An old one that cannot be read is no reason not to publish.
            let Ok(reader) = open(self.store, link, self.options) else {
                continue;
            };
            let deleted = reader.collection().map(|collection| &collection.deleted);
            for url in deleted.into_iter().flatten() {
                let since = said
                    .entry(url.as_str().to_owned())
                    .or_insert(link.generated);
                *since = link.generated.max(*since);
            }
        }
        said
    }
}
