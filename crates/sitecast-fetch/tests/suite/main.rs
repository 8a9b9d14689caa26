//! Tests of the client over real sockets, with a server that misbehaves.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod bounds;
mod defence;
mod downloads;
mod politeness;

use std::path::Path;
use std::time::Duration;

use sitecast_fetch::{
    Addresses, Client, Download, Downloaded, FetchError, Options, Request, Response,
};
use sitecast_testserver::{Answer, Request as Asked, Server};

/// Returns options with short times, so that tests are quick, and with loopback allowed.
pub(crate) fn options() -> Options {
    Options {
        addresses: Addresses::All,
        delay: Duration::ZERO,
        backoff: Duration::from_millis(10),
        longest_wait: Duration::from_secs(2),
        silence: Duration::from_millis(500),
        connect: Duration::from_millis(500),
        grace: Duration::from_millis(300),
        least_rate: 1_000,
        ..Options::new("sitecast-test/1.0 (+https://example.com/bot)")
    }
}

pub(crate) fn client() -> Client {
    Client::new(options()).unwrap()
}

/// Starts a server without robots.txt.
pub(crate) fn serve(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |request| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        _ => handler(request),
    })
    .unwrap()
}

pub(crate) fn request(url: &str) -> Request {
    Request::new(url.parse().unwrap(), 1_000_000)
}

pub(crate) fn get(client: &Client, url: &str) -> Result<Response, FetchError> {
    client.get(&request(url))
}

pub(crate) fn download(
    client: &Client,
    request: &Request,
    to: &Path,
) -> Result<Downloaded, FetchError> {
    client.download(Download {
        request,
        to,
        progress: &|_, _| {},
    })
}
