//! The queue of a site's sitemaps.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

use crate::Limits;

/// The most bytes of all queued URLs. Fifty thousand URLs of usual length take a quarter of it.
const URL_BYTES: usize = 16 << 20;

/// The sitemaps of a site that are still to be read. Each is returned once, even if indexes refer to each other in a
/// cycle. The number and depth of sitemaps and the total length of the queued URLs are limited, no matter how many
/// indexes list them. The queue does not fetch; the caller fetches the sitemaps that it returns.
///
/// ```
/// use sitecast_sitemap::{Limits, SitemapQueue};
///
/// let mut queue = SitemapQueue::new(&Limits::default());
/// queue.add("https://example.com/sitemap.xml").unwrap();
/// let index = queue.next().unwrap();
/// queue.add_child(&index, "https://example.com/sitemap-1.xml").unwrap();
/// queue.add_child(&index, "https://example.com/sitemap.xml").unwrap(); // a cycle
/// assert_eq!(queue.next().unwrap().url, "https://example.com/sitemap-1.xml");
/// assert_eq!(queue.next(), None);
/// ```
#[derive(Debug, Clone)]
pub struct SitemapQueue {
    /// Keyed hashes of all URLs that were ever in the queue.
    seen: HashSet<u64>,
    hasher: RandomState,
    pending: VecDeque<Queued>,
    /// Bytes of the URLs in `pending`.
    pending_bytes: usize,
    max_depth: usize,
    max_sitemaps: usize,
}

/// A sitemap to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// The URL of the sitemap.
    pub url: String,
    /// The number of indexes on the way to it.
    pub depth: usize,
}

/// The reason why the queue refuses a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueueError {
    /// Indexes are nested too deep.
    #[error("sitemap indexes nested deeper than {0} levels")]
    TooDeep(usize),
    /// The URL is not an absolute http(s) URL, or it is too long.
    #[error(
        "not an absolute http(s) URL of at most {} bytes",
        crate::read::LONGEST_LOCATION
    )]
    InvalidUrl,
    /// The site has too many sitemaps.
    #[error("more than {0} sitemaps")]
    TooMany(usize),
    /// The queued URLs have too many bytes together.
    #[error("the URLs of the queued sitemaps have more than {0} bytes")]
    TooManyBytes(usize),
}

impl QueueError {
    /// Returns true if the queue would also refuse other URLs.
    pub fn is_full(self) -> bool {
        matches!(self, Self::TooMany(_) | Self::TooManyBytes(_))
    }
}

impl SitemapQueue {
    /// An empty queue.
    pub fn new(limits: &Limits) -> Self {
        Self {
            seen: HashSet::new(),
            hasher: RandomState::new(),
            pending: VecDeque::new(),
            pending_bytes: 0,
            max_depth: limits.index_depth,
            max_sitemaps: limits.sitemaps,
        }
    }

    /// Adds a sitemap that is not from an index, but for example from robots.txt or at a
    /// usual URL. Ignores a URL that was in the queue before.
    pub fn add(&mut self, url: &str) -> Result<(), QueueError> {
        self.push(url, 0)
    }

    /// Adds a sitemap that the index `parent` lists. Ignores a URL that was in the queue before.
    pub fn add_child(&mut self, parent: &Queued, url: &str) -> Result<(), QueueError> {
        let depth = parent.depth + 1;
        if depth > self.max_depth {
            return Err(QueueError::TooDeep(self.max_depth));
        }
        self.push(url, depth)
    }

    fn push(&mut self, url: &str, depth: usize) -> Result<(), QueueError> {
        // Ignore the fragment, which is not sent, and the case of the host.
        let url = crate::location::absolute(url, None).map_err(|_| QueueError::InvalidUrl)?;
        let url = url.split('#').next().unwrap_or_default();
        if url.len() > crate::read::LONGEST_LOCATION {
            return Err(QueueError::InvalidUrl);
        }
        let hash = self.hasher.hash_one(url);
        if self.seen.contains(&hash) {
            return Ok(());
        }
        if self.seen.len() >= self.max_sitemaps {
            return Err(QueueError::TooMany(self.max_sitemaps));
        }
        if self.pending_bytes.saturating_add(url.len()) > URL_BYTES {
            return Err(QueueError::TooManyBytes(URL_BYTES));
        }
        self.seen.insert(hash);
        self.pending_bytes += url.len();
        self.pending.push_back(Queued {
            url: url.to_owned(),
            depth,
        });
        Ok(())
    }

    /// Removes and returns the next sitemap.
    #[expect(
        clippy::should_implement_trait,
        reason = "the caller adds sitemaps between calls"
    )]
    pub fn next(&mut self) -> Option<Queued> {
        let next = self.pending.pop_front()?;
        self.pending_bytes = self.pending_bytes.saturating_sub(next.url.len());
        Some(next)
    }

    /// Adds a sitemap from another queue at the same depth. Ignores a URL that was in this queue before.
    pub fn requeue(&mut self, queued: &Queued) -> Result<(), QueueError> {
        self.push(&queued.url, queued.depth)
    }

    /// The number of queued sitemaps.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Returns true if no sitemaps are queued.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_the_bytes_of_queued_urls() {
        let mut queue = SitemapQueue::new(&Limits::default());
        let name = |n: usize| format!("https://example.com/{n}/{}", "a".repeat(8_000));
        let fit = (0..).find(|&n| queue.add(&name(n)).is_err()).unwrap();
        assert!(fit < 3_000, "{fit} URLs of 8 kB are queued");
        let refused = queue.add(&name(fit)).unwrap_err();
        assert!(refused.is_full(), "{refused}");
        // Removing a sitemap frees space for another.
        queue.next().unwrap();
        queue.add(&name(fit)).unwrap();
        assert_eq!(queue.len(), fit);
    }

    #[test]
    fn ends_cycles_and_enforces_limits() {
        let limits = Limits {
            index_depth: 2,
            sitemaps: 4,
            ..Limits::default()
        };
        let mut queue = SitemapQueue::new(&limits);
        queue.add("https://example.com/a.xml").unwrap();
        queue.add("https://EXAMPLE.com/a.xml#x").unwrap();
        assert_eq!(queue.add("/a.xml"), Err(QueueError::InvalidUrl));
        let long = format!("https://example.com/{}", "a".repeat(9_000));
        assert_eq!(queue.add(&long), Err(QueueError::InvalidUrl));
        let mut read = Vec::new();
        let mut refused = Vec::new();
        while let Some(sitemap) = queue.next() {
            // Every sitemap lists itself and two others.
            for url in [
                sitemap.url.clone(),
                format!("{}/b", sitemap.url),
                format!("{}/c", sitemap.url),
            ] {
                refused.extend(queue.add_child(&sitemap, &url).err());
            }
            read.push(sitemap.depth);
        }
        assert_eq!(read, [0, 1, 1, 2]);
        assert!(refused.contains(&QueueError::TooMany(4)));
        assert!(refused.contains(&QueueError::TooDeep(2)));
    }
}
