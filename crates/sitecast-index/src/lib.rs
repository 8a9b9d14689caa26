//! A local index of website pages, with the sync position of each site.
//!
//! An agent keeps the pages that it fetched in an index: one folder, no server. The index holds each
//! page with its line as published, its origin and the time it was fetched; and for each site the position
//! in the chain of collections, the collections that were applied, validators and failures.
//!
//! The crate does no networking and does not verify pages. The caller verifies them before the merge, or
//! drops the [`Merge`] when verification fails.
//!
//! ```
//! use sitecast_index::{Filter, FolderIndex, Index, NewPage, Origin, Precedence, SiteId};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let index = FolderIndex::open(folder)?;
//! let site = SiteId::new(&"https://example.com".parse()?);
//!
//! let mut merge = index.begin(&site)?;
//! merge.origin(Origin::Html)?;
//! merge.put(&NewPage {
//!     url: "https://example.com/tea",
//!     line: r#"{"url":"https://example.com/tea","title":"Tea"}"#,
//!     modified: "2025-01-15T10:00:00Z".parse()?,
//!     language: "en",
//!     fingerprint: None,
//!     etag: None,
//!     fetched: "2025-01-16T08:00:00Z".parse()?,
//!     precedence: Precedence::Always,
//! })?;
//! // Readers see nothing of the merge until it is committed.
//! assert_eq!(merge.commit()?.new, 1);
//!
//! let mut pages = index.pages(&Filter::default())?;
//! while let Some(page) = pages.next_page()? {
//!     println!("{} {}", page.url, page.line);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | open an index | [`FolderIndex`] |
//! | read pages | [`Index`], [`Filter`], [`PageStream`] |
//! | change pages in one transaction | [`Merge`], [`NewPage`], [`Origin`], [`Sweep`], [`Quota`] |
//! | export pages | [`export`] |
//! | find and remove damaged pages | [`Index::verify`], [`Merge::delete_damaged`] |
//! | identify a site and read its state | [`SiteId`], [`SiteState`], [`SiteOverview`] |
//! | handle errors | [`IndexError`] |

mod error;
pub mod export;
mod folder;
mod index;
mod page;
mod site;
mod state;

pub use error::IndexError;
pub use folder::FolderIndex;
pub use index::{Baseline, Index, Merge, PageStream, Quota, Sweep};
pub use page::{
    CollectionRef, Filter, Fingerprint, NewPage, Origin, OriginKind, PageCheck, PageFacts,
    Precedence, StoredPage, Tally, Validators,
};
pub use site::SiteId;
pub use state::{Failures, SectionState, SiteOverview, SiteState, Traffic};
