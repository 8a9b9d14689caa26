//! What an index does, whatever stands behind it.

use sitecast_scp::{Identifier, Timestamp};

use crate::{
    CollectionRef, Filter, IndexError, NewPage, Origin, PageCheck, PageFacts, SiteId, SiteOverview,
    SiteState, StoredPage, Tally, Validators,
};

/// Pages by site and URL, and the state of each site.
///
/// Reading sees what was committed, also while another thread or process merges. All methods
/// block; none needs more memory than one page and fixed buffers.
pub trait Index: Send + Sync {
    /// All sites in the order of their names, with how much there is of each.
    fn sites(&self) -> Result<Vec<SiteOverview>, IndexError>;

    /// What is known of a site; `None` if nothing was ever committed for it.
    fn state(&self, site: &SiteId) -> Result<Option<SiteState>, IndexError>;

    /// The pages that a site has at this moment, so that a later merge can tell them from those that
    /// came since.
    fn mark(&self, site: &SiteId) -> Result<Mark, IndexError>;

    /// A page with its line.
    fn page(&self, site: &SiteId, url: &str) -> Result<Option<StoredPage>, IndexError>;

    /// What is known of a page without reading its line: to decide whether to fetch it.
    fn facts(&self, site: &SiteId, url: &str) -> Result<Option<PageFacts>, IndexError>;

    /// The validators of the last answer from `url`, which need not be a page.
    fn validators(&self, site: &SiteId, url: &str) -> Result<Option<Validators>, IndexError>;

    /// Whether this collection has been applied: the same section, kind and `generated`, whatever
    /// its URL. One from which the position of its section was taken back since has not.
    fn is_applied(&self, site: &SiteId, collection: &CollectionRef) -> Result<bool, IndexError>;

    /// The pages that `filter` lets through, in the order of site and URL (by bytes), all as of
    /// this moment.
    fn pages(&self, filter: &Filter) -> Result<Box<dyn PageStream>, IndexError>;

    /// Reads every page, and compares its line with the hash that was written with it. Tells `checked` of each one,
    /// in the order of site and URL. Fails with [`IndexError::Damaged`] if the tables themselves are damaged.
    fn verify(&self, checked: &mut dyn FnMut(PageCheck<'_>)) -> Result<(), IndexError>;

    /// Begins a merge. One at a time: another thread of this process waits for its end, another
    /// process for as long as the index was told to, and then gets [`IndexError::Locked`]. So nothing
    /// slow should happen during a merge: download first; commit what a slow crawl brings every few
    /// seconds.
    fn begin(&self, site: &SiteId) -> Result<Box<dyn Merge>, IndexError>;

    /// Removes a site with all its pages; `false` if there was none.
    fn forget(&self, site: &SiteId) -> Result<bool, IndexError>;
}

/// Pages one after the other.
pub trait PageStream: Send {
    /// The next page, or `None` at the end.
    fn next_page(&mut self) -> Result<Option<StoredPage>, IndexError>;
}

/// All that changes in one step. Dropped without [`Merge::commit`], or after an error, it changes
/// nothing. So a collection may be merged while it is being read: should its checksum turn out
/// wrong, the merge is dropped.
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
    /// The site's state as it will be committed.
    fn state(&self) -> &SiteState;

    /// The same, to be changed. [`Merge::origin`] moves the position of the section by itself.
    fn state_mut(&mut self) -> &mut SiteState;

    /// Says where what follows comes from. A merge may go through several, such as the deltas of a
    /// chain. For a collection this records that it is applied and moves the position of its
    /// section; one that was applied before is refused with [`IndexError::AlreadyApplied`].
    fn origin(&mut self, origin: Origin) -> Result<(), IndexError>;

    /// Adds a page, or replaces the one that is there, as [`NewPage::precedence`] says. Either way
    /// it counts as named. Comes after [`Merge::origin`].
    fn put(&mut self, page: &NewPage<'_>) -> Result<(), IndexError>;

    /// Names a page that is still there and unchanged. One that is not in the index is ignored.
    fn keep(&mut self, url: &str) -> Result<(), IndexError>;

    /// Deletes a page, unless the copy here is newer than `unless_after`. From a collection it
    /// leaves that collection's section; it is deleted when it is in none.
    fn delete(&mut self, url: &str, unless_after: Option<Timestamp>) -> Result<(), IndexError>;

    /// Deletes a page if it is damaged, and answers the sections it was in; `None` if it can be read, or is not there.
    fn delete_damaged(&mut self, url: &str) -> Result<Option<Vec<String>>, IndexError>;

    /// How many pages [`Merge::delete_unnamed`] would delete.
    fn unnamed(&mut self, sweep: &Sweep) -> Result<u64, IndexError>;

    /// Deletes what was neither put nor kept during this merge: what a newer snapshot does not
    /// name. Answers how many pages.
    fn delete_unnamed(&mut self, sweep: &Sweep) -> Result<u64, IndexError>;

    /// Deletes the pages that were last modified before `before`, and answers how many.
    fn delete_older(&mut self, before: Timestamp) -> Result<u64, IndexError>;

    /// Deletes the pages that were modified longest ago until the site fits, and answers how many.
    fn shrink_to(&mut self, quota: &Quota) -> Result<u64, IndexError>;

    /// Remembers the validators of an answer; those that are empty are forgotten.
    fn set_validators(&mut self, url: &str, validators: &Validators) -> Result<(), IndexError>;

    /// Counts [`Tally::lost`] against the pages that the site had at `mark`, instead of those it had
    /// when this merge began: for a run of several merges.
    fn count_from(&mut self, mark: Mark);

    /// What this merge has done so far, and what there was before it.
    fn tally(&mut self) -> Result<Tally, IndexError>;

    /// Makes everything durable, all at once. When it returns, no power cut undoes it.
    fn commit(self: Box<Self>) -> Result<Tally, IndexError>;
}

/// The pages that a site had at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// How many there were.
    pub pages: u64,
    /// Pages that came later have numbers from here on.
    pub(crate) next_page: u64,
}

/// Which pages are deleted if nothing named them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// Only pages of this section, and only if they are in no other; `None` for all pages of the
    /// site, whatever they came from.
    pub section: Option<Identifier>,
    /// Also pages of no section, which came in another way before this one was taken.
    pub strays: bool,
    /// Copies that are newer than this stay: the `generated` of the snapshot.
    pub unless_after: Timestamp,
}

impl Sweep {
    /// The pages of a section, by its snapshot.
    pub fn section(section: Identifier, generated: Timestamp) -> Self {
        Self {
            section: Some(section),
            strays: false,
            unless_after: generated,
        }
    }

    /// The same, and pages of no section.
    #[must_use]
    pub fn and_strays(mut self) -> Self {
        self.strays = true;
        self
    }

    /// All pages of the site.
    pub fn site(as_of: Timestamp) -> Self {
        Self {
            section: None,
            strays: true,
            unless_after: as_of,
        }
    }
}

/// How much of a site to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// At most so many pages.
    pub pages: Option<u64>,
    /// At most so many bytes of lines, before compression.
    pub bytes: Option<u64>,
}

impl Quota {
    /// Whether so much fits.
    pub fn allows(&self, pages: u64, bytes: u64) -> bool {
        self.pages.is_none_or(|most| pages <= most) && self.bytes.is_none_or(|most| bytes <= most)
    }
}
