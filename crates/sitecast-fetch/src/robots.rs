//! What robots.txt says, asked once for each site.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sitecast_sitemap::{MAX_ROBOTS_BYTES, Robots};
use tokio::sync::OnceCell;
use url::Url;

use crate::body::Beyond;
use crate::client::Client;
use crate::exchange::Manners;
use crate::{FetchError, Request};

/// Sites whose files are remembered.
const REMEMBERED: usize = 10_000;
/// Bytes of memory that they take together. Links can lead to any number of hosts, each with a file of 500 KiB
/// that is a kilobyte on the way and some megabytes once it is read.
const REMEMBERED_BYTES: usize = 64 << 20;
/// What remembering a site takes beside its rules.
const ENTRY_BYTES: usize = 512;
/// One byte more than counts, so that the reader knows that the file goes on and drops a line that is cut.
const LIMIT: u64 = MAX_ROBOTS_BYTES as u64 + 1;

type Cell = Arc<OnceCell<Result<Permission, FetchError>>>;

#[derive(Default)]
pub(crate) struct RobotsCache {
    known: Mutex<Known>,
}

/// The files that are remembered.
#[derive(Default)]
struct Known {
    sites: HashMap<String, Remembered>,
    bytes: usize,
    /// Counts the looks at any of them.
    looks: u64,
}

struct Remembered {
    cell: Cell,
    bytes: usize,
    last_look: u64,
}

impl Known {
    fn look(&mut self, site: &str) -> Cell {
        self.looks += 1;
        let looks = self.looks;
        if let Some(known) = self.sites.get_mut(site) {
            known.last_look = looks;
            return Arc::clone(&known.cell);
        }
        let cell = Cell::default();
        let remembered = Remembered {
            cell: Arc::clone(&cell),
            bytes: ENTRY_BYTES,
            last_look: looks,
        };
        self.bytes += remembered.bytes;
        self.sites.insert(site.to_owned(), remembered);
        self.forget();
        cell
    }

    /// Notes how much memory a file takes, once it is read.
    fn weigh(&mut self, site: &str, bytes: usize) {
        if let Some(known) = self.sites.get_mut(site)
            && known.bytes == ENTRY_BYTES
        {
            known.bytes += bytes;
            self.bytes += bytes;
            self.forget();
        }
    }

    /// Forgets those that nobody looked at for longest. A site that is being visited is looked at for each page.
    fn forget(&mut self) {
        while self.sites.len() > REMEMBERED || self.bytes > REMEMBERED_BYTES {
            let sites = self.sites.iter();
            let oldest = sites.min_by_key(|(_, known)| known.last_look);
            let Some(oldest) = oldest.map(|(site, _)| site.clone()) else {
                return;
            };
            if let Some(known) = self.sites.remove(&oldest) {
                self.bytes -= known.bytes;
            }
        }
    }
}

/// What a site's robots.txt allows us.
#[derive(Debug, Clone)]
pub struct Permission {
    robots: Arc<Robots>,
    agent: Arc<str>,
}

impl Permission {
    /// Whether we may fetch this.
    pub fn allows(&self, url: &Url) -> bool {
        self.robots.is_allowed(&self.agent, url.as_str())
    }

    /// How long we are asked to wait between requests.
    pub fn delay(&self) -> Option<Duration> {
        self.robots.crawl_delay(&self.agent)
    }

    /// The sitemaps that it names.
    pub fn sitemaps(&self) -> &[String] {
        self.robots.sitemaps()
    }
}

impl Client {
    pub(crate) async fn permission(&self, url: &Url) -> Result<Permission, FetchError> {
        let site = url.origin().ascii_serialization();
        let known = || {
            let known = self.shared.robots.known.lock();
            known.unwrap_or_else(PoisonError::into_inner)
        };
        let cell = known().look(&site);
        // Boxed: it is fetched with the same means that ask for it.
        let answer = cell.get_or_init(|| Box::pin(self.fetch_robots(url))).await;
        if let Ok(permission) = answer {
            known().weigh(&site, permission.robots.memory());
        }
        answer.clone()
    }

    /// RFC 9309, 2.3.1: what is not there forbids nothing; what cannot be reached forbids everything.
    async fn fetch_robots(&self, url: &Url) -> Result<Permission, FetchError> {
        let mut place = url.clone();
        place.set_path("/robots.txt");
        place.set_query(None);
        place.set_fragment(None);
        let request = Request::new(place.clone(), LIMIT).accept("text/plain,*/*;q=0.5");
        let answer = match self.get_with(&request, Manners::Exempt, Beyond::Cut).await {
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
            Robots::parse_at(&answer.decoded_beginning(LIMIT)?, Some(&base)).of_agent(agent)
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
    fn what_is_remembered_is_bounded_in_number_and_bytes() {
        let mut known = Known::default();
        for site in 0..REMEMBERED + 100 {
            known.look("site");
            known.look(&site.to_string());
        }
        assert_eq!(known.sites.len(), REMEMBERED);
        for site in 0..100 {
            known.look("site");
            let site = site.to_string();
            known.look(&site);
            known.weigh(&site, REMEMBERED_BYTES / 10);
        }
        assert!(known.bytes <= REMEMBERED_BYTES);
        let bytes: usize = known.sites.values().map(|known| known.bytes).sum();
        assert_eq!(bytes, known.bytes);
        // The one that is being visited stays.
        assert!(known.sites.contains_key("site"));
        assert!(known.sites.len() < 12, "{}", known.sites.len());
    }
}
