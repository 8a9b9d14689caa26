//! An agent that keeps fresh, verified copies of websites and transfers as few bytes as possible.
//!
//! A site may offer SCP collections, TCT machine pages, or only HTML. A [`Syncer`] discovers them, fetches
//! what is new, verifies it, and merges it into an [`Index`](sitecast_index::Index). The process may be
//! killed at any moment and started again: nothing is lost, and nothing is applied twice.
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
//! | find robots.txt, sitemaps and collections | `discover` |
//! | choose the collections to download | `plan` |
//! | list the pages of the sitemaps | `listing` |
//! | download, verify and merge collections | `collections` |
//! | fetch machine pages whose hashes changed | `machine_pages` |
//! | fetch HTML, where the site offers nothing better | `html` |
//! | remove damaged pages of the index | `repair` |
//! | run these steps for one site, and fall back if one fails | `site` |

mod batch;
mod collections;
mod discover;
mod error;
mod explain;
mod html;
mod listing;
mod machine_pages;
mod many;
mod options;
mod plan;
mod progress;
mod repair;
mod report;
mod scope;
mod scratch;
mod site;
mod url_queue;

pub use error::{FailureKind, SyncError};
pub use explain::{Explanation, Intent, LastSync, PagePlan, SectionPlan};
pub use many::Job;
pub use options::{CanonicalRule, Options};
pub use plan::{Candidate, MAX_CLOCK_SKEW, Plan, Step, plan, sections};
pub use progress::{Activity, Progress};
pub use repair::{Repaired, repair};
pub use report::{AppliedCollection, CrawlCost, PageCounts, SiteReport};
pub use site::Syncer;
