//! URLs: a single file, or a website.

use std::path::PathBuf;
use std::time::Instant;

use sitecast_fetch::{Client, Coding, Download, Downloaded, FetchError, Request};
use sitecast_scp::HttpUrl;
use sitecast_sync::SyncError;
use tempfile::{TempDir, TempPath};
use url::Url;

use super::file::Known;
use super::http;
use super::place::{Answer, Got, Here, Place, Thorough, Trouble, Wanted};
use super::recognize::{Format, recognize};
use super::survey::{Round, Survey};
use crate::cli::Visit;
use crate::commands::{is_url, sync};
use crate::failure::{Exit, Failure, in_words};
use crate::output::report::TargetReport;
use crate::progress::Watch;
use crate::settings::Settings;
use crate::temporary;

/// Attempts for one answer: whoever checks wants to know, not to wait.
const ATTEMPTS: u32 = 2;
/// What a collection may have beyond the size that is announced.
const SLACK: u64 = 1 << 20;

/// The web, as an agent sees it.
pub(super) struct Web<'w> {
    pub(super) client: Client,
    watch: &'w Watch,
    folder: TempDir,
    files: u64,
    collection_bytes: u64,
    sitemap_bytes: u64,
    json_bytes: u64,
    page_bytes: u64,
    contact: bool,
}

impl<'w> Web<'w> {
    pub(super) fn new(
        visit: &Visit,
        targets: &[PathBuf],
        settings: &Settings,
        watch: &'w Watch,
    ) -> Result<Self, Failure> {
        let mut options = sync::fetching(visit, settings)?;
        options.attempts = ATTEMPTS;
        options.stand_in = sync::stand_in(visit, &sites(targets))?;
        let contact = options.user_agent.contains('(');
        let client = Client::new(options).map_err(|error| failure(&error))?;
        let client = client.for_visit();
        let folder = temporary::folder().map_err(|error| {
            let message = format!(
                "cannot make a temporary folder: {}",
                in_words(&error.to_string())
            );
            Failure::new(Exit::Failed, message).hint("check `TMPDIR`")
        })?;
        Ok(Self {
            client,
            watch,
            folder,
            files: 0,
            collection_bytes: settings.limits().compressed_bytes,
            sitemap_bytes: settings.sitemap_limits().bytes,
            json_bytes: settings.tct_limits().sitemap_bytes,
            page_bytes: settings.tct_limits().page_bytes as u64,
            contact,
        })
    }

    fn request(&self, url: &Url, wanted: Wanted) -> Request {
        let path = url.path();
        let is_collection = [".scp", ".scp.gz", ".scp.zst"]
            .iter()
            .any(|end| path.ends_with(end));
        let (limit, accept) = match wanted {
            Wanted::Collection(size) => (
                size.map_or(self.collection_bytes, |size| {
                    let most = size.saturating_mul(2).max(size.saturating_add(SLACK));
                    most.min(self.collection_bytes)
                }),
                "application/scp,*/*;q=0.5",
            ),
            Wanted::Anything if is_collection => {
                (self.collection_bytes, "application/scp,*/*;q=0.5")
            }
            Wanted::Anything => (self.sitemap_bytes.max(self.json_bytes), "*/*"),
            Wanted::Sitemap => (
                self.sitemap_bytes,
                "application/xml,text/xml,text/plain;q=0.8,*/*;q=0.5",
            ),
            Wanted::Json => (self.json_bytes, "application/json"),
            Wanted::MachinePage => (self.page_bytes, "application/json"),
            Wanted::Robots => (self.sitemap_bytes, "text/plain,*/*;q=0.5"),
        };
        let mut request = Request::new(url.clone(), limit).accept(accept);
        if is_collection || matches!(wanted, Wanted::Collection(_)) {
            request.coding = Coding::Stored;
        }
        request
    }

    fn download(&mut self, request: &Request) -> Result<(Downloaded, PathBuf), FetchError> {
        self.files += 1;
        let path = self.folder.path().join(self.files.to_string());
        let download = Download {
            request,
            to: &path,
            progress: &|done, total| self.watch.received(done, total),
        };
        self.client.download(download).map(|done| (done, path))
    }
}

impl Place for Web<'_> {
    fn get(&mut self, url: &Url, wanted: Wanted) -> Got {
        let request = self.request(url, wanted);
        let unasked = |status| format!("the server answers {status}");
        match self.download(&request) {
            Ok((Downloaded::Complete { head, .. }, path)) => Got::Here(Here {
                name: url.to_string(),
                _temporary: TempPath::try_from_path(&path).ok(),
                path,
                answer: Some(Box::new(Answer { request, head })),
            }),
            Ok((Downloaded::NotModified(head) | Downloaded::OtherStatus(head), _)) => {
                Got::Absent(unasked(head.status))
            }
            Err(FetchError::Status { status, .. }) if !matches!(status, 429 | 503) => {
                Got::Absent(unasked(status))
            }
            // Whoever names it does not want it to be fetched.
            Err(FetchError::Disallowed { .. }) => {
                Got::Absent("robots.txt does not allow it".to_owned())
            }
            Err(error) => Got::Failed(Trouble {
                code: error.code(),
                unreachable: error.is_unreachable(),
                failure: failure(&error),
            }),
        }
    }

    fn judge(&mut self, here: &Here, thorough: Thorough, report: &mut TargetReport) {
        if let Some(answer) = &here.answer {
            http::headers(&answer.head, report);
            if thorough == Thorough::Yes {
                http::questions(&self.client, answer, report);
            }
        }
    }
}

/// The sites of all URLs among the targets.
fn sites(targets: &[PathBuf]) -> Vec<HttpUrl> {
    let urls = targets.iter().filter_map(|target| target.to_str());
    let urls = urls.filter(|text| is_url(text)).flat_map(Url::parse);
    let mut sites: Vec<HttpUrl> = urls
        .filter_map(|url| url.join("/").ok()?.as_str().parse().ok())
        .collect();
    sites.sort_by(|one, other| one.as_str().cmp(other.as_str()));
    sites.dedup();
    sites
}

/// What went wrong, and the way out of it.
fn failure(error: &FetchError) -> Failure {
    sync::failure(&SyncError::from(error.clone()))
}

/// A URL that is named on the command line.
pub(super) fn check(
    text: &str,
    as_site: bool,
    web: &mut Web<'_>,
    round: &mut Round<'_>,
) -> Result<(), Failure> {
    let started = Instant::now();
    // What stands before the host is nobody's business.
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let secret = host.rfind('@').map_or(0, |at| at + 1);
    let rest = rest.get(secret..).unwrap_or_default();
    let mut report = TargetReport::new(format!("{scheme}://{rest}"));
    let url = match crate::commands::parse_url(text) {
        Ok(url) => url,
        Err(failure) => {
            report.cannot_have("url", &failure);
            return round.target(report, started);
        }
    };
    round.watch.fetching(text);
    let got = web.get(&url, Wanted::Anything);
    let here = match got {
        Got::Here(here) if as_site || is_html(&here) => {
            let url = here.answer.as_ref().map_or(&url, |answer| &answer.head.url);
            let root = site_of(url);
            return site(root, Some(here), web, round);
        }
        Got::Absent(_) | Got::Elsewhere if as_site => return site(site_of(&url), None, web, round),
        Got::Here(here) => here,
        Got::Absent(why) => {
            let failure = Failure::new(Exit::Network, format!("`{url}` cannot be had: {why}"));
            let hint = match url.path() {
                "/" => "a website without a homepage is looked at with --site",
                _ => "check the URL, or try again later",
            };
            report.cannot_have("status", &failure.hint(hint));
            return round.target(report, started);
        }
        Got::Elsewhere => return Ok(()),
        Got::Failed(trouble) => {
            report.cannot_have(trouble.code, &trouble.failure);
            return round.target(report, started);
        }
    };
    match here.open() {
        Ok(file) => {
            let known = Known {
                url: Some(&url),
                format: (url.path() == "/robots.txt").then_some(Format::Robots),
            };
            round.checker.check(Box::new(file), known, &mut report);
            web.judge(&here, Thorough::Yes, &mut report);
            http::security(&url, &mut report);
        }
        Err(error) => report.io_error(&error),
    }
    round.target(report, started)
}

/// A website that begins there.
fn site(
    root: Url,
    homepage: Option<Here>,
    web: &mut Web<'_>,
    round: &mut Round<'_>,
) -> Result<(), Failure> {
    if !web.contact {
        round.watch.pause();
        round.output.note(
            "the site is not told how to reach you; say it with --contact, or in sitecast.toml",
        );
        web.contact = true;
    }
    let mut survey = Survey::new(root.to_string(), round);
    http::security(&root, &mut survey.site);
    let before = web.client.cost();
    survey.website(root, homepage, web)?;
    let after = web.client.cost();
    // The homepage was fetched before.
    survey.facts.requests = Some(after.requests - before.requests + 1);
    survey.facts.bytes = Some(after.bytes - before.bytes);
    survey.finish()
}

/// Whether it is a page for people: by what the server says, or by what it is.
fn is_html(here: &Here) -> bool {
    let stated = here
        .answer
        .as_ref()
        .and_then(|answer| answer.head.header("content-type"));
    let stated = stated.is_some_and(|kind| {
        let kind = kind.trim().to_ascii_lowercase();
        kind.starts_with("text/html") || kind.starts_with("application/xhtml")
    });
    let found = here.open().and_then(|mut file| recognize(&mut file));
    match found.map(|found| found.format) {
        Ok(Format::Html) => true,
        // Mislabelled, which is something to be said rather than to be believed.
        Ok(Format::Collection | Format::JsonSitemap | Format::MachinePage | Format::Policy) => {
            false
        }
        Ok(Format::Robots) => false,
        Ok(Format::Sitemap | Format::Unknown) | Err(_) => stated,
    }
}

/// Where the site of a page begins: its folder.
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
