//! Connections that are kept open for the next request.
//!
//! The HTTP library keeps one for each host and bounds their number for no more than that: links that lead to
//! hundreds of hosts would take all file descriptors. So it is replaced after some hosts, which closes what it keeps.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;
use url::Url;

use crate::address::{Guard, Only};
use crate::{Addresses, FetchError, Options, Speaks};

/// Hosts to which connections are kept. Some systems allow a process no more than 256 descriptors.
const HOSTS: usize = 64;
/// How long one is kept. A longer `Crawl-delay` takes a new connection for each request.
const IDLE: Duration = Duration::from_secs(30);

pub(crate) struct Pool {
    options: Options,
    /// For a stand-in that speaks HTTPS: every name leads to it.
    stand_in: Option<reqwest::Client>,
    current: Mutex<Current>,
}

struct Current {
    http: reqwest::Client,
    /// Those that it was used for.
    hosts: HashSet<String>,
}

impl Pool {
    pub(crate) fn new(options: &Options) -> Result<Self, FetchError> {
        let setup = |error| FetchError::Setup(crate::exchange::reason(&error));
        let http = build(options).map_err(setup)?;
        let stand_in = match &options.stand_in {
            Some(stand_in) if stand_in.speaks == Speaks::Https => {
                if stand_in.site.domain().is_none() {
                    let reason =
                        "a server that speaks TLS stands in only for a site that has a name";
                    return Err(FetchError::Setup(reason.to_owned()));
                }
                let builder = builder(options).dns_resolver(Only(stand_in.address));
                Some(builder.build().map_err(setup)?)
            }
            _ => None,
        };
        Ok(Self {
            options: options.clone(),
            stand_in,
            current: Mutex::new(Current {
                http,
                hosts: HashSet::new(),
            }),
        })
    }

    /// What asks the server that stands in for a site, if that one speaks HTTPS.
    pub(crate) fn stand_in(&self) -> Option<reqwest::Client> {
        self.stand_in.clone()
    }

    /// What asks this URL's host. Requests that are under way on another go on.
    pub(crate) fn client_for(&self, url: &Url) -> reqwest::Client {
        let host = url.origin().ascii_serialization();
        let mut current = self.lock();
        if current.hosts.len() >= HOSTS
            && !current.hosts.contains(&host)
            && let Ok(http) = build(&self.options)
        {
            *current = Current {
                http,
                hosts: HashSet::new(),
            };
        }
        current.hosts.insert(host);
        current.http.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn build(options: &Options) -> reqwest::Result<reqwest::Client> {
    let builder = builder(options);
    let builder = match &options.addresses {
        Addresses::All => builder,
        some => builder.dns_resolver(Guard(some.clone())),
    };
    builder.build()
}

fn builder(options: &Options) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(&options.user_agent)
        .connect_timeout(options.connect)
        .redirect(Policy::none())
        // A proxy would look names up for us, and nobody would have checked where they lead.
        .no_proxy()
        .referer(false)
        .http1_only()
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(IDLE)
        // Also if another crate of the program switches the features on.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
}
