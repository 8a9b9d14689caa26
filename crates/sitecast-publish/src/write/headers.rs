use sitecast_tct::{canonical_link, index_link, policy_link};

use super::machine_pages::json_sitemap_url;
use super::writer::{FileWriter, MACHINE_CACHE, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{
    Caching, Collections, HostKind, Hosting, Machine, MachinePage, machine_url, merge_headers,
    page_of,
};
use crate::files::{own_path, read_all};
use crate::plan::Publication;

/// Pages that are named one by one, at most: while all fit into a host's file, or where patterns are not right for them.
const MOST_FIRST: usize = 100;
const MOST_ODD: usize = 10_000;

impl FileWriter<'_> {
    /// Header files for static hosts. Of hosts that are no longer asked for our part is taken out.
    pub(super) fn header_files(&mut self, publication: &Publication) -> Result<(), PublishError> {
        let hosts = &self.run.options.artefacts.hosts;
        let hosting = (!hosts.is_empty()).then(|| self.hosting(publication));
        for kind in HostKind::ALL {
            let name = kind.file_name();
            let path = own_path(name);
            let is_anothers = hosts
                .iter()
                .any(|other| *other != kind && other.file_name() == name);
            let folder = self.run.store.folder();
            if hosts.contains(&kind) && folder.is_some_and(|folder| folder.join(name).is_dir()) {
                self.notes
                    .push(format!("`{name}` is a folder: no header file is made"));
            } else if hosts.contains(&kind) {
                let there = read_all(self.run.store, &path)?.map(|(bytes, _)| bytes);
                self.looked_at.push(path.clone());
                if let Some(bytes) = merge_headers(kind, there.as_deref(), hosting.as_ref()) {
                    self.put("headers", &path, bytes, served("text/plain", SITE_CACHE))?;
                }
            } else if !is_anothers
                && let Some((there, _)) = read_all(self.run.store, &path)?
                && let Some(rest) = merge_headers(kind, Some(&there), None)
            {
                if rest.is_empty() {
                    self.run.store.delete(&path)?;
                    self.wrote_many("headers", 0, 1, 0);
                } else {
                    self.put("headers", &path, rest, served("text/plain", SITE_CACHE))?;
                }
            }
        }
        Ok(())
    }

    /// The files whose headers a host does not get right by itself.
    fn hosting(&self, publication: &Publication) -> Hosting {
        let base = self.run.options.base.as_url();
        let is_here = self.run.options.collections_url.is_none();
        Hosting {
            origin: base.origin().ascii_serialization(),
            base: base.path().to_owned(),
            collections: is_here.then(|| Collections {
                folder: path_of(
                    self.run
                        .options
                        .base
                        .url_of(&format!("{}/", self.run.options.collections))
                        .as_str(),
                )
                .unwrap_or_default(),
                caching: self.caching(),
            }),
            machine: self
                .run
                .options
                .artefacts
                .tct
                .then(|| self.machine(publication)),
        }
    }

    /// Returns the values of `Cache-Control` of collections; sections with the same value come together.
    fn caching(&self) -> Vec<Caching> {
        let mut all: Vec<Caching> = Vec::new();
        for section in &self.run.options.sections {
            for (kind, is_snapshot) in [("snapshot", true), ("delta", false)] {
                let value = section.update_frequency.cache_control(is_snapshot);
                let name = section.name.to_string();
                match all
                    .iter_mut()
                    .find(|known| known.kind == kind && known.value == value)
                {
                    Some(known) => known.sections.push(name),
                    None => all.push(Caching {
                        sections: vec![name],
                        kind,
                        value,
                    }),
                }
            }
        }
        all
    }

    fn machine(&self, publication: &Publication) -> Machine {
        let base = &self.run.options.base;
        let policy: String = base.url_of("llm-policy.json").into();
        let mut machine = Machine {
            cache_control: MACHINE_CACHE.to_owned(),
            index: index_link(&json_sitemap_url(base)),
            policy: self
                .run
                .options
                .artefacts
                .policy
                .then(|| policy_link(&policy)),
            count: 0,
            first: Vec::new(),
            odd: Vec::new(),
            odd_count: 0,
        };
        for (url, known) in publication.ledger.by_urls() {
            let (Some(hash), Ok(page)) = (known.machine, url.parse()) else {
                continue;
            };
            let Ok(machine_url) = machine_url(&page) else {
                continue;
            };
            let Some(path) = path_of(&machine_url) else {
                continue;
            };
            let canonical = canonical_link(page.as_str());
            let is_odd = page_of(&machine_url).map(canonical_link).as_ref() != Some(&canonical);
            machine.count += 1;
            machine.odd_count += usize::from(is_odd);
            let made = MachinePage {
                path,
                canonical,
                etag: Some(hash.etag()),
            };
            if is_odd && machine.odd.len() < MOST_ODD {
                machine.odd.push(made.clone());
            }
            if machine.first.len() < MOST_FIRST {
                machine.first.push(made);
            }
        }
        machine
    }
}

fn path_of(url: &str) -> Option<String> {
    url::Url::parse(url).map(|url| url.path().to_owned()).ok()
}
