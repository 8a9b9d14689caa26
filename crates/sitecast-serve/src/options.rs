//! Settings of the server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::protection::ProtectedPrefix;
use crate::proxy::Proxies;
use crate::rate::RateLimit;

/// Settings of a server. [`Options::default`] suits most sites: it limits only what protects the server itself.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen on; port 0 lets the system choose one.
    pub listen: SocketAddr,
    /// A separate address for `/metrics` and `/healthz`; `None` disables it.
    pub metrics: Option<SocketAddr>,
    /// Worker threads; 0 means one for each core.
    pub workers: usize,
    /// Certificate and key; with them the server speaks HTTPS only.
    pub tls: Option<TlsFiles>,
    /// The site's base URL; `None` derives it from the sitemaps.
    pub base_url: Option<Url>,
    /// Interval between checks for a new publication.
    pub poll: Duration,
    /// Also check when the kernel reports changed files (inotify; folders on Linux only).
    pub notifications: bool,
    /// Time that a request waits while a publication is being written, before it gets a 503.
    pub publication_wait: Duration,
    /// A publisher is presumed dead when a machine page has disagreed with the sitemap for this long. The server then
    /// sends the machine page as it is.
    pub abandoned_after: Duration,
    /// Time that running downloads have to finish when the server stops.
    pub shutdown: Duration,
    /// Size of the cache of machine pages and compressed files, in bytes.
    pub cache_bytes: u64,
    /// Limits on connections and requests.
    pub limits: Limits,
    /// Trusted proxies, which name the client in a header.
    pub proxies: Proxies,
    /// Rate limit for each client; `None` means unlimited.
    pub rate_limit: Option<RateLimit>,
    /// Path prefixes that need a token.
    pub protected: Vec<ProtectedPrefix>,
    /// The former name of machine pages: with `llm/`, `/post/llm/` redirects to the machine page of `/post/`.
    pub legacy_slug: Option<String>,
    /// Send `Content-Digest` (RFC 9530) with machine pages and JSON sitemaps.
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
            publication_wait: Duration::from_secs(5),
            abandoned_after: Duration::from_secs(60),
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

/// The PEM files for HTTPS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by its intermediate certificates.
    pub certificate: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
}

/// Limits on connections and requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Concurrent connections, capped by the available descriptors. Further ones are closed at once.
    pub connections: usize,
    /// Concurrent connections of one client, trusted proxies excepted; 0 means no limit per client.
    pub connections_per_client: usize,
    /// Files being sent concurrently, capped by the available descriptors. Further requests for files get a 503.
    pub files: usize,
    /// Files being sent to one client concurrently; 0 means no limit per client.
    pub files_per_client: usize,
    /// Size of a request's first line and headers, in bytes.
    pub header_bytes: usize,
    /// Number of headers in a request.
    pub headers: usize,
    /// Time that a connection may be idle, or take to send a request.
    pub idle: Duration,
    /// Time that a client may read nothing while a response waits.
    pub stalled: Duration,
    /// Concurrent streams on one HTTP/2 connection.
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
