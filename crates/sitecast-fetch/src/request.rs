//! A request to one URL.

use url::Url;

use crate::Validators;

/// A request to one URL.
#[derive(Debug, Clone)]
pub struct Request {
    /// The URL. Its fragment is not sent.
    pub url: Url,
    /// The largest body in bytes, before decompression. A larger one is an error.
    pub limit: u64,
    /// The largest body in bytes if the server sends no `Content-Length`. Only a value below `limit` has an effect.
    pub unannounced_limit: u64,
    /// The header `Accept`; `*/*` if `None`.
    pub accept: Option<&'static str>,
    /// The accepted content encodings.
    pub coding: Coding,
    /// Validators of a copy that the caller has. If they still match, the server answers 304.
    pub known: Validators,
    /// Make caches revalidate with the server (`Cache-Control: no-cache`).
    pub no_cache: bool,
}

/// The content encodings that a request accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// None or gzip. [`Response::decoded`](crate::Response::decoded) decodes it.
    #[default]
    Gzip,
    /// The file as it is stored. Servers may label a stored collection (`.scp.zst`, `.scp.gz`) with its compression.
    Stored,
    /// The file as it is stored, without any content encoding.
    Identity,
}

impl Request {
    /// Builds a request for a body of at most `limit` bytes.
    pub fn new(url: Url, limit: u64) -> Self {
        Self {
            url,
            limit,
            unannounced_limit: limit,
            accept: None,
            coding: Coding::default(),
            known: Validators::default(),
            no_cache: false,
        }
    }

    /// Makes the request conditional: the server answers 304 if these validators still match.
    pub fn unless_matches(mut self, known: Validators) -> Self {
        self.known = known;
        self
    }

    /// Sets the `Accept` header.
    pub fn accept(mut self, accept: &'static str) -> Self {
        self.accept = Some(accept);
        self
    }
}
