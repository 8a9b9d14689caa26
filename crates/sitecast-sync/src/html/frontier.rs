//! The frontier of a crawl: the pages that are still to be fetched, and the counts of those that were.
//!
//! The site determines how many there are, so the memory must not grow with them. Listed pages stay in the
//! sitemap files, links are queued in a file of bounded size, and seen URLs are held as hashes.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::iter::Peekable;
use std::vec::IntoIter;

use sitecast_sitemap::{Date, MAX_LOCATION};
use url::Url;

use super::Reach;
use super::alternate::Alternates;
use super::login::Logins;
use crate::SyncError;
use crate::batch::Deletions;
use crate::listing::ListedPages;
use crate::scratch::Scratch;
use crate::url_queue::UrlQueue;

/// The most bytes of links that one visit keeps.
const LINK_BYTES: u64 = 64 << 20;
/// The most URLs that are remembered as seen.
const MAX_SEEN: usize = 2_000_000;

/// The pages to fetch and the state of the crawl.
pub(super) struct Frontier {
    /// The homepage, which is fetched first.
    pub(super) root: Option<String>,
    /// The selected pages of the sitemaps.
    pub(super) listed: Option<ListedSelection>,
    /// Links that this visit or an earlier one found.
    pub(super) links: UrlQueue,
    /// Pages of the index.
    pub(super) known: UrlQueue,
    /// The number of links to fetch before the known pages.
    pub(super) links_first: u64,
    /// The last page taken from `known`.
    pub(super) last_known: Option<String>,
    /// True if one visit does not request all known pages. A link to a known page is then skipped.
    pub(super) known_rotates: bool,
    /// True if pages of the index are requested with their validators.
    pub(super) conditional: bool,
    /// True if links were found that could not be kept.
    pub(super) dropped: bool,
    /// True if the limit on pages is reached.
    pub(super) stopped: bool,
    pub(super) seen: Seen,
    pub(super) reach: Reach,
    /// Pages that the site still has, as far as is known.
    pub(super) named: UrlQueue,
    pub(super) deletions: Deletions,
    /// Bytes received for pages.
    pub(super) bytes: u64,
    /// The number of pages that were requested.
    pub(super) pages: u64,
    /// The number of pages that were fetched or are unchanged.
    pub(super) good: u64,
    /// True if all pages that were looked at have a `lastmod`.
    pub(super) dated: bool,
    /// Follow links of pages to machine pages and JSON sitemaps.
    pub(super) follows_alternates: bool,
    /// The JSON sitemap that a page links to. It ends the crawl, because machine pages are the better source.
    pub(super) json_sitemap: Option<Url>,
    pub(super) alternates: Alternates,
    pub(super) logins: Logins,
}

/// The selected pages of a listing.
pub(super) struct ListedSelection {
    pages: ListedPages,
    ordinals: Peekable<IntoIter<u64>>,
}

impl ListedSelection {
    pub(super) fn new(pages: ListedPages, ordinals: Vec<u64>) -> Self {
        Self {
            pages,
            ordinals: ordinals.into_iter().peekable(),
        }
    }

    /// Returns the ordinal of the next page.
    pub(super) fn next_ordinal(&mut self) -> Option<u64> {
        self.ordinals.peek().copied()
    }

    fn next(&mut self) -> Option<Next> {
        let wanted = self.ordinals.next()?;
        let page = self.pages.find(|page| page.ordinal == wanted)?;
        Some(Next {
            url: page.url,
            lastmod: page.lastmod,
            is_link: false,
        })
    }
}

/// A page to fetch.
pub(super) struct Next {
    pub(super) url: String,
    pub(super) lastmod: Option<Date>,
    /// True if it was found through a link.
    pub(super) is_link: bool,
}

impl Frontier {
    /// Creates an empty frontier, with files of this name in the scratch folder.
    pub(super) fn new(reach: Reach, scratch: &Scratch, name: &str) -> Result<Self, SyncError> {
        let file =
            |role: &str, room| UrlQueue::create(scratch.path(&format!("{name}-{role}.urls")), room);
        Ok(Self {
            root: None,
            listed: None,
            links: file("links", LINK_BYTES)?,
            // Earlier visits have bounded the number of pages in the index.
            known: file("known", u64::MAX)?,
            named: file("named", u64::MAX)?,
            links_first: 0,
            last_known: None,
            known_rotates: false,
            conditional: true,
            dropped: false,
            stopped: false,
            seen: Seen::default(),
            reach,
            deletions: Deletions::default(),
            bytes: 0,
            pages: 0,
            good: 0,
            dated: true,
            follows_alternates: false,
            json_sitemap: None,
            alternates: Alternates::Untried,
            logins: Logins::default(),
        })
    }

    /// Adds a link, unless it was seen before. If there is no space for it, a later visit finds it again.
    pub(super) fn add(&mut self, url: &str) -> Result<(), SyncError> {
        if url.len() > MAX_LOCATION {
            return Ok(());
        }
        match self.seen.insert(url) {
            SeenState::New if self.links.push(url)? => {}
            SeenState::Before => {}
            SeenState::New | SeenState::Full => self.dropped = true,
        }
        Ok(())
    }

    /// Adds a page of the index, or one that is known to exist.
    pub(super) fn add_known(&mut self, url: &str) -> Result<(), SyncError> {
        if self.seen.insert(url) == SeenState::New {
            self.known.push(url)?;
        }
        Ok(())
    }

    pub(super) fn next(&mut self) -> Result<Option<Next>, SyncError> {
        let plain = |url, is_link| Next {
            url,
            lastmod: None,
            is_link,
        };
        if let Some(root) = self.root.take() {
            return Ok(Some(plain(root, false)));
        }
        if let Some(next) = self.listed.as_mut().and_then(ListedSelection::next) {
            return Ok(Some(next));
        }
        if self.links_first > 0
            && let Some(url) = self.links.pop()?
        {
            self.links_first -= 1;
            return Ok(Some(plain(url, true)));
        }
        if let Some(url) = self.known.pop()? {
            self.last_known = Some(url.clone());
            return Ok(Some(plain(url, false)));
        }
        Ok(self.links.pop()?.map(|url| plain(url, true)))
    }

    /// Returns true if no page is left.
    pub(super) fn is_empty(&mut self) -> bool {
        let listed = self.listed.as_mut().and_then(ListedSelection::next_ordinal);
        self.root.is_none() && listed.is_none() && self.known.is_empty() && self.links.is_empty()
    }
}

/// The set of seen URLs, as keyed hashes.
#[derive(Default)]
pub(super) struct Seen {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

/// The result of adding a URL to [`Seen`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenState {
    New,
    Before,
    /// The URL is new, but the set is full.
    Full,
}

impl Seen {
    /// Adds a URL, without its fragment.
    pub(super) fn insert(&mut self, url: &str) -> SeenState {
        let hash = match Url::parse(url) {
            Ok(mut parsed) => {
                parsed.set_fragment(None);
                self.hasher.hash_one(parsed.as_str())
            }
            Err(_) => self.hasher.hash_one(url),
        };
        if self.hashes.contains(&hash) {
            SeenState::Before
        } else if self.hashes.len() >= MAX_SEEN {
            SeenState::Full
        } else {
            self.hashes.insert(hash);
            SeenState::New
        }
    }
}
