//! Responses, their headers and their validators.

use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, DATE, ETAG, HeaderMap, LAST_MODIFIED, LINK};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::FetchError;
use crate::encoding;

/// The validators of a response (RFC 9110 §8.8), to send back in a conditional request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The value of `ETag`, with its quotes and a possible `W/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The value of `Last-Modified`, unparsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl Validators {
    /// Returns true if there is neither an `ETag` nor a `Last-Modified`.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name)?.to_str().ok().map(str::to_owned);
        Self {
            etag: text(ETAG),
            last_modified: text(LAST_MODIFIED),
        }
    }

    /// Returns the validator for `If-Range`, which must not be a weak tag (RFC 9110 §13.1.5).
    pub(crate) fn for_if_range(&self) -> Option<&str> {
        match &self.etag {
            Some(etag) if etag.starts_with('"') => Some(etag),
            Some(_) => None,
            None => self.last_modified.as_deref(),
        }
    }
}

/// The head of a response: status and headers.
#[derive(Debug, Clone)]
pub struct Head {
    /// The HTTP status code.
    pub status: u16,
    /// The URL that answered, after redirects.
    pub url: Url,
    /// True if at least one redirect was followed.
    pub redirected: bool,
    /// The validators of the body, for a later conditional request.
    pub validators: Validators,
    headers: HeaderMap,
}

impl Head {
    pub(crate) fn new(status: u16, url: Url, redirected: bool, headers: HeaderMap) -> Self {
        Self {
            status,
            url,
            redirected,
            validators: Validators::of(&headers),
            headers,
        }
    }

    /// Returns the validators without a weak `Last-Modified`: a file that was modified in the second of the response can
    /// change again in that second (RFC 9110 §8.8.2.2).
    pub(crate) fn strong_validators(&self) -> Validators {
        let time = |name: &str| httpdate::parse_http_date(self.header(name)?).ok();
        let settled = match (time(DATE.as_str()), time(LAST_MODIFIED.as_str())) {
            (Some(sent), Some(changed)) => sent
                .duration_since(changed)
                .is_ok_and(|since| since >= Duration::from_secs(1)),
            _ => false,
        };
        let mut validators = self.validators.clone();
        if !settled {
            validators.last_modified = None;
        }
        validators
    }

    /// Returns true for 200.
    pub fn is_ok(&self) -> bool {
        self.status == 200
    }

    /// Returns true for 304.
    pub fn is_not_modified(&self) -> bool {
        self.status == 304
    }

    /// Returns true for 404 and 410.
    pub fn is_gone(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// Returns the first header of this name, if it is ASCII text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Iterates over the headers of this name that are ASCII text.
    pub fn headers<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let values = self.headers.get_all(name).into_iter();
        values.filter_map(|value| value.to_str().ok())
    }

    /// Iterates over the `Link` headers.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.headers(LINK.as_str())
    }
}

/// A response with its complete body.
#[derive(Debug, Clone)]
pub struct Response {
    /// Status and headers.
    pub head: Head,
    /// The body as the server sent it, still compressed if it has a `Content-Encoding`.
    pub body: Vec<u8>,
}

impl Response {
    /// Decodes the `Content-Encoding`. Fails if the result is larger than `limit` bytes.
    pub fn decoded(self, limit: u64) -> Result<Vec<u8>, FetchError> {
        let coding = self.head.header(CONTENT_ENCODING.as_str());
        encoding::decode(coding.unwrap_or_default(), self.body, limit)
            .map_err(|problem| problem.at(&self.head.url))
    }

    /// Decodes the first `limit` bytes of a body that may have been cut.
    pub(crate) fn decoded_prefix(self, limit: u64) -> Result<Vec<u8>, FetchError> {
        let coding = self.head.header(CONTENT_ENCODING.as_str());
        encoding::decode_prefix(coding.unwrap_or_default(), self.body, limit)
            .map_err(|problem| problem.at(&self.head.url))
    }
}
