//! `sitecast.toml`: what can stand in it, and where it is.

pub(crate) mod document;
mod file;
pub(crate) mod kind;
#[cfg(test)]
mod reference;
pub(crate) mod setting;
mod suggest;
pub(crate) mod table;
pub(crate) mod template;
pub(crate) mod value;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use sitecast_extract::{Rule, RuleError, Selector};
use sitecast_scp::{Identifier, Limits};
use sitecast_sitemap::UpdateFrequency;

use crate::cli::{Color, Way};

pub(crate) use file::{ConfigFile, Named, named};
pub(crate) use suggest::meant;

/// All that can be set. A name that is not known is an error: a typo would go unnoticed. What each
/// setting does stands in [`table`], and mistakes are told by [`document`].
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
    pub(crate) site: Vec<SiteConfig>,
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
    pub(crate) keep_out: Option<KeepOutName>,
    pub(crate) compression: Option<Vec<CompressionName>>,
    pub(crate) collections: Option<String>,
    #[serde(deserialize_with = "parsed")]
    pub(crate) collections_url: Option<url::Url>,
    pub(crate) delta_share: Option<f64>,
    pub(crate) cache: Option<PathBuf>,
    /// Whether there is a section of all pages beside those that are named.
    pub(crate) all: Option<bool>,
    #[serde(deserialize_with = "by_name")]
    pub(crate) sections: BTreeMap<Identifier, SectionConfig>,
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
    #[serde(deserialize_with = "seconds")]
    pub(crate) delay: Option<Duration>,
    pub(crate) at_once: Option<usize>,
    pub(crate) max_pages: Option<u64>,
    pub(crate) max_time: Option<u64>,
    pub(crate) max_url_time: Option<u64>,
    pub(crate) snapshot_days: Option<u64>,
    pub(crate) quota_pages: Option<u64>,
    pub(crate) quota_bytes: Option<u64>,
    pub(crate) retention_days: Option<u64>,
    pub(crate) canonical: Option<CanonicalName>,
    /// Where collections may be besides the sites themselves; anywhere if nothing is said.
    pub(crate) collection_hosts: Option<Vec<String>>,
    pub(crate) allow_private: bool,
}

/// A site to sync, and what holds for it alone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SiteConfig {
    pub(crate) url: String,
    pub(crate) prefer: Option<Way>,
    pub(crate) sections: Option<Vec<String>>,
    pub(crate) max_pages: Option<u64>,
    pub(crate) snapshot_days: Option<u64>,
    pub(crate) quota_pages: Option<u64>,
    pub(crate) quota_bytes: Option<u64>,
    pub(crate) retention_days: Option<u64>,
    pub(crate) canonical: Option<CanonicalName>,
    pub(crate) collection_hosts: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CanonicalName {
    Strict,
    Lenient,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeepOutName {
    Any,
    Robots,
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
    #[serde(deserialize_with = "parsed")]
    pub(crate) update_freq: Option<UpdateFrequency>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ArtefactConfig {
    pub(crate) sitemap: Option<SitemapChoice>,
    pub(crate) robots_txt: Option<bool>,
    pub(crate) tct: Option<bool>,
    pub(crate) html_links: Option<bool>,
    pub(crate) policy: Option<bool>,
    pub(crate) headers: Option<Vec<HostName>>,
    pub(crate) llms_txt: Option<bool>,
    pub(crate) markdown: Option<bool>,
    pub(crate) template: Option<bool>,
}

/// Whether a sitemap names the collections, or one of its own does.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum SitemapChoice {
    Switch(bool),
    Named(SitemapName),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SitemapName {
    Separate,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HostName {
    Netlify,
    Cloudflare,
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
    #[serde(deserialize_with = "seconds")]
    pub(crate) poll_seconds: Option<Duration>,
    #[serde(deserialize_with = "seconds")]
    pub(crate) patience_seconds: Option<Duration>,
    #[serde(deserialize_with = "seconds")]
    pub(crate) shutdown_seconds: Option<Duration>,
    pub(crate) cache_bytes: Option<u64>,
    pub(crate) legacy_slug: Option<String>,
    pub(crate) content_digest: bool,
    pub(crate) tls: Option<TlsConfig>,
    pub(crate) limits: ServeLimitsConfig,
    pub(crate) trusted_proxies: Vec<String>,
    pub(crate) forwarded_header: sitecast_serve::ForwardedHeader,
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
    pub(crate) files: Option<usize>,
    pub(crate) files_per_client: Option<usize>,
    pub(crate) header_bytes: Option<usize>,
    pub(crate) headers: Option<usize>,
    #[serde(deserialize_with = "seconds")]
    pub(crate) idle_seconds: Option<Duration>,
    #[serde(deserialize_with = "seconds")]
    pub(crate) stalled_seconds: Option<Duration>,
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
    pub(crate) comments: sitecast_extract::Comments,
    pub(crate) rules: Vec<RuleConfig>,
    pub(crate) limits: sitecast_extract::Limits,
}

/// Which parts of some pages are content.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "RuleText")]
pub(crate) struct RuleConfig(pub(crate) Rule);

/// A rule as it stands in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RuleText {
    path: Option<String>,
    #[serde(deserialize_with = "each_parsed")]
    content: Vec<Selector>,
    #[serde(deserialize_with = "each_parsed")]
    include: Vec<Selector>,
    #[serde(deserialize_with = "each_parsed")]
    exclude: Vec<Selector>,
}

impl TryFrom<RuleText> for RuleConfig {
    type Error = RuleError;

    fn try_from(text: RuleText) -> Result<Self, RuleError> {
        let mut rule = Rule::new(text.path.as_deref())?;
        rule.content = text.content;
        rule.include = text.include;
        rule.exclude = text.exclude;
        Ok(Self(rule))
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CheckConfig {
    pub(crate) strict: bool,
}

/// A value that is text in the file, through its own parser.
fn parsed<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let text = String::deserialize(deserializer)?;
    text.parse().map(Some).map_err(D::Error::custom)
}

/// The same for a list of them.
fn each_parsed<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let texts = Vec::<String>::deserialize(deserializer)?;
    let parsed = texts.iter().map(|text| text.parse());
    parsed.collect::<Result<_, _>>().map_err(D::Error::custom)
}

/// Sections by their names.
fn by_name<'de, D, T>(deserializer: D) -> Result<BTreeMap<Identifier, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let entries = BTreeMap::<String, T>::deserialize(deserializer)?.into_iter();
    entries
        .map(|(name, value)| Ok((name.parse().map_err(D::Error::custom)?, value)))
        .collect()
}

/// A time in seconds.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)?;
    Ok(Some(duration))
}

#[cfg(test)]
mod tests;
