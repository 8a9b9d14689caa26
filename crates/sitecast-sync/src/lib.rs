//! Keeps a fresh, verified copy of any website, for the fewest bytes.
//!
//! A site may offer SCP collections, TCT machine pages, or nothing but its HTML; a [`Syncer`] finds out
//! which, takes what is new, verifies it, and merges it into an [`Index`](sitecast_index::Index). Kill
//! it at any moment and start it again: nothing is lost, and nothing is applied twice.
//!
//! ```no_run
//! use std::path::Path;
//! use std::time::SystemTime;
//!
//! use sitecast_fetch::{Client, Options as FetchOptions};
//! use sitecast_index::FolderIndex;
//! use sitecast_sync::{Options, Syncer};
//!
//! let report = Syncer {
//!     client: &Client::new(FetchOptions::new("examplebot/1.0 (+https://example.org/bot)"))?,
//!     index: &FolderIndex::open("index")?,
//!     scratch: Path::new("index/sync"),
//!     options: &Options::default(),
//!     now: SystemTime::now().into(),
//!     progress: &(),
//! }
//! .sync(&"https://example.com".parse()?);
//! println!("{} pages for {} bytes", report.pages.total, report.bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | step | module |
//! |---|---|
//! | what the site offers | `discover` |
//! | which collections to take | `plan` |
//! | which pages its sitemaps list | `listing` |
//! | collections: download, verify, merge | `collections` |
//! | machine pages, by their hashes | `machine_pages` |
//! | HTML, where there is nothing better | `html` |
//! | damaged pages of the index | `mend` |
//! | all of it for one site, with what to do when one way fails | `site` |

mod batch;
mod collections;
mod discover;
mod error;
mod explain;
mod html;
mod listing;
mod machine_pages;
mod many;
mod mend;
mod options;
mod plan;
mod progress;
mod report;
mod scope;
mod scratch;
mod site;
mod url_file;

pub use error::{SyncError, Trouble};
pub use explain::{Explanation, Intent, Last, PagePlan, SectionPlan};
pub use many::Job;
pub use mend::{Mended, mend};
pub use options::{CanonicalRule, Options};
pub use plan::{Candidate, Plan, SKEW, Step, plan, sections};
pub use progress::{Doing, Progress};
pub use report::{Applied, Crawling, Pages, SiteReport};
pub use site::Syncer;
