//! The cache of robots.txt files, one for each origin.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sitecast_sitemap::{MAX_ROBOTS_BYTES, Robots};
use tokio::sync::OnceCell;
use url::Url;

use crate::body::OverLimit;
use crate::client::Client;
use crate::exchange::RobotsCheck;
use crate::{FetchError, Request};

/// The most cached origins.
const MAX_SITES: usize = 10_000;
/// The memory limit of the cache in bytes. Links can lead to any number of hosts, each with a file of 500 KiB
/// that takes a kilobyte on the wire and some megabytes when parsed.
const MAX_BYTES: usize = 64 << 20;
/// The estimated size of a cache entry without its rules, in bytes.
const ENTRY_BYTES: usize = 512;
/// One byte more than the parser uses, so that it sees that the file is longer and drops the incomplete last line.
const LIMIT: u64 = MAX_ROBOTS_BYTES as u64 + 1;

type Cell = Arc<OnceCell<Result<Permission, FetchError>>>;

#[derive(Default)]
pub(crate) struct RobotsCache {
    entries: Mutex<Entries>,
}

/// The cached files, evicted in the order of their last use.
#[derive(Default)]
struct Entries {
    sites: HashMap<String, Entry>,
    bytes: usize,
    /// Counts all uses; the value at an entry's last use orders the entries.
    uses: u64,
}

struct Entry {
    cell: Cell,
    bytes: usize,
    last_use: u64,
}

impl Entries {
    fn entry(&mut self, site: &str) -> Cell {
        self.uses += 1;
        let uses = self.uses;
        if let Some(entry) = self.sites.get_mut(site) {
            entry.last_use = uses;
            return Arc::clone(&entry.cell);
        }
        let cell = Cell::default();
        let entry = Entry {
            cell: Arc::clone(&cell),
            bytes: ENTRY_BYTES,
            last_use: uses,
        };
        self.bytes += entry.bytes;
        self.sites.insert(site.to_owned(), entry);
        self.evict();
        cell
    }

    /// Adds the memory of the parsed rules to the entry, once.
    fn record_size(&mut self, site: &str, bytes: usize) {
        if let Some(entry) = self.sites.get_mut(site)
            && entry.bytes == ENTRY_BYTES
        {
            entry.bytes += bytes;
            self.bytes += bytes;
            self.evict();
        }
    }

    /// Evicts the least recently used entries. A site that is being visited is used for each page, so it stays.
    fn evict(&mut self) {
        while self.sites.len() > MAX_SITES || self.bytes > MAX_BYTES {
            let sites = self.sites.iter();
            let oldest = sites.min_by_key(|(_, entry)| entry.last_use);
            let Some(oldest) = oldest.map(|(site, _)| site.clone()) else {
                return;
            };
            if let Some(entry) = self.sites.remove(&oldest) {
                self.bytes -= entry.bytes;
            }
        }
    }
}

/// The rules of a robots.txt for this client's user agent.
#[derive(Debug, Clone)]
pub struct Permission {
    robots: Arc<Robots>,
    agent: Arc<str>,
}

impl Permission {
    /// Returns true if the URL may be fetched.
    pub fn allows(&self, url: &Url) -> bool {
        self.robots.is_allowed(&self.agent, url.as_str())
    }

    /// Returns the `Crawl-delay`.
    pub fn delay(&self) -> Option<Duration> {
        self.robots.crawl_delay(&self.agent)
    }

    /// Returns the URLs of the `Sitemap` lines.
    pub fn sitemaps(&self) -> &[String] {
        self.robots.sitemaps()
    }
}

impl Client {
    pub(crate) async fn permission(&self, url: &Url) -> Result<Permission, FetchError> {
        let site = url.origin().ascii_serialization();
        let entries = || {
            let entries = self.shared.robots.entries.lock();
            entries.unwrap_or_else(PoisonError::into_inner)
        };
        let cell = entries().entry(&site);
        // Boxed because the future is recursive: fetching robots.txt is a request, too.
        let answer = cell.get_or_init(|| Box::pin(self.fetch_robots(url))).await;
        if let Ok(permission) = answer {
            entries().record_size(&site, permission.robots.memory());
        }
        answer.clone()
    }

    /// Fetches robots.txt. A missing file allows everything, an unreachable one nothing (RFC 9309 §2.3.1).
    async fn fetch_robots(&self, url: &Url) -> Result<Permission, FetchError> {
        let mut place = url.clone();
        place.set_path("/robots.txt");
        place.set_query(None);
        place.set_fragment(None);
        let request = Request::new(place.clone(), LIMIT).accept("text/plain,*/*;q=0.5");
        let answer = match self
            .get_with(&request, RobotsCheck::Exempt, OverLimit::Cut)
            .await
        {
            Ok(answer) => answer,
            Err(error @ FetchError::Address { .. }) => return Err(error),
            Err(error) => {
                return Err(FetchError::Robots {
                    url: place.to_string(),
                    wait: error.wait(),
                    reason: match &error {
                        FetchError::Connection { reason, .. } => reason.clone(),
                        FetchError::Status { status, .. } => format!("the server answers {status}"),
                        other => other.to_string(),
                    },
                });
            }
        };
        let robots = if answer.head.is_ok() {
            let base = answer.head.url.clone();
            let agent = &self.shared.options.user_agent;
            Robots::parse_at(&answer.decoded_prefix(LIMIT)?, Some(&base)).for_agent(agent)
        } else {
            Robots::default()
        };
        Ok(Permission {
            robots: Arc::new(robots),
            agent: self.shared.options.user_agent.as_str().into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_the_cache_in_entries_and_bytes() {
        let mut entries = Entries::default();
        for site in 0..MAX_SITES + 100 {
            entries.entry("site");
            entries.entry(&site.to_string());
        }
        assert_eq!(entries.sites.len(), MAX_SITES);
        for site in 0..100 {
            entries.entry("site");
            let site = site.to_string();
            entries.entry(&site);
            entries.record_size(&site, MAX_BYTES / 10);
        }
        assert!(entries.bytes <= MAX_BYTES);
        let bytes: usize = entries.sites.values().map(|entry| entry.bytes).sum();
        assert_eq!(bytes, entries.bytes);
        // The most recently used entry stays.
        assert!(entries.sites.contains_key("site"));
        assert!(entries.sites.len() < 12, "{}", entries.sites.len());
    }
}
