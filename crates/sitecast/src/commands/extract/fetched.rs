//! A page that is named by its URL.

use sitecast_fetch::{Client, FetchError, Head, Request};
use sitecast_publish::Raw;
use sitecast_scp::{HttpUrl, Timestamp};
use sitecast_sync::SyncError;

use crate::cli::Extract;
use crate::commands::{is_url, parse_url, sync};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::progress::Watch;
use crate::settings::Settings;

const ACCEPT: &str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5";

/// A page, and what the server said of it.
pub(super) struct Fetched {
    bytes: Vec<u8>,
    head: Head,
}

impl Fetched {
    /// The page where redirects ended, with what its headers say.
    pub(super) fn raw(self, name: &str) -> Result<Raw, Failure> {
        let Self { bytes, head } = self;
        let url = super::parse_url(head.url.as_str())
            .map_err(|message| Failure::new(Exit::Failed, format!("`{name}` {message}")))?;
        let header = |header| head.header(header).map(str::to_owned);
        Ok(Raw {
            bytes,
            url: Some(url),
            last_modified: last_modified(&head),
            content_type: header("content-type"),
            language: header("content-language"),
            robots: robots_tag(&head),
        })
    }
}

/// Fetches the page if it is named by its URL.
pub(super) fn fetch(
    arguments: &Extract,
    settings: &Settings,
    output: &Output,
) -> Result<Option<Fetched>, Failure> {
    let name = arguments.target.display().to_string();
    if !is_url(&name) {
        return Ok(None);
    }
    let url = parse_url(&name)?;
    let failed = |error: FetchError| sync::failure(&SyncError::from(error));
    let mut options = sync::fetching(&arguments.visit, settings)?;
    let sites: Vec<HttpUrl> = url.as_str().parse().into_iter().collect();
    options.stand_in = sync::stand_in(&arguments.visit, &sites)?;
    let client = Client::new(options).map_err(failed)?.for_visit();
    let limit = settings.extract_limits().bytes as u64;
    let watch = Watch::new(output.shows_progress());
    watch.fetching(&name);
    let response = client.get(&Request::new(url, limit).accept(ACCEPT));
    watch.clear();
    let response = response.map_err(failed)?;
    if !response.head.is_ok() {
        let status = response.head.status;
        return Err(
            Failure::new(Exit::Network, format!("`{name}` answers {status}"))
                .hint("check the URL, or try again later"),
        );
    }
    let head = response.head.clone();
    let bytes = response.decoded(limit).map_err(failed)?;
    Ok(Some(Fetched { bytes, head }))
}

/// All that is said for crawlers, one header a line.
fn robots_tag(head: &Head) -> Option<String> {
    let values: Vec<&str> = head.headers("x-robots-tag").collect();
    (!values.is_empty()).then(|| values.join("\n"))
}

fn last_modified(head: &Head) -> Option<Timestamp> {
    let value = head.header("last-modified")?;
    httpdate::parse_http_date(value).ok().map(Timestamp::from)
}
