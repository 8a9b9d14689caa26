//! The pages of a live site, fetched politely into a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use sitecast_fetch::{Client, FetchError, Head};
use sitecast_index::{FolderIndex, OriginKind};
use sitecast_publish::{BaseUrl, InvalidBase};
use sitecast_scp::{HttpUrl, Timestamp};
use sitecast_sync::{Activity, Options, Progress, SiteReport, SyncError, Syncer};
use url::Url;

use super::MAX_PAGES;
use super::figures::Fetched;
use super::watch::Watch;
use crate::cli::Compare;
use crate::commands::{index_failure, sync};
use crate::failure::{Exit, Failure, in_words};
use crate::output::Output;
use crate::output::human::counted;
use crate::settings::Settings;

/// A site that was visited.
pub(super) struct Live {
    pub(super) folder: PathBuf,
    pub(super) site: BaseUrl,
    /// What its HTML took.
    pub(super) html: Fetched,
    /// What it took by the way that it offers itself, if that is a better one.
    pub(super) offered: Option<Fetched>,
    pub(super) notes: Vec<String>,
    /// Whether all pages that were asked for came.
    pub(super) complete: bool,
}

pub(super) fn fetch(
    arguments: &Compare,
    settings: &Settings,
    work: &Path,
    watch: &Watch,
    output: &mut Output,
) -> Result<Live, Failure> {
    let sites = sync::sites(std::slice::from_ref(&arguments.source))?;
    let Some(url) = sites.first() else {
        return Err(Failure::new(Exit::Usage, "no site is named"));
    };
    let mut fetching = sync::fetching(&arguments.visit, settings)?;
    fetching.stand_in = sync::stand_in(&arguments.visit, &sites)?;
    sync::ask_for_contact(&fetching, output);
    let agent = Agent {
        fetching,
        url,
        settings,
        most: arguments.max_pages.unwrap_or(MAX_PAGES),
    };
    let folder = work.join("live");
    let saver = Saver {
        folder: &folder,
        watch,
        unsaved: Mutex::default(),
        problem: Mutex::default(),
    };
    watch.step("fetching HTML from the site");
    let report = agent.sync(&work.join("live-html"), OriginKind::Html, &saver)?;
    if report.way != Some(OriginKind::Html) {
        return Err(agent.nothing());
    }
    if let Some(error) = taken(&saver.problem) {
        return Err(super::copy::cannot_write(&folder, &error));
    }
    watch.step("looking what the site offers");
    let offered = agent.offered(&work.join("live-offered"), watch)?;
    let site = report.site.parse().map_err(|error: InvalidBase| {
        Failure::new(Exit::Usage, error.to_string()).hint("name the site's homepage")
    })?;
    let mut notes: Vec<String> = report.warnings.iter().map(|text| in_words(text)).collect();
    let unsaved = taken(&saver.unsaved);
    if unsaved > 0 {
        let pages = counted(unsaved, "page");
        notes.push(format!(
            "{pages} could not be taken over: their URLs are no names of files"
        ));
    }
    Ok(Live {
        folder,
        site,
        html: as_fetched(&report, OriginKind::Html),
        offered,
        notes,
        complete: report.is_complete(),
    })
}

struct Agent<'a> {
    fetching: sitecast_fetch::Options,
    url: &'a HttpUrl,
    settings: &'a Settings,
    most: u64,
}

impl Agent<'_> {
    fn sync(
        &self,
        folder: &Path,
        way: OriginKind,
        progress: &dyn Progress,
    ) -> Result<SiteReport, Failure> {
        let report = self.with(folder, way, progress, |syncer| syncer.sync(self.url))?;
        match &report.error {
            Some(SyncError::NotOffered(_) | SyncError::NoPage(_)) => Err(self.nothing()),
            Some(error) => Err(sync::failure(error)),
            None => Ok(report),
        }
    }

    /// Why there is nothing to be had: it may be the site's own wish.
    fn nothing(&self) -> Failure {
        let client = Client::new(self.fetching.clone()).ok();
        let root = Url::parse(self.url.as_str()).ok();
        let permission = client
            .zip(root.as_ref())
            .and_then(|(client, root)| client.robots(root).ok());
        if let (Some(permission), Some(root)) = (permission, root)
            && !permission.allows(&root)
        {
            let url = root.to_string();
            return sync::failure(&FetchError::Disallowed { url }.into());
        }
        let message = format!("no page of `{}` could be found", self.url);
        Failure::new(Exit::Network, message)
            .hint("check the URL; `sitecast sync --explain` says what the site offers")
    }

    /// What the site offers itself, tried.
    fn offered(&self, folder: &Path, watch: &Watch) -> Result<Option<Fetched>, Failure> {
        let explained = self.with(folder, OriginKind::Scp, watch, |syncer| {
            syncer.explain(self.url)
        })?;
        let way = explained.map_err(|error| sync::failure(&error))?.way;
        if way == OriginKind::Html {
            return Ok(None);
        }
        // In another place, where nothing is known of the site yet.
        let report = self.sync(&folder.join("synced"), way, watch)?;
        let came = report.way == Some(way);
        Ok(came.then(|| as_fetched(&report, way)))
    }

    fn with<T>(
        &self,
        folder: &Path,
        way: OriginKind,
        progress: &dyn Progress,
        work: impl FnOnce(&Syncer<'_>) -> T,
    ) -> Result<T, Failure> {
        let client = Client::new(self.fetching.clone());
        let client = client.map_err(|error| sync::failure(&error.into()))?;
        let index = FolderIndex::open(folder).map_err(|error| index_failure(&error))?;
        let options = Options {
            prefer: Some(way),
            html_pages: self.most,
            ..sync::limited(self.settings)
        };
        Ok(work(&Syncer {
            client: &client,
            index: &index,
            scratch: &folder.join("sync"),
            options: &options,
            now: Timestamp::from(SystemTime::now()),
            progress,
        }))
    }
}

fn as_fetched(report: &SiteReport, way: OriginKind) -> Fetched {
    Fetched {
        way: way.name(),
        pages: report.pages.total,
        requests: report.requests,
        bytes: report.bytes,
    }
}

/// Saves pages as they come.
struct Saver<'a> {
    folder: &'a Path,
    watch: &'a Watch,
    unsaved: Mutex<u64>,
    problem: Mutex<Option<io::Error>>,
}

impl Progress for Saver<'_> {
    fn activity(&self, site: &str, what: Activity<'_>) {
        self.watch.activity(site, what);
    }

    fn html(&self, url: &str, head: &Head, body: &[u8]) {
        let is_html = head
            .header("content-type")
            .is_none_or(|kind| kind.to_ascii_lowercase().contains("html"));
        // What the page says itself the publisher will see.
        let is_hidden = head.headers("x-robots-tag").any(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("noindex") || value.contains("none")
        });
        if !is_html || is_hidden {
            return;
        }
        let Some(name) = file_name(url) else {
            *self.unsaved.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            return;
        };
        let body = match Url::parse(url) {
            Ok(url) if url.query().is_some() => without_own_url(body, &url),
            _ => body.to_vec(),
        };
        let path = self.folder.join(name);
        let folder = path.parent().unwrap_or(self.folder);
        if let Err(error) = fs::create_dir_all(folder).and_then(|()| fs::write(&path, body)) {
            let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
            problem.get_or_insert(error);
        }
    }
}

fn taken<T: Default>(mutex: &Mutex<T>) -> T {
    std::mem::take(&mut *mutex.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The file that a web server would have for a page. One whose URL has a query, which no file has, gets a folder of its own.
fn file_name(url: &str) -> Option<PathBuf> {
    let url = Url::parse(url).ok()?;
    let mut name = PathBuf::new();
    for part in url.path_segments()?.filter(|part| !part.is_empty()) {
        let part = decoded(part)?;
        // What could lead out of the folder, or be another file on another system.
        let is_name = !part.starts_with('.')
            && part.len() <= 200
            && !part.contains(['/', '\\', ':'])
            && !part.contains(char::is_control);
        if !is_name {
            return None;
        }
        name.push(part);
    }
    if let Some(query) = url.query() {
        name.push(query_name(query)?);
        name.push("index.html");
        return Some(name);
    }
    let path = url.path().to_ascii_lowercase();
    let endings = [".html", ".htm", ".xhtml"];
    if !endings.iter().any(|ending| path.ends_with(ending)) {
        name.push("index.html");
    }
    Some(name)
}

/// A name for a query, which no other query has. What has a meaning in URLs is written as `_` and its number.
fn query_name(query: &str) -> Option<String> {
    let mut name = String::from("query-");
    for byte in query.bytes() {
        match byte {
            b'-' | b'.' => name.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => name.push(char::from(byte)),
            byte => name += &format!("_{byte:02x}"),
        }
    }
    (name.len() <= 200).then_some(name)
}

/// The page without the URL that it says it has, since its copy has another one and would be left out as a copy of the
/// page that it is.
fn without_own_url(body: &[u8], url: &Url) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(body) else {
        return body.to_vec();
    };
    let mut text = text.to_owned();
    let query = url.query().unwrap_or_default();
    for own in [
        url.as_str().to_owned(),
        format!("{}?{query}", url.path()),
        format!("?{query}"),
    ] {
        for own in [own.replace('&', "&amp;"), own] {
            for quote in ['"', '\''] {
                text = text.replace(&format!("{quote}{own}{quote}"), &format!("{quote}{quote}"));
            }
        }
    }
    text.into_bytes()
}

/// A part of a path without its percent signs.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_become_files_that_a_server_finds_again() {
        let name = |url: &str| file_name(url).map(|name| name.display().to_string());
        for (url, file) in [
            ("https://example.com/", "index.html"),
            ("https://example.com/a/b/", "a/b/index.html"),
            ("https://example.com/a", "a/index.html"),
            ("https://example.com/a/b.HTML", "a/b.HTML"),
            ("https://example.com/a.php", "a.php/index.html"),
            ("https://example.com/%E8%8C%B6/", "茶/index.html"),
            ("https://example.com/?p=1", "query-p_3d1/index.html"),
            (
                "https://example.com/a.php?b=../c&d_e=%2F",
                "a.php/query-b_3d.._2fc_26d_5fe_3d_252F/index.html",
            ),
        ] {
            assert_eq!(name(url).as_deref(), Some(file), "{url}");
        }
        for url in [
            "https://example.com/.git/config",
            "https://example.com/%2e%2e/%2e%2e/etc",
            "https://example.com/a%2F..%2Fb",
            "https://example.com/%ff",
            "https://example.com/a%0Ab",
            "https://example.com/a%",
        ] {
            let name = name(url);
            assert!(name.is_none() || !name.unwrap().contains(".."), "{url}");
        }
    }

    #[test]
    fn a_copy_does_not_say_that_it_is_another_page() {
        let url = Url::parse("https://example.com/post?id=1&page=2").unwrap();
        let body = "<link rel=canonical href=\"https://example.com/post?id=1&amp;page=2\">\
             <a href='?id=1&page=2'>here</a> <a href=\"/post?id=1&page=23\">there</a>";
        let without = String::from_utf8(without_own_url(body.as_bytes(), &url)).unwrap();
        assert_eq!(
            without,
            "<link rel=canonical href=\"\"><a href=''>here</a> <a href=\"/post?id=1&page=23\">there</a>"
        );
    }
}
