use std::fs::File;
use std::io::BufWriter;

use sitecast_scp::HttpUrl;
use sitecast_storage::{Body, Condition, Put};
use sitecast_tct::SITEMAP_PATH;
use sitecast_tct::sitemap::{Entry, IndexEntry, SitemapOptions, SitemapSet, write_index};

use super::{MACHINE_CACHE, Outputs, Published, scratch_error, served};
use crate::PublishError;
use crate::artefacts::{is_machine_page_of, machine_url, store_path};
use crate::carrier::{own_path, read_all};
use crate::ledger::Known;
use crate::previous::{JSON_SITEMAP, is_our_json_sitemap};
use crate::progress::Progress;
use crate::survey::Survey;

impl Outputs<'_> {
    /// The machine pages that changed, then the JSON sitemap with the hashes of all; then those of
    /// pages that are gone are removed.
    pub(super) fn machine_pages(
        &mut self,
        published: &Published<'_>,
        survey: &mut Survey,
        progress: &dyn Progress,
    ) -> Result<(), PublishError> {
        let (mut written, mut bytes) = (0, 0);
        let mut failure = None;
        let failed = |source| scratch_error(std::path::Path::new("the temporary folder"), source);
        let mut reader = survey.machine.read().map_err(failed)?;
        let base = self.options.base.as_url();
        let store = self.store;
        let mut puts = std::iter::from_fn(|| {
            loop {
                let (at, json) = match reader.next() {
                    Ok(next) => next?,
                    Err(error) => {
                        failure = Some(failed(error));
                        return None;
                    }
                };
                let page = published.ledger.url(at).parse().ok();
                let Some(path) = page.and_then(|page| machine_path(base, &page)) else {
                    continue;
                };
                progress.advance(1);
                if published.may_differ {
                    match read_all(store, &path) {
                        Ok(Some((there, _))) if there == json => continue,
                        Ok(_) => {}
                        Err(error) => {
                            failure = Some(error);
                            return None;
                        }
                    }
                }
                written += 1;
                bytes += json.len() as u64;
                return Some(Put {
                    path,
                    body: Body::Bytes(json.to_vec()),
                    attributes: served("application/json", MACHINE_CACHE),
                    condition: Condition::None,
                });
            }
        });
        self.store.put_all(&mut puts)?;
        if let Some(error) = failure {
            return Err(error);
        }
        self.json_sitemap(published)?;
        let mut removed = 0;
        let deleted = published.deleted.iter();
        let deleted = deleted.map(|page| (&page.url, page.known.machine.is_some()));
        let too_large = survey.too_large.iter().map(|url| (url, false));
        for (url, is_known) in deleted.chain(too_large) {
            let Some(path) = machine_path(base, url) else {
                continue;
            };
            // A run that was killed may have taken it out of the sitemap, and not got around to removing it.
            let is_ours = is_known
                || read_all(store, &path)?
                    .is_some_and(|(there, _)| is_machine_page_of(&there, url));
            if is_ours {
                self.store.delete(&path)?;
                removed += 1;
            }
        }
        if let Some(first) = survey.too_large.first() {
            let (pages, have) = match survey.too_large.len() {
                1 => ("1 page".to_owned(), "has"),
                all => (format!("{all} pages"), "have"),
            };
            self.notes.push(format!(
                "{pages}, `{first}` for one, {have} no machine page, which would be larger than {} MiB; the collections \
                 have all of it",
                sitecast_tct::Limits::default().page_bytes >> 20
            ));
        }
        let mut taken: Vec<_> = published.taken.iter().cloned().collect();
        self.leaves(&taken, "no machine page is made there");
        self.looked_at.append(&mut taken);
        self.wrote_many("machine-pages", written, removed, bytes);
        Ok(())
    }

    pub(super) fn json_sitemap(&mut self, published: &Published<'_>) -> Result<(), PublishError> {
        let scratch = self.scratch("")?;
        let failed = |source| scratch_error(&scratch, source);
        let file = |number: usize| scratch.join(format!("llm-sitemap-{number}.json"));
        let open = |number| Ok(BufWriter::new(File::create(file(number))?));
        let base = self.options.base.as_url();
        let homepage = published.ledger.by_url(base.as_str());
        let homepage = homepage.and_then(|known| entry(base.as_str(), known));
        let mut set = SitemapSet::new(SitemapOptions::default(), homepage, open).map_err(failed)?;
        for (url, known) in published.ledger.by_urls() {
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
            let url: String = self.options.base.url_of(path.as_str()).into();
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
            if is_our_json_sitemap(self.store, &path, self.options)? != Some(true) {
                break;
            }
            self.store.delete(&path)?;
            removed += 1;
        }
        self.wrote_many("json-sitemap", 0, removed, 0);
        Ok(())
    }
}

/// Where the JSON sitemap is, for those who point at it.
pub(super) fn json_sitemap_url(base: &crate::BaseUrl) -> String {
    base.url_of(SITEMAP_PATH.trim_start_matches('/')).into()
}

/// Where the machine page of a page is in the store.
pub(crate) fn machine_path(base: &url::Url, page: &HttpUrl) -> Option<sitecast_storage::StorePath> {
    store_path(base, &machine_url(page).ok()?).ok()
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
