//! Machine pages and compressed files in memory, as many as a budget allows. Pages are found by their hash, files by a
//! hash of their name and version, so that what is found is what was asked for, whichever publication is served.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sitecast_tct::ContentHash;

use crate::site::held::Held;

/// So that threads seldom wait for each other.
const SHARDS: usize = 16;
/// What a page costs beside its bytes, with its headers; compressions take no more than the bytes once more each.
const OVERHEAD: u64 = 3_072;

/// What content of this size costs at most.
fn cost(size: u64) -> u64 {
    size.saturating_mul(3).saturating_add(OVERHEAD)
}

#[derive(Debug)]
pub(crate) struct Cache {
    shards: Vec<Mutex<Shard>>,
    budget: u64,
}

#[derive(Debug, Default)]
struct Shard {
    pages: HashMap<ContentHash, Slot>,
    /// The oldest first; those that were used since get another round.
    order: VecDeque<ContentHash>,
    bytes: u64,
}

#[derive(Debug)]
struct Slot {
    page: Arc<Held>,
    cost: u64,
    used: bool,
}

impl Cache {
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            shards: std::iter::repeat_with(Mutex::default)
                .take(SHARDS)
                .collect(),
            budget: bytes / SHARDS as u64,
        }
    }

    pub(crate) fn get(&self, hash: &ContentHash) -> Option<Arc<Held>> {
        let mut shard = self
            .shard(hash)?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let slot = shard.pages.get_mut(hash)?;
        slot.used = true;
        Some(Arc::clone(&slot.page))
    }

    /// Whether content of this size can be kept.
    pub(crate) fn has_room_for(&self, size: u64) -> bool {
        cost(size) <= self.budget
    }

    /// Keeps a page or a file, and lets others go for it.
    pub(crate) fn put(&self, hash: ContentHash, page: &Arc<Held>) {
        let size = page.variants.identity.size;
        let cost = cost(size);
        let Some(shard) = self.shard(&hash) else {
            return;
        };
        if !self.has_room_for(size) {
            return;
        }
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let shard = &mut *shard;
        match shard.pages.entry(hash) {
            // The same page, with the headers of another publication.
            Entry::Occupied(mut slot) => slot.get_mut().page = Arc::clone(page),
            Entry::Vacant(place) => {
                place.insert(Slot {
                    page: Arc::clone(page),
                    cost,
                    used: false,
                });
                shard.order.push_back(hash);
                shard.bytes += cost;
            }
        }
        while shard.bytes > self.budget {
            let Some(oldest) = shard.order.pop_front() else {
                break;
            };
            let again = shard
                .pages
                .get_mut(&oldest)
                .is_some_and(|slot| std::mem::take(&mut slot.used));
            if again {
                shard.order.push_back(oldest);
            } else if let Some(slot) = shard.pages.remove(&oldest) {
                shard.bytes = shard.bytes.saturating_sub(slot.cost);
            }
        }
    }

    fn shard(&self, hash: &ContentHash) -> Option<&Mutex<Shard>> {
        let [first, ..] = hash.bytes();
        self.shards.get(usize::from(*first) % SHARDS)
    }
}

#[cfg(test)]
mod tests {
    use sitecast_storage::Content;

    use super::*;
    use crate::Kind;
    use crate::reply::Head;
    use crate::site::variants::{Sized, Variants};
    use hyper::header::HeaderValue;

    fn page(number: u32, size: usize) -> (ContentHash, Arc<Held>) {
        let identity = Sized::new(Content::Memory(vec![0; size].into()), size as u64);
        let content_type = HeaderValue::from_static("application/json");
        let head = Head::new(Kind::MachinePage, content_type, None, None);
        let held = Held::new(1, head, Arc::new(Variants::new(identity)));
        (ContentHash::of(&number.to_be_bytes()), Arc::new(held))
    }

    #[test]
    fn the_budget_is_kept_and_what_is_used_stays() {
        let cache = Cache::new(1 << 20);
        let (hot, hot_page) = page(0, 1_000);
        cache.put(hot, &hot_page);
        for number in 1..5_000 {
            let (hash, page) = page(number, 1_000);
            cache.put(hash, &page);
            assert!(cache.get(&hot).is_some(), "{number}");
        }
        let bytes: u64 = cache
            .shards
            .iter()
            .map(|shard| shard.lock().unwrap().bytes)
            .sum();
        assert!(bytes <= 1 << 20);
        let (hash, large) = page(9_999, 100_000);
        cache.put(hash, &large);
        assert!(cache.get(&hash).is_none());
    }
}
