//! What was published before, read back from the collections themselves.

use std::io::Read;

use sitecast_scp::{Event, HttpUrl, PageRecord, Reader, ReaderOptions, Timestamp};
use sitecast_storage::{Store, StorePath};
use sitecast_tct::sitemap::{Event as TctEvent, SitemapReader};
use sitecast_tct::{ContentHash, fingerprint, page_text};

use crate::artefacts::{machine_url, store_path};
use crate::carrier::own_path;
use crate::chain::{Chain, CollectionFile, Link, LinkKind, join, parse_name};
use crate::ledger::{Known, Ledger, SectionBits, half};
use crate::loss::words_of;
use crate::schedule::Lifetimes;
use crate::{Options, PublishError};

/// The JSON sitemap, which is also the index if there are several.
pub(crate) const JSON_SITEMAP: &str = "llm-sitemap.json";

/// What is published, read back.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) ledger: Ledger,
    /// For each section, since when deletions are known only to readers of our extension.
    pub(crate) deletions: Vec<Option<Timestamp>>,
}

/// Opens the collection in whichever of its files is there, to read all of it.
pub(crate) fn open(
    store: &dyn Store,
    link: &Link,
    options: &Options,
) -> Result<Reader<Box<dyn Read + Send>>, PublishError> {
    let (path, file) = file_of(store, link)?;
    reading(options)
        .read_ahead(file)
        .map_err(|error| damaged(path, error))
}

fn reading(options: &Options) -> ReaderOptions {
    ReaderOptions {
        limits: options.limits.clone(),
        ..ReaderOptions::default()
    }
}

fn file_of<'l>(
    store: &dyn Store,
    link: &'l Link,
) -> Result<(&'l StorePath, Box<dyn Read + Send>), PublishError> {
    for file in &link.files {
        if let Some(object) = store.get(&file.path)? {
            return Ok((&file.path, object.reader));
        }
    }
    let last = link.files.last();
    Err(PublishError::Previous {
        path: last.map_or_else(String::new, |file| file.path.to_string()),
        problem: "it is missing".to_owned(),
    })
}

fn damaged(path: &StorePath, error: impl std::fmt::Display) -> PublishError {
    PublishError::Previous {
        path: path.to_string(),
        problem: error.to_string(),
    }
}

/// Leaves a file that cannot be read out of its collection, if the collection has another one; answers what the owner
/// is to know. What was read before the error has to be read again.
pub(crate) fn leave_damaged(chains: &mut [Chain], error: &PublishError) -> Option<String> {
    let PublishError::Previous { path, problem } = error else {
        return None;
    };
    let mut links = chains.iter_mut().flat_map(|chain| &mut chain.links);
    let is_it = |file: &CollectionFile| file.path.as_str() == path;
    let link = links.find(|link| link.files.len() > 1 && link.files.iter().any(is_it))?;
    link.files.retain(|file| !is_it(file));
    let other = link.files.first()?;
    Some(format!(
        "`{path}` is damaged ({problem}) and is removed: `{}` is read in its place",
        other.path
    ))
}

/// Reads a collection to its end, page by page. What is handed out may be relied on only when
/// this has returned without an error.
pub(crate) fn each_page(
    store: &dyn Store,
    link: &Link,
    options: &Options,
    mut take: impl FnMut(&PageRecord<'_>) -> Result<(), PublishError>,
) -> Result<Vec<String>, PublishError> {
    let (path, file) = file_of(store, link)?;
    let opened = reading(options).read_ahead(file);
    let mut reader = opened.map_err(|error| damaged(path, error))?;
    while let Some(event) = reader.next_event().map_err(|error| damaged(path, error))? {
        if let Event::Page(page) = event {
            take(&page)?;
        }
    }
    let deleted = reader.collection().map(|collection| &collection.deleted);
    Ok(deleted
        .into_iter()
        .flatten()
        .map(|url| url.as_str().to_owned())
        .collect())
}

/// Rebuilds what is known of the published pages, section by section.
pub(crate) fn rebuild(
    store: &dyn Store,
    chains: &[Chain],
    options: &Options,
) -> Result<State, PublishError> {
    let mut state = State {
        deletions: vec![None; chains.len()],
        ..State::default()
    };
    for (number, chain) in chains.iter().enumerate() {
        let bit: SectionBits = 1 << number;
        for link in chain.present() {
            let ledger = &mut state.ledger;
            let deleted = each_page(store, link, options, |record| {
                let (url, known) = known_of(record, bit)?;
                match ledger.find(url.as_str()) {
                    Some(at) => {
                        if let Some(old) = ledger.get_mut(at) {
                            let sections = old.sections | bit;
                            // Sections tell of the same page; the newest counts.
                            if known.modified >= old.modified {
                                *old = known;
                            }
                            old.sections = sections;
                        }
                    }
                    None => {
                        ledger.put(url.as_str(), known);
                    }
                }
                Ok(())
            })?;
            if !deleted.is_empty()
                && let Some(since) = state.deletions.get_mut(number)
            {
                since.get_or_insert(link.generated);
            }
            for url in deleted {
                if let Some(at) = state.ledger.find(&url)
                    && let Some(known) = state.ledger.get_mut(at)
                {
                    known.sections &= !bit;
                }
            }
        }
    }
    state.ledger.retain(|known| known.sections != 0);
    Ok(state)
}

fn known_of(record: &PageRecord<'_>, bit: SectionBits) -> Result<(HttpUrl, Known), PublishError> {
    let page = record.to_page().map_err(|error| PublishError::Previous {
        path: record.url().to_owned(),
        problem: error.to_string(),
    })?;
    let text = page_text(&page);
    let known = Known {
        fingerprint: half(&fingerprint(&text)),
        words: words_of(&text),
        modified: page.modified,
        machine: None,
        sections: bit,
        gone: false,
    };
    Ok((page.url, known))
}

/// Takes from the JSON sitemap which machine pages are published. One of another time is of a run that did not
/// come to its end: what it speaks of is not in the collections.
pub(crate) fn add_machine_pages(
    store: &dyn Store,
    ledger: &mut Ledger,
    options: &Options,
) -> Result<(), PublishError> {
    each_machine_page(store, options, |item| {
        let hash = item.hash.and_then(|hash| hash.parse::<ContentHash>().ok());
        if let Some(at) = ledger.find(item.c_url.as_str())
            && let Some(known) = ledger.get_mut(at)
            && item.modified == Some(known.modified)
        {
            known.machine = hash;
        }
        Ok(())
    })
}

/// Goes through the JSON sitemap and those that it names; one that is not there has nothing. What
/// cannot be read of it is made anew.
pub(crate) fn each_machine_page(
    store: &dyn Store,
    options: &Options,
    mut take: impl FnMut(sitecast_tct::sitemap::Item) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let limits = sitecast_tct::Limits::default();
    let mut waiting = vec![own_path(JSON_SITEMAP)];
    while let Some(path) = waiting.pop() {
        let Some(object) = store.get(&path)? else {
            continue;
        };
        let mut reader = SitemapReader::new(object.reader, &limits);
        while let Ok(Some(event)) = reader.next_event() {
            match event {
                TctEvent::Item(item) => take(item)?,
                TctEvent::Sitemap(child) if path.as_str() == JSON_SITEMAP => {
                    waiting.extend(store_path(options.base.as_url(), child.url.as_str()));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Whether a JSON sitemap is of our making, or names machine pages in another way than we do; `None` where there is
/// none, or nothing in it. Of an index the first of its sitemaps tells.
pub(crate) fn is_our_json_sitemap(
    store: &dyn Store,
    path: &StorePath,
    options: &Options,
) -> Result<Option<bool>, PublishError> {
    let limits = sitecast_tct::Limits::default();
    let mut next = Some(path.clone());
    for _ in 0..2 {
        let Some(path) = next.take() else {
            return Ok(None);
        };
        let Some(object) = store.get(&path)? else {
            return Ok(None);
        };
        let mut reader = SitemapReader::new(object.reader, &limits);
        while let Ok(Some(event)) = reader.next_event() {
            match event {
                TctEvent::Item(item) => {
                    let ours = machine_url(&item.c_url).ok();
                    return Ok(Some(ours.as_deref() == Some(item.m_url.as_str())));
                }
                TctEvent::Sitemap(child) => {
                    next = store_path(options.base.as_url(), child.url.as_str()).ok();
                    break;
                }
                _ => {}
            }
        }
    }
    Ok(None)
}

/// Where the collections are in the store.
pub(crate) fn collections_folder(options: &Options) -> Result<StorePath, PublishError> {
    let parsed = options.collections.parse();
    parsed.map_err(|error: sitecast_storage::InvalidPath| PublishError::Settings(error.to_string()))
}

/// Finds the collections by their names where no sitemap tells of them: a site's build often
/// writes its sitemap anew, and leaves the collections alone. Those from `end` on are of a run that did not come
/// to its end: perhaps of one section only, and never named.
pub(crate) fn recover(
    store: &dyn Store,
    options: &Options,
    end: Option<Timestamp>,
) -> Result<Vec<(String, Chain)>, PublishError> {
    let folder = collections_folder(options)?;
    let mut chains: Vec<(String, Chain)> = Vec::new();
    for listed in store.list(Some(&folder))? {
        let name = listed.path.parts().last().unwrap_or_default();
        let Some((section, _, time)) = parse_name(name) else {
            continue;
        };
        if end.is_some_and(|end| time >= end) {
            continue;
        }
        let section = section.to_owned();
        let Some(link) = recovered_link(store, &listed.path, listed.size, &section, options) else {
            continue;
        };
        let at = chains.iter().position(|(name, _)| *name == section);
        let at = at.unwrap_or_else(|| {
            chains.push((section, Chain::default()));
            chains.len() - 1
        });
        if let Some((_, chain)) = chains.get_mut(at) {
            join(chain, link);
        }
    }
    for (_, chain) in &mut chains {
        chain.sort();
    }
    Ok(chains)
}

/// What a collection says of itself; `None` for one that is not whole.
fn recovered_link(
    store: &dyn Store,
    path: &StorePath,
    size: u64,
    section: &str,
    options: &Options,
) -> Option<Link> {
    let object = store.get(path).ok()??;
    let mut reader = ReaderOptions {
        limits: options.limits.clone(),
        ..ReaderOptions::default()
    }
    .read_ahead(object.reader)
    .ok()?;
    while reader.next_event().ok()?.is_some() {}
    let pages = reader.counts().pages;
    let collection = reader.collection()?;
    let frequency = options
        .sections
        .iter()
        .find(|known| known.name.as_str() == section)
        .map_or(sitecast_sitemap::UpdateFrequency::Daily, |known| {
            known.update_frequency
        });
    Some(Link {
        kind: match collection.kind.since() {
            Some(since) => LinkKind::Delta { since },
            None => LinkKind::Snapshot,
        },
        generated: collection.generated,
        expires: Lifetimes::of(frequency).expires(collection.generated),
        pages,
        checksum: collection.checksum,
        files: vec![CollectionFile {
            path: path.clone(),
            compression: crate::chain::compression_of(path),
            size,
        }],
    })
}

/// Hands out the present lines of pages, straight from the collections: of each page in `wanted`
/// the newest, once. Those that are found are no longer wanted.
pub(crate) fn carry(
    store: &dyn Store,
    chains: &[&Chain],
    ledger: &Ledger,
    wanted: &mut [bool],
    options: &Options,
    mut take: impl FnMut(usize, &PageRecord<'_>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let mut left = wanted.iter().filter(|wanted| **wanted).count();
    for chain in chains {
        // Newest first: the first line of a page that is met is the one that counts.
        for link in chain.present().into_iter().rev() {
            if left == 0 {
                return Ok(());
            }
            each_page(store, link, options, |record| {
                let Some(at) = ledger.find(record.url()) else {
                    return Ok(());
                };
                let is_present = ledger
                    .get(at)
                    .is_some_and(|known| known.modified == record.modified());
                match wanted.get_mut(at) {
                    Some(wanted) if *wanted && is_present => {
                        *wanted = false;
                        left -= 1;
                        take(at, record)
                    }
                    _ => Ok(()),
                }
            })?;
        }
    }
    Ok(())
}
