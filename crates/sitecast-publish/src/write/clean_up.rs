//! Collections that no sitemap names any more.

use std::collections::HashSet;

use sitecast_storage::StorePath;

use super::writer::FileWriter;
use crate::PublishError;
use crate::collections::{Link, collections_folder, parse_name};
use crate::plan::Publication;

impl FileWriter<'_> {
    /// Removes collections that have expired, and those that a run left behind that did not come
    /// to its end: no sitemap ever named them.
    pub(super) fn clean_up(
        &mut self,
        publication: &Publication,
        expired: &[Link],
    ) -> Result<(), PublishError> {
        let chains = publication.chains.iter();
        let retired = publication.retired.iter().map(|(_, chain)| chain);
        let named: HashSet<&StorePath> = chains
            .chain(retired)
            .flat_map(|chain| &chain.links)
            .flat_map(|link| &link.files)
            .map(|file| &file.path)
            .collect();
        let mut removed = 0;
        let expired = expired.iter().flat_map(|link| &link.files);
        let mut doomed: Vec<StorePath> = expired.map(|file| file.path.clone()).collect();
        let folder = collections_folder(self.run.options)?;
        for listed in self.run.store.list(Some(&folder))? {
            let name = listed.path.parts().last().unwrap_or_default();
            let is_older =
                parse_name(name).is_some_and(|(_, _, time)| time < publication.generated);
            if is_older && !doomed.contains(&listed.path) {
                doomed.push(listed.path);
            }
        }
        for path in doomed.iter().filter(|path| !named.contains(path)) {
            self.run.store.delete(path)?;
            removed += 1;
        }
        self.wrote_many("collections", 0, removed, 0);
        Ok(())
    }
}
