//! Checking a URL: a single file, or a website.

use std::path::PathBuf;
use std::time::Instant;

use sitecast_fetch::{Client, Coding, Download, Downloaded, FetchError, Request};
use tempfile::TempPath;
use url::Url;

use crate::file::Context;
use crate::files::{Exchange, Expected, Lookup, Probes, SiteFile, SiteFiles};
use crate::http;
use crate::recognize::{Format, recognize};
use crate::report::{Cause, Finding, Report};
use crate::site::SiteCheck;
use crate::{CheckError, Checker, Role, Sink, Verdict, parse_url};

/// The largest collection is twice as large as announced, and at least this many bytes larger.
const SLACK: u64 = 1 << 20;

/// A client and a folder for its downloads.
pub struct Web {
    client: Client,
    folder: PathBuf,
    /// Downloads so far, which number the files.
    downloads: u64,
}

impl Web {
    /// Creates a client for one visit. Each download is deleted after it was checked; the caller deletes the folder.
    pub fn new(client: &Client, folder: impl Into<PathBuf>) -> Self {
        Self {
            client: client.for_visit(),
            folder: folder.into(),
            downloads: 0,
        }
    }
}

/// The files of websites, which are downloaded.
struct WebFiles<'w> {
    web: &'w mut Web,
    checker: &'w Checker<'w>,
}

impl WebFiles<'_> {
    fn request(&self, url: &Url, expected: Expected) -> Request {
        let options = &self.checker.options;
        let collection_bytes = options.reading.limits.compressed_bytes;
        let sitemap_bytes = options.sitemap_limits.bytes;
        let json_bytes = options.tct_limits.sitemap_bytes;
        let path = url.path();
        let is_collection = [".scp", ".scp.gz", ".scp.zst"]
            .iter()
            .any(|end| path.ends_with(end));
        let (limit, accept) = match expected {
            Expected::Collection(size) => (
                size.map_or(collection_bytes, |size| {
                    let most = size.saturating_mul(2).max(size.saturating_add(SLACK));
                    most.min(collection_bytes)
                }),
                "application/scp,*/*;q=0.5",
            ),
            Expected::Anything if is_collection => (collection_bytes, "application/scp,*/*;q=0.5"),
            Expected::Anything => (sitemap_bytes.max(json_bytes), "*/*"),
            Expected::Sitemap => (
                sitemap_bytes,
                "application/xml,text/xml,text/plain;q=0.8,*/*;q=0.5",
            ),
            Expected::Json => (json_bytes, "application/json"),
            Expected::MachinePage => (options.tct_limits.page_bytes as u64, "application/json"),
            Expected::Robots => (sitemap_bytes, "text/plain,*/*;q=0.5"),
        };
        let mut request = Request::new(url.clone(), limit).accept(accept);
        if is_collection || matches!(expected, Expected::Collection(_)) {
            request.coding = Coding::Stored;
        }
        request
    }

    fn download(&mut self, request: &Request) -> Result<(Downloaded, PathBuf), FetchError> {
        self.web.downloads += 1;
        let path = self.web.folder.join(self.web.downloads.to_string());
        let download = Download {
            request,
            to: &path,
            progress: &|done, total| self.checker.progress.received(done, total),
        };
        self.web.client.download(download).map(|done| (done, path))
    }
}

impl SiteFiles for WebFiles<'_> {
    fn find(&mut self, url: &Url, expected: Expected) -> Lookup {
        let request = self.request(url, expected);
        let other_status = |status| Lookup::Absent(format!("the server answers {status}"));
        match self.download(&request) {
            Ok((Downloaded::Complete { head, .. }, path)) => Lookup::Found(SiteFile {
                name: url.to_string(),
                _temporary: TempPath::try_from_path(&path).ok(),
                path,
                exchange: Some(Box::new(Exchange { request, head })),
            }),
            Ok((Downloaded::NotModified(head) | Downloaded::OtherStatus(head), _)) => {
                other_status(head.status)
            }
            Err(FetchError::Status { status, .. }) if !matches!(status, 429 | 503) => {
                other_status(status)
            }
            // The site names a file that it does not want to be fetched.
            Err(FetchError::Disallowed { .. }) => {
                Lookup::Absent("robots.txt does not allow it".to_owned())
            }
            Err(error) => Lookup::Failed(error),
        }
    }

    fn check_headers(&mut self, file: &SiteFile, probes: Probes, report: &mut Report) {
        if let Some(exchange) = &file.exchange {
            http::check_headers(&exchange.head, report);
            if probes == Probes::Send {
                http::send_probes(&self.web.client, exchange, report);
            }
        }
    }
}

impl Checker<'_> {
    /// Checks a URL: a single file with its headers; or a website, if the URL returns HTML or
    /// [`Options::as_site`](crate::Options::as_site) is set.
    pub fn url(
        &self,
        text: &str,
        web: &mut Web,
        sink: &mut dyn Sink,
    ) -> Result<Verdict, CheckError> {
        let started = Instant::now();
        let mut report = Report::new(without_password(text));
        let url = match parse_url(text) {
            Ok(url) => url,
            Err(problem) => {
                let finding = Finding::new("url", problem.to_string());
                report.unreadable(Verdict::InvalidUrl, finding.caused_by(Cause::Url(problem)));
                return self.emit(Role::Target, report, started, sink);
            }
        };
        self.progress.fetching(text);
        let as_site = self.options.as_site;
        let mut files = WebFiles { web, checker: self };
        match files.find(&url, Expected::Anything) {
            Lookup::Found(file) if as_site || is_html(&file) => {
                let exchange = file.exchange.as_ref();
                let root = site_of(exchange.map_or(&url, |exchange| &exchange.head.url));
                return self.website(root, Some(file), &mut files, sink);
            }
            Lookup::Absent(_) | Lookup::Elsewhere if as_site => {
                return self.website(site_of(&url), None, &mut files, sink);
            }
            Lookup::Found(file) => match file.open() {
                Ok(source) => {
                    let context = Context {
                        url: Some(&url),
                        format: (url.path() == "/robots.txt").then_some(Format::Robots),
                    };
                    self.read(Box::new(source), context, &mut report);
                    files.check_headers(&file, Probes::Send, &mut report);
                    http::check_scheme(&url, &mut report);
                }
                Err(error) => report.io_error(&error),
            },
            Lookup::Absent(why) => {
                let message = format!("`{url}` cannot be had: {why}");
                report.unreadable(Verdict::Network, Finding::new("status", message));
            }
            // Only a folder has URLs that are elsewhere.
            Lookup::Elsewhere => return Ok(Verdict::Ok),
            Lookup::Failed(error) => report.fetch_error(error),
        }
        self.emit(Role::Target, report, started, sink)
    }

    /// Checks a website whose top is at `root`.
    fn website(
        &self,
        root: Url,
        homepage: Option<SiteFile>,
        files: &mut WebFiles<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Verdict, CheckError> {
        sink.website(root.as_str());
        let mut site = SiteCheck::new(root.to_string(), self, sink);
        http::check_scheme(&root, &mut site.report);
        let before = files.web.client.cost();
        site.website(root, homepage, files)?;
        let after = files.web.client.cost();
        // The homepage was requested before.
        site.facts.requests = Some(after.requests - before.requests + 1);
        site.facts.bytes = Some(after.bytes - before.bytes);
        site.finish()
    }
}

/// Removes the user name and the password from a URL, also from a malformed one.
fn without_password(text: &str) -> String {
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let start = host.rfind('@').map_or(0, |at| at + 1);
    let rest = rest.get(start..).unwrap_or_default();
    format!("{scheme}://{rest}")
}

/// Returns true for a page of HTML, by its content or its `Content-Type`.
fn is_html(file: &SiteFile) -> bool {
    let stated = file
        .exchange
        .as_ref()
        .and_then(|exchange| exchange.head.header("content-type"));
    let stated = stated.is_some_and(|kind| {
        let kind = kind.trim().to_ascii_lowercase();
        kind.starts_with("text/html") || kind.starts_with("application/xhtml")
    });
    let found = file.open().and_then(|mut file| recognize(&mut file));
    match found.map(|found| found.format) {
        Ok(Format::Html) => true,
        // A wrong `Content-Type` is a finding.
        Ok(
            Format::Collection
            | Format::JsonSitemap
            | Format::MachinePage
            | Format::Policy
            | Format::Robots,
        ) => false,
        Ok(Format::Sitemap | Format::Unknown) | Err(_) => stated,
    }
}

/// Returns the URL of the folder that a page is in, which is taken for the top of its site.
fn site_of(url: &Url) -> Url {
    let mut root = url.clone();
    root.set_query(None);
    root.set_fragment(None);
    let last = root.path().rsplit('/').next().unwrap_or_default();
    let root_path = match last {
        "" => root.path().to_owned(),
        file if file.contains('.') => root
            .path()
            .strip_suffix(file)
            .unwrap_or_default()
            .to_owned(),
        _ => format!("{}/", root.path()),
    };
    root.set_path(&root_path);
    root
}
