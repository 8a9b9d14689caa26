//! `/metrics` and `/healthz` on a separate address, which is not for the public.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::answer::{Answerer, health};
use crate::http::body::ResponseBody;
use crate::observe::RequestTracker;
use crate::quota::Quota;
use crate::reply::{Reply, ReplyBody};

/// Concurrent connections. Their descriptors are not part of `DescriptorShares`.
const MAX_CONNECTIONS: usize = 32;
/// A scraper sends its request at once.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) async fn accept(
    answerer: Arc<Answerer>,
    listener: TcpListener,
    mut stop: watch::Receiver<bool>,
) {
    let connections = Quota::new(MAX_CONNECTIONS, 0);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|&stop| stop) => return,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some(permit) = connections.acquire(None) else {
            continue;
        };
        let answerer = Arc::clone(&answerer);
        tokio::spawn(async move {
            let _permit = permit;
            let answerer = &answerer;
            let service = service_fn(move |request: Request<Incoming>| async move {
                Ok::<_, std::convert::Infallible>(answer(answerer, &request))
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIMEOUT)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn answer(answerer: &Answerer, request: &Request<Incoming>) -> Response<ResponseBody> {
    let mut reply = match request.uri().path() {
        "/metrics" => {
            let mut reply = Reply::text(StatusCode::OK, "");
            let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            reply.headers.insert(CONTENT_TYPE, format);
            reply.body = ReplyBody::Bytes(Bytes::from(answerer.metrics.text()));
            reply
        }
        "/healthz" => health(&answerer.current),
        _ => Reply::not_found(),
    };
    reply.add_browser_headers();
    let tracker = RequestTracker::uncounted();
    let body = match reply.body {
        ReplyBody::Bytes(bytes) => ResponseBody::bytes(bytes, tracker),
        _ => ResponseBody::empty(tracker),
    };
    let mut response = Response::new(body);
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    response
}
