//! Files that a killed run left behind.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use sitecast_scp::HttpUrl;
use sitecast_tct::ReadPage;

use super::writer::FileWriter;
use crate::PublishError;
use crate::artefacts::{is_marked, machine_path};
use crate::files::read_all;
use crate::ledger::Ledger;

impl FileWriter<'_> {
    /// Removes machine pages and Markdown of pages that were never published: a run that was killed wrote them, and
    /// the source no longer has the pages. No sitemap names these files, so all files are listed.
    pub(super) fn remove_strays(&mut self, ledger: &Ledger) -> Result<(), PublishError> {
        let base = self.run.options.base.as_url();
        let hasher = RandomState::new();
        // Hashes, since there may be millions of paths; two that are the same only keep one file too many.
        let mut expected = HashSet::new();
        for (url, known) in ledger.iter() {
            let Ok(page) = url.parse::<HttpUrl>() else {
                continue;
            };
            let machine = machine_path(base, &page).filter(|_| known.machine.is_some());
            let paths = machine.into_iter().chain(self.markdown_path(&page));
            expected.extend(paths.map(|path| hasher.hash_one(path.as_str())));
        }
        let (mut pages, mut texts) = (0, 0);
        let made = &self.run.options.artefacts;
        for listed in self.run.store.list(None)? {
            let path = listed.path;
            let name = path.parts().last().unwrap_or_default();
            let is_page = made.tct && (name == "llm.json" || name.ends_with(".llm.json"));
            let is_text = made.markdown && name.ends_with(".md");
            if !(is_page || is_text) || expected.contains(&hasher.hash_one(path.as_str())) {
                continue;
            }
            let Some((bytes, _)) = read_all(self.run.store, &path)? else {
                continue;
            };
            let is_ours = match ReadPage::parse(&bytes, bytes.len()) {
                Ok(page) if is_page => {
                    machine_path(base, &page.canonical_url) == Some(path.clone())
                }
                _ => is_text && is_marked(&bytes),
            };
            if is_ours {
                self.run.store.delete(&path)?;
                pages += u64::from(is_page);
                texts += u64::from(is_text);
            }
        }
        self.wrote_many("machine-pages", 0, pages, 0);
        self.wrote_many("markdown", 0, texts, 0);
        Ok(())
    }
}
