//! Read, write and verify collections of the Site Content Protocol (SCP).
//!
//! A collection is a file of JSON Lines, plain or compressed with gzip or zstd: one line of
//! metadata, then one page of a website on every line. A crawler downloads it in place of the
//! site's HTML. This crate is for both ends of that: it writes collections that others can rely
//! on, and reads those of strangers without trusting them.
//!
//! It streams. Reading or writing holds one page and fixed buffers, whatever the size of the file.
//! It knows nothing of networks, and has no opinion on where files live.
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
//! A [`Reader`] hands out pages as they come; they may be kept only when it has come to the end,
//! since the checksum covers all of them. [`Verified`] does that check first. What is wrong with
//! a file is either a [`ReadError`], which makes all of it unusable, or a [`Warning`] about one
//! line, which was dropped or put right. [`Limits`] bound what a hostile file can do.
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
//! # The map
//!
//! | to | use |
//! |---|---|
//! | read | [`Reader`], [`ReaderOptions`], [`Event`], [`PageRecord`], [`Summary`] |
//! | read only what is verified | [`Verified`] |
//! | write | [`WriterOptions`], [`Writer`], [`Report`] |
//! | hold | [`Collection`], [`Page`], [`Block`], [`Video`], [`Audio`] |
//! | hold values that cannot be wrong | [`HttpUrl`], [`Timestamp`], [`LanguageTag`], [`Checksum`], [`Version`], … |
//! | show to people | [`to_markdown`], [`to_text`]; [`to_marked_markdown`] with [`Marks`] |
//! | walk through text quickly | [`split_plain_words`] |
//! | learn what is wrong | [`ReadError`], [`Warning`], [`WriteError`] |

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
