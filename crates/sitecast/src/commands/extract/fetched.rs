//! A page that is named by its URL.

use sitecast_fetch::{Client, FetchError, Head, Request};
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
    pub(super) bytes: Vec<u8>,
    pub(super) head: Head,
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
    let client = Client::new(options).map_err(failed)?.counted();
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
pub(super) fn robots_tag(head: &Head) -> String {
    let values: Vec<&str> = head.headers("x-robots-tag").collect();
    values.join("\n")
}

pub(super) fn last_modified(head: &Head) -> Option<Timestamp> {
    let value = head.header("last-modified")?;
    httpdate::parse_http_date(value).ok().map(Timestamp::from)
}
