//! The traits of an index, independent of the database behind it.

use sitecast_scp::{Identifier, Timestamp};

use crate::{
    CollectionRef, Filter, IndexError, NewPage, Origin, PageCheck, PageFacts, SiteId, SiteOverview,
    SiteState, StoredPage, Tally, Validators,
};

/// Pages by site and URL, and the state of each site.
///
/// Readers see the last commit, even while another thread or process merges. All methods block, and
/// none needs more memory than one page and buffers of fixed size.
pub trait Index: Send + Sync {
    /// Lists all sites in the order of their URLs, with the number and size of their pages.
    fn sites(&self) -> Result<Vec<SiteOverview>, IndexError>;

    /// Returns the state of a site; `None` if no merge was ever committed for it.
    fn state(&self, site: &SiteId) -> Result<Option<SiteState>, IndexError>;

    /// Records which pages a site has now, so that a later merge can tell them from pages added since.
    fn baseline(&self, site: &SiteId) -> Result<Baseline, IndexError>;

    /// Returns a page with its line.
    fn page(&self, site: &SiteId, url: &str) -> Result<Option<StoredPage>, IndexError>;

    /// Returns the metadata of a page without reading its line: enough to decide whether to fetch it.
    fn facts(&self, site: &SiteId, url: &str) -> Result<Option<PageFacts>, IndexError>;

    /// Returns the validators of the last response from `url`, which need not be a page.
    fn validators(&self, site: &SiteId, url: &str) -> Result<Option<Validators>, IndexError>;

    /// Returns true if this collection has been applied: one of the same section, kind and `generated`,
    /// whatever its URL. A collection newer than the section's position does not count as applied: the
    /// caller has moved the position back since.
    fn is_applied(&self, site: &SiteId, collection: &CollectionRef) -> Result<bool, IndexError>;

    /// Returns the pages that match `filter`, in the order of site and URL (by bytes), from one
    /// consistent view of the index.
    fn pages(&self, filter: &Filter) -> Result<Box<dyn PageStream>, IndexError>;

    /// Reads every page and compares its line with the stored hash. Calls `checked` with each page, in the
    /// order of site and URL. Fails with [`IndexError::Damaged`] if the tables themselves are damaged.
    fn verify(&self, checked: &mut dyn FnMut(PageCheck<'_>)) -> Result<(), IndexError>;

    /// Begins a merge. Merges are exclusive: other threads of this process wait for its end, other processes
    /// wait for a limited time and then get [`IndexError::Locked`]. Do nothing slow during a merge: download
    /// first, and commit the pages of a slow crawl every few seconds.
    fn begin(&self, site: &SiteId) -> Result<Box<dyn Merge>, IndexError>;

    /// Removes a site with all its pages; returns `false` if the index does not have it.
    fn forget(&self, site: &SiteId) -> Result<bool, IndexError>;
}

/// A stream of pages.
pub trait PageStream: Send {
    /// Returns the next page, or `None` at the end.
    fn next_page(&mut self) -> Result<Option<StoredPage>, IndexError>;
}

/// A set of changes to one site that is committed in one transaction. If a merge is dropped without
/// [`Merge::commit`], or fails, it changes nothing. A collection can therefore be merged while it is being
/// read: if its checksum turns out wrong at the end, drop the merge.
///
/// ```no_run
/// # use sitecast_index::*;
/// # fn example(index: &dyn Index, site: &SiteId, collection: CollectionRef, pages: Vec<NewPage<'_>>) -> Result<(), IndexError> {
/// let mut merge = index.begin(site)?;
/// let sweep = Sweep::section(collection.section.clone(), collection.generated);
/// merge.origin(Origin::Scp(collection))?;
/// for page in &pages {
///     merge.put(page)?;
/// }
/// if merge.unnamed(&sweep)? * 2 <= merge.tally()?.pages_before {
///     merge.delete_unnamed(&sweep)?;
/// }
/// merge.state_mut().failures = Default::default();
/// merge.commit()?;
/// # Ok(())
/// # }
/// ```
pub trait Merge: Send {
    /// Returns the site's state as it will be committed.
    fn state(&self) -> &SiteState;

    /// Returns the site's state for changing it. [`Merge::origin`] already moves the position of the section.
    fn state_mut(&mut self) -> &mut SiteState;

    /// Sets the origin of the pages that follow. One merge may have several, such as the deltas of a chain.
    /// For a collection, this records that it is applied and moves the position of its section; a collection
    /// that is already applied fails with [`IndexError::AlreadyApplied`].
    fn origin(&mut self, origin: Origin) -> Result<(), IndexError>;

    /// Adds a page, or replaces the copy in the index if [`NewPage::precedence`] allows it. The page counts
    /// as named in either case. Call [`Merge::origin`] first.
    fn put(&mut self, page: &NewPage<'_>) -> Result<(), IndexError>;

    /// Names a page that the site still has unchanged. Ignores a page that is not in the index.
    fn keep(&mut self, url: &str) -> Result<(), IndexError>;

    /// Deletes a page, unless the copy in the index is newer than `unless_after`. If the origin is a
    /// collection, this removes the page from that section only, and deletes it once it is in no section.
    fn delete(&mut self, url: &str, unless_after: Option<Timestamp>) -> Result<(), IndexError>;

    /// Deletes a page if it is damaged, and returns the sections it was in; `None` if the page is intact or not in the index.
    fn delete_damaged(&mut self, url: &str) -> Result<Option<Vec<String>>, IndexError>;

    /// Counts the pages that [`Merge::delete_unnamed`] would delete.
    fn unnamed(&mut self, sweep: &Sweep) -> Result<u64, IndexError>;

    /// Deletes the pages that this merge has neither put nor kept, such as those that a newer snapshot does
    /// not contain. Returns the number of deleted pages.
    fn delete_unnamed(&mut self, sweep: &Sweep) -> Result<u64, IndexError>;

    /// Deletes the pages that were last modified before `before`, and returns their number.
    fn delete_older(&mut self, before: Timestamp) -> Result<u64, IndexError>;

    /// Deletes the pages with the oldest `modified` until the site is within `quota`, and returns their number.
    fn shrink_to(&mut self, quota: &Quota) -> Result<u64, IndexError>;

    /// Stores the validators of a response; empty validators remove the stored ones.
    fn set_validators(&mut self, url: &str, validators: &Validators) -> Result<(), IndexError>;

    /// Counts [`Tally::lost`] against the pages that the site had at `baseline`, instead of those it had
    /// when this merge began. For a visit that makes several merges.
    fn count_losses_from(&mut self, baseline: Baseline);

    /// Returns the counts of this merge so far.
    fn tally(&mut self) -> Result<Tally, IndexError>;

    /// Commits all changes in one transaction. When it returns, they are on the disk and survive a power cut.
    fn commit(self: Box<Self>) -> Result<Tally, IndexError>;
}

/// The pages that a site had at one moment, to count later deletions against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Baseline {
    /// The number of pages.
    pub pages: u64,
    /// Pages added later have this number or a higher one.
    pub(crate) next_page: u64,
}

/// The pages that [`Merge::delete_unnamed`] deletes if the merge has not named them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// Only pages of this section, and only if they are in no other; `None` for all pages of the
    /// site, whatever their origin.
    pub section: Option<Identifier>,
    /// Also pages of no section: machine pages and HTML that were fetched before the collections were.
    pub include_unsectioned: bool,
    /// Keep copies that are newer than this: the `generated` of the snapshot.
    pub unless_after: Timestamp,
}

impl Sweep {
    /// Sweeps the pages of a section that its snapshot of the time `generated` does not contain.
    pub fn section(section: Identifier, generated: Timestamp) -> Self {
        Self {
            section: Some(section),
            include_unsectioned: false,
            unless_after: generated,
        }
    }

    /// Also sweeps pages of no section.
    #[must_use]
    pub fn and_unsectioned(mut self) -> Self {
        self.include_unsectioned = true;
        self
    }

    /// Sweeps all pages of the site.
    pub fn site(as_of: Timestamp) -> Self {
        Self {
            section: None,
            include_unsectioned: true,
            unless_after: as_of,
        }
    }
}

/// The limits on the pages that are kept of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// The largest number of pages; `None` for no limit.
    pub pages: Option<u64>,
    /// The largest size of all lines in bytes, before compression; `None` for no limit.
    pub bytes: Option<u64>,
}

impl Quota {
    /// Returns true if a site of this many pages and bytes is within the quota.
    pub fn allows(&self, pages: u64, bytes: u64) -> bool {
        self.pages.is_none_or(|most| pages <= most) && self.bytes.is_none_or(|most| bytes <= most)
    }
}
