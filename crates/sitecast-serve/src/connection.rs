//! Connections: accepted, watched over, served, let go.

pub(crate) mod guarded;
pub(crate) mod tls;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::answer::{Answerer, Peer};
use crate::observe::Activity;
use crate::options::Limits;
use crate::rate::network;
use guarded::Guarded;
use tls::Tls;

/// How long a client may take to agree on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// After an error of the system (no more files, say) it is given a moment.
const BREATH: Duration = Duration::from_millis(50);

/// What all connections share.
pub(crate) struct Door {
    pub(crate) answerer: Arc<Answerer>,
    pub(crate) limits: Limits,
    pub(crate) tls: Option<Tls>,
    pub(crate) open: AtomicUsize,
    pub(crate) clients: Mutex<HashMap<IpAddr, usize>>,
}

/// Counts a connection as long as it lives.
struct Entered {
    door: Arc<Door>,
    client: Option<IpAddr>,
}

impl Door {
    /// Lets a connection in, unless there are too many.
    fn enter(self: &Arc<Self>, client: IpAddr) -> Option<Entered> {
        if self.open.fetch_add(1, Ordering::Relaxed) >= self.limits.connections {
            self.open.fetch_sub(1, Ordering::Relaxed);
            self.answerer.metrics.refused();
            return None;
        }
        let mut entered = Entered {
            door: Arc::clone(self),
            client: None,
        };
        self.answerer.metrics.opened();
        let most = self.limits.connections_per_client;
        if most > 0 {
            let client = network(client);
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            let open = clients.entry(client).or_default();
            if *open >= most {
                self.answerer.metrics.refused();
                return None;
            }
            *open += 1;
            entered.client = Some(client);
        }
        Some(entered)
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.door.open.fetch_sub(1, Ordering::Relaxed);
        self.door.answerer.metrics.closed();
        if let Some(client) = self.client {
            let mut clients = self
                .door
                .clients
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(open) = clients.get_mut(&client) {
                *open -= 1;
                if *open == 0 {
                    clients.remove(&client);
                }
            }
        }
    }
}

/// Accepts connections until it is told to stop, then waits for those that are open.
pub(crate) async fn accept(door: Arc<Door>, listener: TcpListener, stop: watch::Receiver<bool>) {
    let mut stopping = stop.clone();
    // Dropped by every connection that ends.
    let (alive, mut all_gone) = tokio::sync::mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|&stop| stop) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(_) => {
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let Some(entered) = door.enter(address.ip()) else {
            continue;
        };
        let (door, stop, alive) = (Arc::clone(&door), stop.clone(), alive.clone());
        tokio::spawn(async move {
            serve(&door, stream, address.ip(), stop).await;
            drop((entered, alive));
        });
    }
    drop(listener);
    drop(alive);
    // Nobody ever sends: this ends when the last connection has.
    let _ = all_gone.recv().await;
}

async fn serve(door: &Door, stream: TcpStream, client: IpAddr, stop: watch::Receiver<bool>) {
    // Answers are written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    match &door.tls {
        None => converse(door, stream, client, stop).await,
        Some(tls) => {
            let handshake = tls.acceptor().accept(stream);
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, handshake).await {
                converse(door, stream, client, stop).await;
            }
        }
    }
}

async fn converse<S>(door: &Door, stream: S, client: IpAddr, mut stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &door.limits;
    let activity = Arc::new(Activity::default());
    let stream = Guarded::new(stream, Arc::clone(&activity), limits);
    let peer = Peer {
        address: client,
        activity,
    };
    let asked = Arc::new((Arc::clone(&door.answerer), peer));
    let service = service_fn(move |request| {
        let asked = Arc::clone(&asked);
        async move {
            let (answerer, peer) = &*asked;
            Ok::<_, std::convert::Infallible>(answerer.answer(peer, request).await)
        }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        // Watched over by `Guarded`, which needs no timer for each request.
        .header_read_timeout(None)
        .half_close(true)
        .max_headers(limits.headers)
        // `pipeline_flush` would make hyper take in bodies whole, however large.
        .max_buf_size(limits.header_bytes.max(8 << 10));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .max_send_buf_size(256 << 10);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // What a client does wrong is its own affair: the connection is closed.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|&stop| stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
