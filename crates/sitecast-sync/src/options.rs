//! The settings of an agent.

use std::collections::BTreeSet;
use std::time::Duration;

use sitecast_index::{OriginKind, Quota};

/// The settings for a sync of one site.
#[derive(Debug, Clone)]
pub struct Options {
    /// The kind of source to try first. The others follow in the default order: collections, machine pages, HTML.
    pub prefer: Option<OriginKind>,
    /// The sections to follow; if empty, only the one with the most pages.
    pub sections: Vec<String>,
    /// Take a snapshot if the last one is older than this, even if the deltas are complete: deltas of some
    /// publishers do not list deletions.
    pub snapshot_every: Duration,
    /// Allow the deletion of more than half of a site in one visit.
    pub allow_deletions: bool,
    /// The hosts that may serve collections beside the site's own; `None` allows all.
    pub collection_hosts: Option<BTreeSet<String>>,
    /// The most pages that one visit fetches one by one: machine pages and HTML together.
    pub html_pages: u64,
    /// The rule for machine pages without the `Link` header that names their page.
    pub canonical: CanonicalRule,
    /// The limits on the pages that the index keeps of a site.
    pub quota: Quota,
    /// The index does not keep pages that were last modified longer ago than this.
    pub retention: Option<Duration>,
    /// Limits on collections.
    pub scp_limits: sitecast_scp::Limits,
    /// Limits on sitemaps.
    pub sitemap_limits: sitecast_sitemap::Limits,
    /// Limits on JSON sitemaps and machine pages.
    pub tct_limits: sitecast_tct::Limits,
    /// Limits on the extraction of HTML.
    pub extract_limits: sitecast_extract::Limits,
    /// The rule for readers' comments below an article.
    pub comments: sitecast_extract::Comments,
    /// The most bytes of one HTML page, both compressed and decompressed.
    pub html_bytes: u64,
}

/// The rule for machine pages without the header `Link: rel="canonical"`. A machine page whose header names
/// another page is always rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CanonicalRule {
    /// Reject them, as TCT requires.
    #[default]
    Strict,
    /// Accept them if the JSON sitemap pairs the two URLs, the body names the same page, and the hash in the
    /// sitemap is that of the body. For static hosts that cannot set the header.
    Lenient,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            prefer: None,
            sections: Vec::new(),
            snapshot_every: Duration::from_secs(7 * 24 * 3600),
            allow_deletions: false,
            collection_hosts: None,
            html_pages: 10_000,
            canonical: CanonicalRule::Strict,
            quota: Quota::default(),
            retention: None,
            scp_limits: sitecast_scp::Limits::default(),
            sitemap_limits: sitecast_sitemap::Limits::default(),
            tct_limits: sitecast_tct::Limits::default(),
            extract_limits: sitecast_extract::Limits::default(),
            comments: sitecast_extract::Comments::default(),
            html_bytes: 20_000_000,
        }
    }
}

impl Options {
    /// Returns the kinds of source in the order in which they are tried.
    pub fn ways(&self) -> Vec<OriginKind> {
        let usual = [OriginKind::Scp, OriginKind::Tct, OriginKind::Html];
        let mut ways: Vec<OriginKind> = self.prefer.into_iter().collect();
        ways.extend(usual.into_iter().filter(|way| Some(*way) != self.prefer));
        ways
    }
}
