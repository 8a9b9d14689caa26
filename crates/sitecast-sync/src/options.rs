use std::collections::BTreeSet;
use std::time::Duration;

use sitecast_index::{OriginKind, Quota};

/// What to take from sites, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to try first. The others follow in their usual order: collections, machine pages, HTML.
    pub prefer: Option<OriginKind>,
    /// The sections to follow; if none is named, the widest one.
    pub sections: Vec<String>,
    /// After so long a snapshot is taken though the deltas would do, to see what they do not say.
    pub snapshot_every: Duration,
    /// Whether more than half of a site may be deleted at once.
    pub allow_deletions: bool,
    /// Where collections may be besides the site's own hosts. `None` is anywhere.
    pub collection_hosts: Option<BTreeSet<String>>,
    /// The most pages that are fetched one by one from a site in one run: machine pages, and HTML.
    pub html_pages: u64,
    /// What to do with machine pages whose header does not name the page they are for.
    pub canonical: CanonicalRule,
    /// How much of a site to keep.
    pub quota: Quota,
    /// Pages that were last modified longer ago than this are not kept.
    pub retention: Option<Duration>,
    /// What collections may be.
    pub scp_limits: sitecast_scp::Limits,
    /// What sitemaps may be.
    pub sitemap_limits: sitecast_sitemap::Limits,
    /// What JSON sitemaps and machine pages may be.
    pub tct_limits: sitecast_tct::Limits,
    /// What HTML may be.
    pub extract_limits: sitecast_extract::Limits,
    /// Whether what readers say below an article is part of a page made of HTML.
    pub comments: sitecast_extract::Comments,
    /// Bytes of one page of HTML, as they come and once decompressed.
    pub html_bytes: u64,
}

/// What to do with machine pages that come without the header `Link: rel="canonical"`. One that names another
/// page is refused in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CanonicalRule {
    /// They are not kept, as TCT demands.
    #[default]
    Strict,
    /// They are kept if the JSON sitemap pairs the two URLs, the body names the same page, and the hash that the
    /// sitemap gives is that of the body: for static hosts that cannot set the header.
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
    /// The ways to sync, in the order in which they are tried.
    pub fn ways(&self) -> Vec<OriginKind> {
        let usual = [OriginKind::Scp, OriginKind::Tct, OriginKind::Html];
        let mut ways: Vec<OriginKind> = self.prefer.into_iter().collect();
        ways.extend(usual.into_iter().filter(|way| Some(*way) != self.prefer));
        ways
    }
}
