//! Builds what is published of one item. All threads share one builder.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::SystemTime;

use sitecast_extract::Fold;
use sitecast_scp::{CheckedLine, HttpUrl};
use sitecast_storage::StorePath;
use sitecast_tct::sitemap::Listing as ListingName;

use super::admission::Admission;
use crate::artefacts::{add_alternate, is_machine_page_of, machine_path, machine_url};
use crate::changes::Change;
use crate::changes::items::is_same;
use crate::changes::pages::published_place;
use crate::ledger::{Known, Ledger, SectionBits};
use crate::list::Listing;
use crate::lock::lock;
use crate::loss::Loss;
use crate::recall::cache::CachedItem;
use crate::recall::deletions::PastDeletions;
use crate::recall::{Pages, Recalled};
use crate::run::Run;
use crate::source::{Item, Loaded, Raw};
use crate::template::Site;
use crate::{PublishError, Reason};

/// Builds pages.
pub(crate) struct PageBuilder<'a> {
    pub(super) run: &'a Run<'a>,
    pub(super) listing: &'a Listing,
    pub(super) recalled: &'a Recalled<'a>,
    pub(super) published: &'a Pages,
    pub(super) site: &'a Site<'a>,
    pub(super) deletions: PastDeletions<'a>,
    pub(super) needs: Needs,
    /// Files of the owner's at the paths of machine pages; `None` unless machine pages go into the source.
    pub(super) taken: Option<Mutex<BTreeSet<StorePath>>>,
}

/// Everything that a run needs of unchanged pages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Needs {
    /// The lines of all pages.
    pub(crate) all_lines: bool,
    /// The machine pages of all pages.
    pub(crate) all_machine_pages: bool,
    /// The link to the machine page in the HTML of all pages.
    pub(crate) links: bool,
    pub(crate) reuse: Reuse,
    /// The time of the cache, if some of the items were changed since then.
    pub(crate) cache_written: Option<SystemTime>,
}

/// The treatment of a page that shows what it showed, although other text would be extracted from it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// It stays as it is published.
    Published,
    /// It changes: the published line cannot be read.
    Nothing,
}

/// An item after its turn.
pub(crate) struct BuiltItem {
    pub(crate) item: CachedItem,
    pub(crate) outcome: Outcome,
}

pub(crate) enum Outcome {
    /// The page is published as it is.
    AsBefore {
        /// Its place in the ledger.
        at: usize,
        needs_link: bool,
        /// True if its line or its machine page is needed, and has to be read from the collections.
        reads_back: bool,
    },
    Excluded(Reason),
    Page(Box<BuiltPage>),
}

pub(crate) struct BuiltPage {
    pub(crate) url: HttpUrl,
    pub(crate) known: Known,
    pub(crate) change: Change,
    /// The page as a line of a collection, if that is needed.
    pub(crate) line: Option<CheckedLine>,
    pub(crate) machine: MachineJson,
    pub(crate) fold: Option<Fold>,
    pub(crate) loss: Option<Loss>,
    /// True if the HTML lacks its link to the machine page.
    pub(crate) needs_link: bool,
}

/// The machine page of a built page.
pub(crate) enum MachineJson {
    /// The page has none, or has the right one already.
    NotNeeded,
    /// It would be larger than agents read.
    TooLarge,
    New(String),
}

impl PageBuilder<'_> {
    /// Builds what is published of an item. `cached` is what the last run knew about it.
    pub(crate) fn build(
        &self,
        item: Item<'_>,
        cached: Option<CachedItem>,
    ) -> Result<BuiltItem, PublishError> {
        let before = match cached {
            Some(cached) if is_same(self.run.source, item, &cached, self.needs.cache_written)? => {
                match self.as_before(&cached) {
                    Some(outcome) => {
                        return Ok(BuiltItem {
                            item: cached,
                            outcome,
                        });
                    }
                    None => Some(cached),
                }
            }
            cached => cached,
        };
        let mut built = match self.site.take_sampled(item.key) {
            Some(page) => self.html(item, &page.raw, Some((page.head, page.analyzed)), before),
            None => match self.run.source.load(item)? {
                Loaded::Excluded(reason) => excluded(CachedItem::new(item), reason),
                Loaded::Page(page) => self.given_page(item, *page),
                Loaded::Html(raw) => self.html(item, &raw, None, before),
            },
        };
        if let Outcome::Page(page) = &built.outcome {
            built.item.text = Some(page.known.fingerprint);
        }
        Ok(built)
    }

    /// Returns the outcome of an item whose bytes are those of the last run; `None` if something is missing that only
    /// its bytes have. robots.txt and the settings are asked again: they change by themselves.
    pub(super) fn as_before(&self, cached: &CachedItem) -> Option<Outcome> {
        if let Some(reason) = &cached.excluded {
            return Some(Outcome::Excluded(reason.clone()));
        }
        let url = cached.url.as_ref()?;
        if let Some(reason) = self.admission().forbidden(&cached.key, url) {
            return Some(Outcome::Excluded(reason));
        }
        let at = published_place(self.ledger(), cached)?;
        let known = self.ledger().get(at)?;
        let is_there = known.machine.is_some() && !self.needs.all_machine_pages;
        let is_whole = is_there || !self.has_machine_page(url);
        let is_linked = !self.needs.links || cached.linked || !self.has_machine_page(url);
        (!self.needs.all_lines && is_whole && is_linked).then_some(Outcome::AsBefore {
            at,
            needs_link: false,
            reads_back: false,
        })
    }

    pub(super) fn admission(&self) -> Admission<'_> {
        Admission {
            options: self.run.options,
            rules: &self.run.rules,
            robots: &self.listing.robots,
            owners: &self.listing.owners,
            style: self.site.style,
            generated: self.recalled.generated,
        }
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.published.ledger
    }

    pub(super) fn sections_of(&self, url: &str) -> SectionBits {
        let path = self.run.options.base.path_of_page(url);
        self.run.rules.sections(&path.unwrap_or_default())
    }

    /// Returns true if a page whose text did not change needs a new machine page.
    pub(super) fn wants_machine_page(&self, url: &str, old: Option<&Known>) -> bool {
        let lacks_machine_page =
            self.needs.all_machine_pages || old.is_none_or(|old| old.machine.is_none());
        (lacks_machine_page || self.run.options.full) && self.has_machine_page(url)
    }

    /// Returns true if a page has a machine page, now or once it is written.
    pub(super) fn has_machine_page(&self, url: &str) -> bool {
        self.run.options.artefacts.tct
            && ListingName::of(url).is_none()
            && url
                .parse()
                .is_ok_and(|url: HttpUrl| machine_url(&url).is_ok() && !self.is_taken(&url))
    }

    /// Returns true if a file of the owner's is at the path of the machine page. A file that the last publication
    /// names is ours, and so is every machine page of this very page.
    fn is_taken(&self, page: &HttpUrl) -> bool {
        let Some(taken) = &self.taken else {
            return false;
        };
        let known = self.ledger().by_url(page.as_str());
        if known.is_some_and(|known| known.machine.is_some()) {
            return false;
        }
        let Some(path) = machine_path(self.run.options.base.as_url(), page) else {
            return false;
        };
        // An unreadable file is not ours.
        let is_taken = match self.run.source.site_file(path.as_str()) {
            Ok(there) => there.is_some_and(|there| !is_machine_page_of(&there, page)),
            Err(_) => true,
        };
        if is_taken {
            lock(taken).insert(path);
        }
        is_taken
    }

    /// Returns the size of the HTML with the link to its machine page; `None` if the HTML stays as it is.
    pub(super) fn linked_size(&self, raw: &Raw, url: Option<&str>) -> Option<u64> {
        let url = url.filter(|url| self.needs.links && self.has_machine_page(url))?;
        let linked = add_alternate(&raw.bytes, &machine_url(&url.parse().ok()?).ok()?)?;
        Some(linked.len() as u64)
    }
}

/// Leaves an item out for a reason that holds as long as its bytes do.
pub(super) fn excluded(mut item: CachedItem, reason: Reason) -> BuiltItem {
    if reason.may_pass() {
        item.stamp = item.stamp.unreliable();
    }
    item.excluded = Some(reason.clone());
    BuiltItem {
        item,
        outcome: Outcome::Excluded(reason),
    }
}
