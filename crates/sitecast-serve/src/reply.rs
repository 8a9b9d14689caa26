//! Replies: status, headers and body, with validators, conditions and ranges applied.

use bytes::Bytes;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, HeaderName, HeaderValue, LAST_MODIFIED, RANGE, VARY,
};
use hyper::{HeaderMap, Method, StatusCode};
use sitecast_tct::EntityTag;

use crate::Kind;
use crate::http::body::Piece;
use crate::http::conditions::{Validators, Verdict, evaluate, is_exactly, range_applies};
use crate::http::encoding::Coding;
use crate::http::multipart::multipart;
use crate::http::range::{RequestedRange, parse_range};
use crate::http::{cors, date};
use crate::site::variants::SizedContent;

/// A complete reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ReplyBody,
    pub(crate) kind: Kind,
    /// The request needed a token, so the reply gets no CORS headers.
    pub(crate) is_private: bool,
}

/// The body of a reply.
#[derive(Debug)]
pub(crate) enum ReplyBody {
    Empty,
    Bytes(Bytes),
    Pieces(Vec<Piece>),
}

impl Reply {
    /// A reply with a sentence in plain text.
    pub(crate) fn text(status: StatusCode, text: &'static str) -> Self {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        // A resource that is missing now may exist in a minute.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Self {
            status,
            headers,
            body: ReplyBody::Bytes(Bytes::from_static(text.as_bytes())),
            kind: Kind::None,
            is_private: false,
        }
    }

    /// Adds the headers for browsers. Called last, when `kind` and `is_private` are final.
    pub(crate) fn add_browser_headers(&mut self) {
        cors::no_sniff(&mut self.headers);
        if self.kind.is_for_agents() && !self.is_private {
            cors::allow_any_origin(&mut self.headers);
        }
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    pub(crate) fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// A redirect. `path` is percent-encoded and begins with exactly one `/`.
    pub(crate) fn redirect(status: StatusCode, path: &str) -> Self {
        match HeaderValue::from_str(path) {
            Ok(value) => {
                Self::text(status, "The resource has moved.\n").with(hyper::header::LOCATION, value)
            }
            Err(_) => Self::not_found(),
        }
    }

    pub(crate) fn not_found() -> Self {
        Self::text(StatusCode::NOT_FOUND, "Not found.\n")
    }

    pub(crate) fn gone() -> Self {
        Self::text(StatusCode::GONE, "The resource was removed.\n")
    }

    pub(crate) fn bad_request(text: &'static str) -> Self {
        Self::text(StatusCode::BAD_REQUEST, text)
    }

    /// A 503 with `Retry-After: seconds`.
    pub(crate) fn unavailable(seconds: u32) -> Self {
        Self::text(
            StatusCode::SERVICE_UNAVAILABLE,
            "Temporarily unavailable.\n",
        )
        .with(hyper::header::RETRY_AFTER, HeaderValue::from(seconds))
    }
}

/// The metadata of a resource: everything in its replies but the content. Built once for resources in memory.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    content_type: HeaderValue,
    etag: Option<HeaderValue>,
    /// Last modification, in seconds since 1970.
    modified: Option<i64>,
    /// The content is negotiated among several codings.
    varies: bool,
    /// The headers that a 200, a 206 and a 304 share.
    common: HeaderMap,
}

impl Head {
    /// A modification time in the future is replaced by the current time (RFC 9110 §8.8.2.1).
    pub(crate) fn new(
        kind: Kind,
        content_type: HeaderValue,
        etag: Option<HeaderValue>,
        modified: Option<i64>,
    ) -> Self {
        let modified = modified.map(|modified| modified.min(date::now()));
        let mut common = HeaderMap::with_capacity(8);
        if let Some(etag) = &etag {
            common.insert(ETAG, etag.clone());
        }
        if let Some(modified) = modified.and_then(date::header) {
            common.insert(LAST_MODIFIED, modified);
        }
        Self {
            kind,
            content_type,
            etag,
            modified,
            varies: false,
            common,
        }
    }

    /// Adds a header if `value` is `Some`.
    pub(crate) fn with(mut self, name: HeaderName, value: Option<HeaderValue>) -> Self {
        if let Some(value) = value {
            self.common.insert(name, value);
        }
        self
    }

    /// Declares that the content is negotiated, and adds `Vary`.
    pub(crate) fn varying(mut self) -> Self {
        self.varies = true;
        self.with(VARY, Some(HeaderValue::from_static("Accept-Encoding")))
    }

    /// Makes the entity tag weak: the bytes differ by coding, and a strong tag would promise that they do not (RFC 9110
    /// §8.8.1).
    pub(crate) fn weakened(mut self) -> Self {
        let strong = self.etag.as_ref().and_then(|etag| etag.to_str().ok());
        let weak = strong.map(|etag| format!("W/{etag}"));
        self.etag = weak.and_then(|etag| HeaderValue::from_str(&etag).ok());
        let etag = self.etag.clone();
        self.with(ETAG, etag)
    }

    pub(crate) fn varies(&self) -> bool {
        self.varies
    }

    fn validators(&self) -> Validators<'_> {
        let etag = self.etag.as_ref().and_then(|etag| etag.to_str().ok());
        Validators {
            etag: etag.and_then(EntityTag::parse),
            modified: self.modified,
        }
    }

    /// Evaluates the request's conditions. Returns a 304 or a 412, or `None` if the content is to be sent.
    pub(crate) fn precondition(&self, request: &HeaderMap) -> Option<Reply> {
        let verdict = match self.etag.as_ref() {
            // By far the most frequent condition; decided without parsing.
            Some(etag) if is_exactly(request, etag) => Verdict::NotModified,
            _ => evaluate(request, || self.validators()),
        };
        match verdict {
            Verdict::Holds => None,
            Verdict::NotModified => Some(self.not_modified()),
            Verdict::Failed => {
                let text = "Precondition failed: the resource has changed.\n";
                let reply = Reply::text(StatusCode::PRECONDITION_FAILED, text);
                Some(reply.of_kind(self.kind))
            }
        }
    }

    pub(crate) fn not_modified(&self) -> Reply {
        Reply {
            status: StatusCode::NOT_MODIFIED,
            headers: self.common.clone(),
            body: ReplyBody::Empty,
            kind: self.kind,
            is_private: false,
        }
    }

    /// The entity tag, including its quotes.
    pub(crate) fn etag(&self) -> Option<&[u8]> {
        self.etag.as_ref().map(HeaderValue::as_bytes)
    }

    /// Builds the reply with the content, or with the requested ranges of it. Ranges refer to the plain content, or to
    /// a file that is stored compressed, but never to a coding negotiated with this client, because all codings share
    /// one entity tag.
    pub(crate) fn deliver(
        &self,
        request: &hyper::http::request::Parts,
        coding: Option<Coding>,
        content: &SizedContent,
    ) -> Reply {
        let mut headers = self.common.clone();
        let size = content.size;
        let chosen = self.varies && coding.is_some_and(|coding| coding != Coding::Identity);
        if let Some(coding) = coding.filter(|&coding| coding != Coding::Identity) {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        let mut reply = |status, body, content_type: HeaderValue| {
            headers.insert(CONTENT_TYPE, content_type);
            Reply {
                status,
                headers: std::mem::take(&mut headers),
                body,
                kind: self.kind,
                is_private: false,
            }
        };
        let requested = if chosen {
            RequestedRange::Whole
        } else {
            self.requested_range(request, size)
        };
        let whole = |range: std::ops::Range<u64>| match content.piece(range) {
            Piece::Bytes(bytes) => ReplyBody::Bytes(bytes),
            piece => ReplyBody::Pieces(vec![piece]),
        };
        let mut reply = match requested {
            RequestedRange::Whole => {
                reply(StatusCode::OK, whole(0..size), self.content_type.clone())
            }
            RequestedRange::Unsatisfiable => {
                let mut refusal = Reply::text(
                    StatusCode::RANGE_NOT_SATISFIABLE,
                    "Range not satisfiable.\n",
                );
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                    refusal.headers.insert(CONTENT_RANGE, value);
                }
                refusal.of_kind(self.kind)
            }
            RequestedRange::Parts(parts) => match parts.as_slice() {
                [part] => {
                    let body = whole(part.clone());
                    let mut reply =
                        reply(StatusCode::PARTIAL_CONTENT, body, self.content_type.clone());
                    let last = part.end.saturating_sub(1);
                    let value = format!("bytes {}-{last}/{size}", part.start);
                    if let Ok(value) = HeaderValue::from_str(&value) {
                        reply.headers.insert(CONTENT_RANGE, value);
                    }
                    reply
                }
                parts => {
                    let own = self
                        .content_type
                        .to_str()
                        .unwrap_or("application/octet-stream");
                    let (content_type, pieces) = multipart(content, own, parts);
                    let content_type = HeaderValue::from_str(&content_type);
                    let content_type = content_type.unwrap_or_else(|_| self.content_type.clone());
                    reply(
                        StatusCode::PARTIAL_CONTENT,
                        ReplyBody::Pieces(pieces),
                        content_type,
                    )
                }
            },
        };
        if !chosen {
            reply
                .headers
                .insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        }
        if request.method == Method::HEAD {
            reply
                .headers
                .insert(CONTENT_LENGTH, HeaderValue::from(size));
        }
        reply
    }

    /// Reads the `Range` of a GET; other methods ignore it (RFC 9110 §14.2).
    fn requested_range(&self, request: &hyper::http::request::Parts, size: u64) -> RequestedRange {
        let headers = &request.headers;
        let mut values = headers.get_all(RANGE).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return RequestedRange::Whole;
        };
        if request.method != Method::GET || !range_applies(headers, self.validators(), date::now())
        {
            return RequestedRange::Whole;
        }
        value
            .to_str()
            .map_or(RequestedRange::Whole, |value| parse_range(value, size))
    }
}
