//! Loading a publication from the store.
//!
//! The publisher writes a file before the file that names it, and the sitemaps last. Whenever the load happens, the
//! JSON sitemap and the machine pages served under its hashes agree, because a machine page is served only if it has
//! the hash that the sitemap states.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use hyper::header::HeaderValue;
use sitecast_scp::HttpUrl;
use sitecast_sitemap::{
    Event, Limits, ReaderOptions, Robots, SEPARATE_SITEMAP, ScpBlock, SitemapQueue,
    UpdateFrequency, WarningKind,
};
use sitecast_storage::{Base, Store, StoreError, StorePath, Tag};
use sitecast_tct::sitemap::{
    Event as JsonEvent, Item, SitemapReader, WarningKind as JsonWarningKind,
};
use sitecast_tct::{ContentHash, POLICY_PATH, SITEMAP_PATH, index_link, policy_link};
use url::Url;

use super::Site;
use super::collections::{KnownCollections, of_url};
use super::document::DocumentBuilder;
use super::mentions::mentioned_parts;
use super::pages::{Page, Pages};
use super::removed::RemovedPages;
use crate::Kind;
use crate::http::date;
use crate::protection::links::FileAccess;
use crate::protection::{ProtectedParts, Protection};

/// JSON sitemaps that are read at most.
const MAX_JSON_SITEMAPS: usize = 1_000;
/// Attempts to load a publication that keeps being replaced meanwhile.
const ATTEMPTS: usize = 5;
/// `Cache-Control` of sitemaps and the like, the same that the publisher writes for other hosts.
const SITE_CACHE: &str = sitecast_sitemap::CACHE_CONTROL;
const ROBOTS: &str = "robots.txt";
const LLMS: &str = "llms.txt";
const SITEMAPS: [&str; 3] = ["sitemap.xml", "sitecast-sitemap.xml", SEPARATE_SITEMAP];

/// The reason why a publication cannot be loaded. The previous one stays in force.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The store returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of the publication cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error.
        source: io::Error,
    },
    /// The files belong to different publications: one is being written.
    #[error("`{path}` is not the version that `{by}` names: a publication is being written")]
    Inconsistent {
        /// The file.
        path: String,
        /// The file that names it.
        by: String,
    },
    /// All files of the publication have disappeared.
    #[error("the sitemaps in `{place}` have disappeared")]
    Missing {
        /// The store.
        place: String,
    },
    /// The file is not a JSON sitemap.
    #[error("`{path}` is not a JSON sitemap: {problem}")]
    JsonSitemap {
        /// The file.
        path: String,
        /// The problem, in words.
        problem: String,
    },
}

/// Loads publications.
pub(crate) struct Loader {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) protection: Arc<Protection>,
    pub(crate) known: Arc<KnownCollections>,
    pub(crate) base: Option<Url>,
}

/// The state of a load.
struct Loading<'l> {
    loader: &'l Loader,
    base: Option<Base>,
    documents: HashMap<Box<str>, DocumentBuilder>,
    watched: Vec<(StorePath, Option<Tag>)>,
    warnings: Vec<String>,
    /// A sitemap names a collection that is missing.
    is_incomplete: bool,
}

impl Loader {
    /// Loads the publication that is in the store; `before` is the one in force.
    ///
    /// A publisher removes expired collections after it has written a sitemap that no longer names them. A load that
    /// has read the previous sitemap finds them missing, and has to start again.
    pub(crate) fn load(&self, before: Option<&Site>) -> Result<Site, LoadError> {
        for _ in 1..ATTEMPTS {
            let (site, is_incomplete) = self.read(before)?;
            if !is_incomplete || self.is_unchanged(&site)? {
                return Ok(site);
            }
        }
        self.read(before).map(|(site, _)| site)
    }

    /// Returns true if no file of the publication was replaced since it was read.
    fn is_unchanged(&self, site: &Site) -> Result<bool, LoadError> {
        for (path, tag) in &site.watched {
            if self.store.open(path)?.map(|opened| opened.tag) != *tag {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Loads once. The second value is true if a collection that is named is missing.
    fn read(&self, before: Option<&Site>) -> Result<(Site, bool), LoadError> {
        let mut loading = Loading {
            loader: self,
            base: self.base.clone().and_then(Base::new),
            documents: HashMap::new(),
            watched: Vec::new(),
            warnings: Vec::new(),
            is_incomplete: false,
        };
        let items = loading.json_sitemaps()?;
        loading.add_document(ROBOTS, Kind::Robots, "text/plain; charset=utf-8")?;
        let scp = loading.sitemaps()?;
        loading.add_document(file_of(POLICY_PATH), Kind::Policy, "application/json")?;
        loading.llms_txt()?;
        let mut pages = Pages::default();
        let mut removed = HashSet::new();
        let mut collections = HashSet::new();
        if let Some(base) = loading.base.clone() {
            for prefix in self.protection.outside(base.path()) {
                loading.warnings.push(format!(
                    "the protected prefix `{prefix}` is outside of the site, which is below `{}`",
                    base.path()
                ));
            }
            for item in items {
                if let Some(page) = page_of(&base, &self.protection, item) {
                    pages.add(&base, page);
                }
            }
            pages.protect_copies();
            let mut removed_pages = RemovedPages::new(&base, &pages);
            collections = loading.collections(&base, &scp, &mut removed_pages)?;
            if let Some(before) = before {
                removed_pages.carry_over(before);
            }
            removed = removed_pages.paths;
        }
        let url = |path: &str| {
            let file = file_of(path);
            loading.documents.contains_key(file).then_some(())?;
            loading.base.as_ref().map(|base| base.url_of(file))
        };
        let index = url(SITEMAP_PATH).map(|url| index_link(&url));
        let policy = url(POLICY_PATH).map(|url| policy_link(&url));
        let describedby = policy
            .as_deref()
            .and_then(|link| HeaderValue::from_str(link).ok());
        for document in loading.documents.values_mut() {
            if document.kind == Kind::JsonSitemap {
                document.link.clone_from(&describedby);
            }
        }
        let generation = before.map_or(1, |before| before.generation + 1);
        let site = Site {
            generation,
            index_link: index
                .as_deref()
                .and_then(|link| HeaderValue::from_str(link).ok()),
            machine_links: [index, policy]
                .into_iter()
                .flatten()
                .map(|link| format!(", {link}"))
                .collect(),
            base: loading.base,
            pages,
            documents: loading
                .documents
                .into_iter()
                .map(|(path, document)| (path, document.finish(generation)))
                .collect(),
            frequencies: frequencies(&scp),
            removed,
            watched: loading.watched,
            collections,
            warnings: loading.warnings,
        };
        Ok((site, loading.is_incomplete))
    }
}

impl Loading<'_> {
    /// Derives the base from the URL of an object, unless it is known.
    fn guess_base(&mut self, url: &str) -> Result<(), StoreError> {
        if self.base.is_none() {
            self.base = Base::guess(&*self.loader.store, url)?;
        }
        Ok(())
    }

    /// Returns the URL of a file.
    fn url_of(&self, path: &str) -> Option<Url> {
        Url::parse(&self.base.as_ref()?.url_of(path)).ok()
    }

    /// The prefixes for a file whose content is unknown.
    fn all_parts(&self) -> ProtectedParts {
        match self.loader.protection.is_empty() {
            true => ProtectedParts::default(),
            false => ProtectedParts::ALL,
        }
    }

    /// Pins a file, and records its version in `watched`.
    fn open(&mut self, path: &str, kind: Kind) -> Result<Option<DocumentBuilder>, LoadError> {
        let Ok(store_path) = path.parse::<StorePath>() else {
            return Ok(None);
        };
        let opened = match self.loader.store.open(&store_path) {
            Ok(opened) => opened,
            // A sitemap or robots.txt may name files that cannot be served.
            Err(error) if error.is_refusal() => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        self.watched.push((
            store_path.clone(),
            opened.as_ref().map(|opened| opened.tag.clone()),
        ));
        let Some(opened) = opened else {
            return Ok(None);
        };
        let root = self.base.as_ref().map_or("/", Base::path);
        let loader = self.loader;
        let judged = loader
            .protection
            .of_file(&*loader.store, root, &store_path, &opened)?;
        // A link is as protected as its target.
        let FileAccess::Visible(_, parts) = judged else {
            return Ok(None);
        };
        let draft = DocumentBuilder::read(kind, &opened).map(|mut draft| {
            draft.parts = parts;
            draft
        });
        draft.map(Some).map_err(|source| unreadable(path, source))
    }

    /// Adds a file that is served as it is.
    fn add_document(
        &mut self,
        path: &str,
        kind: Kind,
        content_type: &'static str,
    ) -> Result<(), LoadError> {
        if let Some(mut document) = self.open(path, kind)? {
            document.content_type = content_type;
            document.cache_control = SITE_CACHE;
            self.documents.insert(path.into(), document);
        }
        Ok(())
    }

    /// Adds `llms.txt`. It needs tokens for the prefixes it mentions.
    fn llms_txt(&mut self) -> Result<(), LoadError> {
        self.add_document(LLMS, Kind::Other, "text/plain; charset=utf-8")?;
        if let Some(document) = self.documents.get_mut(LLMS)
            && !self.loader.protection.is_empty()
        {
            let root = self.base.as_ref().map_or("/", Base::path);
            let parts = document
                .reader()
                .and_then(|reader| mentioned_parts(reader, &self.loader.protection, root));
            let parts = parts.map_err(|source| unreadable(LLMS, source))?;
            document.parts.add(parts);
        }
        Ok(())
    }

    /// Reads the JSON sitemap and the ones that it names.
    fn json_sitemaps(&mut self) -> Result<Vec<Item>, LoadError> {
        let mut items = Vec::new();
        let mut waiting: Vec<(String, Option<String>)> =
            vec![(file_of(SITEMAP_PATH).to_owned(), None)];
        let mut parts = ProtectedParts::default();
        let mut seen = HashSet::new();
        while let Some((path, expected)) = waiting.pop() {
            if !seen.insert(path.clone()) || seen.len() > MAX_JSON_SITEMAPS {
                continue;
            }
            let torn = || LoadError::Inconsistent {
                path: path.clone(),
                by: file_of(SITEMAP_PATH).to_owned(),
            };
            let Some(mut document) = self.open(&path, Kind::JsonSitemap)? else {
                if expected.is_some() {
                    return Err(torn());
                }
                continue;
            };
            if expected.is_some_and(|expected| expected != document.hash) {
                return Err(torn());
            }
            document.content_type = "application/json";
            let source = document
                .reader()
                .map_err(|source| unreadable(&path, source))?;
            let mut reader = SitemapReader::new(source, &sitecast_tct::Limits::default());
            let wrong = |problem: sitecast_tct::sitemap::ReadError| LoadError::JsonSitemap {
                path: path.clone(),
                problem: problem.to_string(),
            };
            let mut own = ProtectedParts::default();
            while let Some(event) = reader.next_event().map_err(wrong)? {
                match event {
                    JsonEvent::Item(item) => {
                        self.guess_base(item.m_url.as_str())?;
                        own.add(of_url(&self.loader.protection, item.c_url.as_str()));
                        own.add(of_url(&self.loader.protection, item.m_url.as_str()));
                        items.push(item);
                    }
                    JsonEvent::Sitemap(child) => {
                        self.guess_base(child.url.as_str())?;
                        let base = self.base.as_ref();
                        let path = base.and_then(|base| base.relative(child.url.as_str()));
                        if let Some(path) = path {
                            waiting.push((path.into_owned(), child.hash));
                        }
                    }
                    // Readers skip the item, but the server sends it.
                    JsonEvent::Warning(warning) if leaves_out_json(&warning.kind) => {
                        own.add(self.all_parts());
                    }
                    _ => {}
                }
            }
            document.parts.add(own);
            parts.add(document.parts);
            self.documents.insert(path.into(), document);
        }
        // An index reveals the sitemaps that list protected pages, and when those changed.
        if let Some(index) = self.documents.get_mut(file_of(SITEMAP_PATH)) {
            index.parts.add(parts);
        }
        Ok(items)
    }

    /// Reads the XML sitemaps: the usual ones, those of robots.txt, and those that they name.
    fn sitemaps(&mut self) -> Result<ScpBlock, LoadError> {
        let mut scp = ScpBlock::default();
        let limits = Limits::default();
        let mut queue = SitemapQueue::new(&limits);
        let mut first: Vec<String> = SITEMAPS.iter().map(|&name| name.to_owned()).collect();
        if let Some(robots) = self.documents.get(ROBOTS) {
            let source = robots
                .reader()
                .map_err(|source| unreadable(ROBOTS, source))?;
            let robots = Robots::read(source, self.url_of(ROBOTS).as_ref());
            let robots = robots.map_err(|source| unreadable(ROBOTS, source))?;
            for url in robots.sitemaps() {
                let _ = queue.add(url);
            }
        }
        let mut all = ProtectedParts::default();
        let mut indexes = Vec::new();
        loop {
            let (path, from) = match first.pop() {
                Some(path) => (path, None),
                None => match queue.next() {
                    None => break,
                    Some(queued) => {
                        self.guess_base(&queued.url)?;
                        let base = self.base.as_ref();
                        let path = base.and_then(|base| base.relative(&queued.url));
                        let Some(path) = path.map(std::borrow::Cow::into_owned) else {
                            continue;
                        };
                        (path, Some(queued))
                    }
                },
            };
            if self.documents.contains_key(path.as_str()) {
                continue;
            }
            let Some(mut document) = self.open(&path, Kind::Sitemap)? else {
                continue;
            };
            document.content_type = if path.ends_with(".txt") {
                "text/plain; charset=utf-8"
            } else if path.ends_with(".gz") {
                "application/gzip"
            } else {
                "application/xml"
            };
            document.cache_control = SITE_CACHE;
            let source = document
                .reader()
                .map_err(|source| unreadable(&path, source))?;
            let options = ReaderOptions {
                base: self.url_of(&path),
                ..ReaderOptions::default()
            };
            let mut reader = options.read(source);
            loop {
                match reader.next_event() {
                    Ok(None) => break,
                    Ok(Some(Event::Url(entry))) => {
                        document
                            .parts
                            .add(of_url(&self.loader.protection, &entry.loc));
                        for alternate in &entry.alternates {
                            document
                                .parts
                                .add(of_url(&self.loader.protection, &alternate.url));
                        }
                    }
                    Ok(Some(Event::Sitemap(child))) => {
                        indexes.push(path.clone());
                        let _ = match &from {
                            Some(queued) => queue.add_child(queued, &child.loc),
                            None => queue.add(&child.loc),
                        };
                    }
                    Ok(Some(Event::Scp(entry))) => scp.add(entry),
                    // Readers skip the entry, but the server sends it.
                    Ok(Some(Event::Warning(warning))) if leaves_out(&warning.kind) => {
                        document.parts.add(self.all_parts());
                    }
                    Ok(Some(_)) => {}
                    Err(error) => {
                        // The file is served as it is, but its content is unknown.
                        self.warnings
                            .push(format!("`{path}` is not a sitemap: {error}"));
                        document.parts.add(self.all_parts());
                        break;
                    }
                }
            }
            all.add(document.parts);
            self.documents.insert(path.into(), document);
        }
        for index in indexes {
            if let Some(document) = self.documents.get_mut(index.as_str()) {
                document.parts.add(all);
            }
        }
        Ok(scp)
    }

    /// Reads each collection that a sitemap names: its metadata and its deleted pages.
    fn collections(
        &mut self,
        base: &Base,
        scp: &ScpBlock,
        removed: &mut RemovedPages<'_>,
    ) -> Result<HashSet<StorePath>, LoadError> {
        let mut found = HashSet::new();
        for collection in &scp.collections {
            let path = base.relative(&collection.url);
            let Some(Ok(path)) = path.map(|path| path.parse::<StorePath>()) else {
                continue;
            };
            let loader = self.loader;
            let Some((_, facts)) = loader
                .known
                .open(&*loader.store, &path, &loader.protection)?
            else {
                self.is_incomplete = true;
                self.warnings.push(format!(
                    "a sitemap names `{path}`, which is missing or not a collection"
                ));
                continue;
            };
            found.insert(path);
            for url in &facts.deleted {
                removed.add_url(url);
            }
        }
        Ok(found)
    }
}

fn page_of(base: &Base, protection: &Protection, item: Item) -> Option<Page> {
    let hash: ContentHash = item.hash?.parse().ok()?;
    let machine = base.relative(item.m_url.as_str())?;
    machine.parse::<StorePath>().ok()?;
    let mut parts = of_url(protection, item.c_url.as_str());
    parts.add(of_url(protection, item.m_url.as_str()));
    Some(Page {
        machine: machine.into(),
        url: HttpUrl::as_str(&item.c_url).into(),
        hash,
        // Clamped as in `Head::new`, for the fast path, which has no `Head`.
        modified: item
            .modified
            .map(|modified| modified.unix_seconds().min(date::now())),
        parts,
    })
}

fn frequencies(scp: &ScpBlock) -> HashMap<String, UpdateFrequency> {
    let sections = scp.sections.iter();
    sections
        .filter_map(|section| Some((section.name.clone(), section.update_frequency?)))
        .collect()
}

/// Returns true if the warning is about content that the reader skipped.
fn leaves_out(warning: &WarningKind) -> bool {
    warning.leaves_out()
        || matches!(
            warning,
            WarningKind::TooManyAlternates(_)
                | WarningKind::InvalidAlternate
                | WarningKind::StrayText(_)
                | WarningKind::UnknownElement(_)
                | WarningKind::Repeated(_)
                | WarningKind::InvalidScpElement { .. }
                | WarningKind::TrailingContent
        )
}

/// Like [`leaves_out`], for JSON sitemaps.
fn leaves_out_json(warning: &JsonWarningKind) -> bool {
    use JsonWarningKind::{Repeated, TrailingContent};

    warning.leaves_out() || matches!(warning, Repeated(_) | TrailingContent)
}

/// Returns the file name of a path that begins with `/`.
fn file_of(path: &str) -> &str {
    path.trim_start_matches('/')
}

fn unreadable(path: &str, source: io::Error) -> LoadError {
    LoadError::Io {
        path: path.to_owned(),
        source,
    }
}
