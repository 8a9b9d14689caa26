//! Reading collections that are published.

use std::io::Read;

use sitecast_scp::{Event, PageRecord, Reader, ReaderOptions};
use sitecast_storage::{Store, StorePath};

use super::chain::{Chain, CollectionFile, Link};
use crate::ledger::Ledger;
use crate::{Options, PublishError, files};

/// Opens the collection in whichever of its files is there, to read all of it.
pub(crate) fn open(
    store: &dyn Store,
    link: &Link,
    options: &Options,
) -> Result<Reader<Box<dyn Read + Send>>, PublishError> {
    let (path, file) = file_of(store, link)?;
    reading(options)
        .read_ahead(file)
        .map_err(|error| PublishError::previous(path.as_str(), error))
}

pub(crate) fn reading(options: &Options) -> ReaderOptions {
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
    let last = link.files.last().map(|file| file.path.as_str());
    let path = last.unwrap_or_default();
    Err(PublishError::previous(path, "it is missing"))
}

/// Removes a damaged file from its collection, if the collection has another one; returns a note for the owner. The
/// caller has to read the collection again.
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

/// Reads a collection to its end, page by page; returns the deleted URLs. The pages are valid only if this returns
/// without an error.
pub(crate) fn each_page(
    store: &dyn Store,
    link: &Link,
    options: &Options,
    mut take: impl FnMut(&PageRecord<'_>) -> Result<(), PublishError>,
) -> Result<Vec<String>, PublishError> {
    let (path, file) = file_of(store, link)?;
    let opened = reading(options).read_ahead(file);
    let mut reader = opened.map_err(|error| PublishError::previous(path.as_str(), error))?;
    while let Some(event) = reader
        .next_event()
        .map_err(|error| PublishError::previous(path.as_str(), error))?
    {
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

/// Returns the folder of the collections in the store.
pub(crate) fn collections_folder(options: &Options) -> Result<StorePath, PublishError> {
    files::parse(&options.collections)
}

/// Reads the present lines of pages from the collections: the newest line of each page in `wanted`, once. A page that
/// is found is no longer wanted.
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
