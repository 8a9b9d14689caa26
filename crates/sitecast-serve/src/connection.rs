//! Connections: accepted, watched over, served, let go.

mod desk;
pub(crate) mod guarded;
pub(crate) mod tls;

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::answer::{Answerer, Peer};
use crate::observe::Activity;
use crate::observe::metrics::Metrics;
use crate::options::Limits;
use crate::quota::{Place, Quota};
use desk::{Desk, Outcome};
use guarded::Guarded;
use tls::Tls;

/// How long a client may take to agree on keys.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The number of headers that hyper allows by itself, and has room for without asking for memory for each request.
const HYPERS_HEADERS: usize = 100;
/// After an error of the system (no more files, say) it is given a moment.
const BREATH: Duration = Duration::from_millis(50);

/// Bytes of bodies that a client may send before they are asked for: the initial value of RFC 9113, section 6.9.2.
const HTTP_2_WINDOW: u32 = 65_535;
/// Malformed requests on one connection of HTTP/2.
const HTTP_2_MISTAKES: usize = 64;

/// What all connections share.
pub(crate) struct Door {
    pub(crate) answerer: Arc<Answerer>,
    pub(crate) limits: Limits,
    pub(crate) tls: Option<Tls>,
    pub(crate) connections: Arc<Quota>,
}

/// Counts a connection as long as it lives.
struct Entered {
    metrics: Arc<Metrics>,
    _place: Place,
}

impl Door {
    /// Lets a connection in, unless there are too many.
    fn enter(&self, client: IpAddr) -> Option<Entered> {
        let is_proxy = self.answerer.proxies.trust(client);
        let metrics = &self.answerer.metrics;
        let Some(place) = self.connections.enter((!is_proxy).then_some(client)) else {
            metrics.refused();
            return None;
        };
        metrics.opened();
        Some(Entered {
            metrics: Arc::clone(metrics),
            _place: place,
        })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.metrics.closed();
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
            let patience = HANDSHAKE.min(door.limits.idle);
            let handshake = tokio::time::timeout(patience, tls.acceptor().accept(stream));
            let agreed = tokio::select! {
                agreed = handshake => agreed,
                () = told_to_stop(stop.clone()) => return,
            };
            if let Ok(Ok(stream)) = agreed {
                Box::pin(converse(door, stream, client, stop)).await;
            }
        }
    }
}

async fn converse<S>(door: &Door, stream: S, client: IpAddr, stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &door.limits;
    let activity = Arc::new(Activity::new(Arc::clone(&door.answerer.metrics)));
    let mut stream = Guarded::new(stream, Arc::clone(&activity), limits);
    let peer = Peer {
        address: client,
        activity,
    };
    let mut stopping = std::pin::pin!(told_to_stop(stop));
    if door.answerer.is_quick(limits) {
        let mut desk = Desk::new(&mut stream, &door.answerer, &peer);
        let outcome = poll_fn(|context| match desk.poll(context) {
            Poll::Pending if desk.is_idle() => {
                let stopping = stopping.as_mut().poll(context);
                stopping.map(|()| Outcome::Ended)
            }
            outcome => outcome,
        });
        match outcome.await {
            Outcome::Ended => {
                let _ = poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await;
                return;
            }
            Outcome::Other(bytes) => stream.replay(bytes),
        }
    }
    // Much more than a connection needs that waits, or asks for nothing else.
    Box::pin(speak(door, stream, peer, stopping)).await;
}

/// All of HTTP, in both versions.
async fn speak<S, F>(door: &Door, stream: Guarded<S>, peer: Peer, mut stopping: Pin<&mut F>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Future<Output = ()>,
{
    let limits = &door.limits;
    let (answerer, client) = (Arc::clone(&door.answerer), peer.address);
    let service = service_fn(move |request| answerer.answer(&peer, request));
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        // Watched over by `Guarded`, which needs no timer for each request.
        .header_read_timeout(None)
        .half_close(true)
        // `pipeline_flush` would make hyper take in bodies whole, however large.
        .max_buf_size(limits.header_bytes.max(8 << 10));
    if limits.headers != HYPERS_HEADERS {
        builder.http1().max_headers(limits.headers);
    }
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        // Nobody has a body to send: no more of one is let through than the protocol allows at once.
        .initial_stream_window_size(HTTP_2_WINDOW)
        .initial_connection_window_size(HTTP_2_WINDOW)
        .max_local_error_reset_streams(HTTP_2_MISTAKES)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .max_send_buf_size(256 << 10);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => stopping.as_mut().poll(context).map(|()| None),
    });
    let result = match ended.await {
        Some(result) => result,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // The connection is closed, whatever the client did wrong.
    if let Err(error) = result {
        door.answerer.count_unparsed(client, &*error);
    }
}

/// Ends when the server is told to stop. It wakes the task that first asks; to be asked again costs next to nothing.
async fn told_to_stop(mut stop: watch::Receiver<bool>) {
    let changes = stop.clone();
    let mut told = std::pin::pin!(stop.wait_for(|&stop| stop));
    let mut waits = false;
    poll_fn(|context| {
        if waits && matches!(changes.has_changed(), Ok(false)) {
            return Poll::Pending;
        }
        waits = true;
        told.as_mut().poll(context).map(|_| ())
    })
    .await;
}
