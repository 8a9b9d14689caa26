//! What a crawler costs that knows nothing of collections and machine pages: robots.txt, then every
//! page, on condition of what it has.

use std::collections::BTreeMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use sitecast_fetch::{Client, FetchError, Request, Validators};
use url::Url;

use super::report::Cost;

/// A page of the bundled site has a few kilobytes.
const PAGE_BYTES: u64 = 10_000_000;

/// What nearly all servers use for what they compress on the way.
const GZIP_LEVEL: u32 = 6;

/// A crawler, and what it remembers from visit to visit.
#[derive(Default)]
pub(super) struct Crawler {
    seen: BTreeMap<String, Validators>,
}

impl Crawler {
    /// Visits all these pages. Our server sends HTML as it is, and most do so with gzip: bodies are
    /// counted as gzip makes them, all else as it crossed the wire.
    pub(super) fn visit(&mut self, client: &Client, pages: &[String]) -> Result<Cost, FetchError> {
        let client = client.for_visit();
        let mut plain = 0;
        let mut compressed = 0;
        for page in pages {
            let url = Url::parse(page).map_err(|_| FetchError::NotHttp { url: page.clone() })?;
            let known = self.seen.get(page).cloned().unwrap_or_default();
            let response = client.get(&Request::new(url, PAGE_BYTES).unless_matches(known))?;
            plain += response.body.len() as u64;
            compressed += gzip(&response.body).map_or(response.body.len() as u64, |bytes| bytes);
            if response.head.is_ok() {
                self.seen
                    .insert(page.clone(), response.head.validators.clone());
            }
        }
        let cost = client.cost();
        Ok(Cost {
            requests: cost.requests,
            bytes: (cost.bytes + compressed).saturating_sub(plain),
        })
    }
}

/// How many bytes gzip makes of it.
fn gzip(body: &[u8]) -> io::Result<u64> {
    if body.is_empty() {
        return Ok(0);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(GZIP_LEVEL));
    encoder.write_all(body)?;
    Ok(encoder.finish()?.len() as u64)
}
