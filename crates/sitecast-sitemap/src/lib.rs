//! Reading and writing of XML sitemaps, sitemap indexes and their `scp:` extension; reading of robots.txt.
//!
//! Sitemaps list the pages of a site with the times of their last changes; the `scp:` extension lists
//! collections with the site's content for download. This crate reads the sitemaps of real sites, streaming and within
//! limits, and writes sitemaps that follow the protocol. It has no network code.
//!
//! # Reading
//!
//! ```no_run
//! use std::fs::File;
//! use sitecast_sitemap::{Event, SitemapReader};
//!
//! let mut reader = SitemapReader::new(File::open("sitemap.xml.gz")?);
//! while let Some(event) = reader.next_event()? {
//!     match event {
//!         Event::Url(page) => println!("{} {:?}", page.loc, page.lastmod),
//!         Event::Sitemap(child) => println!("more in {}", child.loc),
//!         Event::Scp(entry) => println!("{entry:?}"),
//!         Event::Warning(warning) => eprintln!("{warning}"),
//!         _ => {}
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Writing
//!
//! ```no_run
//! use std::fs::File;
//! use sitecast_sitemap::{ScpBlock, SitemapSet, WriterOptions, write_index};
//!
//! let open = |number| File::create(format!("sitemap-{number}.xml"));
//! let mut set = SitemapSet::new(WriterOptions::default(), ScpBlock::default(), open);
//! set.add("https://example.com/", "2025-11-14T19:30:00Z".parse()?)?;
//! let mut index = Vec::new();
//! for (number, part) in (1..).zip(set.finish()?.parts) {
//!     let url = format!("https://example.com/sitemap-{number}.xml").parse()?;
//!     index.extend(part.modified.map(|modified| (url, modified)));
//! }
//! write_index(File::create("sitemap.xml")?, &WriterOptions::default(), index)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! | task | items |
//! |---|---|
//! | read a sitemap of any format | [`SitemapReader`], [`ReaderOptions`], [`Event`] |
//! | read all sitemaps of a site | [`SitemapQueue`] |
//! | write sitemaps, split if necessary | [`SitemapSet`], [`SitemapWriter`], [`write_index`] |
//! | insert `scp:` elements into an existing sitemap | [`extend`](extend()) |
//! | represent the `scp:` elements of a sitemap | [`ScpBlock`], [`Section`], [`Collection`] |
//! | obey robots.txt | [`Robots`] |
//! | represent validated values | [`Location`], [`Date`] |
//! | report problems | [`ReadError`], [`Warning`], [`WriteError`], [`RobotsWarning`] |

mod collector;
mod date;
mod entry;
mod error;
mod extend;
mod limits;
mod location;
mod queue;
mod read;
mod robots;
mod scp;
mod warning;
mod write;

/// The file name of a sitemap with only the `scp:` elements, separate from the site's own sitemap.
pub const SEPARATE_SITEMAP: &str = "sitemap-scp.xml";
/// The namespace of sitemaps.
pub const SITEMAP_NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
/// The protocol's limit of entries in one file.
pub const MAX_ENTRIES: u64 = 50_000;
/// The protocol's limit of bytes in one file before compression: 50 MiB.
pub const MAX_BYTES: u64 = 52_428_800;

pub use collector::ScpCollector;
pub use date::{Date, InvalidDate, Precision};
pub use entry::{Alternate, ChangeFrequency, ChildSitemap, Event, UrlEntry};
pub use error::{Position, ReadError, ReadErrorKind};
pub use extend::extend;
pub use limits::Limits;
pub use location::{Location, LocationProblem, MAX_LOCATION};
pub use queue::{QueueError, Queued, SitemapQueue};
pub use read::{Counts, ReaderOptions, SitemapKind, SitemapReader};
pub use robots::{MAX_ROBOTS_BYTES, NamedGroup, Robots, RobotsProblem, RobotsWarning};
pub use scp::{
    CACHE_CONTROL, Collection, CollectionKind, InvalidScp, PageCount, SCP_NAMESPACE, ScpBlock,
    ScpEntry, Section, UpdateFrequency,
};
pub use warning::{Warning, WarningKind};
pub use write::{
    Added, Part, SitemapSet, SitemapWriter, WriteError, WriterOptions, Written, write_index,
};
