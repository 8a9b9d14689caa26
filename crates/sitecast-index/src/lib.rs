//! Pages of websites by URL, and how far each site has been followed.
//!
//! An agent keeps what it took from sites in an index: one folder, no server. It holds each page
//! with its line as it was published, where it came from and when; and for each site its position
//! in the chain of collections, what was applied, validators and failures.
//!
//! It knows nothing of networks, and does not judge what it is given: whoever merges has verified
//! it, or drops the [`Merge`] when it turns out wrong.
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
//! // Until here nobody sees anything of it.
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
//! | open | [`FolderIndex`] |
//! | read | [`Index`], [`Filter`], [`PageStream`] |
//! | change, all at once or not at all | [`Merge`], [`NewPage`], [`Origin`], [`Sweep`], [`Quota`] |
//! | take pages out | [`export`] |
//! | find damage | [`Index::verify`], [`Merge::delete_damaged`] |
//! | know a site | [`SiteId`], [`SiteState`], [`SiteOverview`] |
//! | learn what is wrong | [`IndexError`] |

mod error;
pub mod export;
mod folder;
mod index;
mod page;
mod site;
mod state;

pub use error::IndexError;
pub use folder::FolderIndex;
pub use index::{Index, Mark, Merge, PageStream, Quota, Sweep};
pub use page::{
    CollectionRef, Filter, Fingerprint, NewPage, Origin, OriginKind, PageCheck, PageFacts,
    Precedence, StoredPage, Tally, Validators,
};
pub use site::SiteId;
pub use state::{Failures, SectionState, SiteOverview, SiteState, Traffic};
