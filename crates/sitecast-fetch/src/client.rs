use std::fmt;
use std::sync::Arc;

use reqwest::Method;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::body::{Beyond, Body, Limits};
use crate::cost::{Cost, Meter};
use crate::deadline::{Clock, Visit};
use crate::exchange::{Begun, Exchange, Manners};
use crate::pace::Hosts;
use crate::pool::Pool;
use crate::retry::wait_after;
use crate::robots::{Permission, RobotsCache};
use crate::{FetchError, Head, Options, Request, Response};

/// Fetches, politely and paranoidly. Clones share connections, robots.txt files and the pace of each
/// host.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
    pub(crate) meter: Arc<Meter>,
    visit: Option<Visit>,
}

pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) pool: Pool,
    pub(crate) hosts: Hosts,
    pub(crate) robots: RobotsCache,
    /// Taken when it is dropped.
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
        // An ordinary drop would wait for a name that is being looked up.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Client {
    /// A client of its own, with nothing known yet.
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

    /// The same client for a visit: with a meter of its own, which stands at nothing, and until
    /// [`Options::visit_time`] is over.
    pub fn counted(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            meter: Arc::default(),
            visit: Visit::begin(self.shared.options.visit_time),
        }
    }

    /// What was fetched through this client and its clones, since [`Self::counted`].
    pub fn cost(&self) -> Cost {
        self.meter.read()
    }

    /// How it behaves.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Takes something whole. Any status is an answer, but for those that may pass (429, 500 and
    /// their like): they are an error once all attempts are used up.
    pub fn get(&self, request: &Request) -> Result<Response, FetchError> {
        self.run(
            &request.url,
            self.get_with(request, Manners::Robots, Beyond::Refuse),
        )
    }

    /// What is known of something without its body.
    pub fn head(&self, request: &Request) -> Result<Head, FetchError> {
        let work = self.with_retries(&request.url, async |clock| {
            let begun = self
                .exchange(Method::HEAD, request, Manners::Robots)
                .begin(clock)
                .await?;
            Ok(begun.head)
        });
        self.run(&request.url, work)
    }

    /// What robots.txt of the URL's site says. It is fetched once.
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
            None => Err(FetchError::Setup("the client is gone".to_owned())),
        }
    }

    pub(crate) async fn get_with(
        &self,
        request: &Request,
        manners: Manners,
        beyond: Beyond,
    ) -> Result<Response, FetchError> {
        self.with_retries(&request.url, async |clock| {
            let exchange = self.exchange(Method::GET, request, manners);
            let begun = exchange.begin(clock).await?;
            let Begun {
                head,
                response,
                turn,
            } = begun;
            let options = &self.shared.options;
            let limits = Limits {
                bytes: request.limit,
                unannounced: request.unannounced,
                beyond,
            };
            let mut incoming = Body::new(response, limits, options, &self.meter)?;
            let mut body = Vec::new();
            while let Some(piece) = incoming.next(clock).await? {
                body.extend_from_slice(&piece);
                clock.reach(body.len() as u64);
            }
            drop(turn);
            Ok(Response { head, body })
        })
        .await
    }

    pub(crate) fn exchange<'c>(
        &'c self,
        method: Method,
        request: &'c Request,
        manners: Manners,
    ) -> Exchange<'c> {
        Exchange {
            client: self,
            method,
            request,
            from: None,
            manners,
        }
    }

    pub(crate) async fn with_retries<T>(
        &self,
        url: &Url,
        attempt: impl AsyncFn(&mut Clock) -> Result<T, FetchError>,
    ) -> Result<T, FetchError> {
        let mut clock = Clock::start(url, &self.shared.options);
        let mut attempts = 0;
        loop {
            let error = match attempt(&mut clock).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            attempts += 1;
            self.wait_to_retry(error, attempts, &mut clock).await?;
        }
    }

    /// Waits before another attempt, or answers with the error if there is to be none.
    pub(crate) async fn wait_to_retry(
        &self,
        error: FetchError,
        attempts: u32,
        clock: &mut Clock,
    ) -> Result<(), FetchError> {
        let Some(wait) = wait_after(&error, attempts, &self.shared.options) else {
            return Err(error);
        };
        if error.asks_to_wait() {
            clock.excuse(wait);
        }
        match clock.left() {
            Ok(left) if left > wait => tokio::time::sleep(wait).await,
            // It says more than that the time would be over before the next attempt.
            _ => return Err(error),
        }
        Ok(())
    }
}
