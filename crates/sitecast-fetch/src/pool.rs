//! The pool of idle connections.
//!
//! The HTTP library limits idle connections for each host, but not their total: links to hundreds of hosts would use up
//! all file descriptors. So its client is replaced after some hosts, which closes its idle connections.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;
use url::Url;

use crate::address::{FilteringResolver, FixedResolver};
use crate::{Addresses, FetchError, Options, StandInScheme};

/// Hosts with idle connections. Some systems allow a process only 256 descriptors.
const MAX_HOSTS: usize = 64;
/// Idle connections are closed after this time. A longer `Crawl-delay` takes a new connection for each request.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) struct Pool {
    options: Options,
    /// For a stand-in with HTTPS: it resolves every name to the stand-in's address.
    stand_in: Option<reqwest::Client>,
    current: Mutex<Current>,
}

struct Current {
    http: reqwest::Client,
    /// The origins that it has been used for.
    hosts: HashSet<String>,
}

impl Pool {
    pub(crate) fn new(options: &Options) -> Result<Self, FetchError> {
        let setup = |error| FetchError::Setup(crate::exchange::reason(&error));
        let http = build(options).map_err(setup)?;
        let stand_in = match &options.stand_in {
            Some(stand_in) if stand_in.scheme == StandInScheme::Https => {
                if stand_in.site.domain().is_none() {
                    let reason = "a stand-in that speaks HTTPS needs a site with a host name, not an address";
                    return Err(FetchError::Setup(reason.to_owned()));
                }
                let builder = builder(options).dns_resolver(FixedResolver(stand_in.address));
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

    /// Returns the client for a stand-in that speaks HTTPS.
    pub(crate) fn stand_in(&self) -> Option<reqwest::Client> {
        self.stand_in.clone()
    }

    /// Returns the client for this URL's host. A replaced client finishes its running requests.
    pub(crate) fn client_for(&self, url: &Url) -> reqwest::Client {
        let host = url.origin().ascii_serialization();
        let mut current = self.lock();
        if current.hosts.len() >= MAX_HOSTS
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
        some => builder.dns_resolver(FilteringResolver(some.clone())),
    };
    builder.build()
}

fn builder(options: &Options) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(&options.user_agent)
        .connect_timeout(options.connect)
        .redirect(Policy::none())
        // A proxy would resolve names itself, past the address guard.
        .no_proxy()
        .referer(false)
        .http1_only()
        .pool_max_idle_per_host(1)
        .pool_idle_timeout(IDLE_TIMEOUT)
        // In case another crate of the program enables these features.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
}
