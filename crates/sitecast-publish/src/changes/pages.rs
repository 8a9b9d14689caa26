//! Pages: is their text that of the last publication, and do they show what they showed?

use sitecast_extract::ShownHash;
use sitecast_scp::HttpUrl;

use super::Change;
use crate::Reason;
use crate::ledger::{Fingerprint, Known, Ledger};
use crate::recall::cache::CachedItem;

/// Compares a page with the published one.
pub(crate) fn change(print: &Fingerprint, published: Option<&Known>) -> Change {
    match published {
        None => Change::New,
        Some(published) if published.fingerprint == *print => Change::Unchanged,
        Some(_) => Change::Changed,
    }
}

/// Finds the published page of a cached item. `None` if its text is another one by now: another machine may have
/// published since, or a run may have been killed.
pub(crate) fn published_place(ledger: &Ledger, cached: &CachedItem) -> Option<usize> {
    let at = ledger.find(cached.url.as_deref()?)?;
    (Some(ledger.get(at)?.fingerprint) == cached.text).then_some(at)
}

/// Finds the published page that shows what the page at `url` shows now, whatever the markup of either.
pub(crate) fn place_of_shown(
    ledger: &Ledger,
    before: Option<&CachedItem>,
    url: &HttpUrl,
    shown: Option<ShownHash>,
) -> Option<usize> {
    let before = shows_the_same(before, shown)?;
    let at = published_place(ledger, before)?;
    (ledger.url(at) == url.as_str()).then_some(at)
}

/// Returns the reason for which a page that shows the same was not published.
pub(crate) fn reason_of_shown(
    before: Option<&CachedItem>,
    shown: Option<ShownHash>,
) -> Option<Reason> {
    shows_the_same(before, shown)?.excluded.clone()
}

fn shows_the_same(before: Option<&CachedItem>, shown: Option<ShownHash>) -> Option<&CachedItem> {
    before.filter(|before| shown.is_some() && before.shown == shown)
}
