//! The server: starting its threads, reloading, stopping.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sitecast_storage::Store;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use crate::answer::{Answerer, Mismatches};
use crate::cache::ResponseCache;
use crate::connection::tls::Tls;
use crate::connection::{ConnectionContext, accept};
use crate::current::{Current, Notice};
use crate::descriptors::{DescriptorShares, raise_limit};
use crate::observe::log::{AccessLog, LogFormat};
use crate::observe::metrics::Metrics;
use crate::options::Options;
use crate::protection::{self, ProtectedPrefix, Protection};
use crate::quota::Quota;
use crate::rate::Limiter;
use crate::site::collections::KnownCollections;
use crate::site::load::Loader;
use crate::site::mentions::MentionScanner;
use crate::{ServeError, admin};

/// Length of the queue of connections that the kernel has established and no worker has accepted.
const BACKLOG: u32 = 1_024;

/// A callback for events that the operator should see. Several threads may call it at once.
pub type NoticeHandler = Arc<dyn Fn(Notice) + Send + Sync>;

/// A running server.
///
/// Each worker is a thread with its own socket on the shared address, and the kernel distributes connections among
/// them. Workers share no lock on the path of a request.
pub struct Server {
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
    shared: Arc<ConnectionContext>,
    current: Arc<Current>,
    stop: watch::Sender<bool>,
    workers: Vec<JoinHandle<()>>,
    others: Vec<JoinHandle<()>>,
    shutdown: Duration,
}

impl Server {
    /// Reads the publication and starts to serve it.
    ///
    /// `log` receives the access log, if there is to be one. `on_notice` is called when a new publication is served,
    /// and with warnings and errors about publications.
    pub fn start(
        store: Arc<dyn Store>,
        options: Options,
        log: Option<(LogFormat, Box<dyn Write + Send>)>,
        on_notice: NoticeHandler,
    ) -> Result<Self, ServeError> {
        check(&options)?;
        let metrics = Arc::new(Metrics::default());
        let protection = Arc::new(Protection::new(options.protected.clone()));
        let known = Arc::new(KnownCollections::default());
        let loader = Loader {
            store: Arc::clone(&store),
            protection: Arc::clone(&protection),
            known: Arc::clone(&known),
            base: options.base_url.clone(),
        };
        let current = Arc::new(Current::load(loader, &metrics)?);
        for warning in &current.site().warnings {
            on_notice(Notice::Warning(warning.clone()));
        }
        let workers = match options.workers {
            0 => thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        };
        let held = current.site().descriptors();
        let shares = DescriptorShares::new(raise_limit(), &options.limits, workers, held);
        let mut others = Vec::new();
        let log = match log {
            None => None,
            Some((format, out)) => {
                let (log, thread) =
                    AccessLog::start(format, out, &metrics).map_err(ServeError::System)?;
                others.push(thread);
                Some(log)
            }
        };
        let answerer = Arc::new(Answerer {
            store,
            current: Arc::clone(&current),
            protection,
            known,
            mentions: Arc::new(MentionScanner::new(Arc::clone(&on_notice))),
            cache: ResponseCache::new(options.cache_bytes),
            files: Quota::new(shares.files, shares.files_per_client),
            proxies: options.proxies.clone(),
            limiter: options.rate_limit.map(Limiter::new),
            metrics,
            log,
            legacy_slug: options.legacy_slug.clone(),
            content_digest: options.content_digest,
            publication_wait: options.publication_wait,
            mismatches: Mismatches::default(),
            abandoned_after: options.abandoned_after,
        });
        let shared = Arc::new(ConnectionContext {
            answerer,
            limits: options.limits.clone(),
            connections: Quota::new(shares.connections, shares.connections_per_client),
            tls: options.tls.clone().map(Tls::load).transpose()?,
        });
        let stop = watch::Sender::new(false);
        // Open all sockets before the first thread starts, so that an address in use is an error rather than half a
        // server.
        ensure_unused(options.listen)?;
        let first = listen(options.listen)?;
        let address = first.local_addr().map_err(ServeError::System)?;
        let mut sockets = vec![first];
        for _ in 1..workers {
            sockets.push(listen(address)?);
        }
        let metrics_socket = options.metrics.map(listen_exclusively).transpose()?;
        let metrics_address = metrics_socket
            .as_ref()
            .map(std::net::TcpListener::local_addr)
            .transpose()
            .map_err(ServeError::System)?;
        let mut threads = Vec::new();
        for (number, socket) in sockets.into_iter().enumerate() {
            let (shared, stop) = (Arc::clone(&shared), stop.subscribe());
            threads.push(worker(
                format!("serve-{number}"),
                shares.threads,
                socket,
                move |listener| accept(shared, listener, stop),
            )?);
        }
        if let Some(socket) = metrics_socket {
            let (answerer, stop) = (Arc::clone(&shared.answerer), stop.subscribe());
            others.push(worker("metrics".to_owned(), 1, socket, move |listener| {
                admin::accept(answerer, listener, stop)
            })?);
        }
        let watched = Arc::clone(&current);
        let thread = thread::Builder::new()
            .name("publications".to_owned())
            .spawn(move || watched.watch(options.poll, options.notifications, &*on_notice))
            .map_err(ServeError::System)?;
        others.push(thread);
        Ok(Self {
            address,
            metrics_address,
            shared,
            current,
            stop,
            workers: threads,
            others,
            shutdown: options.shutdown,
        })
    }

    /// The address the server listens on, with the port that the system chose if port 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of `/metrics`, if it is enabled.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// The path of the site's home page: `/`, or that of the base URL.
    pub fn root(&self) -> String {
        let site = self.current.site();
        let base = site.base.as_ref();
        base.map_or_else(|| "/".to_owned(), |base| base.url_path().to_owned())
    }

    /// The number of pages with machine pages, and the number of collections.
    pub fn counts(&self) -> (usize, usize) {
        let site = self.current.site();
        (site.pages.len(), site.collections.len())
    }

    /// Reads the TLS certificates again, and has the watching thread look for a new publication at once.
    pub fn reload(&self) -> Result<(), ServeError> {
        self.current.check_now();
        match &self.shared.tls {
            Some(tls) => tls.reload(),
            None => Ok(()),
        }
    }

    /// Accepts no more connections, and waits up to [`Options::shutdown`] for running downloads. Returns `false` if
    /// some of them did not finish in time.
    pub fn stop(self) -> bool {
        self.stop.send_replace(true);
        self.current.end();
        let deadline = std::time::Instant::now() + self.shutdown;
        let mut all = true;
        for worker in self.workers {
            while !worker.is_finished() && std::time::Instant::now() < deadline {
                thread::sleep(Duration::from_millis(5));
            }
            if worker.is_finished() {
                let _ = worker.join();
            } else {
                all = false;
            }
        }
        // Workers that still run hold the log open; the process ends without waiting for it.
        if all {
            drop((self.shared, self.current));
            for other in self.others {
                let _ = other.join();
            }
        }
        all
    }
}

fn check(options: &Options) -> Result<(), ServeError> {
    let wrong = |problem: &str| Err(ServeError::Settings(problem.to_owned()));
    if options.protected.len() > protection::MAX_PREFIXES {
        return wrong("too many protected prefixes: at most 64 are allowed");
    }
    if let Some(problem) = options.protected.iter().find_map(ProtectedPrefix::problem) {
        return wrong(&problem);
    }
    if let Some(limit) = options.rate_limit
        && (!limit.per_second.is_finite() || limit.per_second <= 0.0 || limit.burst == 0)
    {
        return wrong(
            "`rate_limit` allows no requests: `per_second` and `burst` must be greater than 0",
        );
    }
    Ok(())
}

/// Starts a thread with its own single-threaded runtime.
fn worker<F, W>(
    name: String,
    blocking_threads: usize,
    socket: std::net::TcpListener,
    work: F,
) -> Result<JoinHandle<()>, ServeError>
where
    F: FnOnce(TcpListener) -> W + Send + 'static,
    W: Future<Output = ()>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(blocking_threads)
        .build()
        .map_err(ServeError::System)?;
    thread::Builder::new()
        .name(name)
        .spawn(move || {
            let listener = {
                let _inside = runtime.enter();
                TcpListener::from_std(socket)
            };
            if let Ok(listener) = listener {
                runtime.block_on(work(listener));
            }
            // A read from a hanging disk must not keep the server from stopping.
            runtime.shutdown_background();
        })
        .map_err(ServeError::System)
}

/// Fails if another process listens on the address. `SO_REUSEPORT` would let a second server share it silently, and
/// each would get half of the connections; so this binds once without the option.
fn ensure_unused(address: SocketAddr) -> Result<(), ServeError> {
    match std::net::TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(source) => Err(ServeError::Listen { address, source }),
    }
}

/// Opens a socket with `SO_REUSEPORT`, so that each worker can have one on the same address.
fn listen(address: SocketAddr) -> Result<std::net::TcpListener, ServeError> {
    let failed = |source: io::Error| ServeError::Listen { address, source };
    // `TcpSocket` has the option, and needs a runtime to be entered.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::System)?;
    let _inside = runtime.enter();
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }
    .map_err(failed)?;
    socket.set_reuseaddr(true).map_err(failed)?;
    #[cfg(unix)]
    socket.set_reuseport(true).map_err(failed)?;
    socket.bind(address).map_err(failed)?;
    let listener = socket.listen(BACKLOG).map_err(failed)?;
    listener.into_std().map_err(failed)
}

fn listen_exclusively(address: SocketAddr) -> Result<std::net::TcpListener, ServeError> {
    let failed = |source: io::Error| ServeError::Listen { address, source };
    let listener = std::net::TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}
