//! The pages that sitemaps list. They are read from the cached files one by one, so that the memory does not
//! grow with the size of the site.

use std::collections::HashSet;
use std::fs::File;
use std::sync::Arc;

use sitecast_sitemap::{Date, Event, Limits, Queued, ReaderOptions, SitemapQueue, SitemapReader};

use crate::SyncError;
use crate::discover::{Discovered, SitemapFile};
use crate::report::counted;
use crate::scope::Scope;
use crate::scratch::FilesHash;
use crate::site::SiteRun;

/// The most sitemaps of one visit that list no page of the site, or that name further sitemaps. A tree of such
/// sitemaps can be endless.
const MAX_UNPRODUCTIVE: u64 = 200;
/// The most bytes of the URLs of all sitemaps that one visit reads.
const URL_BYTES: usize = 16 << 20;

/// The cached sitemaps of a site, with the counts of the pages that they list.
pub(crate) struct Listing {
    files: Arc<[SitemapFile]>,
    /// The number of pages of the site.
    pub(crate) pages: u64,
    /// The number of pages of other sites.
    pub(crate) elsewhere: u64,
    /// True if all sitemaps of the site were read to their ends.
    pub(crate) complete: bool,
    /// True if further sitemaps were not fetched because these list enough pages.
    pub(crate) stopped: bool,
    /// The hash of all sitemaps, which changes when any of them changes.
    pub(crate) hash: String,
}

/// The sitemaps to read for a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sitemaps {
    /// Only those that discovery has fetched.
    Here,
    /// Also the others, until the listing has more than this many pages.
    Fetched(u64),
}

impl SiteRun<'_> {
    /// Counts the pages that the sitemaps list, and fetches further sitemaps as `which` demands.
    pub(crate) fn listing(
        &mut self,
        found: &Discovered,
        which: Sitemaps,
    ) -> Result<Listing, SyncError> {
        let mut builder = ListingBuilder {
            complete: found.missing == 0,
            ..ListingBuilder::default()
        };
        let mut queue = match which {
            Sitemaps::Here => SitemapQueue::new(&self.options.sitemap_limits),
            Sitemaps::Fetched(_) => found.rest.clone(),
        };
        for sitemap in &found.sitemaps {
            self.read(sitemap.clone(), None, &mut builder);
        }
        // Discovery has its own limits on these sitemaps.
        builder.unproductive = 0;
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
            if builder.pages > enough {
                stopped = true;
                break;
            }
            if builder.unproductive >= MAX_UNPRODUCTIVE || builder.url_bytes >= URL_BYTES {
                self.report.warn(format!(
                    "stopped after {} sitemaps, {} of which list no page of this site or name more sitemaps",
                    builder.read, builder.unproductive
                ));
                builder.complete = false;
                break;
            }
            match self.sitemap(&next)? {
                Some(sitemap) => self.read(sitemap, Some((&next, &mut queue)), &mut builder),
                None => {
                    builder.unproductive += 1;
                    builder.complete = false;
                }
            }
        }
        Ok(Listing {
            files: builder.files.into(),
            pages: builder.pages,
            elsewhere: builder.elsewhere,
            complete: builder.complete && !stopped,
            stopped,
            hash: builder.hash.finish(),
        })
    }

    /// Counts the pages that a sitemap lists, and queues the sitemaps that it names.
    fn read(
        &mut self,
        sitemap: SitemapFile,
        mut index: Option<(&Queued, &mut SitemapQueue)>,
        builder: &mut ListingBuilder,
    ) {
        builder.hash.add(&sitemap.url, &sitemap.hash);
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
        builder.read += 1;
        builder.unproductive += u64::from(own == 0 || is_index);
        builder.pages += own;
        builder.elsewhere += elsewhere;
        if elsewhere > 0 {
            self.report.warn(format!(
                "the sitemap `{}` lists {} of other sites: left out",
                sitemap.url,
                counted(elsewhere, "page")
            ));
        }
        if let Some(why) = refused {
            self.report.warn(format!(
                "the sitemap `{}` names sitemaps that are left out: {why}",
                sitemap.url
            ));
            builder.complete = false;
        }
        if let Err(problem) = result {
            self.report.warn(problem);
            builder.complete = false;
        }
        if own > 0 {
            builder.url_bytes += sitemap.url.as_str().len();
            builder.files.push(sitemap);
        }
    }

    /// Returns the site's own pages that these sitemaps list, in order.
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
struct ListingBuilder {
    files: Vec<SitemapFile>,
    hash: FilesHash,
    pages: u64,
    elsewhere: u64,
    complete: bool,
    read: u64,
    unproductive: u64,
    url_bytes: usize,
}

/// An iterator over the pages that sitemaps list.
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
    /// The index of the page among all pages of the listing.
    pub(crate) ordinal: u64,
    pub(crate) url: String,
    pub(crate) lastmod: Option<Date>,
}

impl Iterator for ListedPages {
    type Item = ListedPage;

    /// Stops reading a malformed sitemap at the defect, which [`SiteRun::listing`] has already reported.
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
