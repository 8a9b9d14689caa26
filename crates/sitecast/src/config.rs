//! `sitecast.toml`.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use sitecast_scp::Limits;

use crate::cli::Color;
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
            .hint("docs/check.md lists all settings with their defaults")
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
