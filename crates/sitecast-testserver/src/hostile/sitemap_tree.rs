use super::gzipped_xml;
use crate::{Answer, Request};

/// A site whose robots.txt names sitemap indexes, which name further sitemaps. In an endless tree those are indexes, too.
#[derive(Debug, Clone)]
pub struct SitemapTree {
    /// The base URL of the server: `http://127.0.0.1:8080`.
    pub base: String,
    /// Indexes that robots.txt names.
    pub indexes: usize,
    /// Sitemaps that each index names.
    pub children: usize,
    /// Bytes of the path of each sitemap.
    pub bytes: usize,
    /// True if the sitemaps that an index names are indexes; otherwise they do not exist.
    pub endless: bool,
}

impl SitemapTree {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let base = &self.base;
        if request.path == "/robots.txt" {
            let lines = (0..self.indexes).map(|n| format!("Sitemap: {base}/{n}/index.xml\n"));
            return Answer::text(200, lines.collect::<String>());
        }
        let is_named = request.path.ends_with("/index.xml");
        if !(is_named || self.endless && request.path.ends_with(".xml")) {
            return Answer::text(404, "nothing here");
        }
        let own = request.path.bytes().fold(7u64, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let padding = "x".repeat(self.bytes.saturating_sub(40));
        let children = (0..self.children)
            .map(|n| format!("<sitemap><loc>{base}/{own:016x}/{n}/{padding}.xml</loc></sitemap>"));
        gzipped_xml(&format!(
            "<sitemapindex>{}</sitemapindex>",
            children.collect::<String>()
        ))
    }
}
