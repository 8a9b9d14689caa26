//! How to serve.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::protection::Protected;
use crate::proxy::Proxies;
use crate::rate::RateLimit;

/// How to serve. [`Options::default`] is right for most; nothing is limited that a site does not
/// set limits for, but for what protects the server itself.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where `/metrics` and `/healthz` are, if anywhere.
    pub metrics: Option<SocketAddr>,
    /// Threads that serve; 0: one for each core.
    pub workers: usize,
    /// Certificates, for HTTPS.
    pub tls: Option<TlsFiles>,
    /// Where the site is on the web; otherwise its sitemaps say it.
    pub base_url: Option<Url>,
    /// How often to look for a new publication.
    pub poll: Duration,
    /// Also to look when the system says that files of a folder have changed, where it does (Linux).
    pub notifications: bool,
    /// How long a request waits for a publication that is under way.
    pub patience: Duration,
    /// How long a publication may be under way until it is taken for broken off: what it left is served then.
    pub broken_off: Duration,
    /// How long running downloads may go on after the server was told to stop.
    pub shutdown: Duration,
    /// Bytes of machine pages and compressed files that are kept in memory.
    pub cache_bytes: u64,
    /// What connections may do.
    pub limits: Limits,
    /// Proxies whose word on who the client is counts.
    pub proxies: Proxies,
    /// How much each client may ask for.
    pub rate_limit: Option<RateLimit>,
    /// Parts of the site that need a token.
    pub protected: Vec<Protected>,
    /// What machine pages were called before: `/post/llm/` is redirected if it is `llm/`.
    pub legacy_slug: Option<String>,
    /// Whether to send `Content-Digest` (RFC 9530) with machine pages and JSON sitemaps.
    pub content_digest: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            metrics: None,
            workers: 0,
            tls: None,
            base_url: None,
            poll: Duration::from_secs(2),
            notifications: true,
            patience: Duration::from_secs(5),
            broken_off: Duration::from_secs(60),
            shutdown: Duration::from_secs(60),
            cache_bytes: 64 << 20,
            limits: Limits::default(),
            proxies: Proxies::default(),
            rate_limit: None,
            protected: Vec::new(),
            legacy_slug: None,
            content_digest: false,
        }
    }
}

/// Files in the PEM format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those above it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What connections may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time, no more than the system has descriptors for; further ones are closed at once.
    pub connections: usize,
    /// Connections at a time of one client that is not a trusted proxy; 0: as many as there may be.
    pub connections_per_client: usize,
    /// Files at a time that are being sent, no more than the system has descriptors for; further requests are answered
    /// with 503.
    pub files: usize,
    /// Files at a time that are being sent to one client; 0: as many as there may be.
    pub files_per_client: usize,
    /// Bytes of a request's first line and headers.
    pub header_bytes: usize,
    /// Headers of a request.
    pub headers: usize,
    /// How long a connection may be silent, or take to send a request.
    pub idle: Duration,
    /// How long a client may take none of what is sent to it.
    pub stalled: Duration,
    /// Requests at a time on one connection of HTTP/2.
    pub streams: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 16_384,
            connections_per_client: 256,
            files: 16_384,
            files_per_client: 256,
            header_bytes: 32 << 10,
            headers: 100,
            idle: Duration::from_secs(60),
            stalled: Duration::from_secs(30),
            streams: 128,
        }
    }
}
