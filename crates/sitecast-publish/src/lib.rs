//! Turns a website into SCP collections, sitemaps and machine pages.
//!
//! A [`Source`] has pages: a folder of built HTML, or a file of lines. [`publish`] finds out what
//! changed since the last time and writes that into a [`Store`](sitecast_storage::Store): collections
//! first, the sitemap that names them last, each atomically. What it knows of the past it reads from
//! the collections themselves; a local cache makes it faster, and losing it loses nothing.
//!
//! ```
//! use sitecast_publish::{LinesSource, Options, publish};
//! use sitecast_storage::{Memory, Store};
//!
//! let lines = r#"{"url":"https://example.com/","html":"<html lang=en><title>Tea</title><p>Pour boiling water over the leaves."}"#;
//! let source = LinesSource::spooled("pages.jsonl", lines.as_bytes(), sitecast_scp::Limits::default())?;
//! let store = Memory::default();
//! let options = Options::new("https://example.com".parse()?);
//! let report = publish(&source, &store, None, &options, "2025-01-15T10:00:00Z".parse()?, &())?;
//! assert_eq!(report.pages.new, 1);
//! assert!(store.get(&"scp/all-snapshot-20250115T100000Z.scp.zst".parse()?)?.is_some());
//!
//! let again = publish(&source, &store, None, &options, "2025-01-16T10:00:00Z".parse()?, &())?;
//! assert_eq!((again.pages.unchanged, again.collections.len()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stages
//!
//! [`publish`] goes through five stages, each a module with one entry function. A stage depends only on earlier ones
//! and on the modules below them.
//!
//! | stage | module |
//! |---|---|
//! | list the items of the source, read the owner's rules | `list` |
//! | read the last publication | `recall` |
//! | extract the pages and compare them with the published ones | `extract` |
//! | decide between snapshot and delta, prepare collections | `plan` |
//! | put the collections and the files beside them | `write` |
//!
//! `changes` answers what changed since the last run, from the bytes of an item to the whole publication; a run that
//! finds nothing ends there. `collections` reads, writes and schedules collections. `source`, `head`, `keep_out` and
//! `template` read pages; `artefacts` makes files beside the collections, from bytes to bytes.
//!
//! [`outline`] reads only the heads of pages, to propose settings. [`Preview`] extracts single pages, and explains why
//! each segment of their text is published or not.

mod address;
mod artefacts;
mod base;
mod changes;
mod collections;
mod error;
mod extract;
mod files;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod guess;
mod head;
mod keep_out;
mod ledger;
mod list;
mod lock;
mod loss;
mod options;
mod ordered;
mod outline;
mod percent;
mod plan;
mod preview;
mod progress;
mod publish;
mod reason;
mod recall;
mod report;
mod rules;
mod run;
mod source;
mod template;
mod time;
mod write;

pub use artefacts::HostKind;
pub use base::{BaseUrl, InvalidBase};
pub use error::PublishError;
pub use guess::guess_base;
pub use loss::{Against, Loss};
pub use options::{Artefacts, KeepOut, Options, Section, SitemapForm};
pub use outline::{Outline, OutlinedPage, outline};
pub use preview::{PagePlace, Preview, PreviewedPage};
pub use progress::{Progress, Step};
pub use publish::publish;
pub use reason::Reason;
pub use report::{
    Artefact, Excluded, NamedCrawlers, PageCounts, Report, Savings, SnapshotReason,
    WrittenCollection, WrittenFile,
};
pub use rules::check_glob;
pub use source::{FolderSource, Item, Items, LinesSource, Loaded, Raw, Source, Stamp};
pub use template::TemplateOrigin;
