use std::net::SocketAddr;

use sitecast_serve::{Limits, Options, ProtectedPrefix, Proxies, RateLimit, TlsFiles};

use crate::cli::Serve;
use crate::config::{ProtectedConfig, ServeLimitsConfig};
use crate::failure::{Exit, Failure};
use crate::settings::Settings;

/// Flags over `sitecast.toml` over what is usual.
pub(crate) fn build(arguments: &Serve, settings: &Settings) -> Result<Options, Failure> {
    let config = &settings.serve;
    let usual = Options::default();
    let listen = arguments.listen.as_ref().or(config.listen.as_ref());
    let metrics = arguments.metrics.as_ref().or(config.metrics.as_ref());
    let base_url = arguments
        .base_url
        .as_ref()
        .or(config.base_url.as_ref())
        .or(settings.publish.base_url.as_ref());
    let flags = arguments
        .tls_certificate
        .clone()
        .zip(arguments.tls_key.clone());
    let files = config
        .tls
        .as_ref()
        .map(|tls| (tls.certificate.clone(), tls.key.clone()));
    Ok(Options {
        listen: match listen {
            Some(text) => address("listen", text)?,
            None => usual.listen,
        },
        metrics: metrics.map(|text| address("metrics", text)).transpose()?,
        workers: arguments.workers.or(config.workers).unwrap_or_default(),
        tls: flags
            .or(files)
            .map(|(certificate, key)| TlsFiles { certificate, key }),
        base_url: base_url
            .map(|text| {
                let url = url::Url::parse(text).ok();
                url.filter(|url| matches!(url.scheme(), "http" | "https"))
                    .ok_or_else(|| {
                        Failure::new(Exit::Usage, format!("`{text}` is not a URL"))
                            .hint("it is the homepage's: --base-url https://example.com")
                    })
            })
            .transpose()?,
        poll: config.poll_seconds.unwrap_or(usual.poll),
        notifications: usual.notifications,
        publication_wait: config.patience_seconds.unwrap_or(usual.publication_wait),
        abandoned_after: usual.abandoned_after,
        shutdown: config.shutdown_seconds.unwrap_or(usual.shutdown),
        cache_bytes: config.cache_bytes.unwrap_or(usual.cache_bytes),
        limits: limits(&config.limits, &usual.limits),
        proxies: Proxies::new(&config.trusted_proxies, config.forwarded_header)
            .map_err(|text| wrong(&format!("`{text}` is neither an address nor a network")))?,
        rate_limit: config.rate_limit.as_ref().map(|limit| RateLimit {
            per_second: limit.per_second,
            burst: limit.burst,
        }),
        protected: config
            .protected
            .iter()
            .map(protected)
            .collect::<Result<_, _>>()?,
        legacy_slug: config.legacy_slug.clone().filter(|slug| !slug.is_empty()),
        content_digest: config.content_digest,
    })
}

fn limits(config: &ServeLimitsConfig, usual: &Limits) -> Limits {
    Limits {
        connections: config.connections.unwrap_or(usual.connections),
        connections_per_client: config
            .connections_per_client
            .unwrap_or(usual.connections_per_client),
        files: config.files.unwrap_or(usual.files),
        files_per_client: config.files_per_client.unwrap_or(usual.files_per_client),
        header_bytes: config.header_bytes.unwrap_or(usual.header_bytes),
        headers: config.headers.unwrap_or(usual.headers),
        idle: config.idle_seconds.unwrap_or(usual.idle),
        stalled: config.stalled_seconds.unwrap_or(usual.stalled),
        streams: config.streams.unwrap_or(usual.streams),
    }
}

fn protected(config: &ProtectedConfig) -> Result<ProtectedPrefix, Failure> {
    let prefix = &config.prefix;
    let mut tokens = config.tokens.clone();
    if let Some(file) = &config.tokens_file {
        let name = file.display().to_string();
        let text =
            std::fs::read_to_string(file).map_err(|error| Failure::cannot_read(&name, &error))?;
        let lines = text.lines().map(str::trim);
        tokens.extend(
            lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(str::to_owned),
        );
    }
    if tokens.is_empty() || tokens.iter().any(String::is_empty) {
        return Err(wrong(&format!(
            "the protected prefix `{prefix}` has no token, or an empty one"
        )));
    }
    Ok(ProtectedPrefix::new(prefix, tokens))
}

fn address(name: &str, text: &str) -> Result<SocketAddr, Failure> {
    text.parse().map_err(|_| {
        Failure::new(
            Exit::Usage,
            format!("`{text}` is not an address to listen on"),
        )
        .hint(format!(
            "an address and a port: --{name} 127.0.0.1:8080, or 0.0.0.0:8080 for all"
        ))
    })
}

fn wrong(problem: &str) -> Failure {
    Failure::new(Exit::Usage, problem).hint("docs/configuration.md lists all settings")
}
