//! The site's template: does it still fit most pages of the sample?

use std::collections::HashMap;

use super::items::{hash_of_item, is_same};
use crate::PublishError;
use crate::recall::cache::Cache;
use crate::source::{Item, Items, Source};
use crate::template::published::{PublishedTemplate, sampled};

/// A template is learnt again when a larger share of the sample is new to it.
const NEW_TO_TEMPLATE: f64 = 0.34;

fn is_little(new: usize, all: usize) -> bool {
    new as f64 <= all as f64 * NEW_TO_TEMPLATE
}

/// Returns true if most of the sample is the same as when the cached template was learnt.
pub(crate) fn fits_cached(
    source: &dyn Source,
    items: &Items,
    sample: &[usize],
    cache: &Cache,
) -> Result<bool, PublishError> {
    let is_older = cache.is_older_than(items);
    let listing = items.fingerprint();
    if is_older.is_none() && listing.is_some() && listing == cache.head.listing {
        return Ok(true);
    }
    let mut new: HashMap<&str, Item<'_>> = sample
        .iter()
        .filter_map(|at| items.get(*at))
        .map(|item| (item.key, item))
        .collect();
    let all = new.len();
    let Ok(known) = cache.items() else {
        return Ok(false);
    };
    for cached in known {
        let Some(item) = new.get(cached.key.as_str()).copied() else {
            continue;
        };
        if is_same(source, item, &cached, is_older)?
            || hash_of_item(source, item)?.is_some_and(|hash| Some(hash) == cached.hash)
        {
            new.remove(cached.key.as_str());
        }
        if new.is_empty() {
            break;
        }
    }
    Ok(is_little(new.len(), all))
}

/// Returns true if most of the sample is the same as when the published template was learnt.
pub(crate) fn fits_published(
    source: &dyn Source,
    items: &Items,
    sample: &[usize],
    published: &PublishedTemplate,
) -> Result<bool, PublishError> {
    let mut new = 0;
    for item in sample.iter().filter_map(|at| items.get(*at)) {
        let hash = hash_of_item(source, item)?;
        let is_known = hash.is_some_and(|hash| published.has(sampled(item.key, &hash)));
        new += usize::from(!is_known);
    }
    Ok(is_little(new, sample.len()))
}
