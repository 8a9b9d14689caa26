//! A static file server.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use sitecast_tct::{ContentHash, EntityTag, TagList, canonical_link, if_range_holds, index_link};

use crate::{Answer, Request};

/// A folder that is served like by a good static host: with validators, conditional requests, ranges, index files, and the
/// headers that machine pages need.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    /// Compress files that are not compressed yet with gzip, if the client accepts it.
    pub gzip: bool,
}

impl Folder {
    /// Serves the files in a folder.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            gzip: false,
        }
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        if path.split('/').any(|part| part == "..") {
            return Answer::text(400, "no");
        }
        let mut file = self.root.join(path.trim_start_matches('/'));
        if file.is_dir() {
            file = file.join("index.html");
        }
        let Ok(body) = fs::read(&file) else {
            return Answer::text(404, "not found");
        };
        self.serve(request, &file, body)
    }

    fn serve(&self, request: &Request, file: &Path, body: Vec<u8>) -> Answer {
        let name = file.to_string_lossy().into_owned();
        let hash = ContentHash::of(&body).to_string();
        let mut tag = format!("\"{hash}\"");
        let mut answer = Answer::status(200);
        let ends = |end: &str| name.ends_with(end);
        if ends(".scp") || ends(".scp.gz") || ends(".scp.zst") {
            answer = answer.with("Content-Type", "application/scp");
            if let Some(coding) = [(".gz", "gzip"), (".zst", "zstd")]
                .iter()
                .find(|c| ends(c.0))
            {
                answer = answer.with("Content-Encoding", coding.1);
            }
        } else if ends(".html") {
            answer = answer.with("Content-Type", "text/html; charset=utf-8");
            if self.root.join("llm-sitemap.json").exists() {
                answer = answer.with("Link", index_link("/llm-sitemap.json"));
            }
        } else if ends(".json") {
            answer = answer.with("Content-Type", "application/json");
            let json: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            // A machine page: the tag is its declared hash, and the link names the page for people.
            let text = |name: &str| json.get(name).and_then(|value| value.as_str());
            if let (Some(hash), Some(url)) = (text("hash"), text("canonical_url")) {
                tag = format!("\"{hash}\"");
                answer = answer.with("Link", canonical_link(url));
            }
        } else if ends(".xml") {
            answer = answer.with("Content-Type", "application/xml");
        } else {
            answer = answer.with("Content-Type", "text/plain");
        }
        answer = answer.with("ETag", tag.clone());
        let own = EntityTag::parse(&tag);
        if let (Some(own), Some(list)) = (&own, request.header("if-none-match"))
            && TagList::parse(list).matches_weak(own)
        {
            answer.status = 304;
            return answer;
        }
        let wanted = request
            .header("range")
            .and_then(|range| range.strip_prefix("bytes="))
            .and_then(|range| range.strip_suffix('-'))
            .and_then(|start| start.parse::<usize>().ok());
        let holds = match (&own, request.header("if-range")) {
            (Some(own), Some(value)) => if_range_holds(value, None, own, None),
            _ => true,
        };
        if let Some(start) = wanted.filter(|_| holds) {
            let total = body.len();
            let Some(rest) = body.get(start..).filter(|rest| !rest.is_empty()) else {
                return Answer::status(416).with("Content-Range", format!("bytes */{total}"));
            };
            answer.status = 206;
            answer.body = rest.to_vec();
            return answer.with(
                "Content-Range",
                format!("bytes {start}-{}/{total}", total - 1),
            );
        }
        let accepts = request.header("accept-encoding").unwrap_or_default();
        let is_text = !ends(".gz") && !ends(".zst");
        if self.gzip && is_text && accepts.contains("gzip") {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            if encoder.write_all(&body).is_ok()
                && let Ok(compressed) = encoder.finish()
            {
                answer.body = compressed;
                return answer.with("Content-Encoding", "gzip");
            }
        }
        answer.body = body;
        answer
    }
}
