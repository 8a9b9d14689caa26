//! The JSON sitemap of the last publication.

use sitecast_storage::{Store, StorePath};
use sitecast_tct::ContentHash;
use sitecast_tct::sitemap::{Event as TctEvent, SitemapReader};

use crate::artefacts::{machine_url, store_path};
use crate::files::own_path;
use crate::ledger::Ledger;
use crate::{Options, PublishError};

/// The JSON sitemap, which is also the index if there are several.
pub(crate) const JSON_SITEMAP: &str = "llm-sitemap.json";

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
/// cannot be read is made again.
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

/// Returns true if a JSON sitemap is ours, false if it names machine pages in another way, and `None` if there is none
/// or it is empty. The first sitemap of an index decides.
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
