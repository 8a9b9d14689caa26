//! The client: requests with retries, and its runtime.

use std::fmt;
use std::sync::Arc;

use reqwest::Method;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::body::{Body, Limits, OverLimit};
use crate::cost::{Cost, Meter};
use crate::deadline::{UrlDeadline, VisitDeadline};
use crate::exchange::{Exchange, PendingResponse, RobotsCheck};
use crate::pace::Hosts;
use crate::pool::Pool;
use crate::retry::wait_after;
use crate::robots::{Permission, RobotsCache};
use crate::{FetchError, Head, Options, Request, Response};

/// The HTTP client. Clones share connections, cached robots.txt files and the delays between requests to a host.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) meter: Arc<Meter>,
    visit: Option<VisitDeadline>,
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) pool: Pool,
    pub(crate) hosts: Hosts,
    pub(crate) robots: RobotsCache,
    /// `None` only while the value is being dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("options", &self.shared.options)
            .finish_non_exhaustive()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Dropping the runtime would block until a running DNS lookup ends.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Client {
    /// Builds a client with empty caches and its own runtime thread.
    pub fn new(options: Options) -> Result<Self, FetchError> {
        let pool = Pool::new(&options)?;
        let setup = |reason: String| FetchError::Setup(reason);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("sitecast-fetch")
            .enable_all()
            .build()
            .map_err(|error| setup(error.to_string()))?;
        Ok(Self {
            shared: Arc::new(Shared {
                options,
                pool,
                hosts: Hosts::default(),
                robots: RobotsCache::default(),
                runtime: Some(runtime),
            }),
            meter: Arc::default(),
            visit: None,
        })
    }

    /// Returns a client for one visit: it shares caches and connections with this one, counts its cost from zero, and
    /// fails once [`Options::visit_time`] is over.
    pub fn for_visit(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            meter: Arc::default(),
            visit: VisitDeadline::start(self.shared.options.visit_time),
        }
    }

    /// Returns the requests and bytes of this client and its clones since [`Self::for_visit`].
    pub fn cost(&self) -> Cost {
        self.meter.read()
    }

    /// Returns the options that the client was built with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Fetches a URL into memory. Returns a response for any status except transient ones (429, 500 and similar),
    /// which are an error once all attempts are used up.
    pub fn get(&self, request: &Request) -> Result<Response, FetchError> {
        self.run(
            &request.url,
            self.get_with(request, RobotsCheck::Obey, OverLimit::Refuse),
        )
    }

    /// Sends a HEAD request.
    pub fn head(&self, request: &Request) -> Result<Head, FetchError> {
        let work = self.with_retries(&request.url, async |deadline| {
            let pending = self
                .exchange(Method::HEAD, request, RobotsCheck::Obey)
                .send(deadline)
                .await?;
            Ok(pending.head)
        });
        self.run(&request.url, work)
    }

    /// Returns the rules of the robots.txt for the URL's origin. It is fetched once and cached.
    pub fn robots(&self, url: &Url) -> Result<Permission, FetchError> {
        self.run(url, self.permission(url))
    }

    pub(crate) fn run<T>(
        &self,
        url: &Url,
        work: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        match &self.shared.runtime {
            Some(runtime) => runtime.handle().block_on(async {
                match self.visit {
                    Some(visit) => visit.limit(url, work).await,
                    None => work.await,
                }
            }),
            None => Err(FetchError::Setup("it has been shut down".to_owned())),
        }
    }

    pub(crate) async fn get_with(
        &self,
        request: &Request,
        robots_check: RobotsCheck,
        over_limit: OverLimit,
    ) -> Result<Response, FetchError> {
        self.with_retries(&request.url, async |deadline| {
            let exchange = self.exchange(Method::GET, request, robots_check);
            let pending = exchange.send(deadline).await?;
            let PendingResponse {
                head,
                response,
                host_lock,
            } = pending;
            let options = &self.shared.options;
            let limits = Limits {
                bytes: request.limit,
                unannounced_limit: request.unannounced_limit,
                over_limit,
            };
            let mut incoming = Body::new(response, limits, options, &self.meter)?;
            let mut body = Vec::new();
            while let Some(piece) = incoming.next(deadline).await? {
                body.extend_from_slice(&piece);
                deadline.reach(body.len() as u64);
            }
            drop(host_lock);
            Ok(Response { head, body })
        })
        .await
    }

    pub(crate) fn exchange<'c>(
        &'c self,
        method: Method,
        request: &'c Request,
        robots_check: RobotsCheck,
    ) -> Exchange<'c> {
        Exchange {
            client: self,
            method,
            request,
            from: None,
            robots_check,
        }
    }

    pub(crate) async fn with_retries<T>(
        &self,
        url: &Url,
        attempt: impl AsyncFn(&mut UrlDeadline) -> Result<T, FetchError>,
    ) -> Result<T, FetchError> {
        let mut deadline = UrlDeadline::start(url, &self.shared.options);
        let mut attempts = 0;
        loop {
            let error = match attempt(&mut deadline).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            attempts += 1;
            self.wait_to_retry(error, attempts, &mut deadline).await?;
        }
    }

    /// Waits before the next attempt, or returns the error if it is not worth one.
    pub(crate) async fn wait_to_retry(
        &self,
        error: FetchError,
        attempts: u32,
        deadline: &mut UrlDeadline,
    ) -> Result<(), FetchError> {
        let Some(wait) = wait_after(&error, attempts, &self.shared.options) else {
            return Err(error);
        };
        if error.asks_to_wait() {
            deadline.exclude(wait);
        }
        match deadline.left() {
            Ok(left) if left > wait => tokio::time::sleep(wait).await,
            // The time would be over before the next attempt: this error says more than a timeout.
            _ => return Err(error),
        }
        Ok(())
    }
}
