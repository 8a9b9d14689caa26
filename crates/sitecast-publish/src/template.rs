//! The site's template: what its pages have in common.

mod learn;
pub(crate) mod published;
mod sizes;

use std::collections::HashMap;
use std::sync::Mutex;

use sitecast_extract::{Analyzed, SiteTemplate};
use sitecast_scp::HttpUrl;

use crate::address::{OtherHost, Style};
use crate::head::Head;
use crate::lock::lock;
use crate::source::{Items, Raw};
pub(crate) use learn::learn;
pub(crate) use sizes::HtmlSizes;

/// Pages that are looked at. More do not make the template better.
const SAMPLE: usize = 128;
/// Bytes of HTML in the sample, at most: they are in memory all at once, and analysed they take
/// several times the room.
const SAMPLE_BYTES: u64 = 16 << 20;

/// A site as a whole.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) style: Style,
    pub(crate) template: SiteTemplate<'a>,
    pub(crate) html: HtmlSizes,
    /// Pages of the sample, so that nothing is done twice.
    pub(crate) sampled: Kept,
    /// The host that the canonical links of the sample name in place of the site's own.
    pub(crate) other_host: Option<OtherHost>,
    pub(crate) origin: TemplateOrigin,
}

/// The origin of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateOrigin {
    /// It was learnt from the pages as they are now.
    Learnt,
    /// It is that of the last publication, which still fits most of the pages.
    LastPublication,
}

/// Pages of the sample, by the item they come from.
pub(crate) type Kept = Mutex<HashMap<Box<str>, KeptPage>>;

/// A page of the sample: what was read of it, and what was made of it.
#[derive(Debug)]
pub(crate) struct KeptPage {
    pub(crate) raw: Raw,
    pub(crate) head: Head,
    /// Parsed and looked at, with the URL that it was taken for.
    pub(crate) analyzed: Option<(HttpUrl, Analyzed)>,
}

impl Site<'_> {
    /// Takes a page of the sample, if this is the first who asks for it.
    pub(crate) fn take_sampled(&self, key: &str) -> Option<KeptPage> {
        lock(&self.sampled).remove(key)
    }

    /// Frees the pages that were not needed, since they are unchanged.
    pub(crate) fn forget_sample(&self) {
        *lock(&self.sampled) = HashMap::new();
    }
}

/// The items of the sample: those whose keys hash lowest. So it comes from all parts of the
/// site, does not depend on the order, and changes little when pages come and go.
pub(crate) fn sample(items: &Items) -> Vec<usize> {
    let mut by_hash: Vec<(u64, usize)> = items
        .iter()
        .enumerate()
        .map(|(at, item)| (hash(item.key), at))
        .collect();
    if by_hash.len() > SAMPLE {
        by_hash.select_nth_unstable(SAMPLE);
        by_hash.truncate(SAMPLE);
        // It is kept for as long as pages are made, and all of the site had room in it.
        by_hash.shrink_to_fit();
    }
    by_hash.sort_unstable();
    let mut bytes = 0;
    by_hash
        .into_iter()
        .map(|(_, at)| at)
        .take_while(|at| {
            bytes += items.get(*at).map_or(0, |item| item.stamp.size);
            bytes <= SAMPLE_BYTES
        })
        .collect()
}

/// FNV-1a, and a step that spreads what it leaves alike.
fn hash(key: &str) -> u64 {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Item, Stamp};

    fn items(numbers: std::ops::Range<usize>, size: u64) -> Items {
        let mut items = Items::default();
        for n in numbers {
            items.add(Item {
                key: &format!("{n}/index.html"),
                stamp: Stamp { size, mark: 0 },
                place: 0,
            });
        }
        items
    }

    #[test]
    fn a_sample_changes_little_when_pages_come_and_go() {
        let keys = |items: &Items| -> std::collections::HashSet<String> {
            sample(items)
                .into_iter()
                .map(|at| items.get(at).unwrap().key.to_owned())
                .collect()
        };
        let before = keys(&items(0..10_000, 1));
        assert_eq!(before.len(), SAMPLE);
        let after = keys(&items(100..10_000, 1));
        assert!(before.intersection(&after).count() > SAMPLE * 9 / 10);
    }

    #[test]
    fn a_sample_is_bounded_in_bytes() {
        assert_eq!(sample(&items(0..100, SAMPLE_BYTES / 10)).len(), 10);
    }
}
