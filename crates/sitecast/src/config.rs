//! `sitecast.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sitecast_scp::Limits;

use crate::cli::{Color, Way};
use crate::failure::{Exit, Failure, reason};

/// The file that is read if there is one in the current folder.
const DEFAULT: &str = "sitecast.toml";

/// All that can be set. A name that is not known is an error: a typo would go unnoticed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) color: Option<Color>,
    pub(crate) check: CheckConfig,
    pub(crate) limits: Limits,
    pub(crate) sitemap: SitemapConfig,
    pub(crate) tct: TctConfig,
    pub(crate) extract: ExtractConfig,
    pub(crate) publish: PublishConfig,
    pub(crate) serve: ServeConfig,
    pub(crate) sync: SyncConfig,
    pub(crate) policy: Option<sitecast_tct::Policy>,
}

/// What `publish` makes, and of what.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PublishConfig {
    pub(crate) source: Option<PathBuf>,
    pub(crate) base_url: Option<String>,
    pub(crate) out: Option<String>,
    pub(crate) previous: Option<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) compression: Option<Vec<CompressionName>>,
    pub(crate) collections: Option<String>,
    pub(crate) collections_url: Option<String>,
    pub(crate) delta_share: Option<f64>,
    pub(crate) cache: Option<PathBuf>,
    /// Whether there is a section of all pages beside those that are named.
    pub(crate) all: Option<bool>,
    pub(crate) sections: BTreeMap<String, SectionConfig>,
    pub(crate) artefacts: ArtefactConfig,
    pub(crate) storage: sitecast_storage::BucketOptions,
}

/// What `sync` takes, and how.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SyncConfig {
    pub(crate) index: Option<PathBuf>,
    pub(crate) prefer: Option<Way>,
    pub(crate) sections: Vec<String>,
    pub(crate) contact: Option<String>,
    pub(crate) delay: Option<f64>,
    pub(crate) at_once: Option<usize>,
    pub(crate) max_pages: Option<u64>,
    pub(crate) snapshot_days: Option<u64>,
    pub(crate) quota_pages: Option<u64>,
    pub(crate) quota_bytes: Option<u64>,
    pub(crate) retention_days: Option<u64>,
    /// Where collections may be besides the sites themselves; anywhere if nothing is said.
    pub(crate) collection_hosts: Option<Vec<String>>,
    pub(crate) allow_private: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CompressionName {
    None,
    Gzip,
    Zstd,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SectionConfig {
    pub(crate) paths: Vec<String>,
    pub(crate) update_freq: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArtefactConfig {
    pub(crate) sitemap: Option<bool>,
    pub(crate) robots_txt: Option<bool>,
    pub(crate) tct: Option<bool>,
    pub(crate) html_links: Option<bool>,
    pub(crate) policy: Option<bool>,
    pub(crate) headers: Option<Vec<HostName>>,
    pub(crate) llms_txt: Option<bool>,
    pub(crate) markdown: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HostName {
    Netlify,
    Apache,
    Nginx,
    Caddy,
}

/// How `serve` serves.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServeConfig {
    pub(crate) source: Option<String>,
    pub(crate) listen: Option<String>,
    pub(crate) metrics: Option<String>,
    pub(crate) workers: Option<usize>,
    pub(crate) log_format: Option<sitecast_serve::LogFormat>,
    pub(crate) base_url: Option<String>,
    pub(crate) poll_seconds: Option<f64>,
    pub(crate) patience_seconds: Option<f64>,
    pub(crate) shutdown_seconds: Option<f64>,
    pub(crate) cache_bytes: Option<u64>,
    pub(crate) legacy_slug: Option<String>,
    pub(crate) content_digest: bool,
    pub(crate) tls: Option<TlsConfig>,
    pub(crate) limits: ServeLimitsConfig,
    pub(crate) rate_limit: Option<RateLimitConfig>,
    pub(crate) protected: Vec<ProtectedConfig>,
    pub(crate) storage: Option<sitecast_storage::BucketOptions>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TlsConfig {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServeLimitsConfig {
    pub(crate) connections: Option<usize>,
    pub(crate) connections_per_client: Option<usize>,
    pub(crate) header_bytes: Option<usize>,
    pub(crate) headers: Option<usize>,
    pub(crate) idle_seconds: Option<f64>,
    pub(crate) stalled_seconds: Option<f64>,
    pub(crate) streams: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RateLimitConfig {
    pub(crate) per_second: f64,
    pub(crate) burst: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProtectedConfig {
    pub(crate) prefix: String,
    #[serde(default)]
    pub(crate) tokens: Vec<String>,
    pub(crate) tokens_file: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SitemapConfig {
    pub(crate) limits: sitecast_sitemap::Limits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TctConfig {
    pub(crate) limits: sitecast_tct::Limits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExtractConfig {
    pub(crate) limits: sitecast_extract::Limits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CheckConfig {
    pub(crate) strict: bool,
}

impl Config {
    /// Reads the file that was asked for, or the default one if it is there.
    pub(crate) fn load(asked_for: Option<&Path>) -> Result<Self, Failure> {
        let path = asked_for.unwrap_or(Path::new(DEFAULT));
        let name = path.display();
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if asked_for.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => {
                let message = format!("cannot read the configuration `{name}`: {}", reason(&error));
                return Err(Failure::new(Exit::Usage, message));
            }
        };
        let wrong = |place: &str, what: &str| {
            Failure::new(
                Exit::Usage,
                format!("configuration `{name}`{place}: {what}"),
            )
            .hint("docs/check.md, docs/publishing.md, docs/hosting.md and docs/syncing.md list all settings with their defaults")
        };
        let config: Self = toml::from_str(&text).map_err(|error| {
            let line_of = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            let line = error.span().map(|span| line_of(span.start));
            let place = line
                .map(|line| format!(", line {line}"))
                .unwrap_or_default();
            wrong(&place, error.message())
        })?;
        // What zstd itself can be told; beyond it every zstd file would look damaged.
        if !(10..=31).contains(&config.limits.zstd_window_log) {
            return Err(wrong("", "`zstd_window_log` is not one of 10 to 31"));
        }
        Ok(config)
    }
}
