//! The options of a check.

use sitecast_scp::ReaderOptions;

use crate::Sample;

/// Limits, strictness and samples of a check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The limits of collections, and whether they need a metadata line.
    pub reading: ReaderOptions,
    /// The limits of sitemaps.
    pub sitemap_limits: sitecast_sitemap::Limits,
    /// The limits of JSON sitemaps, machine pages and policies.
    pub tct_limits: sitecast_tct::Limits,
    /// Treat warnings as problems.
    pub strict: bool,
    /// Treat every URL as a website, even one that does not return HTML.
    pub as_site: bool,
    /// The machine pages of a website to check. Of a folder all are checked.
    pub pages: Sample,
    /// The collections of a website to check. Of a folder all are checked.
    pub collections: CollectionChoice,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reading: ReaderOptions::default(),
            sitemap_limits: sitecast_sitemap::Limits::default(),
            tct_limits: sitecast_tct::Limits::default(),
            strict: false,
            as_site: false,
            pages: Sample::Count(20),
            collections: CollectionChoice::Newest,
        }
    }
}

/// The collections of a website to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectionChoice {
    /// The newest snapshot of each section, and the deltas that follow it.
    Newest,
    /// All that the sitemaps name.
    All,
}
