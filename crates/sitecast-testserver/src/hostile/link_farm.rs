use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Answer, Request};

/// A site without a sitemap, whose pages have many long links, all to different pages.
#[derive(Debug, Clone, Copy)]
pub struct LinkFarm {
    /// Links on each page.
    pub links: usize,
    /// Bytes of the path of each link.
    pub bytes: usize,
}

impl LinkFarm {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        if request.path.ends_with(".txt")
            || request.path.ends_with(".xml")
            || request.path.ends_with(".json")
        {
            return Answer::text(404, "nothing here");
        }
        // A hash of the path, so that no two pages link to the same page.
        let own = request.path.bytes().fold(7u64, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        let padding = "x".repeat(self.bytes.saturating_sub(40));
        let links: String = (0..self.links)
            .map(|n| format!("<a href=\"/{own:016x}/{n}/{padding}\">{n}</a>\n"))
            .collect();
        let text =
            "Everything that is worth knowing is written down here, in sentences of some length. ";
        let html = format!(
            "<!DOCTYPE html><html lang=en><title>{own}</title><main><h1>Page {own}</h1><p>{}</p></main>{links}",
            text.repeat(5)
        );
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        // Writing into memory does not fail.
        let _ = encoder.write_all(html.as_bytes());
        let mut answer = Answer::html("").with("Content-Encoding", "gzip");
        answer.body = encoder.finish().unwrap_or_default();
        answer
    }
}
