//! Discovery: robots.txt, sitemaps, and the collections that they announce.
//!
//! A sitemap index can name fifty thousand sitemaps. The `scp:` elements are in the sitemap itself or in the
//! first child of an index, so the other children are read only when pages have to be fetched one by one.
//! The queue of sitemaps is bounded over all indexes together.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sitecast_fetch::FetchError;
use sitecast_sitemap::{
    Event, QueueError, Queued, ReaderOptions, SEPARATE_SITEMAP, ScpBlock, ScpCollector,
    SitemapQueue,
};
use url::Url;

use crate::SyncError;
use crate::scratch::{CacheResponse, open_plain};
use crate::site::SiteRun;

/// The most sitemaps of robots.txt that are searched for collections. The others are read only for their pages.
const MAX_NAMED: usize = 500;
/// The most sitemaps of indexes that are searched for collections.
const MAX_CHILDREN: usize = 100;

/// The result of discovery.
#[derive(Clone)]
pub(crate) struct Discovered {
    /// The sections and collections of all sitemaps.
    pub(crate) scp: ScpBlock,
    /// Sitemaps that were fetched.
    pub(crate) sitemaps: Vec<SitemapFile>,
    /// Sitemaps that have not been fetched yet.
    pub(crate) rest: SitemapQueue,
    /// The number of sitemaps that could not be fetched or queued, so that their pages are unknown.
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
    /// Finds the sitemaps and reads their collections.
    pub(crate) fn discover(&mut self) -> Result<Discovered, SyncError> {
        let root = self.scope.root().clone();
        let permission = self.client.robots(&root)?;
        let mut discovery = Discovery {
            queue: SitemapQueue::new(&self.options.sitemap_limits),
            scp: ScpCollector::default(),
            found: Discovered {
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
        // Well-known places, for a robots.txt that names no sitemap with collections.
        let mut usual = vec![root.join("/sitemap.xml")];
        if root.path() != "/" {
            // A site below a path shares robots.txt with the whole host, which may not name the site's sitemaps.
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
            self.report
                .warn("the sitemaps name too many sections or collections: the rest is left out");
        }
        if let Some(full) = discovery.full {
            self.report.warn(format!(
                "the sitemap indexes name too many sitemaps, and the rest is left out: {full}"
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
            if discovery.is_due(&next) {
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
        // TCT, "JSON Sitemap": robots.txt may name it like an XML sitemap.
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

    /// Fetches a sitemap, or uses the cached file if it is unchanged. A sitemap that cannot be fetched causes a
    /// warning, a site that cannot be reached an error.
    pub(crate) fn sitemap(&mut self, queued: &Queued) -> Result<Option<SitemapFile>, SyncError> {
        let Ok(url) = Url::parse(&queued.url) else {
            return Ok(None);
        };
        let limit = self.options.sitemap_limits.bytes;
        match self.scratch.cached(&self.client, &url, limit, ACCEPT) {
            Ok(CacheResponse::File(cached)) => Ok(Some(SitemapFile {
                url,
                path: cached.path,
                hash: cached.hash,
            })),
            Ok(CacheResponse::Status(status)) => {
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
                self.report.warn(format!("cannot fetch a sitemap: {error}"));
                Ok(None)
            }
        }
    }

    /// Reads the collections of a sitemap. They come before its first page, so once a sitemap has collections,
    /// reading stops at the first page. Returns the first sitemap that an index names, and queues the others.
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

    /// Calls `take` with the events of a sitemap until it returns false. Returns the error message if the sitemap
    /// is malformed, after all events before the defect.
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

/// Returns true if the file begins like a JSON object, which no XML or text sitemap can.
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
    found: Discovered,
    /// The number of sitemaps of robots.txt that were requested.
    named: usize,
    /// The number of sitemaps of indexes that were requested.
    children: usize,
    /// Well-known places of sitemaps, to which the limits do not apply.
    usual: Vec<String>,
    /// The reason, if a queue was full.
    full: Option<QueueError>,
}

impl Discovery {
    /// Returns true if a sitemap is within the limits and is to be fetched now; counts it.
    fn is_due(&mut self, next: &Queued) -> bool {
        let (count, most) = match next.depth {
            0 if self.usual.contains(&next.url) => return true,
            0 => (&mut self.named, MAX_NAMED),
            _ => (&mut self.children, MAX_CHILDREN),
        };
        let is_wanted = *count < most;
        *count += usize::from(is_wanted);
        is_wanted
    }

    /// Counts a sitemap that will not be read.
    fn refuse(&mut self, refused: QueueError) {
        self.found.missing += 1;
        if refused.is_full() {
            self.full = Some(refused);
        }
    }
}
