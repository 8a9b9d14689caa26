//! From a request to an answer.

mod collection;
mod file;
mod health;
mod held;
mod machine_page;
mod methods;
mod mismatch;
mod pending;
mod quick;
mod unparsed;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, HeaderValue, USER_AGENT, WWW_AUTHENTICATE,
};
use hyper::http::request::Parts as RequestParts;
use hyper::{Method, Request, Response, StatusCode};
use sitecast_storage::{Store, StoreError};

use crate::cache::Cache;
use crate::current::Current;
use crate::http::body::Payload;
use crate::http::chunk::Streaming;
use crate::http::host;
use crate::http::target::{self, BadPath};
use crate::observe::log::{AccessLog, Asked, Record};
use crate::observe::metrics::Metrics;
use crate::observe::{Activity, Kind, Served, agent};
use crate::protection::{Parts, Protection};
use crate::proxy::Proxies;
use crate::quota::{Place, Quota};
use crate::rate::Limiter;
use crate::refusal::is_refusal;
use crate::reply::{Reply, Sending};
use crate::site::Site;
use crate::site::collections::KnownCollections;
use crate::site::document::Document;
use crate::site::lists::KnownLists;

pub(crate) use health::health;
pub(crate) use mismatch::Mismatches;
pub(crate) use pending::Answering;
use pending::{Pending, Wait};
pub(crate) use quick::Quick;

/// What all requests share.
pub(crate) struct Answerer {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) current: Arc<Current>,
    pub(crate) protection: Arc<Protection>,
    pub(crate) known: Arc<KnownCollections>,
    pub(crate) lists: Arc<KnownLists>,
    pub(crate) cache: Cache,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) proxies: Proxies,
    /// Files that are being sent, or looked for.
    pub(crate) files: Arc<Quota>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<AccessLog>,
    pub(crate) legacy_slug: Option<String>,
    pub(crate) content_digest: bool,
    pub(crate) patience: Duration,
    pub(crate) mismatches: Mismatches,
    pub(crate) broken_off: Duration,
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
    /// Answers a request: at once, where everything for it is in memory.
    pub(crate) fn answer(self: &Arc<Self>, peer: &Peer, request: Request<Incoming>) -> Answering {
        let mut served = Served::begin(&peer.activity);
        let started = self.log.as_ref().map(|_| Instant::now());
        let (request, _) = request.into_parts();
        let client = self.proxies.client(peer.address, &request.headers);
        let standing = self
            .limiter
            .as_ref()
            .map(|limiter| limiter.take(client, Instant::now()));
        let reply = if standing.is_none_or(|standing| standing.allowed) {
            self.at_once(&request)
        } else {
            let refusal = Reply::text(StatusCode::TOO_MANY_REQUESTS, "Not so fast.\n");
            Ok(refusal)
        };
        let finish = move |me: &Self, request: &RequestParts, mut reply: Reply, place| {
            if let (Some(limiter), Some(standing)) = (&me.limiter, standing) {
                limiter.describe(standing, &mut reply.headers);
            }
            if let (Some(log), Some(started)) = (&me.log, started) {
                let asked = Asked::of(client, request);
                let status = reply.status.as_u16();
                served.log(Record::new(log, started, &asked, status, reply.kind));
            }
            me.response(served, request, reply, place)
        };
        let pending = match reply {
            Ok(reply) => return Answering::now(finish(self, &request, reply, None)),
            Err(pending) => pending,
        };
        let Some(place) = self.files.enter(Some(client)) else {
            self.metrics.refused_file();
            return Answering::now(finish(self, &request, Reply::unavailable(1), None));
        };
        let me = Arc::clone(self);
        Answering::later(async move {
            let reply = me.eventually(*pending, &request).await;
            finish(&me, &request, reply, Some(place))
        })
    }

    /// Counts it and puts it together. The place is kept as long as a file is being sent.
    fn response(
        &self,
        served: Served,
        request: &RequestParts,
        mut reply: Reply,
        place: Option<Place>,
    ) -> Response<Payload> {
        let agent = request.headers.get(USER_AGENT).map(HeaderValue::as_bytes);
        self.metrics
            .request(reply.kind, agent::of(agent), reply.status.as_u16());
        reply.open_to_browsers();
        let body = match reply.body {
            Sending::Bytes(bytes) if request.method == Method::HEAD => {
                let length = HeaderValue::from(bytes.len());
                reply.headers.entry(CONTENT_LENGTH).or_insert(length);
                Payload::empty(served)
            }
            Sending::Pieces(_) if request.method == Method::HEAD => Payload::empty(served),
            Sending::Nothing => Payload::empty(served),
            Sending::Bytes(bytes) => Payload::bytes(bytes, served),
            Sending::Pieces(pieces) => Payload::pieces(pieces, Streaming::begin(place), served),
        };
        let mut response = Response::new(body);
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        response
    }

    /// The answer, or what it has to wait for.
    fn at_once(&self, request: &RequestParts) -> Result<Reply, Box<Pending>> {
        if let Some(problem) = host::problem(request) {
            return Ok(Reply::bad_request(problem));
        }
        match request.method {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return Ok(self.options(request)),
            _ => return Ok(methods::not_allowed()),
        }
        let path = match target::decode(request.uri.path()) {
            Ok(path) => path,
            Err(BadPath::Malformed) => return Ok(Reply::bad_request("That is no path.\n")),
            Err(BadPath::Nothing) => return Ok(Reply::not_found()),
        };
        if path == HEALTH {
            return Ok(health(&self.current));
        }
        // Whether there is anything or not: nobody learns of it without a token.
        let parts = self.protection.of_path(&path);
        if let Some(refusal) = self.refuse(parts, request) {
            return Ok(refusal);
        }
        let site = self.current.glance();
        let Some(relative) = site.relative(&path) else {
            if site.root().strip_suffix('/') == Some(&*path) {
                return Ok(Reply::redirect(
                    StatusCode::MOVED_PERMANENTLY,
                    &format!("{}/", request.uri.path()),
                ));
            }
            return Ok(Reply::not_found());
        };
        if target::is_private(relative) {
            return Ok(Reply::not_found());
        }
        match self.lookup(&site, relative, request) {
            Ok(reply) => Ok(self.settled(parts, reply)),
            Err(wait) => Err(Box::new(Pending {
                site: Arc::clone(&site),
                path: relative.to_owned(),
                parts,
                wait,
            })),
        }
    }

    /// What is at a path, from the base on.
    fn lookup(&self, site: &Site, path: &str, request: &RequestParts) -> Result<Reply, Wait> {
        if let Some(page) = site.pages.by_machine(path) {
            let reply = self.machine_page_now(site, page, request);
            return reply.ok_or(Wait::MachinePage);
        }
        if let Some(document) = site.document(path) {
            return self.document(document, request);
        }
        if is_collection(path) {
            return Err(Wait::Collection);
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
                let reply = Reply::redirect(StatusCode::PERMANENT_REDIRECT, &address);
                return Ok(reply.of_kind(Kind::MachinePage));
            }
        }
        if is_machine_page(path) && site.index_link.is_some() {
            return Err(Wait::Unnamed);
        }
        Err(Wait::File)
    }

    /// A sitemap, the policy, robots.txt.
    fn document(&self, document: &Document, request: &RequestParts) -> Result<Reply, Wait> {
        if let Some(refusal) = self.refuse(document.parts, request) {
            return Ok(refusal);
        }
        let held = &document.held;
        match self.held_now(&held.head, &held.variants, request) {
            None => Err(Wait::Document(Arc::clone(held), document.parts)),
            Some(reply) if document.parts.is_empty() => Ok(reply),
            Some(reply) => Ok(private(reply)),
        }
    }

    /// What becomes of an answer for the place that it is from.
    fn settled(&self, parts: Parts, reply: Reply) -> Reply {
        let is_absence = matches!(reply.status, StatusCode::NOT_FOUND | StatusCode::GONE);
        if is_absence && self.current.has_vanished() {
            return Reply::unavailable(5);
        }
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
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
            Ok(Err(error)) if is_refusal(&error) => Err(Reply::not_found()),
            Ok(Err(_)) | Err(_) => Err(Reply::unavailable(5)),
        }
    }
}

/// An object of the store that was opened and then could not be read.
fn unreadable(place: &str, source: std::io::Error) -> StoreError {
    StoreError::Io {
        action: "read",
        place: place.to_owned(),
        source,
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
    reply.is_private = true;
    reply
}

/// Whether a path is a collection's, by its name.
fn is_collection(path: &str) -> bool {
    [".scp", ".scp.gz", ".scp.zst"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Whether a path is a machine page's, by its name: `/post/llm.json`, `/post.llm.json`.
fn is_machine_page(path: &str) -> bool {
    path.strip_suffix("llm.json")
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '.']))
}
