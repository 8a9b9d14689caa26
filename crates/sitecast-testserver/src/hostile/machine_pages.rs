use sitecast_tct::ContentHash;

use crate::{Answer, Request};

/// A site with any number of machine pages and nothing else.
#[derive(Debug, Clone, Copy)]
pub struct MachinePages {
    /// Machine pages in the JSON sitemap.
    pub pages: usize,
}

impl MachinePages {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let base = format!("http://{}", request.header("host").unwrap_or_default());
        if request.path == "/llm-sitemap.json" {
            return Answer::text(200, self.sitemap(&base)).with("Content-Type", "application/json");
        }
        match request.path.strip_suffix("/llm.json") {
            Some(page) => machine_page(&format!("{base}{page}/")),
            None => Answer::status(404),
        }
    }

    fn sitemap(&self, base: &str) -> String {
        let hash = ContentHash::of(b"never the same").to_string();
        let items: Vec<String> = (0..self.pages)
            .map(|page| {
                format!(
                    "{{\"cUrl\":\"{base}/{page}/\",\"mUrl\":\"{base}/{page}/llm.json\",\
                     \"modified\":\"2026-01-05T10:00:00Z\",\"contentHash\":\"{hash}\"}}"
                )
            })
            .collect();
        format!(
            "{{\"version\":1,\"profile\":\"tct-1\",\"items\":[{}]}}",
            items.join(",")
        )
    }
}

/// Returns a machine page without a hash: an agent cannot use it and requests the HTML instead.
fn machine_page(url: &str) -> Answer {
    let body = format!(
        "{{\"canonical_url\":\"{url}\",\"content\":\"Text.\",\"profile\":\"tct-1\",\"title\":\"Text\"}}"
    );
    Answer {
        body: body.into_bytes(),
        ..Answer::status(200)
    }
    .with("Content-Type", "application/json")
    .with("Link", format!("<{url}>; rel=\"canonical\""))
}
