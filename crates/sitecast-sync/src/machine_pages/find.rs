//! Discovery and reading of JSON sitemaps.

use std::io::Read;
use std::time::Duration;

use sitecast_fetch::{FetchError, Request};
use sitecast_scp::Timestamp;
use sitecast_tct::sitemap::{Event, Item, SitemapReader, WarningKind};
use sitecast_tct::{SITEMAP_PATH, WELL_KNOWN_SITEMAP_PATH, find_links};
use url::Url;

use super::{JSON, NOTE_PLACE};
use crate::SyncError;
use crate::batch::Deletions;
use crate::scratch::{CacheResponse, hash_files, open_plain};
use crate::site::{SiteRun, before};

/// The note with the time when no JSON sitemap was found. A new search costs three requests, so it waits a week.
pub(crate) const NOTE_NONE: &str = "tct-none";
const LOOK_AGAIN: Duration = Duration::from_secs(7 * 24 * 3600);
/// The most JSON sitemaps of one site.
const SITEMAPS: usize = 1_000;

/// The cached JSON sitemaps of a site.
pub(crate) struct JsonSitemaps {
    /// The URLs of those with items.
    pub(crate) files: Vec<Url>,
    /// The hash of all files, which changes when any of them changes.
    pub(crate) hash: String,
    /// True if none was left out.
    pub(crate) complete: bool,
}

pub(crate) type JsonReader = SitemapReader<Box<dyn Read>>;

impl SiteRun<'_> {
    /// Finds the JSON sitemap: at the last known URL, in robots.txt, in a link of the homepage, or at a well-known path.
    pub(crate) fn json_sitemap(&mut self) -> Result<Option<Url>, SyncError> {
        let known = self.state.notes.get(NOTE_PLACE);
        if let Some(place) = known.and_then(|place| Url::parse(place).ok()) {
            return Ok(Some(place));
        }
        // Discovery has already fetched one that robots.txt names.
        if let Some(place) = self.named_json_sitemap.clone()
            && self.is_json_sitemap(&place)
        {
            return Ok(Some(place));
        }
        if self.is_noted_recently(NOTE_NONE) {
            return Ok(None);
        }
        let place = self.look_for_json_sitemap()?;
        let none = place.is_none().then(|| self.now.to_string());
        self.notes.push((NOTE_NONE, none));
        Ok(place)
    }

    /// Returns true if the time in a note is within the last week.
    pub(crate) fn is_noted_recently(&self, note: &str) -> bool {
        let noted = self.state.notes.get(note);
        let noted = noted.and_then(|time| time.parse::<Timestamp>().ok());
        let then = before(self.now, LOOK_AGAIN);
        noted.is_some_and(|time| then.is_some_and(|then| time > then))
    }

    fn look_for_json_sitemap(&mut self) -> Result<Option<Url>, SyncError> {
        let root = self.scope.root().clone();
        let homepage = Request::new(root.clone(), 0).accept("text/html,*/*;q=0.5");
        match self.client.head(&homepage) {
            Ok(head) => {
                let named = find_links(head.links(), &head.url, "index", Some(JSON));
                if let Some(place) = named.into_iter().find(|url| self.scope.has_host(url)) {
                    return Ok(Some(place));
                }
            }
            Err(FetchError::Disallowed { .. }) => {}
            Err(error) if error.is_unreachable() => return Err(error.into()),
            Err(_) => {}
        }
        for path in [WELL_KNOWN_SITEMAP_PATH, SITEMAP_PATH] {
            let Ok(place) = root.join(path) else { continue };
            let limit = self.options.tct_limits.sitemap_bytes;
            match self.scratch.cached(&self.client, &place, limit, JSON) {
                Ok(CacheResponse::File(_)) if self.is_json_sitemap(&place) => {
                    return Ok(Some(place));
                }
                Err(error) if error.is_unreachable() => return Err(error.into()),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Many sites answer any path with a page.
    fn is_json_sitemap(&self, place: &Url) -> bool {
        self.open_json(place).is_ok_and(|mut reader| {
            matches!(reader.next_event(), Ok(Some(_))) && reader.kind().is_some()
        })
    }

    /// Fetches the JSON sitemap and those that it names.
    pub(crate) fn json_sitemaps(&mut self, place: &Url) -> Result<JsonSitemaps, SyncError> {
        let limit = self.options.tct_limits.sitemap_bytes;
        let mut found = JsonSitemaps {
            files: Vec::new(),
            hash: String::new(),
            complete: true,
        };
        let mut hashes = Vec::new();
        let mut queue = vec![place.clone()];
        let mut at = 0;
        while let Some(url) = queue.get(at).cloned() {
            at += 1;
            match self.scratch.cached(&self.client, &url, limit, JSON)? {
                CacheResponse::File(cached) => hashes.push((url.clone(), cached.hash)),
                CacheResponse::Status(status) => {
                    if &url == place {
                        // It has moved or was removed: the next visit searches again.
                        self.notes.push((NOTE_PLACE, None));
                    }
                    return Err(SyncError::JsonSitemap {
                        url: url.to_string(),
                        reason: format!("the server answers {status}"),
                    });
                }
            }
            let mut reader = self.open_json(&url)?;
            let mut items = false;
            loop {
                match reader.next_event() {
                    Ok(Some(Event::Sitemap(child))) => {
                        let child = Url::parse(child.url.as_str()).ok();
                        let child = child.filter(|child| self.scope.has_host(child));
                        match child {
                            Some(child) if queue.contains(&child) => {}
                            Some(child) if queue.len() < SITEMAPS => queue.push(child),
                            _ => found.complete = false,
                        }
                    }
                    Ok(Some(Event::Item(_))) => {
                        items = true;
                        break;
                    }
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    Err(error) if queue.len() == 1 && !items => {
                        return Err(SyncError::JsonSitemap {
                            url: url.to_string(),
                            reason: error.to_string(),
                        });
                    }
                    // Kept in the list, so that reading its items reports the error and clears `complete`.
                    Err(_) => {
                        items = true;
                        break;
                    }
                }
            }
            if items {
                found.files.push(url);
            }
        }
        found.hash = hash_files(hashes.iter().map(|(url, hash)| (url, hash.as_str())));
        Ok(found)
    }

    pub(crate) fn open_json(&self, url: &Url) -> Result<JsonReader, SyncError> {
        let path = self.scratch.file(url.as_str(), "cached");
        let source = open_plain(&path).map_err(|source| SyncError::Scratch { path, source })?;
        Ok(SitemapReader::new(source, &self.options.tct_limits))
    }

    /// Returns true if both URLs of an item belong to this site.
    pub(crate) fn is_own(&self, item: &Item) -> bool {
        let machine = Url::parse(item.m_url.as_str()).ok();
        self.scope.has_text(item.c_url.as_str())
            && machine.is_some_and(|url| self.scope.has_host(&url))
    }

    /// Returns the next item of this site. A malformed sitemap ends at the defect and counts as incomplete, because
    /// the items after it are unknown.
    pub(crate) fn next_item(
        &mut self,
        reader: &mut JsonReader,
        file: &Url,
        deletions: &mut Deletions,
    ) -> Result<Option<Item>, SyncError> {
        loop {
            match reader.next_event() {
                Ok(Some(Event::Item(item))) => {
                    if self.is_own(&item) {
                        return Ok(Some(item));
                    }
                    self.report.warn(format!(
                        "`{}` is left out: it is of another site",
                        item.c_url
                    ));
                }
                Ok(Some(Event::Warning(warning))) => {
                    deletions.complete &= !warning.kind.leaves_out();
                    // On a site without https, this warning would repeat for each item.
                    if matches!(warning.kind, WarningKind::NotHttps(_)) && file.scheme() == "http" {
                        continue;
                    }
                    self.report.warn(format!("`{file}`, {warning}"));
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(None),
                Err(error) => {
                    deletions.complete = false;
                    self.report.warn(format!("`{file}`, {error}"));
                    return Ok(None);
                }
            }
        }
    }
}
