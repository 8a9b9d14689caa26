//! Flags over environment over `sitecast.toml`, decided once.

use std::env;
use std::path::PathBuf;

use clap::ValueEnum;
use sitecast_extract::{Comments, Rule, Rules};
use sitecast_publish::{BaseUrl, KeepOut};
use sitecast_scp::{Limits, MissingMetadata, ReaderOptions};

use crate::cli::{Color, Global, IndexPlace, Reading};
use crate::config::{
    Config, ConfigFile, KeepOutName, PublishConfig, ServeConfig, SiteConfig, SyncConfig,
};
use crate::failure::{Exit, Failure};

/// What holds for this run.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) color: Color,
    pub(crate) strict: bool,
    limits: Limits,
    sitemap_limits: sitecast_sitemap::Limits,
    tct_limits: sitecast_tct::Limits,
    extract_limits: sitecast_extract::Limits,
    extract_rules: Vec<Rule>,
    pub(crate) comments: Comments,
    pub(crate) publish: PublishConfig,
    pub(crate) serve: ServeConfig,
    pub(crate) sync: SyncConfig,
    pub(crate) sites: Vec<SiteConfig>,
    pub(crate) policy: Option<sitecast_tct::Policy>,
}

/// What holds where nobody says anything.
impl Default for Settings {
    fn default() -> Self {
        Self::new(Config::default(), Some(Color::Never))
    }
}

impl Settings {
    pub(crate) fn build(global: &Global) -> Result<Self, Failure> {
        let config = ConfigFile::load(global)?.config;
        Ok(Self::new(config, color_without_file(global)?))
    }

    /// What a file says, and what goes before it.
    pub(crate) fn new(config: Config, color: Option<Color>) -> Self {
        Self {
            color: color.or(config.color).unwrap_or(Color::Auto),
            strict: config.check.strict,
            limits: config.limits,
            sitemap_limits: config.sitemap.limits,
            tct_limits: config.tct.limits,
            extract_limits: config.extract.limits,
            comments: config.extract.comments,
            extract_rules: config
                .extract
                .rules
                .into_iter()
                .map(|rule| rule.0)
                .collect(),
            publish: config.publish,
            serve: config.serve,
            sync: config.sync,
            sites: config.site,
            policy: config.policy,
        }
    }

    /// How much of a sitemap to read.
    pub(crate) fn sitemap_limits(&self) -> &sitecast_sitemap::Limits {
        &self.sitemap_limits
    }

    /// How much of a JSON sitemap or a machine page to read.
    pub(crate) fn tct_limits(&self) -> &sitecast_tct::Limits {
        &self.tct_limits
    }

    /// How much of a page of HTML to look at.
    pub(crate) fn extract_limits(&self) -> &sitecast_extract::Limits {
        &self.extract_limits
    }

    /// Which parts of a site's pages are content.
    pub(crate) fn extract_rules(&self, base: Option<&BaseUrl>) -> Rules {
        Rules::new(base.map(BaseUrl::as_url), self.extract_rules.clone())
    }

    /// Which of the owner's words keep pages, and parts of them, out.
    pub(crate) fn keep_out(&self) -> KeepOut {
        match self.publish.keep_out {
            None | Some(KeepOutName::Any) => KeepOut::Any,
            Some(KeepOutName::Robots) => KeepOut::Robots,
        }
    }

    /// What makes pages of HTML.
    pub(crate) fn extractor(&self) -> sitecast_extract::Extractor<'static> {
        let base = self.publish.base_url.as_deref();
        let base = base.and_then(|base| base.parse().ok());
        sitecast_extract::Extractor {
            limits: self.extract_limits.clone(),
            rules: self.extract_rules(base.as_ref()),
            nosnippet: self.keep_out().nosnippet(),
            comments: self.comments,
            ..sitecast_extract::Extractor::default()
        }
    }

    /// What readers of collections accept.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many blocks a page may have.
    pub(crate) fn page_blocks(&self) -> usize {
        self.limits.page_blocks
    }

    /// Where the index is.
    pub(crate) fn index(&self, place: &IndexPlace) -> PathBuf {
        place
            .folder
            .clone()
            .or_else(|| variable("SITECAST_INDEX").map(PathBuf::from))
            .or_else(|| self.sync.index.clone())
            .unwrap_or_else(usual_index)
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

/// Where the system keeps data of a person; failing that, here.
pub(crate) fn usual_index() -> PathBuf {
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let usual = variable("XDG_DATA_HOME")
        .or_else(|| variable("LOCALAPPDATA").filter(|_| cfg!(windows)))
        .map(PathBuf::from)
        .or_else(home);
    usual.map_or_else(
        || PathBuf::from("sitecast-index"),
        |folder| folder.join("sitecast").join("index"),
    )
}

/// Where the system keeps caches of a person, if anywhere.
pub(crate) fn usual_cache() -> Option<PathBuf> {
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let usual = variable("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    usual.map(|folder| folder.join("sitecast"))
}

/// What flags and environment say about colours.
pub(crate) fn color_without_file(global: &Global) -> Result<Option<Color>, Failure> {
    if global.color.is_some() {
        return Ok(global.color);
    }
    if let Some(value) = variable("SITECAST_COLOR") {
        let color = value
            .to_str()
            .and_then(|value| Color::from_str(value, true).ok());
        return color.map(Some).ok_or_else(|| {
            let message = format!("`SITECAST_COLOR` is `{}`", value.display());
            Failure::new(Exit::Usage, message).hint("it can be `auto`, `always` or `never`")
        });
    }
    Ok(variable("NO_COLOR").map(|_| Color::Never))
}

/// A variable of the environment; one that is empty is as good as none.
pub(crate) fn variable(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}
