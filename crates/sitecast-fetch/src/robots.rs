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

/// Sites whose files are remembered before all are forgotten.
const REMEMBERED: usize = 10_000;
/// One byte more than counts, so that the reader knows that the file goes on and drops a line that is cut.
const LIMIT: u64 = MAX_ROBOTS_BYTES as u64 + 1;

type Cell = Arc<OnceCell<Result<Permission, FetchError>>>;

#[derive(Default)]
pub(crate) struct RobotsCache {
    known: Mutex<HashMap<String, Cell>>,
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
        let cell = {
            let known = &self.shared.robots.known;
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= REMEMBERED {
                known.clear();
            }
            Arc::clone(known.entry(site).or_default())
        };
        // Boxed: it is fetched with the same means that ask for it.
        cell.get_or_init(|| Box::pin(self.fetch_robots(url)))
            .await
            .clone()
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
            Robots::parse_at(&answer.decoded_beginning(LIMIT)?, Some(&base))
        } else {
            Robots::default()
        };
        Ok(Permission {
            robots: Arc::new(robots),
            agent: self.shared.options.user_agent.as_str().into(),
        })
    }
}
