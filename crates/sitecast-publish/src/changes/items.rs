//! Items of the source: are their bytes those of the last run?

use std::time::SystemTime;

use twox_hash::XxHash3_128;

use crate::PublishError;
use crate::artefacts::without_alternate;
use crate::ledger::Fingerprint;
use crate::recall::cache::CachedItem;
use crate::source::{Item, Loaded, Raw, Source};

/// Hashes the bytes of a page without our link, and its `X-Robots-Tag`. The hash only shows changes; nothing
/// else relies on it.
pub(crate) fn hash_of(raw: &Raw) -> Fingerprint {
    let mut hash = XxHash3_128::new();
    hash.write(&without_alternate(&raw.bytes));
    if let Some(robots) = &raw.robots {
        hash.write(robots.as_bytes());
    }
    hash.finish_128().to_le_bytes()
}

/// Reads an item to hash it; `None` if it is not HTML.
pub(crate) fn hash_of_item(
    source: &dyn Source,
    item: Item<'_>,
) -> Result<Option<Fingerprint>, PublishError> {
    Ok(match source.load(item)? {
        Loaded::Html(raw) => Some(hash_of(&raw)),
        Loaded::Page(_) | Loaded::Excluded(_) => None,
    })
}

/// Returns true if the bytes of an item are known to be the same without reading them. `written` is the time of the
/// cache, if some items were changed since then.
pub(crate) fn is_same(
    source: &dyn Source,
    item: Item<'_>,
    cached: &CachedItem,
    written: Option<SystemTime>,
) -> Result<bool, PublishError> {
    if cached.stamp != item.stamp || !item.stamp.is_reliable() {
        return Ok(false);
    }
    let Some(written) = written else {
        return Ok(true);
    };
    let changed = source.changed(item)?;
    Ok(changed.is_none_or(|changed| changed <= written))
}
