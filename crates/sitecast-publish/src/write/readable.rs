use std::path::Path;

use sitecast_scp::{HttpUrl, Page, to_markdown};

use super::writer::{FileWriter, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{LlmsEntry, LlmsTxt, MARK, is_marked, markdown_url, store_path};
use crate::collections::{Chain, carry};
use crate::extract::spool::Spool;
use crate::files::{own_path, read_all};
use crate::plan::Publication;
use sitecast_storage::{Body, Condition, Put};

/// URL, title and description of each page.
type Entries = Vec<(String, String, String)>;

impl FileWriter<'_> {
    /// A Markdown file beside each page that changed.
    pub(super) fn markdown(
        &mut self,
        publication: &Publication,
        lines: &mut Spool,
    ) -> Result<(), PublishError> {
        let (mut written, mut bytes, mut removed) = (0, 0, 0);
        let mut left = Vec::new();
        let failed = |source| PublishError::scratch(Path::new("the temporary folder"), source);
        let mut reader = lines.read().map_err(failed)?;
        while let Some((_, line)) = reader.next().map_err(failed)? {
            let line = std::str::from_utf8(line).unwrap_or_default();
            let Ok((page, _)) = Page::from_line(line, &self.run.options.limits) else {
                continue;
            };
            let Some(path) = self.markdown_path(&page.url) else {
                continue;
            };
            let text = format!("{}\n<!-- {MARK} -->\n", to_markdown(&page)).into_bytes();
            match read_all(self.run.store, &path)? {
                Some((there, _)) if there == text => continue,
                Some((there, _)) if !is_marked(&there) => {
                    left.push(path);
                    continue;
                }
                _ => {}
            }
            written += 1;
            bytes += text.len() as u64;
            self.run.store.put(Put {
                path,
                body: Body::Bytes(text),
                attributes: served("text/markdown; charset=utf-8", SITE_CACHE),
                condition: Condition::None,
            })?;
        }
        for page in &publication.deleted {
            if let Some(path) = self.markdown_path(&page.url)
                && read_all(self.run.store, &path)?.is_some_and(|(there, _)| is_marked(&there))
            {
                self.run.store.delete(&path)?;
                removed += 1;
            }
        }
        self.leaves(&left, "no Markdown is made there");
        self.looked_at.append(&mut left);
        self.wrote_many("markdown", written, removed, bytes);
        Ok(())
    }

    pub(super) fn markdown_path(&self, page: &HttpUrl) -> Option<sitecast_storage::StorePath> {
        store_path(self.run.options.base.as_url(), &markdown_url(page).ok()?).ok()
    }

    /// A list of all pages for language models, with their descriptions.
    pub(super) fn llms_txt(&mut self, publication: &Publication) -> Result<(), PublishError> {
        let path = own_path("llms.txt");
        if read_all(self.run.store, &path)?.is_some_and(|(there, _)| !is_marked(&there)) {
            self.leaves(std::slice::from_ref(&path), "no list of all pages is made");
            self.looked_at.push(path);
            return Ok(());
        }
        let (mut entries, home) = self.pages_for_list(publication)?;
        entries.sort();
        let base = self.run.options.base.as_url();
        let host = base.host_str().unwrap_or_default();
        let (title, summary) = home.as_ref().map_or((host, ""), |home| {
            (home.title.as_str(), home.description.as_str())
        });
        let failed = |source| PublishError::scratch(Path::new(path.as_str()), source);
        let mut list = LlmsTxt::new(Vec::new(), title, summary).map_err(failed)?;
        list.comment(MARK).map_err(failed)?;
        for (url, title, description) in &entries {
            list.entry(&LlmsEntry {
                url,
                title,
                description,
                section: None,
            })
            .map_err(failed)?;
        }
        let bytes = list.finish();
        let attributes = served("text/plain; charset=utf-8", SITE_CACHE);
        self.put("llms-txt", &path, bytes, attributes)
    }

    /// Reads URL, title and description of all pages, and the homepage.
    fn pages_for_list(
        &self,
        publication: &Publication,
    ) -> Result<(Entries, Option<Page>), PublishError> {
        let (run, ledger) = (self.run, &publication.ledger);
        let chains: Vec<&Chain> = publication.chains.iter().collect();
        let mut wanted: Vec<bool> = (0..ledger.len())
            .map(|at| ledger.get(at).is_some_and(|known| !known.gone))
            .collect();
        let mut entries = Vec::new();
        let base = run.options.base.as_url().as_str();
        let mut home = None;
        carry(
            run.store,
            &chains,
            ledger,
            &mut wanted,
            run.options,
            |_, record| {
                if let Ok(page) = record.to_page() {
                    let url = page.url.as_str().to_owned();
                    entries.push((url, page.title.clone(), page.description.clone()));
                    if page.url.as_str() == base {
                        home = Some(page);
                    }
                }
                Ok(())
            },
        )?;
        Ok((entries, home))
    }
}
