//! From a request to an answer.

mod collection;
mod document;
mod file;
mod machine_page;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, HOST, HeaderValue, REFERER, USER_AGENT,
    WWW_AUTHENTICATE,
};
use hyper::http::request::Parts as RequestParts;
use hyper::{Method, Request, Response, StatusCode, Version};
use sitecast_storage::{Store, StoreError};

use crate::cache::Cache;
use crate::current::Current;
use crate::http::body::Payload;
use crate::http::chunk::Streaming;
use crate::http::target::{self, BadPath};
use crate::observe::log::{AccessLog, Record};
use crate::observe::metrics::Metrics;
use crate::observe::{Activity, Kind, Served, agent};
use crate::protection::{Parts, Protection};
use crate::rate::Limiter;
use crate::reply::{Reply, Sending};
use crate::site::Site;
use crate::site::collections::KnownCollections;

/// What all requests share.
pub(crate) struct Answerer {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) current: Arc<Current>,
    pub(crate) protection: Arc<Protection>,
    pub(crate) known: Arc<KnownCollections>,
    pub(crate) cache: Cache,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<AccessLog>,
    pub(crate) legacy_slug: Option<String>,
    pub(crate) content_digest: bool,
    pub(crate) patience: std::time::Duration,
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    pub(crate) activity: Arc<Activity>,
}

/// Where a load balancer asks whether the server is well.
const HEALTH: &str = "/healthz";

impl Answerer {
    /// Answers a request.
    pub(crate) async fn answer(
        &self,
        peer: &Peer,
        request: Request<Incoming>,
    ) -> Response<Payload> {
        let mut served = Served::begin(&self.metrics, &peer.activity);
        let started = self.log.as_ref().map(|_| Instant::now());
        let (parts, _) = request.into_parts();
        let mut reply = self.limited(peer, &parts).await;
        let agent = parts.headers.get(USER_AGENT).map(HeaderValue::as_bytes);
        self.metrics
            .request(reply.kind, agent::of(agent), reply.status.as_u16());
        if let (Some(log), Some(started)) = (&self.log, started) {
            served.log(record(log, started, peer, &parts, &reply));
        }
        let body = match reply.body {
            Sending::Bytes(bytes) if parts.method == Method::HEAD => {
                let length = HeaderValue::from(bytes.len());
                reply.headers.entry(CONTENT_LENGTH).or_insert(length);
                Payload::empty(served)
            }
            Sending::Nothing | Sending::Pieces(_) if parts.method == Method::HEAD => {
                Payload::empty(served)
            }
            Sending::Nothing => Payload::empty(served),
            Sending::Bytes(bytes) => Payload::bytes(bytes, served),
            Sending::Pieces(pieces) => Payload::pieces(pieces, Streaming::begin(), served),
        };
        let mut response = Response::new(body);
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        response
    }

    /// Within what the client may ask for.
    async fn limited(&self, peer: &Peer, request: &RequestParts) -> Reply {
        let Some(limiter) = &self.limiter else {
            return self.reply(request).await;
        };
        let standing = limiter.take(peer.address, Instant::now());
        let mut reply = if standing.allowed {
            self.reply(request).await
        } else {
            Reply::text(StatusCode::TOO_MANY_REQUESTS, "Not so fast.\n")
        };
        limiter.describe(standing, &mut reply.headers);
        reply
    }

    async fn reply(&self, request: &RequestParts) -> Reply {
        if request.method != Method::GET && request.method != Method::HEAD {
            return Reply::text(
                StatusCode::METHOD_NOT_ALLOWED,
                "Only GET and HEAD are answered.\n",
            )
            .with(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        // RFC 9112, section 3.2: without one, or with two, it must be refused.
        let hosts = request.headers.get_all(HOST).iter().count();
        if hosts > 1 || (hosts == 0 && request.version == Version::HTTP_11) {
            return Reply::bad_request("A request has one Host.\n");
        }
        let path = match target::decode(request.uri.path()) {
            Ok(path) => path,
            Err(BadPath::Malformed) => return Reply::bad_request("That is no path.\n"),
            Err(BadPath::Nothing) => return Reply::not_found(),
        };
        if path == HEALTH {
            return health(&self.current);
        }
        if target::is_private(&path) {
            return Reply::not_found();
        }
        // Whether there is anything or not: nobody learns of it without a token.
        let parts = self.protection.of_path(&path);
        if let Some(refusal) = self.refuse(parts, request) {
            return refusal;
        }
        let site = self.current.site();
        let Some(relative) = site.relative(&path) else {
            if site.root().strip_suffix('/') == Some(&*path) {
                return Reply::redirect(
                    StatusCode::MOVED_PERMANENTLY,
                    &format!("{}/", request.uri.path()),
                );
            }
            return Reply::not_found();
        };
        let reply = self.lookup(&site, relative, request).await;
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// What is at a path, from the base on.
    async fn lookup(&self, site: &Arc<Site>, path: &str, request: &RequestParts) -> Reply {
        let known = path
            .strip_prefix(".well-known/")
            .filter(|file| matches!(*file, "llm-sitemap.json" | "llm-policy.json"));
        if let Some(document) = site.documents.get(known.unwrap_or(path)) {
            return self.document(document, request).await;
        }
        if site.pages.by_machine(path).is_some() {
            return self.machine_page(site, path, request).await;
        }
        if is_collection(path) {
            return self.collection(site, path, request).await;
        }
        if let Some(slug) = &self.legacy_slug
            && let Some(page) = path.strip_suffix(slug.as_str())
            && let Some(base) = &site.base
            && let Some(found) = site.pages.by_page(base, page)
        {
            let url = base.url_of("");
            let address = url::Url::parse(&url).ok().and_then(|mut url| {
                url.path_segments_mut()
                    .ok()?
                    .pop_if_empty()
                    .extend(found.machine.split('/'));
                Some(url.path().to_owned())
            });
            if let Some(address) = address {
                return Reply::redirect(StatusCode::PERMANENT_REDIRECT, &address)
                    .of_kind(Kind::MachinePage);
            }
        }
        if path.ends_with("llm.json") && site.index_link.is_some() {
            return self.unnamed(site, path, request).await;
        }
        self.file(site, path, request).await
    }

    /// The refusal of who has no token for these parts.
    fn refuse(&self, parts: Parts, request: &RequestParts) -> Option<Reply> {
        if parts.is_empty() {
            return None;
        }
        let token = request
            .headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token.trim());
        let challenge = match token {
            Some(token) if self.protection.admits(parts, token) => return None,
            // RFC 6750, section 3.1.
            Some(_) => "Bearer error=\"invalid_token\"",
            None => "Bearer",
        };
        let reply = Reply::text(StatusCode::UNAUTHORIZED, "This needs a token.\n");
        Some(reply.with(WWW_AUTHENTICATE, HeaderValue::from_static(challenge)))
    }

    /// Does something that may wait for a disk or a network, on a thread that may wait.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Reply> {
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(done)) => Ok(done),
            // A link that leads out of the folder, a file that may not be read: not for visitors.
            Ok(Err(StoreError::Io { .. })) => Err(Reply::not_found()),
            Ok(Err(_)) | Err(_) => Err(Reply::unavailable(5)),
        }
    }
}

/// What only some may see must not be kept for others (RFC 9111, section 3.5).
fn private(mut reply: Reply) -> Reply {
    let public = reply
        .headers
        .get(CACHE_CONTROL)
        .and_then(|value| value.to_str().ok());
    let value = match public {
        None => "private".to_owned(),
        Some(value) => match value.strip_prefix("public") {
            Some(rest) => format!("private{rest}"),
            None => format!("private, {value}"),
        },
    };
    if let Ok(value) = HeaderValue::from_str(&value) {
        reply.headers.insert(CACHE_CONTROL, value);
    }
    reply
}

/// Whether a path is a collection's, by its name.
fn is_collection(path: &str) -> bool {
    [".scp", ".scp.gz", ".scp.zst"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Whether the server is well.
pub(crate) fn health(current: &Current) -> Reply {
    let site = current.site();
    let text = format!(
        "{{\"status\":\"ok\",\"publication\":{},\"pages\":{},\"collections\":{}}}\n",
        site.generation,
        site.pages.len(),
        site.collections
    );
    let mut reply = Reply::text(StatusCode::OK, "");
    reply.headers.insert(
        hyper::header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    reply
        .headers
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply.body = Sending::Bytes(Bytes::from(text));
    reply
}

fn record(
    log: &AccessLog,
    started: Instant,
    peer: &Peer,
    request: &RequestParts,
    reply: &Reply,
) -> Record {
    let text = |name| {
        let value: Option<&HeaderValue> = request.headers.get(name);
        value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Record {
        log: log.clone(),
        started,
        client: peer.address,
        method: request.method.to_string(),
        target: request
            .uri
            .path_and_query()
            .map_or_else(|| request.uri.path().to_owned(), ToString::to_string),
        version: match request.version {
            Version::HTTP_10 => "HTTP/1.0",
            Version::HTTP_11 => "HTTP/1.1",
            _ => "HTTP/2.0",
        },
        status: reply.status.as_u16(),
        kind: reply.kind,
        agent: text(USER_AGENT),
        referrer: text(REFERER),
    }
}
