//! `/metrics` and `/healthz`, on an address of their own: not for the public.

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
use crate::http::body::Payload;
use crate::observe::Served;
use crate::quota::Quota;
use crate::reply::{Reply, Sending};

/// Connections at a time: they take descriptors that nobody else counts.
const CONNECTIONS: usize = 32;
/// Who scrapes metrics asks at once.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) async fn accept(
    answerer: Arc<Answerer>,
    listener: TcpListener,
    mut stop: watch::Receiver<bool>,
) {
    let connections = Quota::new(CONNECTIONS, 0);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|&stop| stop) => return,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Some(place) = connections.enter(None) else {
            continue;
        };
        let answerer = Arc::clone(&answerer);
        tokio::spawn(async move {
            let _place = place;
            let answerer = &answerer;
            let service = service_fn(move |request: Request<Incoming>| async move {
                Ok::<_, std::convert::Infallible>(answer(answerer, &request))
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn answer(answerer: &Answerer, request: &Request<Incoming>) -> Response<Payload> {
    let mut reply = match request.uri().path() {
        "/metrics" => {
            let mut reply = Reply::text(StatusCode::OK, "");
            let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            reply.headers.insert(CONTENT_TYPE, format);
            reply.body = Sending::Bytes(Bytes::from(answerer.metrics.text()));
            reply
        }
        "/healthz" => health(&answerer.current),
        _ => Reply::not_found(),
    };
    reply.open_to_browsers();
    let served = Served::uncounted();
    let body = match reply.body {
        Sending::Bytes(bytes) => Payload::bytes(bytes, served),
        _ => Payload::empty(served),
    };
    let mut response = Response::new(body);
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    response
}
