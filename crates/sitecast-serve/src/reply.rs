//! Putting an answer together: validators, conditions, ranges.

use bytes::Bytes;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, HeaderName, HeaderValue, LAST_MODIFIED, LINK, RANGE, VARY,
};
use hyper::{HeaderMap, Method, StatusCode};
use sitecast_tct::EntityTag;

use crate::Kind;
use crate::http::body::Piece;
use crate::http::conditions::{Validators, Verdict, evaluate, range_counts};
use crate::http::encoding::Coding;
use crate::http::multipart::multipart;
use crate::http::range::{Wanted, wanted};
use crate::http::{date, range};
use crate::site::variants::Sized;

/// An answer that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Sending,
    pub(crate) kind: Kind,
}

/// What is sent with it.
#[derive(Debug)]
pub(crate) enum Sending {
    Nothing,
    Bytes(Bytes),
    Pieces(Vec<Piece>),
}

impl Reply {
    /// An answer that is a sentence.
    pub(crate) fn text(status: StatusCode, text: &'static str) -> Self {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        );
        // What is not there now may be there in a minute.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Self {
            status,
            headers,
            body: Sending::Bytes(Bytes::from_static(text.as_bytes())),
            kind: Kind::None,
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

    /// To another address. `path` is percent-encoded and begins with one `/`.
    pub(crate) fn redirect(status: StatusCode, path: &str) -> Self {
        match HeaderValue::from_str(path) {
            Ok(value) => {
                Self::text(status, "It is elsewhere.\n").with(hyper::header::LOCATION, value)
            }
            Err(_) => Self::not_found(),
        }
    }

    pub(crate) fn not_found() -> Self {
        Self::text(StatusCode::NOT_FOUND, "There is nothing here.\n")
    }

    pub(crate) fn gone() -> Self {
        Self::text(StatusCode::GONE, "It was removed.\n")
    }

    pub(crate) fn bad_request(text: &'static str) -> Self {
        Self::text(StatusCode::BAD_REQUEST, text)
    }

    /// Something is wrong on our side, or not ready.
    pub(crate) fn unavailable(seconds: u32) -> Self {
        Self::text(StatusCode::SERVICE_UNAVAILABLE, "Not at this moment.\n")
            .with(hyper::header::RETRY_AFTER, HeaderValue::from(seconds))
    }
}

/// All but the content of what is there.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    pub(crate) content_type: HeaderValue,
    pub(crate) etag: Option<HeaderValue>,
    /// Seconds since 1970.
    pub(crate) modified: Option<i64>,
    pub(crate) cache_control: Option<HeaderValue>,
    pub(crate) link: Option<HeaderValue>,
    /// There are several compressions.
    pub(crate) varies: bool,
}

impl Head {
    fn validators(&self) -> Validators<'_> {
        let etag = self.etag.as_ref().and_then(|etag| etag.to_str().ok());
        Validators {
            etag: etag.and_then(EntityTag::parse),
            modified: self.modified,
        }
    }

    /// The answer that the conditions of a request lead to, if it is not the content.
    pub(crate) fn precondition(&self, request: &HeaderMap) -> Option<Reply> {
        let status = match evaluate(request, self.validators()) {
            Verdict::Holds => return None,
            Verdict::NotModified => StatusCode::NOT_MODIFIED,
            Verdict::Failed => {
                let text = "It is not what you think it is.\n";
                let reply = Reply::text(StatusCode::PRECONDITION_FAILED, text);
                return Some(reply.of_kind(self.kind));
            }
        };
        Some(Reply {
            status,
            headers: self.headers(),
            body: Sending::Nothing,
            kind: self.kind,
        })
    }

    /// What a 200, a 206 and a 304 have in common.
    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(16);
        let mut add = |name: HeaderName, value: Option<HeaderValue>| {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        };
        add(ETAG, self.etag.clone());
        add(LAST_MODIFIED, self.modified.and_then(date::header));
        add(CACHE_CONTROL, self.cache_control.clone());
        add(LINK, self.link.clone());
        if self.varies {
            add(VARY, Some(HeaderValue::from_static("Accept-Encoding")));
        }
        headers
    }

    /// The content, or the parts of it that are asked for. Parts are of the plain content, or of a
    /// file that is stored compressed; never of a compression that was chosen for this client, since
    /// all of those have one entity tag.
    pub(crate) fn deliver(
        &self,
        request: &hyper::http::request::Parts,
        coding: Option<Coding>,
        content: &Sized,
    ) -> Reply {
        let mut headers = self.headers();
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
            }
        };
        let wanted = if chosen {
            Wanted::All
        } else {
            self.wanted(request, size)
        };
        let whole = |range: std::ops::Range<u64>| match Piece::of(&content.content, range) {
            Piece::Bytes(bytes) => Sending::Bytes(bytes),
            piece => Sending::Pieces(vec![piece]),
        };
        let mut reply = match wanted {
            range::Wanted::All => reply(StatusCode::OK, whole(0..size), self.content_type.clone()),
            Wanted::Nothing => {
                let mut refusal = Reply::text(
                    StatusCode::RANGE_NOT_SATISFIABLE,
                    "There is no such part.\n",
                );
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                    refusal.headers.insert(CONTENT_RANGE, value);
                }
                refusal.of_kind(self.kind)
            }
            Wanted::Parts(parts) => match parts.as_slice() {
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
                    let (content_type, pieces) = multipart(&content.content, size, own, parts);
                    let content_type = HeaderValue::from_str(&content_type);
                    let content_type = content_type.unwrap_or_else(|_| self.content_type.clone());
                    reply(
                        StatusCode::PARTIAL_CONTENT,
                        Sending::Pieces(pieces),
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

    /// What the `Range` of a GET asks for; with other methods it means nothing (RFC 9110, section
    /// 14.2).
    fn wanted(&self, request: &hyper::http::request::Parts, size: u64) -> Wanted {
        let headers = &request.headers;
        let mut values = headers.get_all(RANGE).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Wanted::All;
        };
        if request.method != Method::GET || !range_counts(headers, self.validators()) {
            return Wanted::All;
        }
        value
            .to_str()
            .map_or(Wanted::All, |value| wanted(value, size))
    }
}
