//! Pages of websites by URL, and how far each site has been followed.
//!
//! An agent keeps what it took from sites in an index: one folder, no server. It holds each page
//! with its line as it was published, where it came from and when; and for each site its position
//! in the chain of collections, what was applied, validators and failures.
//!
//! It knows nothing of networks, and does not judge what it is given: whoever merges has verified
//! it, or drops the [`Merge`] when it turns out wrong.
//!
//! | to | use |
//! |---|---|
//! | open | [`FolderIndex`] |
//! | read | [`Index`], [`Filter`], [`PageStream`] |
//! | change, all at once or not at all | [`Merge`], [`NewPage`], [`Origin`], [`Sweep`], [`Quota`] |
//! | take pages out | [`export`] |
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
pub use index::{Index, Merge, PageStream, Quota, Sweep};
pub use page::{
    CollectionRef, Filter, Fingerprint, NewPage, Origin, OriginKind, PageFacts, Precedence,
    StoredPage, Tally, Validators,
};
pub use site::SiteId;
pub use state::{Failures, SectionState, SiteOverview, SiteState, Traffic};
