//! Which sitemap to read next.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

use crate::Limits;

/// Bytes of the names that wait, over all indexes together: fifty thousand names of usual length are
/// a quarter of it.
const NAME_BYTES: usize = 16 << 20;

/// The sitemaps of a site that are still to be read: each once, however indexes point at each other,
/// and no more and no deeper than allowed. Names that wait are bounded in number and in bytes, whatever
/// number of indexes they come from. It does not fetch; whoever does asks it what is next.
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
    /// Keyed hashes of all names that were ever in the queue.
    seen: HashSet<u64>,
    hasher: RandomState,
    pending: VecDeque<Queued>,
    /// Bytes of the names that wait.
    pending_bytes: usize,
    max_depth: usize,
    max_sitemaps: usize,
}

/// A sitemap to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queued {
    /// Where it is.
    pub url: String,
    /// How many indexes led to it.
    pub depth: usize,
}

/// Why a sitemap is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Indexes within indexes, and so on.
    #[error("more than {0} sitemap indexes inside each other")]
    TooDeep(usize),
    /// Not an absolute http(s) URL, or an absurdly long one.
    #[error("not an absolute http(s) URL of a sane length")]
    NotAUrl,
    /// The site has too many.
    #[error("more than {0} sitemaps")]
    TooMany(usize),
    /// The names of those that wait are too long together.
    #[error("the names of the sitemaps that wait have more than {0} bytes")]
    TooMuch(usize),
}

impl Refused {
    /// Whether every later name would be refused as well, until some are taken out.
    pub fn is_full(self) -> bool {
        matches!(self, Self::TooMany(_) | Self::TooMuch(_))
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

    /// Adds a sitemap that was found elsewhere than in an index: in robots.txt, or where sitemaps
    /// use to be. One that was seen before is passed over.
    pub fn add(&mut self, url: &str) -> Result<(), Refused> {
        self.push(url, 0)
    }

    /// Adds a sitemap that `parent` names. One that was seen before is passed over.
    pub fn add_child(&mut self, parent: &Queued, url: &str) -> Result<(), Refused> {
        let depth = parent.depth + 1;
        if depth > self.max_depth {
            return Err(Refused::TooDeep(self.max_depth));
        }
        self.push(url, depth)
    }

    fn push(&mut self, url: &str, depth: usize) -> Result<(), Refused> {
        // Fragments are not sent, and the spelling of a host makes no difference.
        let url = crate::location::absolute(url, None).map_err(|_| Refused::NotAUrl)?;
        let url = url.split('#').next().unwrap_or_default();
        if url.len() > crate::read::LONGEST_LOCATION {
            return Err(Refused::NotAUrl);
        }
        let hash = self.hasher.hash_one(url);
        if self.seen.contains(&hash) {
            return Ok(());
        }
        if self.seen.len() >= self.max_sitemaps {
            return Err(Refused::TooMany(self.max_sitemaps));
        }
        if self.pending_bytes.saturating_add(url.len()) > NAME_BYTES {
            return Err(Refused::TooMuch(NAME_BYTES));
        }
        self.seen.insert(hash);
        self.pending_bytes += url.len();
        self.pending.push_back(Queued {
            url: url.to_owned(),
            depth,
        });
        Ok(())
    }

    /// Takes the one to read next.
    #[expect(
        clippy::should_implement_trait,
        reason = "it grows while it is gone through"
    )]
    pub fn next(&mut self) -> Option<Queued> {
        let next = self.pending.pop_front()?;
        self.pending_bytes = self.pending_bytes.saturating_sub(next.url.len());
        Some(next)
    }

    /// Puts a sitemap that came out of another queue behind those that wait, as deep as it was there.
    /// One that was seen before is passed over.
    pub fn requeue(&mut self, queued: &Queued) -> Result<(), Refused> {
        self.push(&queued.url, queued.depth)
    }

    /// The number of sitemaps that wait.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no sitemap waits.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_wait_are_bounded_in_bytes() {
        let mut queue = SitemapQueue::new(&Limits::default());
        let name = |n: usize| format!("https://example.com/{n}/{}", "a".repeat(8_000));
        let fit = (0..).find(|&n| queue.add(&name(n)).is_err()).unwrap();
        assert!(fit < 3_000, "{fit} names of 8 kB wait");
        let refused = queue.add(&name(fit)).unwrap_err();
        assert!(refused.is_full(), "{refused}");
        // There is room again once one was taken out.
        queue.next().unwrap();
        queue.add(&name(fit)).unwrap();
        assert_eq!(queue.len(), fit);
    }

    #[test]
    fn cycles_end_and_limits_hold() {
        let limits = Limits {
            index_depth: 2,
            sitemaps: 4,
            ..Limits::default()
        };
        let mut queue = SitemapQueue::new(&limits);
        queue.add("https://example.com/a.xml").unwrap();
        queue.add("https://EXAMPLE.com/a.xml#x").unwrap();
        assert_eq!(queue.add("/a.xml"), Err(Refused::NotAUrl));
        let long = format!("https://example.com/{}", "a".repeat(9_000));
        assert_eq!(queue.add(&long), Err(Refused::NotAUrl));
        let mut read = Vec::new();
        let mut refused = Vec::new();
        while let Some(sitemap) = queue.next() {
            // Every one names itself and two others below it.
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
        assert!(refused.contains(&Refused::TooMany(4)));
        assert!(refused.contains(&Refused::TooDeep(2)));
    }
}
