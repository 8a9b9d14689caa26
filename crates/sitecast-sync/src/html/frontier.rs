//! The pages of a site that are to be fetched, and what was found out about those that were.
//!
//! A stranger decides how many there are. Pages of sitemaps stay in the files of the sitemaps, links wait in
//! a file of bounded size, and of what was seen only hashes are held.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::iter::Peekable;
use std::vec::IntoIter;

use sitecast_sitemap::{Date, MAX_LOCATION};
use url::Url;

use super::Reach;
use super::alternate::MachinePages;
use super::login::Logins;
use crate::SyncError;
use crate::batch::Roll;
use crate::listing::ListedPages;
use crate::scratch::Scratch;
use crate::url_file::UrlFile;

/// Bytes of the links that one run finds and keeps.
const LINK_BYTES: u64 = 64 << 20;
/// URLs that are told from each other.
const SEEN: usize = 2_000_000;

/// Pages to fetch.
pub(super) struct Frontier {
    /// Comes before everything else.
    pub(super) root: Option<String>,
    /// Pages that sitemaps list.
    pub(super) listed: Option<Chosen>,
    /// Links that were found, in this run or an earlier one.
    pub(super) links: UrlFile,
    /// Pages that are here.
    pub(super) known: UrlFile,
    /// How many links come before the known pages.
    pub(super) links_first: u64,
    /// The known page that was taken last.
    pub(super) last_known: Option<String>,
    /// Whether known pages are only taken from `known`: not all of them have their turn in this run.
    pub(super) known_in_turn: bool,
    /// Whether pages are asked for on the condition that they changed.
    pub(super) conditional: bool,
    /// Whether links were found that could not be kept.
    pub(super) dropped: bool,
    /// Whether as many pages were fetched as may be.
    pub(super) stopped: bool,
    pub(super) seen: Seen,
    pub(super) reach: Reach,
    /// Pages that are still there as far as is known.
    pub(super) named: UrlFile,
    pub(super) roll: Roll,
    pub(super) bytes: u64,
    pub(super) pages: u64,
    /// Pages that could be had, or are as they were.
    pub(super) good: u64,
    /// Whether all pages that were looked at say in the sitemap when they changed.
    pub(super) dated: bool,
    /// Whether to look at what pages link to for machines.
    pub(super) heeds_links: bool,
    /// The JSON sitemap that a page names: there is a better way than this.
    pub(super) json_sitemap: Option<Url>,
    pub(super) machine_pages: MachinePages,
    pub(super) logins: Logins,
}

/// Pages of a listing that were chosen.
pub(super) struct Chosen {
    pages: ListedPages,
    ordinals: Peekable<IntoIter<u64>>,
}

impl Chosen {
    pub(super) fn new(pages: ListedPages, ordinals: Vec<u64>) -> Self {
        Self {
            pages,
            ordinals: ordinals.into_iter().peekable(),
        }
    }

    /// The place of the page that comes next.
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
    /// Whether only a link led to it.
    pub(super) is_link: bool,
}

impl Frontier {
    /// An empty one, whose files have this name in the scratch folder.
    pub(super) fn new(reach: Reach, scratch: &Scratch, name: &str) -> Result<Self, SyncError> {
        let file =
            |role: &str, room| UrlFile::create(scratch.path(&format!("{name}-{role}.urls")), room);
        Ok(Self {
            root: None,
            listed: None,
            links: file("links", LINK_BYTES)?,
            // What is here is bounded by what was fetched.
            known: file("known", u64::MAX)?,
            named: file("named", u64::MAX)?,
            links_first: 0,
            last_known: None,
            known_in_turn: false,
            conditional: true,
            dropped: false,
            stopped: false,
            seen: Seen::default(),
            reach,
            roll: Roll::default(),
            bytes: 0,
            pages: 0,
            good: 0,
            dated: true,
            heeds_links: false,
            json_sitemap: None,
            machine_pages: MachinePages::Untried,
            logins: Logins::default(),
        })
    }

    /// Adds a page, unless it was added before. What there is no room for is left to a later run.
    pub(super) fn add(&mut self, url: &str) -> Result<(), SyncError> {
        if url.len() > MAX_LOCATION {
            return Ok(());
        }
        match self.seen.insert(url) {
            Seeing::New if self.links.push(url)? => {}
            Seeing::Before => {}
            Seeing::New | Seeing::Full => self.dropped = true,
        }
        Ok(())
    }

    /// Adds a page that is here, or is known to be there.
    pub(super) fn add_known(&mut self, url: &str) -> Result<(), SyncError> {
        if self.seen.insert(url) == Seeing::New {
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
        if let Some(next) = self.listed.as_mut().and_then(Chosen::next) {
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

    /// Whether no page is left.
    pub(super) fn is_empty(&mut self) -> bool {
        let listed = self.listed.as_mut().and_then(Chosen::next_ordinal);
        self.root.is_none() && listed.is_none() && self.known.is_empty() && self.links.is_empty()
    }
}

/// Tells URLs that were seen, by keyed hashes, from others.
#[derive(Default)]
pub(super) struct Seen {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

/// What is known of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seeing {
    New,
    Before,
    /// It was not seen before, and there is no room to remember it.
    Full,
}

impl Seen {
    /// Remembers a URL, whatever its fragment.
    pub(super) fn insert(&mut self, url: &str) -> Seeing {
        let hash = match Url::parse(url) {
            Ok(mut parsed) => {
                parsed.set_fragment(None);
                self.hasher.hash_one(parsed.as_str())
            }
            Err(_) => self.hasher.hash_one(url),
        };
        if self.hashes.contains(&hash) {
            Seeing::Before
        } else if self.hashes.len() >= SEEN {
            Seeing::Full
        } else {
            self.hashes.insert(hash);
            Seeing::New
        }
    }
}
