//! Routing: from a request to its reply.

mod collection;
mod fast_path;
mod file;
mod health;
mod machine_page;
mod methods;
mod mismatch;
mod pending;
mod prepared;
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

use crate::cache::ResponseCache;
use crate::current::Current;
use crate::http::body::ResponseBody;
use crate::http::chunk::Download;
use crate::http::host;
use crate::http::target::{self, BadPath};
use crate::observe::log::{AccessLog, Record, RequestInfo};
use crate::observe::metrics::Metrics;
use crate::observe::{Activity, Kind, RequestTracker, agent};
use crate::protection::{ProtectedParts, Protection};
use crate::proxy::Proxies;
use crate::quota::{Permit, Quota};
use crate::rate::Limiter;
use crate::reply::{Reply, ReplyBody};
use crate::site::Site;
use crate::site::collections::KnownCollections;
use crate::site::document::Document;
use crate::site::mentions::MentionScanner;

pub(crate) use fast_path::FastAnswer;
pub(crate) use health::health;
pub(crate) use mismatch::Mismatches;
pub(crate) use pending::AnswerFuture;
use pending::{Pending, Wait};

/// The state that all requests share.
pub(crate) struct Answerer {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) current: Arc<Current>,
    pub(crate) protection: Arc<Protection>,
    pub(crate) known: Arc<KnownCollections>,
    pub(crate) mentions: Arc<MentionScanner>,
    pub(crate) cache: ResponseCache,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) proxies: Proxies,
    /// Limits the requests that read files: one permit from lookup to the last byte.
    pub(crate) files: Arc<Quota>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<AccessLog>,
    pub(crate) legacy_slug: Option<String>,
    pub(crate) content_digest: bool,
    pub(crate) publication_wait: Duration,
    pub(crate) mismatches: Mismatches,
    pub(crate) abandoned_after: Duration,
}

/// The peer of a connection: a client or a proxy.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    pub(crate) activity: Arc<Activity>,
}

/// The path of the health check for load balancers.
const HEALTH: &str = "/healthz";

impl Answerer {
    /// Answers a request; without waiting if everything it needs is in memory.
    pub(crate) fn answer(
        self: &Arc<Self>,
        peer: &Peer,
        request: Request<Incoming>,
    ) -> AnswerFuture {
        let mut tracker = RequestTracker::begin(&peer.activity);
        let started = self.log.as_ref().map(|_| Instant::now());
        let (request, _) = request.into_parts();
        let client = self.proxies.client(peer.address, &request.headers);
        let decision = self
            .limiter
            .as_ref()
            .map(|limiter| limiter.take(client, Instant::now()));
        let reply = if decision.is_none_or(|decision| decision.allowed) {
            self.try_answer_now(&request)
        } else {
            let refusal = Reply::text(StatusCode::TOO_MANY_REQUESTS, "Too many requests.\n");
            Ok(refusal)
        };
        let finish = move |me: &Self, request: &RequestParts, mut reply: Reply, permit| {
            if let (Some(limiter), Some(decision)) = (&me.limiter, decision) {
                limiter.add_headers(decision, &mut reply.headers);
            }
            if let (Some(log), Some(started)) = (&me.log, started) {
                let asked = RequestInfo::of(client, request);
                let status = reply.status.as_u16();
                tracker.log(Record::new(log, started, &asked, status, reply.kind));
            }
            me.response(tracker, request, reply, permit)
        };
        let pending = match reply {
            Ok(reply) => return AnswerFuture::now(finish(self, &request, reply, None)),
            Err(pending) => pending,
        };
        let Some(permit) = self.files.acquire(Some(client)) else {
            self.metrics.refused_file();
            return AnswerFuture::now(finish(self, &request, Reply::unavailable(1), None));
        };
        let me = Arc::clone(self);
        AnswerFuture::later(async move {
            let reply = me.finish_pending(*pending, &request).await;
            finish(&me, &request, reply, Some(permit))
        })
    }

    /// Counts the reply and builds the response. The permit is held until the body is sent.
    fn response(
        &self,
        tracker: RequestTracker,
        request: &RequestParts,
        mut reply: Reply,
        permit: Option<Permit>,
    ) -> Response<ResponseBody> {
        let agent = request.headers.get(USER_AGENT).map(HeaderValue::as_bytes);
        self.metrics
            .request(reply.kind, agent::of(agent), reply.status.as_u16());
        reply.add_browser_headers();
        let body = match reply.body {
            ReplyBody::Bytes(bytes) if request.method == Method::HEAD => {
                let length = HeaderValue::from(bytes.len());
                reply.headers.entry(CONTENT_LENGTH).or_insert(length);
                ResponseBody::empty(tracker)
            }
            ReplyBody::Pieces(_) if request.method == Method::HEAD => ResponseBody::empty(tracker),
            ReplyBody::Empty => ResponseBody::empty(tracker),
            ReplyBody::Bytes(bytes) => ResponseBody::bytes(bytes, tracker),
            ReplyBody::Pieces(pieces) => {
                ResponseBody::pieces(pieces, Download::begin(permit), tracker)
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = reply.status;
        *response.headers_mut() = reply.headers;
        response
    }

    /// Returns the reply, or the kind of I/O that it has to wait for.
    fn try_answer_now(&self, request: &RequestParts) -> Result<Reply, Box<Pending>> {
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
            Err(BadPath::Malformed) => return Ok(Reply::bad_request("Malformed path.\n")),
            Err(BadPath::NotFound) => return Ok(Reply::not_found()),
        };
        if path == HEALTH {
            return Ok(health(&self.current));
        }
        // Checked before the lookup: a client without a token must not learn whether the path exists.
        let parts = self.protection.of_path(&path);
        if let Some(refusal) = self.refuse(parts, request) {
            return Ok(refusal);
        }
        let site = self.current.borrow_site();
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
            Ok(reply) => Ok(self.finalize(parts, reply)),
            Err(wait) => Err(Box::new(Pending {
                site: Arc::clone(&site),
                path: relative.to_owned(),
                parts,
                wait,
            })),
        }
    }

    /// Looks up `path`, which is relative to the base.
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
            return Err(Wait::UnlistedMachinePage);
        }
        Err(Wait::File)
    }

    /// Replies with a sitemap, the policy or robots.txt.
    fn document(&self, document: &Document, request: &RequestParts) -> Result<Reply, Wait> {
        if let Some(refusal) = self.refuse(document.parts, request) {
            return Ok(refusal);
        }
        let response = &document.response;
        match self.respond_now(&response.head, &response.variants, request) {
            None => Err(Wait::Document(Arc::clone(response), document.parts)),
            Some(reply) if document.parts.is_empty() => Ok(reply),
            Some(reply) => Ok(private(reply)),
        }
    }

    /// Applies what depends on the path rather than the content: no 404 or 410 while the publication is missing from
    /// the store, and private caching for protected paths.
    fn finalize(&self, parts: ProtectedParts, reply: Reply) -> Reply {
        let is_absence = matches!(reply.status, StatusCode::NOT_FOUND | StatusCode::GONE);
        if is_absence && self.current.is_missing() {
            return Reply::unavailable(5);
        }
        match parts.is_empty() {
            true => reply,
            false => private(reply),
        }
    }

    /// Returns a 401 unless the request has a token for all of these parts.
    fn refuse(&self, parts: ProtectedParts, request: &RequestParts) -> Option<Reply> {
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
            // RFC 6750 §3.1.
            Some(_) => "Bearer error=\"invalid_token\"",
            None => "Bearer",
        };
        let reply = Reply::text(
            StatusCode::UNAUTHORIZED,
            "Unauthorized: a bearer token is required.\n",
        );
        Some(reply.with(WWW_AUTHENTICATE, HeaderValue::from_static(challenge)))
    }

    /// Runs blocking I/O on a thread of the blocking pool.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Reply> {
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) if error.is_refusal() => Err(Reply::not_found()),
            Ok(Err(_)) | Err(_) => Err(Reply::unavailable(5)),
        }
    }
}

/// The error for an object that could be opened but not read.
fn unreadable(place: &str, source: std::io::Error) -> StoreError {
    StoreError::Io {
        action: "read",
        place: place.to_owned(),
        source,
    }
}

/// Marks a reply as private: shared caches must not store responses to authorized requests (RFC 9111 §3.5).
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

/// Returns true if the name has the extension of a collection.
fn is_collection(path: &str) -> bool {
    [".scp", ".scp.gz", ".scp.zst"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Returns true if the name is that of a machine page: `/post/llm.json`, `/post.llm.json`.
fn is_machine_page(path: &str) -> bool {
    path.strip_suffix("llm.json")
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '.']))
}
