//! What a site offers: robots.txt, its sitemaps and what they say of collections.
//!
//! Sitemap indexes can name fifty thousand sitemaps. The `scp:` elements are in the sitemap itself or in
//! the first child of an index, so no more is read before it is known that pages have to be fetched one
//! by one.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sitecast_fetch::FetchError;
use sitecast_sitemap::{
    Date, Event, Queued, ReaderOptions, SEPARATE_SITEMAP, ScpBlock, ScpEntry, SitemapQueue,
};
use url::Url;

use crate::SyncError;
use crate::scratch::{Asked, hash_of_all, open_plain};
use crate::site::SiteRun;

/// Collections that are looked at. A thousand are three years of daily deltas in one section.
const COLLECTIONS: usize = 10_000;

/// What was found.
#[derive(Clone)]
pub(crate) struct Found {
    /// All that the sitemaps say of collections.
    pub(crate) scp: ScpBlock,
    /// Sitemaps that are here.
    pub(crate) sitemaps: Vec<SitemapFile>,
    /// Sitemaps still to be fetched, where their pages are wanted.
    pub(crate) rest: Vec<Queued>,
    /// Sitemaps that could not be had: what they list is not known.
    pub(crate) missing: u64,
}

#[derive(Clone)]
pub(crate) struct SitemapFile {
    pub(crate) url: Url,
    pub(crate) path: PathBuf,
    pub(crate) hash: String,
}

const ACCEPT: &str = "application/xml,text/xml,text/plain;q=0.8,*/*;q=0.5";

impl SiteRun<'_> {
    /// Looks for sitemaps and reads what they say of collections.
    pub(crate) fn discover(&mut self) -> Result<Found, SyncError> {
        let root = self.scope.root().clone();
        let permission = self.client.robots(&root)?;
        let mut discovery = Discovery {
            queue: SitemapQueue::new(&self.options.sitemap_limits),
            found: Found {
                scp: ScpBlock::default(),
                sitemaps: Vec::new(),
                rest: Vec::new(),
                missing: 0,
            },
        };
        for sitemap in permission.sitemaps() {
            self.add(&mut discovery, sitemap);
        }
        self.follow(&mut discovery)?;
        // Where robots.txt names none, or those it names say nothing of collections.
        let mut usual = vec![root.join("/sitemap.xml")];
        if root.path() != "/" {
            // Robots.txt is not the site's own, and may not name what it has.
            usual.insert(0, root.join(SEPARATE_SITEMAP));
            usual.insert(0, root.join("sitemap.xml"));
        }
        for place in usual.into_iter().flatten() {
            if discovery.found.scp.collections.is_empty() {
                self.add(&mut discovery, place.as_str());
                self.follow(&mut discovery)?;
            }
        }
        Ok(discovery.found)
    }

    fn add(&mut self, discovery: &mut Discovery, url: &str) {
        if let Err(refused) = discovery.queue.add(url) {
            self.report
                .warn(format!("the sitemap `{url}` is left out: {refused}"));
        }
    }

    fn follow(&mut self, discovery: &mut Discovery) -> Result<(), SyncError> {
        while let Some(next) = discovery.queue.next() {
            self.visit(discovery, &next)?;
        }
        Ok(())
    }

    fn visit(&mut self, discovery: &mut Discovery, queued: &Queued) -> Result<(), SyncError> {
        let Some(sitemap) = self.sitemap(queued)? else {
            discovery.found.missing += u64::from(queued.depth > 0);
            return Ok(());
        };
        // TCT, "JSON Sitemap": robots.txt may name it among the others.
        if is_json(&sitemap.path) {
            self.named_json_sitemap.get_or_insert(sitemap.url);
            return Ok(());
        }
        let children = self.read_scp(&sitemap, &mut discovery.found.scp);
        discovery.found.sitemaps.push(sitemap);
        let mut children = children.into_iter();
        if discovery.found.scp.collections.is_empty()
            && let Some(first) = children.next()
            && let Err(refused) = discovery.queue.add_child(queued, &first)
        {
            self.report
                .warn(format!("the sitemap `{first}` is left out: {refused}"));
        }
        let depth = queued.depth + 1;
        discovery
            .found
            .rest
            .extend(children.map(|url| Queued { url, depth }));
        Ok(())
    }

    /// Fetches a sitemap, if it is not still what is here. What cannot be had is warned of; a site that
    /// cannot be reached is an error.
    fn sitemap(&mut self, queued: &Queued) -> Result<Option<SitemapFile>, SyncError> {
        let Ok(url) = Url::parse(&queued.url) else {
            return Ok(None);
        };
        let limit = self.options.sitemap_limits.bytes;
        match self.scratch.cached(&self.client, &url, limit, ACCEPT) {
            Ok(Asked::Have(cached)) => Ok(Some(SitemapFile {
                url,
                path: cached.path,
                hash: cached.hash,
            })),
            Ok(Asked::Not(status)) => {
                if !matches!(status, 404 | 410) {
                    self.report
                        .warn(format!("the sitemap `{url}` answers {status}"));
                }
                Ok(None)
            }
            Err(error @ FetchError::File { .. }) => Err(error.into()),
            Err(error) if error.is_out_of_visit_time() => Err(error.into()),
            Err(error) if error.is_unreachable() && self.scope.has_host(&url) => Err(error.into()),
            Err(error) => {
                self.report
                    .warn(format!("a sitemap cannot be had: {error}"));
                Ok(None)
            }
        }
    }

    /// Reads what a sitemap says of collections, and which others it names. Collections stand before the
    /// first page, so that where there are some, nothing after that is looked at.
    fn read_scp(&mut self, sitemap: &SitemapFile, scp: &mut ScpBlock) -> Vec<String> {
        let mut children = Vec::new();
        let result = self.read_sitemap(sitemap, &mut |event| {
            match event {
                Event::Sitemap(child) => children.push(child.loc),
                Event::Scp(ScpEntry::Collection(_)) if scp.collections.len() >= COLLECTIONS => {
                    return false;
                }
                Event::Scp(entry) => scp.add(entry),
                Event::Url(_) if !scp.collections.is_empty() => return false,
                _ => {}
            }
            true
        });
        if let Err(problem) = result {
            self.report.warn(problem);
        }
        children
    }

    /// Goes through a sitemap until told to stop. What is wrong with it is an error in words, and comes
    /// after all that was good before it.
    pub(crate) fn read_sitemap(
        &self,
        sitemap: &SitemapFile,
        take: &mut dyn FnMut(Event) -> bool,
    ) -> Result<(), String> {
        let wrong =
            |problem: &dyn std::fmt::Display| format!("the sitemap `{}`: {problem}", sitemap.url);
        let file = File::open(&sitemap.path).map_err(|error| wrong(&error))?;
        let options = ReaderOptions {
            limits: self.options.sitemap_limits.clone(),
            base: Some(sitemap.url.clone()),
        };
        let mut reader = options.read(file);
        while let Some(event) = reader.next_event().map_err(|error| wrong(&error))? {
            if !take(event) {
                break;
            }
        }
        Ok(())
    }

    /// The site's own pages that the sitemaps list, no more than are wanted; sitemaps that are not here
    /// yet are fetched.
    pub(crate) fn listed_pages(&mut self, found: &Found) -> Result<Listed, SyncError> {
        let mut listed = Listed {
            pages: Vec::new(),
            complete: found.missing == 0,
            elsewhere: 0,
            hash: String::new(),
        };
        let mut hashes: Vec<(Url, String)> = Vec::new();
        let mut queue = SitemapQueue::new(&self.options.sitemap_limits);
        let mut queued: Vec<&Queued> = found.rest.iter().collect();
        for sitemap in &found.sitemaps {
            // What is here need not be asked for again.
            let _ = queue.add(sitemap.url.as_str());
            queue.next();
            hashes.push((sitemap.url.clone(), sitemap.hash.clone()));
            self.list(sitemap, &mut listed, &mut Vec::new());
        }
        queued.retain(|child| queue.add(&child.url).is_ok());
        while let Some(next) = queue.next() {
            if listed.pages.len() as u64 > self.options.html_pages {
                break;
            }
            let Some(sitemap) = self.sitemap(&next)? else {
                listed.complete = false;
                continue;
            };
            hashes.push((sitemap.url.clone(), sitemap.hash.clone()));
            let mut children = Vec::new();
            self.list(&sitemap, &mut listed, &mut children);
            for child in children {
                let _ = queue.add_child(&next, &child);
            }
        }
        if listed.pages.len() as u64 > self.options.html_pages {
            listed.pages.truncate(self.options.html_pages as usize);
            listed.complete = false;
            self.report.warn(format!(
                "the site lists more pages than the {} that are fetched at most in one run",
                self.options.html_pages
            ));
        }
        listed.hash = hash_of_all(hashes.iter().map(|(url, hash)| (url, hash.as_str())));
        Ok(listed)
    }

    fn list(&mut self, sitemap: &SitemapFile, listed: &mut Listed, children: &mut Vec<String>) {
        let most = self.options.html_pages;
        let mut elsewhere = 0u64;
        let result = self.read_sitemap(sitemap, &mut |event| {
            match event {
                Event::Sitemap(child) => children.push(child.loc),
                Event::Url(entry) if self.scope.has_text(&entry.loc) => {
                    listed.pages.push((entry.loc, entry.lastmod));
                }
                Event::Url(_) => elsewhere += 1,
                _ => {}
            }
            listed.pages.len() as u64 <= most
        });
        listed.elsewhere += elsewhere;
        if elsewhere > 0 {
            self.report.warn(format!(
                "the sitemap `{}` lists {elsewhere} pages that are not of this site, which are left out",
                sitemap.url
            ));
        }
        if let Err(problem) = result {
            self.report.warn(problem);
            listed.complete = false;
        }
    }
}

/// Whether it begins as an object of JSON does, which no other sitemap can.
fn is_json(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = open_plain(path).and_then(|file| file.take(64).read_to_end(&mut beginning));
    let text = beginning
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&beginning);
    read.is_ok() && text.trim_ascii_start().starts_with(b"{")
}

/// Pages that sitemaps list.
pub(crate) struct Listed {
    pub(crate) pages: Vec<(String, Option<Date>)>,
    /// Pages of others.
    pub(crate) elsewhere: u64,
    /// Whether those are all.
    pub(crate) complete: bool,
    /// Tells these sitemaps from what they will be when anything changes.
    pub(crate) hash: String,
}

struct Discovery {
    queue: SitemapQueue,
    found: Found,
}
