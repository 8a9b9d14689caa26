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
//! # The way of a page
//!
//! | step | module |
//! |---|---|
//! | which URL a file has, by its path, its canonical link and the site's habits | `address`, `head` |
//! | what speaks against publishing it | `admission`, `exclusion`, `keep_out`, `rules` |
//! | what the site's pages have in common | `template` |
//! | the page, whether it changed, and since when | `making` |
//! | all of them, on all cores, in order | `survey`, `ordered`, `spool` |
//! | what was published before | `previous`, `chain`, `carrier`, `ledger`, `cache`, `gone`, `under_way` |
//! | snapshot or delta | `schedule`, `sections` |
//! | the files | `collections`, `artefacts`, `outputs` |
//!
//! [`outline`] goes only as far as the second step, to propose settings for a site that has none. [`Preview`] goes as far
//! as the fourth with single pages, and says why each piece of their text is published or not.

mod address;
mod admission;
mod artefacts;
mod base;
mod cache;
mod carrier;
mod chain;
mod collections;
mod error;
mod exclusion;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod gone;
mod guess;
mod head;
mod keep_out;
mod ledger;
mod lock;
mod loss;
mod making;
mod options;
mod ordered;
mod outline;
mod outputs;
mod previous;
mod progress;
mod read_back;
mod report;
mod rules;
mod run;
mod schedule;
mod sections;
mod source;
mod spool;
mod survey;
mod template;
mod under_way;

pub use artefacts::HostKind;
pub use base::{BaseUrl, InvalidBase};
pub use error::PublishError;
pub use exclusion::Reason;
pub use guess::guess_base;
pub use keep_out::KeepOut;
pub use loss::{Against, Loss};
pub use options::{Artefacts, Options, Section, SitemapForm};
pub use outline::{Outline, OutlinedPage, outline};
pub use progress::{Progress, Step};
pub use report::{
    Artefact, Excluded, NamedCrawlers, PageCounts, Report, Savings, WrittenCollection, WrittenFile,
};
pub use rules::check_glob;
pub use run::preview::{PagePlace, Preview, PreviewedPage};
pub use run::publish;
pub use schedule::SnapshotReason;
pub use source::{FolderSource, Item, Items, LinesSource, Loaded, Raw, Source, Stamp};
pub use template::TemplateOrigin;
