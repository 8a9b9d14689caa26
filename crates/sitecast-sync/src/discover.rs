//! What a site offers: robots.txt, its sitemaps and what they say of collections.
//!
//! Sitemap indexes can name fifty thousand sitemaps. The `scp:` elements are in the sitemap itself or in
//! the first child of an index, so no more is read before it is known that pages have to be fetched one
//! by one. Names that wait are bounded over all indexes together.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sitecast_fetch::FetchError;
use sitecast_sitemap::{
    Event, Queued, ReaderOptions, Refused, SEPARATE_SITEMAP, ScpBlock, ScpCollector, SitemapQueue,
};
use url::Url;

use crate::SyncError;
use crate::scratch::{Asked, open_plain};
use crate::site::SiteRun;

/// Sitemaps that robots.txt names and that are fetched to look for collections. The others wait until their pages are
/// wanted.
const NAMED: usize = 500;
/// The same of sitemaps that an index names.
const CHILDREN: usize = 100;

/// What was found.
#[derive(Clone)]
pub(crate) struct Found {
    /// All that the sitemaps say of collections.
    pub(crate) scp: ScpBlock,
    /// Sitemaps that are here.
    pub(crate) sitemaps: Vec<SitemapFile>,
    /// Sitemaps still to be fetched, where their pages are wanted.
    pub(crate) rest: SitemapQueue,
    /// Sitemaps that could not be had, or whose names could not be kept: what they list is not known.
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
            scp: ScpCollector::default(),
            found: Found {
                scp: ScpBlock::default(),
                sitemaps: Vec::new(),
                rest: SitemapQueue::new(&self.options.sitemap_limits),
                missing: 0,
            },
            named: 0,
            children: 0,
            usual: Vec::new(),
            full: None,
        };
        // Where robots.txt names none, or those it names say nothing of collections.
        let mut usual = vec![root.join("/sitemap.xml")];
        if root.path() != "/" {
            // Robots.txt is not the site's own, and may not name what it has.
            usual.insert(0, root.join(SEPARATE_SITEMAP));
            usual.insert(0, root.join("sitemap.xml"));
        }
        discovery.usual = usual.into_iter().flatten().map(String::from).collect();
        for sitemap in permission.sitemaps() {
            self.add(&mut discovery, sitemap);
        }
        self.follow(&mut discovery)?;
        for place in discovery.usual.clone() {
            if discovery.scp.block().collections.is_empty() {
                self.add(&mut discovery, &place);
                self.follow(&mut discovery)?;
            }
        }
        if discovery.scp.is_truncated() {
            self.report.warn(
                "the sitemaps name more sections or collections than a site has for good reason: \
                 the rest is left out",
            );
        }
        if let Some(full) = discovery.full {
            self.report.warn(format!(
                "the sitemap indexes name more sitemaps than are kept, and the rest is left out: {full}"
            ));
        }
        discovery.found.scp = discovery.scp.into_block();
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
            if discovery.is_looked_at(&next) {
                self.visit(discovery, &next)?;
            } else if let Err(refused) = discovery.found.rest.requeue(&next) {
                discovery.refuse(refused);
            }
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
        let first = self.read_scp(&sitemap, queued, discovery);
        discovery.found.sitemaps.push(sitemap);
        if let Some(first) = first {
            let queue = if discovery.scp.block().collections.is_empty() {
                &mut discovery.queue
            } else {
                &mut discovery.found.rest
            };
            if let Err(refused) = queue.add_child(queued, &first) {
                self.report
                    .warn(format!("the sitemap `{first}` is left out: {refused}"));
            }
        }
        Ok(())
    }

    /// Fetches a sitemap, if it is not still what is here. What cannot be had is warned of; a site that
    /// cannot be reached is an error.
    pub(crate) fn sitemap(&mut self, queued: &Queued) -> Result<Option<SitemapFile>, SyncError> {
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

    /// Reads what a sitemap says of collections. Collections stand before the first page, so that where
    /// there are some, nothing after that is looked at. Answers the first sitemap that it names; the
    /// others wait.
    fn read_scp(
        &mut self,
        sitemap: &SitemapFile,
        queued: &Queued,
        discovery: &mut Discovery,
    ) -> Option<String> {
        let mut first = None;
        let result = self.read_sitemap(sitemap, &mut |event| {
            match event {
                Event::Sitemap(child) if first.is_none() => first = Some(child.loc),
                Event::Sitemap(child) => {
                    if let Err(refused) = discovery.found.rest.add_child(queued, &child.loc) {
                        discovery.refuse(refused);
                        return !refused.is_full();
                    }
                }
                Event::Scp(entry) => {
                    discovery.scp.add(entry);
                }
                Event::Url(_) if !discovery.scp.block().collections.is_empty() => return false,
                _ => {}
            }
            true
        });
        if let Err(problem) = result {
            self.report.warn(problem);
        }
        first
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

struct Discovery {
    queue: SitemapQueue,
    scp: ScpCollector,
    found: Found,
    /// Sitemaps of robots.txt that were asked for.
    named: usize,
    /// Sitemaps of indexes that were asked for.
    children: usize,
    /// Where sitemaps usually are, which is looked at in any case.
    usual: Vec<String>,
    /// Why names of sitemaps could not be kept, if some could not.
    full: Option<Refused>,
}

impl Discovery {
    /// Whether a sitemap is looked at now, and counts it.
    fn is_looked_at(&mut self, next: &Queued) -> bool {
        let (count, most) = match next.depth {
            0 if self.usual.contains(&next.url) => return true,
            0 => (&mut self.named, NAMED),
            _ => (&mut self.children, CHILDREN),
        };
        let is_wanted = *count < most;
        *count += usize::from(is_wanted);
        is_wanted
    }

    /// Remembers that there are sitemaps which will not be read.
    fn refuse(&mut self, refused: Refused) {
        self.found.missing += 1;
        if refused.is_full() {
            self.full = Some(refused);
        }
    }
}
