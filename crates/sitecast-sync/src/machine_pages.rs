//! Syncing by machine pages: the JSON sitemap says which have another hash than ours, and only those are
//! fetched, on the condition that they are not ours after all.
//!
//! Before a machine page is kept its `Link` must name the page it is for, its hash must be the same in the
//! entity tag, in the payload and when it is computed. What fails is fetched as HTML instead.

use std::time::Duration;

use sitecast_extract::fold;
use sitecast_fetch::{FetchError, Head, Request, Validators};
use sitecast_index::{Origin, OriginKind, PageFacts};
use sitecast_scp::{Block, LanguageTag, Page, Timestamp};
use sitecast_tct::sitemap::{Event, Item, SitemapReader, WarningKind};
use sitecast_tct::{
    Canonical, Parity, ReadPage, SITEMAP_PATH, Verification, WELL_KNOWN_SITEMAP_PATH, clean_etag,
    find_links, fingerprint, page_text,
};
use url::Url;

use crate::SyncError;
use crate::batch::{Batch, Fresh, Roll};
use crate::progress::Doing;
use crate::scratch::{Asked, open_plain};
use crate::site::{SiteRun, before};

/// Where the JSON sitemap was found.
const NOTE_PLACE: &str = "tct-sitemap";
/// That everything it lists was taken.
const NOTE_COMPLETE: &str = "tct-complete";
/// When none was found. They do not appear every day, and looking takes three requests.
const NOTE_NONE: &str = "tct-none";
const LOOK_AGAIN: Duration = Duration::from_secs(7 * 24 * 3600);
/// JSON sitemaps of one site.
const SITEMAPS: usize = 1_000;
/// A site that fails so often in a row is left alone.
const FAILURES: u32 = 5;

const JSON: &str = "application/json";

/// What came of asking for a machine page.
enum Answer {
    Fresh(Box<Fresh>),
    Unchanged,
    Gone,
    /// It cannot be used, and why.
    Unusable(String),
}

impl SiteRun<'_> {
    pub(crate) fn sync_machine_pages(&mut self) -> Result<(), SyncError> {
        let Some(place) = self.json_sitemap()? else {
            return Err(SyncError::NotOffered("JSON sitemap"));
        };
        let (files, unchanged) = self.json_sitemaps(&place)?;
        self.notes.push((NOTE_PLACE, Some(place.to_string())));
        let complete_before = self.state.notes.get(NOTE_COMPLETE).map(String::as_str);
        if unchanged
            && complete_before == Some(place.as_str())
            && self.state.strategy == Some(OriginKind::Tct)
        {
            return Ok(());
        }
        let mut batch = Batch::new(Origin::Tct);
        let mut roll = Roll {
            gone: Vec::new(),
            complete: true,
        };
        let mut instead = Vec::new();
        let mut in_a_row = 0;
        let mut seen = 0;
        for file in &files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut roll)? {
                seen += 1;
                self.doing(Doing::Pages { pages: seen });
                match self.machine_page(&item) {
                    Ok(Answer::Fresh(page)) => batch.put(*page),
                    Ok(Answer::Unchanged) => self.report.pages.unchanged += 1,
                    Ok(Answer::Gone) => roll.gone.push(item.c_url.to_string()),
                    Ok(Answer::Unusable(why)) => {
                        self.report.warn(format!("`{}`: {why}", item.m_url));
                        instead.push(item.c_url.to_string());
                    }
                    Err(SyncError::Fetch(error)) => {
                        in_a_row += 1;
                        if error.asks_to_wait() || in_a_row >= FAILURES && error.is_unreachable() {
                            self.flush(&mut batch)?;
                            return Err(error.into());
                        }
                        self.report.warn(error.to_string());
                        if !matches!(error, FetchError::Disallowed { .. }) {
                            instead.push(item.c_url.to_string());
                        }
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                in_a_row = 0;
                self.settle(&mut batch)?;
            }
        }
        self.flush(&mut batch)?;
        let complete = roll.complete;
        self.sweep_machine_pages(&files, &roll)?;
        let failed_before = self.report.failed_pages;
        self.fetch_instead(instead)?;
        let all = complete && self.report.failed_pages == failed_before;
        self.notes
            .push((NOTE_COMPLETE, all.then(|| place.to_string())));
        Ok(())
    }

    /// Everything that is listed is there, whether or not it could be had this time.
    fn sweep_machine_pages(&mut self, files: &[Url], roll: &Roll) -> Result<(), SyncError> {
        let mut readers = Vec::new();
        for file in files {
            readers.push(self.open_json(file)?);
        }
        self.close(Origin::Tct, roll, &mut |keep| {
            for reader in &mut readers {
                while let Ok(Some(event)) = reader.next_event() {
                    if let Event::Item(item) = event
                        && !roll.gone.iter().any(|gone| gone == item.c_url.as_str())
                    {
                        keep(item.c_url.as_str())?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Where the JSON sitemap is: where it was, where the homepage says, or where they usually are.
    pub(crate) fn json_sitemap(&mut self) -> Result<Option<Url>, SyncError> {
        let known = self.state.notes.get(NOTE_PLACE);
        if let Some(place) = known.and_then(|place| Url::parse(place).ok()) {
            return Ok(Some(place));
        }
        let none = self.state.notes.get(NOTE_NONE);
        let none = none.and_then(|time| time.parse::<Timestamp>().ok());
        if none.is_some_and(|time| before(self.now, LOOK_AGAIN).is_some_and(|then| time > then)) {
            return Ok(None);
        }
        let place = self.look_for_json_sitemap()?;
        let none = place.is_none().then(|| self.now.to_string());
        self.notes.push((NOTE_NONE, none));
        Ok(place)
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
                Ok(Asked::Have(_)) if self.is_json_sitemap(&place) => return Ok(Some(place)),
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

    /// Fetches the JSON sitemap and those it names. Answers those with items, and whether all are as
    /// they were.
    fn json_sitemaps(&mut self, place: &Url) -> Result<(Vec<Url>, bool), SyncError> {
        let limit = self.options.tct_limits.sitemap_bytes;
        let mut files = Vec::new();
        let mut all_unchanged = true;
        let mut queue = vec![place.clone()];
        let mut at = 0;
        while let Some(url) = queue.get(at).cloned() {
            at += 1;
            match self.scratch.cached(&self.client, &url, limit, JSON)? {
                Asked::Have(cached) => all_unchanged &= cached.unchanged,
                Asked::Not(status) => {
                    if &url == place {
                        // It has moved, or is no more: look for it again the next time.
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
                        if let Some(child) = child
                            && !queue.contains(&child)
                            && queue.len() < SITEMAPS
                        {
                            queue.push(child);
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
                    Err(_) => break,
                }
            }
            if items {
                files.push(url);
            }
        }
        Ok((files, all_unchanged))
    }

    fn open_json(&self, url: &Url) -> Result<SitemapReader<Box<dyn std::io::Read>>, SyncError> {
        let path = self.scratch.file(url.as_str(), "cached");
        let source = open_plain(&path).map_err(|source| SyncError::Scratch { path, source })?;
        Ok(SitemapReader::new(source, &self.options.tct_limits))
    }

    /// The next item of the site's own. What is wrong with the sitemap ends it, and then it is not known
    /// what else there is.
    fn next_item(
        &mut self,
        reader: &mut SitemapReader<Box<dyn std::io::Read>>,
        file: &Url,
        roll: &mut Roll,
    ) -> Result<Option<Item>, SyncError> {
        loop {
            match reader.next_event() {
                Ok(Some(Event::Item(item))) => {
                    let machine = Url::parse(item.m_url.as_str()).ok();
                    if self.scope.has_text(item.c_url.as_str())
                        && machine.is_some_and(|url| self.scope.has_host(&url))
                    {
                        return Ok(Some(item));
                    }
                    self.report
                        .warn(format!("`{}` is of another site, and left out", item.c_url));
                }
                Ok(Some(Event::Warning(warning))) => {
                    roll.complete &= !warning.kind.leaves_out();
                    // That the whole site is not https is no news.
                    if matches!(warning.kind, WarningKind::NotHttps(_)) && file.scheme() == "http" {
                        continue;
                    }
                    self.report.warn(format!("`{file}`, {warning}"));
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(None),
                Err(error) => {
                    roll.complete = false;
                    self.report.warn(format!("`{file}`, {error}"));
                    return Ok(None);
                }
            }
        }
    }

    fn machine_page(&mut self, item: &Item) -> Result<Answer, SyncError> {
        let facts = self.index.facts(&self.site, item.c_url.as_str())?;
        let facts = facts.filter(|facts| facts.origin == OriginKind::Tct);
        let ours = facts.as_ref().and_then(|facts| facts.etag.clone());
        if let (Some(hash), Some(ours)) = (&item.hash, &ours)
            && clean_etag(ours) == hash
        {
            return Ok(Answer::Unchanged);
        }
        let Ok(url) = Url::parse(item.m_url.as_str()) else {
            return Ok(Answer::Unusable("its URL cannot be used".to_owned()));
        };
        // With the tag of what we have. With that of the sitemap, as the draft's example does it, the
        // answer to a change would be that nothing changed.
        let mut request = Request::new(url, self.options.tct_limits.page_bytes as u64)
            .accept(JSON)
            .unless(Validators {
                etag: ours,
                last_modified: None,
            });
        let answer = self.ask(&request, item, facts.as_ref())?;
        let Some(stale) = answer.stale else {
            return Ok(answer.answer);
        };
        // Not what the sitemap says: a cache on the way may be behind. TCT, "Replay and Stale
        // Intermediaries".
        request.past_caches = true;
        let answer = self.ask(&request, item, facts.as_ref())?;
        if let (Answer::Fresh(page), Some(facts)) = (&answer.answer, &facts)
            && page.modified < facts.modified
        {
            self.report.warn(format!(
                "`{}` is older than what is here, which stays",
                item.m_url
            ));
            return Ok(Answer::Unchanged);
        }
        if answer.stale.is_some() {
            self.report.warn(format!(
                "`{}` has the hash {stale}, the sitemap another; the page counts",
                item.m_url
            ));
        }
        Ok(answer.answer)
    }

    fn ask(
        &mut self,
        request: &Request,
        item: &Item,
        facts: Option<&PageFacts>,
    ) -> Result<Asking, SyncError> {
        let limit = self.options.tct_limits.page_bytes;
        let response = self.client.get(request)?;
        let head = response.head.clone();
        let plain = |answer| Asking {
            answer,
            stale: None,
        };
        match head.status {
            200 => {}
            304 => return Ok(plain(Answer::Unchanged)),
            410 => return Ok(plain(Answer::Gone)),
            status => {
                let why = format!("the server answers {status}");
                return Ok(plain(Answer::Unusable(why)));
            }
        }
        let body = response.decoded(limit as u64)?;
        let read = match ReadPage::parse(&body, limit) {
            Ok(read) => read,
            Err(error) => return Ok(plain(Answer::Unusable(error.to_string()))),
        };
        let (read, stale) = match judge(&head, item, read) {
            Ok(judged) => judged,
            Err(why) => return Ok(plain(Answer::Unusable(why))),
        };
        let etag = head.validators.etag.clone();
        let page = match self.page_of(item, read, facts) {
            Ok(page) => page,
            Err(why) => return Ok(plain(Answer::Unusable(why))),
        };
        let line =
            serde_json::to_string(&page).map_err(|error| FetchError::Setup(error.to_string()))?;
        Ok(Asking {
            answer: Answer::Fresh(Box::new(Fresh {
                url: item.c_url.to_string(),
                line,
                modified: page.modified,
                language: page.language.as_str().to_owned(),
                fingerprint: *fingerprint(&page_text(&page)).bytes(),
                etag,
            })),
            stale,
        })
    }

    /// The machine page as a page of a collection.
    fn page_of(
        &self,
        item: &Item,
        read: ReadPage,
        facts: Option<&PageFacts>,
    ) -> Result<Page, String> {
        let modified = read.modified.or(item.modified).unwrap_or(self.now);
        // From the future it could never be replaced.
        let modified = modified.min(self.now);
        // Its text is another, so it did change, whatever it says.
        let modified = match facts {
            Some(facts) if read.modified.is_none() && modified <= facts.modified => self.now,
            _ => modified,
        };
        let language = read.language.unwrap_or_else(LanguageTag::undetermined);
        let mut page = Page::new(item.c_url.clone(), read.title, modified, language);
        page.published = read.published;
        page.schema = read.structured_data;
        let mut parts: Vec<&str> = read.content.split("\n\n").map(str::trim).collect();
        parts.retain(|part| !part.is_empty());
        // The text begins with the title.
        if parts.len() > 1
            && parts
                .first()
                .is_some_and(|first| *first == page.title.trim())
        {
            parts.remove(0);
        }
        page.content = parts
            .into_iter()
            .map(|part| Block::Text {
                text: part.to_owned(),
            })
            .collect();
        fold(&mut page, self.options.scp_limits.page_blocks);
        Ok(page)
    }
}

/// An answer, and the hash it came with if the sitemap says another.
struct Asking {
    answer: Answer,
    stale: Option<String>,
}

/// Whether the page is the one that was asked for, and whole.
fn judge(head: &Head, item: &Item, read: ReadPage) -> Result<(ReadPage, Option<String>), String> {
    let expected = Url::parse(item.c_url.as_str()).map_err(|error| error.to_string())?;
    match Canonical::check(head.links(), &head.url, &expected) {
        Canonical::Matches => {}
        Canonical::Missing => return Err("no `Link` header names the page it is for".to_owned()),
        Canonical::Differs(_) => {
            return Err(format!(
                "its `Link` header names another page than `{expected}`"
            ));
        }
    }
    if read.canonical_url.as_str() != item.c_url.as_str()
        && Url::parse(read.canonical_url.as_str()).ok() != Some(expected)
    {
        return Err("its `canonical_url` is another page".to_owned());
    }
    if read.verification == Verification::Mismatch {
        return Err("its content is not what its hash says".to_owned());
    }
    let etag = head.validators.etag.as_deref();
    match Parity::check(item.hash.as_deref(), etag, read.hash.as_deref()) {
        Parity::Holds => Ok((read, None)),
        Parity::SitemapDiffers => {
            let hash = clean_etag(etag.unwrap_or_default()).to_owned();
            Ok((read, Some(hash)))
        }
        Parity::NoTag => Err("it has no entity tag".to_owned()),
        Parity::PayloadDiffers => Err("its hash is another than its entity tag".to_owned()),
    }
}
