use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use sitecast_scp::HttpUrl;
use sitecast_storage::{Body, Condition, Put};
use sitecast_tct::SITEMAP_PATH;
use sitecast_tct::sitemap::{Entry, IndexEntry, SitemapOptions, SitemapSet, write_index};

use super::writer::{FileWriter, MACHINE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{is_machine_page_of, machine_path, machine_url};
use crate::extract::MachinePages;
use crate::files::{own_path, read_all};
use crate::ledger::{Known, Ledger};
use crate::plan::Publication;
use crate::recall::json_sitemap::{JSON_SITEMAP, is_our_json_sitemap};

impl FileWriter<'_> {
    /// Puts the machine pages that changed, then the JSON sitemap with the hashes of all; then removes those of deleted
    /// pages. With `may_differ` it first compares each machine page with the one that is there.
    pub(super) fn machine_pages(
        &mut self,
        publication: &Publication,
        machine: &mut MachinePages,
        may_differ: bool,
    ) -> Result<(), PublishError> {
        let (written, bytes) = self.put_machine_pages(publication, machine, may_differ)?;
        self.json_sitemap(&publication.ledger)?;
        let removed = self.remove_machine_pages(publication, &machine.too_large)?;
        if let Some(first) = machine.too_large.first() {
            let (pages, have) = match machine.too_large.len() {
                1 => ("1 page".to_owned(), "has"),
                all => (format!("{all} pages"), "have"),
            };
            self.notes.push(format!(
                "{pages}, `{first}` for one, {have} no machine page, which would be larger than {} MiB; the collections \
                 have all of it",
                sitecast_tct::Limits::default().page_bytes >> 20
            ));
        }
        let mut taken: Vec<_> = machine.taken.iter().cloned().collect();
        self.leaves(&taken, "no machine page is made there");
        self.looked_at.append(&mut taken);
        self.wrote_many("machine-pages", written, removed, bytes);
        Ok(())
    }

    /// Puts machine pages; returns their number and their bytes.
    fn put_machine_pages(
        &self,
        publication: &Publication,
        machine: &mut MachinePages,
        may_differ: bool,
    ) -> Result<(u64, u64), PublishError> {
        let (mut written, mut bytes) = (0, 0);
        let mut failure = None;
        let failed = |source| PublishError::scratch(Path::new("the temporary folder"), source);
        let mut reader = machine.spool.read().map_err(failed)?;
        let base = self.run.options.base.as_url();
        let mut next = || -> Result<Option<Put>, PublishError> {
            while let Some((at, json)) = reader.next().map_err(failed)? {
                let page = publication.ledger.url(at).parse().ok();
                let Some(path) = page.and_then(|page| machine_path(base, &page)) else {
                    continue;
                };
                self.run.progress.advance(1);
                if may_differ
                    && read_all(self.run.store, &path)?.is_some_and(|(there, _)| there == json)
                {
                    continue;
                }
                written += 1;
                bytes += json.len() as u64;
                return Ok(Some(Put {
                    path,
                    body: Body::Bytes(json.to_vec()),
                    attributes: served("application/json", MACHINE_CACHE),
                    condition: Condition::None,
                }));
            }
            Ok(None)
        };
        let mut puts = std::iter::from_fn(|| {
            next().unwrap_or_else(|error| {
                failure = Some(error);
                None
            })
        });
        self.run.store.put_all(&mut puts)?;
        match failure {
            Some(error) => Err(error),
            None => Ok((written, bytes)),
        }
    }

    /// Removes the machine pages of pages that have none any more; returns their number.
    fn remove_machine_pages(
        &self,
        publication: &Publication,
        too_large: &[HttpUrl],
    ) -> Result<u64, PublishError> {
        let (store, base) = (self.run.store, self.run.options.base.as_url());
        let deleted = publication.deleted.iter();
        let deleted = deleted.map(|page| (&page.url, page.known.machine.is_some()));
        let too_large = too_large.iter().map(|url| (url, false));
        let mut removed = 0;
        for (url, is_known) in deleted.chain(too_large) {
            let Some(path) = machine_path(base, url) else {
                continue;
            };
            // A run that was killed may have removed it from the sitemap, and not deleted it.
            let is_ours = is_known
                || read_all(store, &path)?
                    .is_some_and(|(there, _)| is_machine_page_of(&there, url));
            if is_ours {
                store.delete(&path)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    pub(super) fn json_sitemap(&mut self, ledger: &Ledger) -> Result<(), PublishError> {
        let scratch = self.scratch("")?;
        let failed = |source| PublishError::scratch(&scratch, source);
        let file = |number: usize| scratch.join(format!("llm-sitemap-{number}.json"));
        let open = |number| Ok(BufWriter::new(File::create(file(number))?));
        let base = self.run.options.base.as_url();
        let homepage = ledger.by_url(base.as_str());
        let homepage = homepage.and_then(|known| entry(base.as_str(), known));
        let mut set = SitemapSet::new(SitemapOptions::default(), homepage, open).map_err(failed)?;
        for (url, known) in ledger.by_urls() {
            if let Some(entry) = entry(url, known) {
                set.add(&entry).map_err(failed)?;
            }
        }
        let written = set.finish().map_err(failed)?;
        let parts: Vec<_> = written
            .parts
            .into_iter()
            .map(|part| {
                part.out
                    .into_inner()
                    .map_err(|error| failed(error.into_error()))?;
                Ok((part.modified, part.hash))
            })
            .collect::<Result<_, PublishError>>()?;
        let attributes = served("application/json", MACHINE_CACHE);
        if parts.len() == 1 {
            let path = own_path(JSON_SITEMAP);
            self.put_file("json-sitemap", &path, &file(1), attributes)?;
            return self.remove_json_sitemaps_from(1);
        }
        let files = parts.len();
        let mut index = Vec::new();
        for (number, (modified, hash)) in (1..).zip(parts) {
            let path = own_path(&format!("llm-sitemap-{number}.json"));
            self.put_file("json-sitemap", &path, &file(number), attributes.clone())?;
            let url: String = self.run.options.base.url_of(path.as_str()).into();
            if let Ok(url) = url.parse() {
                index.push(IndexEntry {
                    url,
                    modified,
                    hash,
                });
            }
        }
        let bytes = write_index(&index).into_bytes();
        self.put("json-sitemap", &own_path(JSON_SITEMAP), bytes, attributes)?;
        self.remove_json_sitemaps_from(files + 1)
    }

    /// Removes what is left of a time when the site took more of them.
    fn remove_json_sitemaps_from(&mut self, first: usize) -> Result<(), PublishError> {
        let mut removed = 0;
        for number in first.. {
            let path = own_path(&format!("llm-sitemap-{number}.json"));
            if is_our_json_sitemap(self.run.store, &path, self.run.options)? != Some(true) {
                break;
            }
            self.run.store.delete(&path)?;
            removed += 1;
        }
        self.wrote_many("json-sitemap", 0, removed, 0);
        Ok(())
    }
}

/// Returns the URL of the JSON sitemap.
pub(super) fn json_sitemap_url(base: &crate::BaseUrl) -> String {
    base.url_of(SITEMAP_PATH.trim_start_matches('/')).into()
}

fn entry(url: &str, known: &Known) -> Option<Entry> {
    let c_url: HttpUrl = url.parse().ok()?;
    Some(Entry {
        m_url: machine_url(&c_url).ok()?.parse().ok()?,
        c_url,
        modified: known.modified,
        hash: known.machine?,
    })
}
