//! Read and write XML sitemaps, sitemap indexes, their `scp:` extension, and robots.txt.
//!
//! Sitemaps say which pages a site has and when they changed; the `scp:` extension says where its
//! content can be had in one download. This crate reads what real sites serve, in a stream and within
//! limits, and writes what the protocol asks for. It knows nothing of networks.
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
//! # The map
//!
//! | to | use |
//! |---|---|
//! | read a sitemap of any form | [`SitemapReader`], [`ReaderOptions`], [`Event`] |
//! | go through all sitemaps of a site | [`SitemapQueue`] |
//! | write sitemaps, split as need be | [`SitemapSet`], [`SitemapWriter`], [`write_index`] |
//! | put `scp:` elements into a sitemap that exists | [`extend`](extend()) |
//! | hold what a sitemap says of collections | [`ScpBlock`], [`Section`], [`Collection`] |
//! | obey robots.txt | [`Robots`] |
//! | hold values that cannot be wrong | [`Location`], [`Date`] |
//! | learn what is wrong | [`ReadError`], [`Warning`], [`WriteError`], [`RobotsWarning`] |

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

/// What a sitemap is called that has nothing but the collections, beside one for other readers.
pub const SEPARATE_SITEMAP: &str = "sitemap-scp.xml";
/// The namespace of sitemaps.
pub const SITEMAP_NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
/// The most entries that one file may have, by the protocol.
pub const MAX_ENTRIES: u64 = 50_000;
/// The most bytes that one file may have before compression, by the protocol: 50 MiB.
pub const MAX_BYTES: u64 = 52_428_800;

pub use collector::ScpCollector;
pub use date::{Date, InvalidDate, Precision};
pub use entry::{Alternate, ChangeFrequency, ChildSitemap, Event, UrlEntry};
pub use error::{Position, ReadError, ReadErrorKind};
pub use extend::extend;
pub use limits::Limits;
pub use location::{Location, LocationProblem, MAX_LOCATION};
pub use queue::{Queued, Refused, SitemapQueue};
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
