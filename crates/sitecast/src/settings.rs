//! Flags over environment over `sitecast.toml`, decided once.

use sitecast_scp::{Limits, MissingMetadata, ReaderOptions};

use crate::cli::{Color, Global, Reading};
use crate::config::Config;
use crate::failure::Failure;

/// What holds for this run.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) color: Color,
    pub(crate) strict: bool,
    limits: Limits,
}

impl Settings {
    pub(crate) fn build(global: &Global) -> Result<Self, Failure> {
        // clap has put the environment below the flags already.
        let config = Config::load(global.config.as_deref())?;
        Ok(Self {
            color: global.color.or(config.color).unwrap_or(Color::Auto),
            strict: config.check.strict.unwrap_or(false),
            limits: config.limits(),
        })
    }

    /// How to read a collection.
    pub(crate) fn reader(&self, reading: &Reading) -> ReaderOptions {
        ReaderOptions {
            limits: self.limits.clone(),
            missing_metadata: if reading.allow_missing_metadata {
                MissingMetadata::Accept
            } else {
                MissingMetadata::Refuse
            },
        }
    }
}
