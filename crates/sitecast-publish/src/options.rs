use std::path::PathBuf;

use serde::Serialize;
use sitecast_extract::NoSnippet;
use sitecast_scp::{Compression, Identifier};
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::StorePath;
use sitecast_tct::Policy;

use crate::BaseUrl;
use crate::artefacts::{HostKind, store_path};

/// The settings of a publication.
#[derive(Debug, Clone)]
pub struct Options {
    /// The URL below which the pages are.
    pub base: BaseUrl,
    /// The parts of the site that have collections of their own.
    pub sections: Vec<Section>,
    /// Paths of pages that are not to be published: globs such as `/internal/**`.
    pub exclude: Vec<String>,
    /// The owner's rules that keep pages out.
    pub keep_out: KeepOut,
    /// The compressions of collections; each collection has one file for each.
    pub compressions: Vec<Compression>,
    /// The folder of collections, below the base: `scp`.
    pub collections: String,
    /// The URL of that folder, if it is not below the base: `https://cdn.example.com/scp/`.
    pub collections_url: Option<url::Url>,
    /// The share of the snapshot's size that deltas may add up to before there is a new one.
    pub delta_share: f64,
    /// The files beside the collections.
    pub artefacts: Artefacts,
    /// The content of `llm-policy.json`, if it is not the usual one.
    pub policy: Option<Policy>,
    /// Extracts all pages again, and writes a snapshot of every section.
    pub full: bool,
    /// Plans the publication without writing anything.
    pub dry_run: bool,
    /// Permits that more than half of the pages are deleted at once.
    pub mass_deletion: bool,
    /// The folder of the cache. Without it runs take longer, and pages whose markup alone was edited may change.
    pub cache: Option<PathBuf>,
    /// Threads that extract pages.
    pub threads: usize,
    /// The limits of extraction.
    pub extract_limits: sitecast_extract::Limits,
    /// The owner's rules about the parts of pages that are content.
    pub extract_rules: sitecast_extract::Rules,
    /// Decides if readers' comments below an article are published with it.
    pub comments: sitecast_extract::Comments,
    /// The limits of the agents that read collections.
    pub limits: sitecast_scp::Limits,
}

impl Options {
    /// The defaults: one section, `all`, that changes daily; zstd and gzip;
    /// everything that needs no decision of the owner.
    pub fn new(base: BaseUrl) -> Self {
        Self {
            base,
            sections: vec![Section::all()],
            exclude: Vec::new(),
            keep_out: KeepOut::default(),
            compressions: vec![Compression::Zstd, Compression::Gzip],
            collections: "scp".to_owned(),
            collections_url: None,
            delta_share: 0.5,
            artefacts: Artefacts::default(),
            policy: None,
            full: false,
            dry_run: false,
            mass_deletion: false,
            cache: None,
            threads: crate::ordered::cores(),
            extract_limits: sitecast_extract::Limits::default(),
            extract_rules: sitecast_extract::Rules::default(),
            comments: sitecast_extract::Comments::default(),
            limits: sitecast_scp::Limits::default(),
        }
    }

    /// Returns the URL of a collection.
    pub(crate) fn url_of_collection(&self, path: &StorePath) -> String {
        let below = path.as_str().strip_prefix(&self.collections);
        match (&self.collections_url, below) {
            (Some(folder), Some(below)) => {
                format!(
                    "{}{below}",
                    folder.as_str().strip_suffix('/').unwrap_or(folder.as_str())
                )
            }
            _ => self.base.url_of(path.as_str()).into(),
        }
    }

    /// Returns the path of a collection in the store; `None` for one that is not ours.
    pub(crate) fn path_of_collection(&self, url: &str) -> Option<StorePath> {
        if let Some(folder) = &self.collections_url {
            let folder = folder.as_str().strip_suffix('/').unwrap_or(folder.as_str());
            if let Some(below) = url.strip_prefix(folder) {
                return format!("{}{below}", self.collections).parse().ok();
            }
        }
        store_path(self.base.as_url(), url).ok()
    }
}

/// The owner's rules that keep a page out of the publication.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum KeepOut {
    /// All of them: a page that is kept from any crawler, or asks for a password, is left out.
    #[default]
    Any,
    /// Those for all crawlers: `<meta name="robots">` and the group `*` of robots.txt.
    Robots,
}

impl KeepOut {
    /// Returns the treatment of `data-nosnippet`.
    pub fn nosnippet(self) -> NoSnippet {
        match self {
            Self::Any => NoSnippet::LeaveOut,
            Self::Robots => NoSnippet::Disregard,
        }
    }
}

/// A part of the site that has collections of its own.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its name.
    pub name: Identifier,
    /// The paths below the base that belong to it, as globs such as `/blog/**`; none: all.
    pub paths: Vec<String>,
    /// The frequency of its changes, which decides the lifetimes of its collections.
    pub update_frequency: UpdateFrequency,
}

impl Section {
    /// The section of all pages.
    #[allow(clippy::expect_used, reason = "the name is ours")]
    pub fn all() -> Self {
        Self {
            name: "all".parse().expect("`all` is a name"),
            paths: Vec::new(),
            update_frequency: UpdateFrequency::Daily,
        }
    }
}

/// The sitemap that names the collections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum SitemapForm {
    /// None.
    Off,
    /// The site's own, extended, or else one of ours.
    Extended,
    /// One of its own, [`sitecast_sitemap::SEPARATE_SITEMAP`], for sites whose other readers choke on elements
    /// that they do not know.
    Separate,
}

/// The files beside the collections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artefacts {
    /// The sitemap that names the collections. Without it agents do not find them.
    pub sitemap: SitemapForm,
    /// `Sitemap:` lines in `robots.txt`.
    pub robots_txt: bool,
    /// Machine pages and `llm-sitemap.json`.
    pub tct: bool,
    /// `<link rel="alternate">` in the HTML, where it is in the same folder.
    pub html_links: bool,
    /// `llm-policy.json`.
    pub policy: bool,
    /// Header files for static hosts.
    pub hosts: Vec<HostKind>,
    /// `llms.txt`.
    pub llms_txt: bool,
    /// A Markdown file beside each page.
    pub markdown: bool,
    /// `sitecast-template.json`: what the site's pages have in common, so that a later run without a cache makes the same
    /// of the same HTML.
    pub template: bool,
}

impl Default for Artefacts {
    fn default() -> Self {
        Self {
            sitemap: SitemapForm::Extended,
            robots_txt: true,
            tct: true,
            html_links: true,
            policy: true,
            hosts: vec![HostKind::Netlify],
            llms_txt: false,
            markdown: false,
            template: true,
        }
    }
}
