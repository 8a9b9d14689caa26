//! The files beside the collections, written where they changed; the sitemap last.

mod compressed;
mod headers;
mod links;
pub(crate) mod machine_pages;
pub(crate) mod obstacles;
mod readable;
mod site_files;
mod sitemap;
mod strays;
mod withdraw;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use sitecast_scp::Timestamp;
use sitecast_storage::{Attributes, Body, Condition, Lock, Put, Store, StorePath};

use crate::carrier::{Carrier, read_all};
use crate::chain::{Chain, Link, parse_name};
use crate::ledger::{Deleted, Ledger};
use crate::previous::collections_folder;
use crate::progress::Progress;
use crate::report::Artefact;
use crate::source::{Items, Source};
use crate::survey::Survey;
use crate::under_way::UnderWay;
use crate::{Options, PublishError, SitemapForm};

/// What TCT asks for machine pages and JSON sitemaps ("Cache-Control").
pub(crate) const MACHINE_CACHE: &str = sitecast_tct::CACHE_CONTROL;
/// For sitemaps and what else is looked at now and then.
const SITE_CACHE: &str = sitecast_sitemap::CACHE_CONTROL;
/// Our mark is within as many bytes of a sitemap.
const START: u64 = 1_024;

/// What is published now.
pub(crate) struct Published<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) chains: &'a [Chain],
    pub(crate) retired: &'a [(String, Chain)],
    pub(crate) deleted: &'a [Deleted],
    pub(crate) carrier: &'a Carrier,
    pub(crate) expired: &'a [Link],
    pub(crate) generated: Timestamp,
    pub(crate) has_new_collections: bool,
    /// Whether the source is the folder that is published into.
    pub(crate) in_place: bool,
    /// Whether machine pages may be there that are as they should be, or not, and nobody knows.
    pub(crate) may_differ: bool,
    /// Files of the owner's that are where machine pages would be.
    pub(crate) taken: &'a BTreeSet<StorePath>,
    /// What the pages have in common, as a file.
    pub(crate) template: Option<Vec<u8>>,
    pub(crate) under_way: &'a UnderWay<'a>,
}

/// Writes files, and keeps account of it.
pub(crate) struct Outputs<'a> {
    store: &'a dyn Store,
    options: &'a Options,
    pub(crate) artefacts: Vec<Artefact>,
    pub(crate) notes: Vec<String>,
    /// The files of the site as a whole, written or not.
    pub(crate) looked_at: Vec<StorePath>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(store: &'a dyn Store, options: &'a Options) -> Self {
        Self {
            store,
            options,
            artefacts: Vec::new(),
            notes: Vec::new(),
            looked_at: Vec::new(),
        }
    }

    /// Everything, in the order in which a reader would follow it backwards: what is named before
    /// what names it.
    pub(crate) fn write(
        &mut self,
        source: &dyn Source,
        items: &Items,
        published: &Published<'_>,
        survey: &mut Survey,
        lock: Option<&dyn Lock>,
        progress: &dyn Progress,
    ) -> Result<(), PublishError> {
        let artefacts = &self.options.artefacts;
        if artefacts.tct {
            self.machine_pages(published, survey, progress)?;
        } else {
            self.withdraw_machine_pages(source, items, published)?;
        }
        if artefacts.policy {
            self.policy(source, published)?;
        }
        if artefacts.markdown {
            self.markdown(published, survey)?;
        }
        if artefacts.llms_txt {
            self.llms_txt(published)?;
        }
        self.template(published)?;
        self.remove_strays(published)?;
        self.header_files(published)?;
        self.link_html(source, items, published, survey)?;
        let sitemaps = match artefacts.sitemap {
            SitemapForm::Off => None,
            SitemapForm::Extended | SitemapForm::Separate => Some(self.make_sitemaps(published)?),
        };
        if artefacts.robots_txt {
            let named = sitemaps.as_ref().map(|made| made.for_robots.as_slice());
            self.robots_txt(source, named.unwrap_or_default())?;
        }
        if published.has_new_collections || !self.artefacts.is_empty() {
            self.store.sync()?;
        }
        if let Some(lock) = lock {
            lock.check()?;
        }
        let before = self.artefacts.len();
        match sitemaps {
            Some(sitemaps) => self.put_sitemaps(source, sitemaps)?,
            None => self.withdraw_sitemaps(source, published)?,
        }
        if self.artefacts.len() > before {
            self.store.sync()?;
        }
        published.under_way.end()?;
        self.clean_up(published)
    }

    /// Puts a small file if it is not there already as it should be.
    fn put(
        &mut self,
        kind: &'static str,
        path: &StorePath,
        bytes: Vec<u8>,
        attributes: Attributes,
    ) -> Result<(), PublishError> {
        self.looked_at.push(path.clone());
        let there = read_all(self.store, path)?;
        let condition = match there {
            Some((old, _)) if old == bytes => return Ok(()),
            Some((_, tag)) => Condition::Unchanged(tag),
            None => Condition::Absent,
        };
        let size = bytes.len() as u64;
        self.store.put(Put {
            path: path.clone(),
            body: Body::Bytes(bytes),
            attributes,
            condition,
        })?;
        self.wrote(kind, path, size);
        Ok(())
    }

    /// Puts a file from the scratch folder if it is not there already as it should be.
    fn put_file(
        &mut self,
        kind: &'static str,
        path: &StorePath,
        file: &Path,
        attributes: Attributes,
    ) -> Result<(), PublishError> {
        self.looked_at.push(path.clone());
        let failed = |source| scratch_error(file, source);
        let condition = match self.store.get(path)? {
            None => Condition::Absent,
            Some(object) => {
                let ours = BufReader::new(File::open(file).map_err(failed)?);
                if is_same(object.reader, ours).map_err(failed)? {
                    return std::fs::remove_file(file).map_err(failed);
                }
                Condition::Unchanged(object.tag)
            }
        };
        let size = std::fs::metadata(file).map_err(failed)?.len();
        self.store.put(Put {
            path: path.clone(),
            body: Body::File(file.to_owned()),
            attributes,
            condition,
        })?;
        self.wrote(kind, path, size);
        Ok(())
    }

    /// Says which files are in the way of ours and stay as they are, since they are the owner's.
    fn leaves(&mut self, paths: &[StorePath], so: &str) {
        let Some(first) = paths.first() else {
            return;
        };
        self.notes.push(match paths.len() {
            1 => format!("`{first}` is not of Sitecast's making and stays as it is: {so}"),
            all => format!(
                "{all} files, `{first}` among them, are not of Sitecast's making and stay as they are: {so}"
            ),
        });
    }

    fn wrote(&mut self, kind: &'static str, path: &StorePath, bytes: u64) {
        self.artefacts.push(Artefact {
            kind,
            path: Some(path.to_string()),
            written: 1,
            removed: 0,
            bytes,
        });
    }

    /// Files of a kind that are too many to be named one by one; none is not worth mentioning.
    fn wrote_many(&mut self, kind: &'static str, written: u64, removed: u64, bytes: u64) {
        if written + removed > 0 {
            self.artefacts.push(Artefact {
                kind,
                path: None,
                written,
                removed,
                bytes,
            });
        }
    }

    /// A new file in the scratch folder.
    fn scratch(&self, name: &str) -> Result<PathBuf, PublishError> {
        Ok(self.store.scratch()?.join(name))
    }

    /// Removes collections that have expired, and those that a run left behind that did not come
    /// to its end: no sitemap ever named them.
    fn clean_up(&mut self, published: &Published<'_>) -> Result<(), PublishError> {
        let chains = published.chains.iter();
        let retired = published.retired.iter().map(|(_, chain)| chain);
        let named: std::collections::HashSet<&StorePath> = chains
            .chain(retired)
            .flat_map(|chain| &chain.links)
            .flat_map(|link| &link.files)
            .map(|file| &file.path)
            .collect();
        let mut removed = 0;
        let expired = published.expired.iter().flat_map(|link| &link.files);
        let mut doomed: Vec<StorePath> = expired.map(|file| file.path.clone()).collect();
        let folder = collections_folder(self.options)?;
        for listed in self.store.list(Some(&folder))? {
            let name = listed.path.parts().last().unwrap_or_default();
            let is_older = parse_name(name).is_some_and(|(_, _, time)| time < published.generated);
            if is_older && !doomed.contains(&listed.path) {
                doomed.push(listed.path);
            }
        }
        for path in doomed.iter().filter(|path| !named.contains(path)) {
            self.store.delete(path)?;
            removed += 1;
        }
        self.wrote_many("collections", 0, removed, 0);
        Ok(())
    }
}

/// Attributes of a file that is served as it is.
fn served(content_type: &str, cache_control: &str) -> Attributes {
    Attributes {
        content_type: Some(content_type.to_owned()),
        content_encoding: None,
        cache_control: Some(cache_control.to_owned()),
    }
}

fn scratch_error(file: &Path, source: std::io::Error) -> PublishError {
    PublishError::Scratch {
        folder: file.parent().unwrap_or(file).display().to_string(),
        source,
    }
}

fn is_same(mut one: impl Read, mut other: impl Read) -> std::io::Result<bool> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    loop {
        a.clear();
        b.clear();
        one.by_ref().take(1 << 16).read_to_end(&mut a)?;
        other.by_ref().take(1 << 16).read_to_end(&mut b)?;
        if a != b {
            return Ok(false);
        }
        if a.is_empty() {
            return Ok(true);
        }
    }
}
