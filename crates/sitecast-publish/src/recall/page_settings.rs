//! The settings that decide which pages are made of the items: the key of the cache.

use serde::Serialize;
use sitecast_extract::{Comments, Model};

use crate::run::Run;
use crate::{KeepOut, PublishError};

/// The settings that decide which pages are made of the items.
#[derive(Serialize)]
pub(crate) struct PageSettings<'a> {
    base: &'a str,
    model: u64,
    sections: Vec<(&'a str, &'a [String])>,
    keep_out: KeepOut,
    extract_limits: &'a sitecast_extract::Limits,
    extract_rules: String,
    comments: bool,
    limits: &'a sitecast_scp::Limits,
    markdown: bool,
    source: String,
}

impl<'a> PageSettings<'a> {
    pub(crate) fn of(run: &Run<'a>) -> Self {
        let options = run.options;
        let sections = options.sections.iter();
        let sections = sections.map(|section| (section.name.as_str(), section.paths.as_slice()));
        Self {
            base: options.base.as_url().as_str(),
            model: Model::bundled().fingerprint(),
            sections: sections.collect(),
            keep_out: options.keep_out,
            extract_limits: &options.extract_limits,
            extract_rules: options.extract_rules.fingerprint(),
            comments: options.comments == Comments::Include,
            limits: &options.limits,
            markdown: options.artefacts.markdown,
            source: run.source.name(),
        }
    }
}

/// Returns the key of the cache of a run.
pub(crate) fn cache_key(run: &Run<'_>) -> Result<String, PublishError> {
    serde_json::to_string(&PageSettings::of(run)).map_err(PublishError::internal)
}
