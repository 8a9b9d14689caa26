//! Starting, running, stopping.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use sitecast_storage::Store;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use crate::answer::{Answerer, Mismatches};
use crate::cache::Cache;
use crate::connection::tls::Tls;
use crate::connection::{Door, accept};
use crate::current::{Current, Notice};
use crate::descriptors::{Shares, raise_limit};
use crate::observe::log::{AccessLog, LogFormat};
use crate::observe::metrics::Metrics;
use crate::options::Options;
use crate::protection::{self, Protected, Protection};
use crate::quota::Quota;
use crate::rate::Limiter;
use crate::site::collections::KnownCollections;
use crate::site::lists::KnownLists;
use crate::site::load::Loader;
use crate::{ServeError, admin};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// What is told to who runs the server.
pub type Tell = Arc<dyn Fn(Notice) + Send + Sync>;

/// A server that runs.
///
/// Each worker is a thread with a socket of its own on the same address, among which the kernel
/// shares out connections; nothing is locked from one request to the next.
pub struct Server {
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
    door: Arc<Door>,
    current: Arc<Current>,
    stop: watch::Sender<bool>,
    workers: Vec<JoinHandle<()>>,
    others: Vec<JoinHandle<()>>,
    patience: Duration,
}

impl Server {
    /// Reads the publication and begins to serve it.
    ///
    /// `log` is where the access log goes, if anywhere; `tell` hears of new publications and of what
    /// is wrong with them.
    pub fn start(
        store: Arc<dyn Store>,
        options: Options,
        log: Option<(LogFormat, Box<dyn Write + Send>)>,
        tell: Tell,
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
            tell(Notice::Warning(warning.clone()));
        }
        let workers = match options.workers {
            0 => thread::available_parallelism().map_or(1, usize::from),
            workers => workers,
        };
        let held = current.site().descriptors();
        let shares = Shares::new(raise_limit(), &options.limits, workers, held);
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
            lists: Arc::new(KnownLists::new(Arc::clone(&tell))),
            cache: Cache::new(options.cache_bytes),
            files: Quota::new(shares.files, shares.files_per_client),
            proxies: options.proxies.clone(),
            limiter: options.rate_limit.map(Limiter::new),
            metrics,
            log,
            legacy_slug: options.legacy_slug.clone(),
            content_digest: options.content_digest,
            patience: options.patience,
            mismatches: Mismatches::default(),
            broken_off: options.broken_off,
        });
        let door = Arc::new(Door {
            answerer,
            limits: options.limits.clone(),
            connections: Quota::new(shares.connections, shares.connections_per_client),
            tls: options.tls.clone().map(Tls::load).transpose()?,
        });
        let stop = watch::Sender::new(false);
        // All sockets before the first thread: an address that is taken is an error, not half a server.
        refuse_company(options.listen)?;
        let first = listen(options.listen)?;
        let address = first.local_addr().map_err(ServeError::System)?;
        let mut sockets = vec![first];
        for _ in 1..workers {
            sockets.push(listen(address)?);
        }
        let metrics_socket = options.metrics.map(listen_alone).transpose()?;
        let metrics_address = metrics_socket
            .as_ref()
            .map(std::net::TcpListener::local_addr)
            .transpose()
            .map_err(ServeError::System)?;
        let mut threads = Vec::new();
        for (number, socket) in sockets.into_iter().enumerate() {
            let (door, stop) = (Arc::clone(&door), stop.subscribe());
            threads.push(worker(
                format!("serve-{number}"),
                shares.threads,
                socket,
                move |listener| accept(door, listener, stop),
            )?);
        }
        if let Some(socket) = metrics_socket {
            let (answerer, stop) = (Arc::clone(&door.answerer), stop.subscribe());
            others.push(worker("metrics".to_owned(), 1, socket, move |listener| {
                admin::accept(answerer, listener, stop)
            })?);
        }
        let watched = Arc::clone(&current);
        let thread = thread::Builder::new()
            .name("publications".to_owned())
            .spawn(move || watched.watch(options.poll, options.notifications, &*tell))
            .map_err(ServeError::System)?;
        others.push(thread);
        Ok(Self {
            address,
            metrics_address,
            door,
            current,
            stop,
            workers: threads,
            others,
            patience: options.shutdown,
        })
    }

    /// Where it listens; the port is the one that the system chose if none was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the metrics are.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// The path of the site's home page: `/`, or that of the base URL.
    pub fn root(&self) -> String {
        let site = self.current.site();
        let base = site.base.as_ref();
        base.map_or_else(|| "/".to_owned(), |base| base.url_path().to_owned())
    }

    /// How many pages with machine pages, and how many collections.
    pub fn counts(&self) -> (usize, usize) {
        let site = self.current.site();
        (site.pages.len(), site.collections.len())
    }

    /// Reads certificates again, and looks for a new publication.
    pub fn reload(&self) -> Result<(), ServeError> {
        self.current.poke();
        match &self.door.tls {
            Some(tls) => tls.reload(),
            None => Ok(()),
        }
    }

    /// Takes no more connections, and lets running downloads come to their end. `false` if some did
    /// not in the time they have.
    pub fn stop(self) -> bool {
        self.stop.send_replace(true);
        self.current.end();
        let deadline = std::time::Instant::now() + self.patience;
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
        // What still runs holds the log open; the process ends anyway.
        if all {
            drop((self.door, self.current));
            for other in self.others {
                let _ = other.join();
            }
        }
        all
    }
}

fn check(options: &Options) -> Result<(), ServeError> {
    let wrong = |problem: &str| Err(ServeError::Settings(problem.to_owned()));
    if options.protected.len() > protection::MOST {
        return wrong("more than 64 protected prefixes");
    }
    if let Some(problem) = options.protected.iter().find_map(Protected::problem) {
        return wrong(&problem);
    }
    if let Some(limit) = options.rate_limit
        && (!limit.per_second.is_finite() || limit.per_second <= 0.0 || limit.burst == 0)
    {
        return wrong("a rate limit of no requests");
    }
    Ok(())
}

/// A thread with a small runtime of its own.
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
            // A read from a disk that hangs must not keep the server from ending.
            runtime.shutdown_background();
        })
        .map_err(ServeError::System)
}

/// Sockets of ours share an address; another process that did so as well would answer every other client. So the
/// address has to be free for one that does not share.
fn refuse_company(address: SocketAddr) -> Result<(), ServeError> {
    match std::net::TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(source) => Err(ServeError::Listen { address, source }),
    }
}

/// A socket among others on the same address.
fn listen(address: SocketAddr) -> Result<std::net::TcpListener, ServeError> {
    let failed = |source: io::Error| ServeError::Listen { address, source };
    // tokio's sockets know the option, and want a runtime around them.
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

fn listen_alone(address: SocketAddr) -> Result<std::net::TcpListener, ServeError> {
    let failed = |source: io::Error| ServeError::Listen { address, source };
    let listener = std::net::TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}
