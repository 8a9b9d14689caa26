//! Connections: accepting, limiting, serving and closing them.

mod fast_path;
pub(crate) mod limited_stream;
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
use crate::quota::{Permit, Quota};
use fast_path::{FastPath, Outcome};
use limited_stream::LimitedStream;
use tls::Tls;

/// Time limit for the TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// hyper's default limit. hyper parses up to this number of headers on the stack; with any other limit it allocates for
/// each request.
const HYPER_DEFAULT_HEADERS: usize = 100;
/// Pause after `accept` failed, for example because no descriptor was free.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The initial value of flow-control windows (RFC 9113 §6.9.2). Requests have no bodies worth a larger one.
const HTTP_2_WINDOW: u32 = 65_535;
/// Malformed requests allowed on one HTTP/2 connection.
const HTTP_2_MALFORMED: usize = 64;

/// The state that all connections share.
pub(crate) struct ConnectionContext {
    pub(crate) answerer: Arc<Answerer>,
    pub(crate) limits: Limits,
    pub(crate) tls: Option<Tls>,
    pub(crate) connections: Arc<Quota>,
}

/// Counts an open connection until dropped.
struct OpenConnection {
    metrics: Arc<Metrics>,
    _permit: Permit,
}

impl ConnectionContext {
    /// Admits a connection unless a limit is reached. Connections of trusted proxies count towards the total only.
    fn admit(&self, client: IpAddr) -> Option<OpenConnection> {
        let is_proxy = self.answerer.proxies.trust(client);
        let metrics = &self.answerer.metrics;
        let Some(permit) = self.connections.acquire((!is_proxy).then_some(client)) else {
            metrics.refused();
            return None;
        };
        metrics.opened();
        Some(OpenConnection {
            metrics: Arc::clone(metrics),
            _permit: permit,
        })
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.metrics.closed();
    }
}

/// Accepts connections until the server stops, then waits for the open ones.
pub(crate) async fn accept(
    shared: Arc<ConnectionContext>,
    listener: TcpListener,
    stop: watch::Receiver<bool>,
) {
    let mut stopping = stop.clone();
    // Every connection holds a sender.
    let (alive, mut all_closed) = tokio::sync::mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopping.wait_for(|&stop| stop) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(_) => {
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let Some(guard) = shared.admit(address.ip()) else {
            continue;
        };
        let (shared, stop, alive) = (Arc::clone(&shared), stop.clone(), alive.clone());
        tokio::spawn(async move {
            serve(&shared, stream, address.ip(), stop).await;
            drop((guard, alive));
        });
    }
    drop(listener);
    drop(alive);
    // Nothing is ever sent: this returns when the last sender is dropped.
    let _ = all_closed.recv().await;
}

async fn serve(
    shared: &ConnectionContext,
    stream: TcpStream,
    client: IpAddr,
    stop: watch::Receiver<bool>,
) {
    // Responses are written whole, so Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    match &shared.tls {
        None => serve_stream(shared, stream, client, stop).await,
        Some(tls) => {
            let timeout = HANDSHAKE_TIMEOUT.min(shared.limits.idle);
            let handshake = tokio::time::timeout(timeout, tls.acceptor().accept(stream));
            let agreed = tokio::select! {
                agreed = handshake => agreed,
                () = stop_requested(stop.clone()) => return,
            };
            if let Ok(Ok(stream)) = agreed {
                Box::pin(serve_stream(shared, stream, client, stop)).await;
            }
        }
    }
}

async fn serve_stream<S>(
    shared: &ConnectionContext,
    stream: S,
    client: IpAddr,
    stop: watch::Receiver<bool>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let limits = &shared.limits;
    let activity = Arc::new(Activity::new(Arc::clone(&shared.answerer.metrics)));
    let mut stream = LimitedStream::new(stream, Arc::clone(&activity), limits);
    let peer = Peer {
        address: client,
        activity,
    };
    let mut stopping = std::pin::pin!(stop_requested(stop));
    if shared.answerer.has_fast_path(limits) {
        let mut fast_path = FastPath::new(&mut stream, &shared.answerer, &peer);
        let outcome = poll_fn(|context| match fast_path.poll(context) {
            Poll::Pending if fast_path.is_idle() => {
                let stopping = stopping.as_mut().poll(context);
                stopping.map(|()| Outcome::Closed)
            }
            outcome => outcome,
        });
        match outcome.await {
            Outcome::Closed => {
                let _ = poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await;
                return;
            }
            Outcome::HandOver(bytes) => stream.replay(bytes),
        }
    }
    // Boxed: the state is much larger than that of a connection on the fast path.
    Box::pin(serve_with_hyper(shared, stream, peer, stopping)).await;
}

/// Serves HTTP/1.1 and HTTP/2 with hyper.
async fn serve_with_hyper<S, F>(
    shared: &ConnectionContext,
    stream: LimitedStream<S>,
    peer: Peer,
    mut stopping: Pin<&mut F>,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Future<Output = ()>,
{
    let limits = &shared.limits;
    let (answerer, client) = (Arc::clone(&shared.answerer), peer.address);
    let service = service_fn(move |request| answerer.answer(&peer, request));
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        // `LimitedStream` enforces time-outs without setting a timer for each request.
        .header_read_timeout(None)
        .half_close(true)
        // No `pipeline_flush`: with it, hyper buffers whole bodies however large they are.
        .max_buf_size(limits.header_bytes.max(8 << 10));
    if limits.headers != HYPER_DEFAULT_HEADERS {
        builder.http1().max_headers(limits.headers);
    }
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        // Requests need no bodies, so the windows stay at the protocol's minimum.
        .initial_stream_window_size(HTTP_2_WINDOW)
        .initial_connection_window_size(HTTP_2_WINDOW)
        .max_local_error_reset_streams(HTTP_2_MALFORMED)
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
    // hyper has closed the connection; all that is left is to count the request it refused.
    if let Err(error) = result {
        shared.answerer.count_unparsed(client, &*error);
    }
}

/// Resolves when the server stops. Only the first poll registers a waker; later polls compare a version number, which
/// costs next to nothing.
async fn stop_requested(mut stop: watch::Receiver<bool>) {
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
