use std::time::Duration;

use reqwest::header::{CONTENT_ENCODING, DATE, ETAG, HeaderMap, LAST_MODIFIED, LINK};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::FetchError;
use crate::encoding;

/// What a server calls a state of something, to be asked with whether it is still in that state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// `ETag`, with its quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// `Last-Modified`, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is nothing to ask with.
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

    /// What a part of it can be asked with (RFC 9110, 13.1.5): never a weak tag.
    pub(crate) fn for_a_part(&self) -> Option<&str> {
        match &self.etag {
            Some(etag) if etag.starts_with('"') => Some(etag),
            Some(_) => None,
            None => self.last_modified.as_deref(),
        }
    }
}

/// What is known of an answer before its body.
#[derive(Debug, Clone)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// Where it came from, after redirects.
    pub url: Url,
    /// Whether there were redirects.
    pub redirected: bool,
    /// What it can be asked for again with.
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

    /// The validators, but for a `Last-Modified` that need not be of these very bytes: what was changed
    /// within the second in which it was sent can have changed once more (RFC 9110, 8.8.2.2).
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

    /// Whether there is something, and this is all of it.
    pub fn is_ok(&self) -> bool {
        self.status == 200
    }

    /// Whether it is still what our validators name.
    pub fn is_not_modified(&self) -> bool {
        self.status == 304
    }

    /// Whether there is nothing, for now or for good.
    pub fn is_gone(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// The first header of the name, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// All headers of the name that are text.
    pub fn headers<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let values = self.headers.get_all(name).into_iter();
        values.filter_map(|value| value.to_str().ok())
    }

    /// The `Link` headers.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        self.headers(LINK.as_str())
    }
}

/// An answer that was taken whole.
#[derive(Debug, Clone)]
pub struct Response {
    /// What is known of it.
    pub head: Head,
    /// The bytes that came, as they came.
    pub body: Vec<u8>,
}

impl Response {
    /// The body as it was before it was compressed for the way, of at most so many bytes.
    pub fn decoded(self, limit: u64) -> Result<Vec<u8>, FetchError> {
        let coding = self.head.header(CONTENT_ENCODING.as_str());
        encoding::decode(coding.unwrap_or_default(), self.body, limit)
            .map_err(|problem| problem.at(&self.head.url))
    }

    /// The first bytes of the body as it was before it was compressed for the way; the rest may be missing.
    pub(crate) fn decoded_beginning(self, limit: u64) -> Result<Vec<u8>, FetchError> {
        let coding = self.head.header(CONTENT_ENCODING.as_str());
        encoding::decode_beginning(coding.unwrap_or_default(), self.body, limit)
            .map_err(|problem| problem.at(&self.head.url))
    }
}
