//! The pages that sitemaps list. They stay in the files of the sitemaps and are gone through one by one,
//! so that memory does not grow with what a site lists.

use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;

use sitecast_sitemap::{Date, Event, Limits, Queued, ReaderOptions, SitemapQueue, SitemapReader};

use crate::SyncError;
use crate::discover::{Found, SitemapFile};
use crate::scope::Scope;
use crate::scratch::HashOfAll;
use crate::site::SiteRun;

/// Sitemaps that are read in one run beside those that list pages of the site and nothing else: indexes that
/// name indexes, whatever else they list, and empty ones. A tree of them has no end.
const BARREN: u64 = 200;
/// Bytes of the URLs of all sitemaps that are read in one run.
const URL_BYTES: usize = 16 << 20;

/// The sitemaps of a site, all of which are here, and how much they list.
pub(crate) struct Listing {
    files: Arc<[SitemapFile]>,
    /// Pages of the site.
    pub(crate) pages: u64,
    /// Pages of others.
    pub(crate) elsewhere: u64,
    /// Whether those are all.
    pub(crate) complete: bool,
    /// Whether no more sitemaps were fetched because enough pages were listed.
    pub(crate) stopped: bool,
    /// Tells these sitemaps from what they will be when anything changes.
    pub(crate) hash: String,
}

/// Which sitemaps are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sitemaps {
    /// Those that are here.
    Here,
    /// The others, too, until they list more than so many pages.
    Fetched(u64),
}

impl SiteRun<'_> {
    /// Finds out what the sitemaps list, and fetches those that are not here yet.
    pub(crate) fn listing(&mut self, found: &Found, which: Sitemaps) -> Result<Listing, SyncError> {
        let mut gathering = Gathering {
            complete: found.missing == 0,
            ..Gathering::default()
        };
        let mut queue = match which {
            Sitemaps::Here => SitemapQueue::new(&self.options.sitemap_limits),
            Sitemaps::Fetched(_) => found.rest.clone(),
        };
        for sitemap in &found.sitemaps {
            self.read(sitemap.clone(), None, &mut gathering);
        }
        // Those were bounded when they were looked for.
        gathering.barren = 0;
        let enough = match which {
            Sitemaps::Here => 0,
            Sitemaps::Fetched(pages) => pages,
        };
        let here: HashSet<&str> = found.sitemaps.iter().map(|s| s.url.as_str()).collect();
        let mut stopped = false;
        while let Some(next) = queue.next() {
            if here.contains(next.url.as_str()) {
                continue;
            }
            if gathering.pages > enough {
                stopped = true;
                break;
            }
            if gathering.barren >= BARREN || gathering.url_bytes >= URL_BYTES {
                self.report.warn(format!(
                    "stopped after {} sitemaps, {} of which list no page of this site or name more sitemaps",
                    gathering.read, gathering.barren
                ));
                gathering.complete = false;
                break;
            }
            match self.sitemap(&next)? {
                Some(sitemap) => self.read(sitemap, Some((&next, &mut queue)), &mut gathering),
                None => {
                    gathering.barren += 1;
                    gathering.complete = false;
                }
            }
        }
        Ok(Listing {
            files: gathering.files.into(),
            pages: gathering.pages,
            elsewhere: gathering.elsewhere,
            complete: gathering.complete && !stopped,
            stopped,
            hash: gathering.hash.finish(),
        })
    }

    /// Counts what a sitemap lists, and puts the sitemaps that it names into the queue.
    fn read(
        &mut self,
        sitemap: SitemapFile,
        mut index: Option<(&Queued, &mut SitemapQueue)>,
        gathering: &mut Gathering,
    ) {
        gathering.hash.add(&sitemap.url, &sitemap.hash);
        let (mut own, mut elsewhere, mut refused) = (0u64, 0u64, None);
        let mut is_index = false;
        let result = self.read_sitemap(&sitemap, &mut |event| {
            match event {
                Event::Url(entry) if self.scope.has_text(&entry.loc) => own += 1,
                Event::Url(_) => elsewhere += 1,
                Event::Sitemap(child) => {
                    is_index = true;
                    if let Some((parent, queue)) = &mut index
                        && let Err(why) = queue.add_child(parent, &child.loc)
                    {
                        refused = Some(why);
                        return !why.is_full();
                    }
                }
                _ => {}
            }
            true
        });
        gathering.read += 1;
        gathering.barren += u64::from(own == 0 || is_index);
        gathering.pages += own;
        gathering.elsewhere += elsewhere;
        if elsewhere > 0 {
            self.report.warn(format!(
                "the sitemap `{}` lists {elsewhere} pages that are not of this site, which are left out",
                sitemap.url
            ));
        }
        if let Some(why) = refused {
            self.report.warn(format!(
                "the sitemap `{}` names sitemaps that are left out: {why}",
                sitemap.url
            ));
            gathering.complete = false;
        }
        if let Err(problem) = result {
            self.report.warn(problem);
            gathering.complete = false;
        }
        if own > 0 {
            gathering.url_bytes += sitemap.url.as_str().len();
            gathering.files.push(sitemap);
        }
    }

    /// The site's own pages that these sitemaps list, in their order.
    pub(crate) fn listed(&self, listing: &Listing) -> ListedPages {
        ListedPages {
            files: Arc::clone(&listing.files),
            next_file: 0,
            reader: None,
            limits: self.options.sitemap_limits.clone(),
            scope: self.scope.clone(),
            ordinal: 0,
        }
    }
}

#[derive(Default)]
struct Gathering {
    files: Vec<SitemapFile>,
    hash: HashOfAll,
    pages: u64,
    elsewhere: u64,
    complete: bool,
    read: u64,
    barren: u64,
    url_bytes: usize,
}

/// Goes through the pages that sitemaps list.
pub(crate) struct ListedPages {
    files: Arc<[SitemapFile]>,
    next_file: usize,
    reader: Option<SitemapReader<File>>,
    limits: Limits,
    scope: Scope,
    ordinal: u64,
}

/// A page that a sitemap lists.
pub(crate) struct ListedPage {
    /// Its place among all pages of the listing.
    pub(crate) ordinal: u64,
    pub(crate) url: String,
    pub(crate) lastmod: Option<Date>,
}

impl Iterator for ListedPages {
    type Item = ListedPage;

    /// What is wrong with a sitemap was said when it was counted, and ends it.
    fn next(&mut self) -> Option<ListedPage> {
        loop {
            let Some(reader) = &mut self.reader else {
                let sitemap = self.files.get(self.next_file)?;
                self.next_file += 1;
                let options = ReaderOptions {
                    limits: self.limits.clone(),
                    base: Some(sitemap.url.clone()),
                };
                self.reader = File::open(&sitemap.path)
                    .ok()
                    .map(|file| options.read(file));
                continue;
            };
            match reader.next_event() {
                Ok(Some(Event::Url(entry))) if self.scope.has_text(&entry.loc) => {
                    let ordinal = self.ordinal;
                    self.ordinal += 1;
                    return Some(ListedPage {
                        ordinal,
                        url: entry.loc,
                        lastmod: entry.lastmod,
                    });
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => self.reader = None,
            }
        }
    }
}
