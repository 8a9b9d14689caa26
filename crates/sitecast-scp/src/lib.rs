//! Reading, writing and verifying collections of the Site Content Protocol (SCP).
//!
//! A collection is a file of JSON Lines, plain or compressed with gzip or zstd: one line of
//! metadata, then one page of a website on every line. An agent downloads it instead of the
//! site's HTML. This crate serves both sides: it writes collections that others can rely
//! on, and reads untrusted collections safely.
//!
//! Reading and writing are streaming: they keep one page and fixed buffers in memory, whatever the size of the file.
//! The crate has no network code, and reads and writes any source and output, not only files.
//!
//! # Reading
//!
//! ```no_run
//! use std::fs::File;
//! use sitecast_scp::{Event, Reader};
//!
//! let mut reader = Reader::new(File::open("blog-snapshot.scp.zst")?)?;
//! while let Some(event) = reader.next_event()? {
//!     match event {
//!         Event::Page(page) => println!("{} {}", page.modified(), page.url()),
//!         Event::Warning(warning) => eprintln!("{warning}"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Reader`] returns pages as it reads them. The caller may keep them only after the reader has reached the end,
//! since the checksum covers all of them. [`Verified`] checks it before it returns the first page. A problem is
//! either a [`ReadError`], which makes the whole file unusable, or a [`Warning`] about one
//! line, which was dropped or corrected. [`Limits`] bound the resources that a hostile file can use.
//!
//! # Writing
//!
//! ```no_run
//! use std::fs::File;
//! use sitecast_scp::{Block, Collection, Page, WriterOptions};
//!
//! let generated = "2025-01-15T10:00:00Z".parse()?;
//! let collection = Collection::snapshot("blog-1".parse()?, "blog".parse()?, generated);
//! let mut writer = WriterOptions::default().create(File::create("blog.scp.zst")?, &collection)?;
//! writer.write_page(&Page {
//!     url: "https://example.com/".parse()?,
//!     title: "Home".to_owned(),
//!     description: "Where it begins".to_owned(),
//!     author: None,
//!     published: None,
//!     modified: "2025-01-15T09:00:00Z".parse()?,
//!     language: "en".parse()?,
//!     canonical: None,
//!     schema: None,
//!     content: vec![Block::Text { text: "Hello".to_owned() }],
//!     robots: Vec::new(),
//! })?;
//! let (_file, report) = writer.finish()?;
//! println!("{} pages, {}", report.pages, report.checksum);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! | task | items |
//! |---|---|
//! | read | [`Reader`], [`ReaderOptions`], [`Event`], [`PageRecord`], [`Summary`] |
//! | read only verified pages | [`Verified`] |
//! | write | [`WriterOptions`], [`Writer`], [`Report`] |
//! | represent pages | [`Collection`], [`Page`], [`Block`], [`Video`], [`Audio`] |
//! | represent validated values | [`HttpUrl`], [`Timestamp`], [`LanguageTag`], [`Checksum`], [`Version`], … |
//! | render for people | [`to_markdown`], [`to_text`]; [`to_marked_markdown`] with [`Marks`] |
//! | scan text quickly | [`split_plain_words`] |
//! | report problems | [`ReadError`], [`Warning`], [`WriteError`] |

mod compression;
mod error;
mod json;
mod limits;
mod model;
mod plain;
mod reader;
mod render;
mod validate;
mod values;
mod warning;
mod writer;

pub use compression::Compression;
pub use error::{LineProblem, MetadataProblem, NoMetadata, PageError, ReadError, WriteError};
pub use limits::Limits;
pub use model::{
    Audio, Block, Caption, Chapter, Collection, CollectionKind, HeadingLevel, Icon, MediaLink,
    MediaUrl, Page, TextOrObject, Video,
};
pub use plain::split_plain_words;
pub use reader::{
    ChecksumStatus, Counts, Event, MissingMetadata, PageRecord, Reader, ReaderOptions, Summary,
    Verified,
};
pub use render::{
    ListItem, Mark, MarkKind, Marks, list_items, to_markdown, to_markdown_with, to_marked_markdown,
    to_text,
};
pub use values::{
    Checksum, HttpUrl, Identifier, InvalidValue, JsonObject, LanguageTag, MediaDuration, Timestamp,
    UrlProblem, Version,
};
pub use warning::{BlockProblem, Rejection, Warning, WarningKind};
pub use writer::{CheckedLine, Report, Writer, WriterOptions};
