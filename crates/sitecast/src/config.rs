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
    limits: LimitsConfig,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CheckConfig {
    pub(crate) strict: Option<bool>,
}

/// How much of a file is read before it is refused, each with the specification's value unless set.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsConfig {
    compressed_bytes: Option<u64>,
    uncompressed_bytes: Option<u64>,
    ratio: Option<u64>,
    ratio_from_bytes: Option<u64>,
    metadata_bytes: Option<usize>,
    page_bytes: Option<usize>,
    page_blocks: Option<usize>,
    depth: Option<usize>,
    zstd_window_log: Option<u32>,
    tracked_urls: Option<usize>,
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
        toml::from_str(&text).map_err(|error| {
            let line_of = |at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            let line = error.span().map(|span| line_of(span.start));
            let place = line
                .map(|line| format!(", line {line}"))
                .unwrap_or_default();
            Failure::new(
                Exit::Usage,
                format!("configuration `{name}`{place}: {}", error.message()),
            )
        })
    }

    /// The limits that are set, and the defaults of the others.
    pub(crate) fn limits(&self) -> Limits {
        let set = &self.limits;
        let default = Limits::default();
        Limits {
            compressed_bytes: set.compressed_bytes.unwrap_or(default.compressed_bytes),
            uncompressed_bytes: set.uncompressed_bytes.unwrap_or(default.uncompressed_bytes),
            ratio: set.ratio.unwrap_or(default.ratio),
            ratio_from_bytes: set.ratio_from_bytes.unwrap_or(default.ratio_from_bytes),
            metadata_bytes: set.metadata_bytes.unwrap_or(default.metadata_bytes),
            page_bytes: set.page_bytes.unwrap_or(default.page_bytes),
            page_blocks: set.page_blocks.unwrap_or(default.page_blocks),
            depth: set.depth.unwrap_or(default.depth),
            zstd_window_log: set.zstd_window_log.unwrap_or(default.zstd_window_log),
            tracked_urls: set.tracked_urls.unwrap_or(default.tracked_urls),
        }
    }
}
