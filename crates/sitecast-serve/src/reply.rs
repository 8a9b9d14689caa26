//! Putting an answer together: validators, conditions, ranges.

use bytes::Bytes;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, HeaderName, HeaderValue, LAST_MODIFIED, RANGE, VARY,
};
use hyper::{HeaderMap, Method, StatusCode};
use sitecast_tct::EntityTag;

use crate::Kind;
use crate::http::body::Piece;
use crate::http::conditions::{Validators, Verdict, evaluate, is_just_this, range_counts};
use crate::http::encoding::Coding;
use crate::http::multipart::multipart;
use crate::http::range::{Wanted, wanted};
use crate::http::{date, open, range};
use crate::site::variants::Sized;

/// An answer that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Sending,
    pub(crate) kind: Kind,
    /// For those alone who have a token.
    pub(crate) is_private: bool,
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
            is_private: false,
        }
    }

    /// Adds what browsers go by: the last thing that is done to an answer.
    pub(crate) fn open_to_browsers(&mut self) {
        open::no_sniff(&mut self.headers);
        if self.kind.is_for_agents() && !self.is_private {
            open::share(&mut self.headers);
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

/// All but the content of what is there. It is made once for what is held in memory.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    content_type: HeaderValue,
    etag: Option<HeaderValue>,
    /// Seconds since 1970.
    modified: Option<i64>,
    /// There are several compressions.
    varies: bool,
    /// What a 200, a 206 and a 304 have in common.
    common: HeaderMap,
}

impl Head {
    /// A time that is still to come is none that anything changed at: this moment is said instead (RFC 9110, section
    /// 8.8.2.1).
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

    /// With a header, where there is one.
    pub(crate) fn with(mut self, name: HeaderName, value: Option<HeaderValue>) -> Self {
        if let Some(value) = value {
            self.common.insert(name, value);
        }
        self
    }

    /// With several compressions to choose from.
    pub(crate) fn varying(mut self) -> Self {
        self.varies = true;
        self.with(VARY, Some(HeaderValue::from_static("Accept-Encoding")))
    }

    /// With a weak entity tag: the bytes differ by coding, and a strong tag would promise that they do not (RFC 9110,
    /// section 8.8.1).
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

    /// The answer that the conditions of a request lead to, if it is not the content.
    pub(crate) fn precondition(&self, request: &HeaderMap) -> Option<Reply> {
        let verdict = match self.etag.as_ref() {
            // What agents ask all day.
            Some(etag) if is_just_this(request, etag) => Verdict::NotModified,
            _ => evaluate(request, || self.validators()),
        };
        match verdict {
            Verdict::Holds => None,
            Verdict::NotModified => Some(self.not_modified()),
            Verdict::Failed => {
                let text = "It is not what you think it is.\n";
                let reply = Reply::text(StatusCode::PRECONDITION_FAILED, text);
                Some(reply.of_kind(self.kind))
            }
        }
    }

    pub(crate) fn not_modified(&self) -> Reply {
        Reply {
            status: StatusCode::NOT_MODIFIED,
            headers: self.common.clone(),
            body: Sending::Nothing,
            kind: self.kind,
            is_private: false,
        }
    }

    /// The entity tag, with its quotes.
    pub(crate) fn etag(&self) -> Option<&[u8]> {
        self.etag.as_ref().map(HeaderValue::as_bytes)
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
        let wanted = if chosen {
            Wanted::All
        } else {
            self.wanted(request, size)
        };
        let whole = |range: std::ops::Range<u64>| match content.piece(range) {
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
                    let (content_type, pieces) = multipart(content, own, parts);
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
        if request.method != Method::GET || !range_counts(headers, self.validators(), date::now()) {
            return Wanted::All;
        }
        value
            .to_str()
            .map_or(Wanted::All, |value| wanted(value, size))
    }
}
