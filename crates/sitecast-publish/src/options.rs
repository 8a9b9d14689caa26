use std::path::PathBuf;

use serde::Serialize;
use sitecast_extract::NoSnippet;
use sitecast_scp::{Compression, Identifier};
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::StorePath;
use sitecast_tct::Policy;

use crate::BaseUrl;
use crate::artefacts::{HostKind, store_path};

/// What to publish, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the site is on the web.
    pub base: BaseUrl,
    /// The parts of the site that have collections of their own.
    pub sections: Vec<Section>,
    /// Paths of pages that are not to be published: globs such as `/internal/**`.
    pub exclude: Vec<String>,
    /// Which of the owner's words keep pages out.
    pub keep_out: KeepOut,
    /// How collections are compressed; one file each.
    pub compressions: Vec<Compression>,
    /// The folder of collections, below the base: `scp`.
    pub collections: String,
    /// Where that folder is on the web, if not below the base: `https://cdn.example.com/scp/`.
    pub collections_url: Option<url::Url>,
    /// The share of the snapshot's size that deltas may add up to before there is a new one.
    pub delta_share: f64,
    /// What is made beside the collections.
    pub artefacts: Artefacts,
    /// What the policy says, if anything is to be said.
    pub policy: Option<Policy>,
    /// Whether to make everything anew: extract all pages and write a snapshot of every section.
    pub full: bool,
    /// Whether to find out what would be done, and do nothing.
    pub dry_run: bool,
    /// Whether more than half of a site may disappear at once.
    pub mass_deletion: bool,
    /// Where what was learnt on the last run is kept; losing it loses nothing but time.
    pub cache: Option<PathBuf>,
    /// Threads that extract pages.
    pub threads: usize,
    /// How much of a page is looked at.
    pub extract_limits: sitecast_extract::Limits,
    /// Which parts of pages are content.
    pub extract_rules: sitecast_extract::Rules,
    /// Whether what readers say below an article is published with it.
    pub comments: sitecast_extract::Comments,
    /// What readers of collections accept.
    pub limits: sitecast_scp::Limits,
}

impl Options {
    /// What happens if nothing else is said: one section, `all`, made anew daily; zstd and gzip;
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

    /// Where a collection is on the web.
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

    /// Where a collection is in the store; `None` for one that is not ours.
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

/// Which of the owner's words keep a page out of the publication.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub enum KeepOut {
    /// All of them: a page that is kept from any crawler, or asks for a password, is left out.
    #[default]
    Any,
    /// Those for all crawlers: `<meta name="robots">` and the group `*` of robots.txt.
    Robots,
}

impl KeepOut {
    /// Whether it hears `data-nosnippet`.
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
    /// Which paths below the base belong to it, as globs such as `/blog/**`; none: all.
    pub paths: Vec<String>,
    /// How often it changes, which decides how long its collections live.
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

/// Which sitemap names the collections.
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

/// What is made beside the collections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artefacts {
    /// The sitemap that names the collections. Without it nobody finds them.
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
