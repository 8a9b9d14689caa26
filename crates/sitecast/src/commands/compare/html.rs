//! What HTML costs a crawler as they are: robots.txt, the sitemap, then page by page; and when it comes
//! again, each page with the question whether it is still the same.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use sitecast_fetch::{Client, FetchError, Request, Validators};
use sitecast_publish::BaseUrl;
use sitecast_scp::HttpUrl;
use url::Url;

use super::figures::{HtmlBytes, Visit};
use super::watch::Watch;
use crate::commands::sync;
use crate::failure::{Exit, Failure, reason};

/// The levels that servers use for what they compress on the way.
const GZIP_LEVEL: u32 = 6;
const BROTLI_LEVEL: u32 = 5;
const BROTLI_WINDOW: u32 = 22;

/// The largest page.
const LARGEST: u64 = 1 << 30;
/// Pages, and bytes of them, that are kept to time their parsing.
const SAMPLED_PAGES: usize = 500;
const SAMPLED_BYTES: usize = 32 << 20;

const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1";

/// A crawler, and what it remembers.
#[derive(Default)]
pub(super) struct Crawler {
    known: HashMap<String, Validators>,
    /// Some of the pages.
    pub(super) sample: Vec<(HttpUrl, Vec<u8>)>,
}

/// What a visit took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HtmlVisit {
    requests: u64,
    /// Headers, robots.txt and the sitemap.
    other_bytes: u64,
    pub(super) bodies: HtmlBytes,
}

impl HtmlVisit {
    pub(super) fn gzip(&self) -> Visit {
        self.with(self.bodies.gzip_bytes)
    }

    pub(super) fn br(&self) -> Visit {
        self.with(self.bodies.br_bytes)
    }

    fn with(&self, bodies: u64) -> Visit {
        Visit {
            requests: self.requests,
            bytes: self.other_bytes + bodies,
        }
    }
}

impl Crawler {
    /// Asks for robots.txt, the sitemap and these pages.
    pub(super) fn visit(
        &mut self,
        client: &Client,
        site: &BaseUrl,
        pages: &[String],
        watch: &Watch,
    ) -> Result<HtmlVisit, Failure> {
        let failed = |error: FetchError| sync::failure(&error.into());
        client.robots(site.as_url()).map_err(failed)?;
        if let Ok(sitemap) = site.as_url().join("sitemap.xml") {
            self.get(client, &sitemap).map_err(failed)?;
        }
        let mut visit = HtmlVisit {
            requests: client.cost().requests,
            other_bytes: client.cost().bytes,
            bodies: HtmlBytes::default(),
        };
        let first = self.sample.is_empty();
        let every = pages.len().div_ceil(SAMPLED_PAGES).max(1);
        let mut kept = 0;
        for (number, page) in pages.iter().enumerate() {
            watch.pages(number as u64 + 1);
            let Ok(url) = Url::parse(page) else { continue };
            let before = client.cost();
            let (response, sent) = self.get(client, &url).map_err(failed)?;
            let after = client.cost();
            // One question and one answer: what leads to a page's other spelling is our server's own.
            let asked = (after.requests - before.requests).max(1);
            let body = response.len() as u64;
            visit.requests += 1;
            visit.other_bytes += (after.bytes - before.bytes).saturating_sub(sent) / asked;
            visit.bodies.uncompressed_bytes += body;
            visit.bodies.gzip_bytes += gzip(&response).map_err(cannot_compress)?;
            visit.bodies.br_bytes += brotli(&response).map_err(cannot_compress)?;
            if first
                && number % every == 0
                && kept + response.len() <= SAMPLED_BYTES
                && let Ok(url) = page.parse()
            {
                kept += response.len();
                self.sample.push((url, response));
            }
        }
        Ok(visit)
    }

    /// The body of an answer, and its length as it was sent, perhaps compressed; nothing, if there is nothing new.
    fn get(&mut self, client: &Client, url: &Url) -> Result<(Vec<u8>, u64), FetchError> {
        let known = self.known.get(url.as_str()).cloned().unwrap_or_default();
        let request = Request::new(url.clone(), LARGEST)
            .accept(ACCEPT)
            .unless_matches(known);
        let response = client.get(&request)?;
        if !response.head.is_not_modified() {
            let validators = response.head.validators.clone();
            self.known.insert(url.to_string(), validators);
        }
        let sent = response.body.len() as u64;
        Ok((response.decoded(LARGEST)?, sent))
    }
}

fn gzip(body: &[u8]) -> io::Result<u64> {
    if body.is_empty() {
        return Ok(0);
    }
    let mut encoder = GzEncoder::new(Counter::default(), Compression::new(GZIP_LEVEL));
    encoder.write_all(body)?;
    Ok(encoder.finish()?.0)
}

fn brotli(body: &[u8]) -> io::Result<u64> {
    if body.is_empty() {
        return Ok(0);
    }
    let counter = Counter::default();
    let mut encoder = brotli::CompressorWriter::new(counter, 64 << 10, BROTLI_LEVEL, BROTLI_WINDOW);
    encoder.write_all(body)?;
    // Ends the stream, too.
    Ok(encoder.into_inner().0)
}

/// Counts what is written to it.
#[derive(Default)]
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn cannot_compress(error: io::Error) -> Failure {
    let message = format!("cannot compress a page: {}", reason(&error));
    Failure::new(Exit::Failed, message)
}
