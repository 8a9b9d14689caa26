//! The cache of machine pages and compressed files, bounded in bytes. Keys identify content (a page's hash, or a hash
//! of a file's name and version), so an entry is valid whichever publication is in force.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sitecast_tct::ContentHash;

use crate::site::prepared::PreparedResponse;

/// Each shard has its own lock, so that threads seldom wait for each other.
const SHARDS: usize = 16;
/// Bytes that an entry costs beside its content, mostly for headers.
const OVERHEAD: u64 = 3_072;

/// The most that content of this size costs: plain, and compressed in two codings that are no larger.
fn cost(size: u64) -> u64 {
    size.saturating_mul(3).saturating_add(OVERHEAD)
}

#[derive(Debug)]
pub(crate) struct ResponseCache {
    shards: Vec<Mutex<Shard>>,
    limit: u64,
}

#[derive(Debug, Default)]
struct Shard {
    pages: HashMap<ContentHash, Slot>,
    /// Oldest first. Eviction follows the clock algorithm: an entry that was used since its last turn goes to the back.
    order: VecDeque<ContentHash>,
    bytes: u64,
}

#[derive(Debug)]
struct Slot {
    page: Arc<PreparedResponse>,
    cost: u64,
    used: bool,
}

impl ResponseCache {
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            shards: std::iter::repeat_with(Mutex::default)
                .take(SHARDS)
                .collect(),
            limit: bytes / SHARDS as u64,
        }
    }

    pub(crate) fn get(&self, hash: &ContentHash) -> Option<Arc<PreparedResponse>> {
        let mut shard = self
            .shard(hash)?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let slot = shard.pages.get_mut(hash)?;
        slot.used = true;
        Some(Arc::clone(&slot.page))
    }

    /// Returns true if content of this size may be cached.
    pub(crate) fn has_room_for(&self, size: u64) -> bool {
        cost(size) <= self.limit
    }

    /// Inserts a page or a file, and evicts others to stay within the limit.
    pub(crate) fn put(&self, hash: ContentHash, page: &Arc<PreparedResponse>) {
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
            // The same content, with the headers of a newer publication.
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
        while shard.bytes > self.limit {
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
    use crate::site::variants::{SizedContent, Variants};
    use hyper::header::HeaderValue;

    fn page(number: u32, size: usize) -> (ContentHash, Arc<PreparedResponse>) {
        let identity = SizedContent::new(Content::Memory(vec![0; size].into()), size as u64);
        let content_type = HeaderValue::from_static("application/json");
        let head = Head::new(Kind::MachinePage, content_type, None, None);
        let response = PreparedResponse::new(1, head, Arc::new(Variants::new(identity)));
        (ContentHash::of(&number.to_be_bytes()), Arc::new(response))
    }

    #[test]
    fn stays_within_the_limit_and_keeps_used_entries() {
        let cache = ResponseCache::new(1 << 20);
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
