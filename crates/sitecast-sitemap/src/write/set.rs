//! Writer of all pages of a site into one or several sitemaps.

use std::io::{self, Write};

use super::{SitemapWriter, WriteError, WriterOptions};
use crate::{Date, LocationProblem, ScpBlock};

/// Writes the pages of a site into as many sitemaps as necessary.
///
/// It calls `open` with the number of each file, from 1, when it needs the file. The caller can choose the
/// names after [`Self::finish`], when the number of files is known: a single file can be
/// `sitemap.xml` itself, several need an index ([`write_index`](crate::write_index)).
///
/// ```
/// use sitecast_sitemap::{Added, ScpBlock, SitemapSet, WriterOptions};
///
/// let options = WriterOptions { max_entries: 2, ..WriterOptions::default() };
/// let mut set = SitemapSet::new(options, ScpBlock::default(), |_number| Ok(Vec::new()));
/// let modified = "2025-11-14T19:30:00Z".parse()?;
/// for url in ["https://example.com/", "https://example.com/a", "https://example.com/b"] {
///     set.add(url, modified)?;
/// }
/// assert!(matches!(set.add("/relative", modified)?, Added::Skipped(_)));
/// let written = set.finish()?;
/// assert_eq!((written.parts.len(), written.urls, written.skipped), (2, 3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SitemapSet<W: Write, F> {
    options: WriterOptions,
    scp: ScpBlock,
    open: F,
    current: Option<(SitemapWriter<W>, Option<Date>)>,
    written: Written<W>,
}

/// The result of adding a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// The URL is in the sitemap.
    Listed,
    /// The URL was skipped for this reason.
    Skipped(LocationProblem),
}

/// The files written by a [`SitemapSet`].
#[derive(Debug)]
pub struct Written<W> {
    /// The files, at least one.
    pub parts: Vec<Part<W>>,
    /// The number of pages in all files.
    pub urls: u64,
    /// The number of URLs skipped because they are invalid in a sitemap.
    pub skipped: u64,
}

/// One of the files.
#[derive(Debug)]
pub struct Part<W> {
    /// The output, as returned by `open`.
    pub out: W,
    /// The number of pages in the file.
    pub urls: u64,
    /// The size in bytes before compression.
    pub bytes: u64,
    /// The latest change of a page in the file; `None` if it has no pages.
    pub modified: Option<Date>,
}

impl<W: Write, F: FnMut(usize) -> io::Result<W>> SitemapSet<W, F> {
    /// Creates a set. The elements of `scp` go into the first file.
    pub fn new(options: WriterOptions, scp: ScpBlock, open: F) -> Self {
        Self {
            options,
            scp,
            open,
            current: None,
            written: Written {
                parts: Vec::new(),
                urls: 0,
                skipped: 0,
            },
        }
    }

    /// Adds a page with the time of its last change. A URL that is invalid in a sitemap is skipped and
    /// counted.
    pub fn add(&mut self, url: &str, modified: Date) -> Result<Added, WriteError> {
        let location = match url.parse() {
            Ok(location) => location,
            Err(problem) => {
                self.written.skipped += 1;
                return Ok(Added::Skipped(problem));
            }
        };
        let full = WriteError::Full {
            entries: self.options.max_entries,
            bytes: self.options.max_bytes,
        };
        loop {
            let (writer, newest) = self.writer()?;
            if writer.add(&location, modified)? {
                *newest = (*newest).max(Some(modified));
                self.written.urls += 1;
                return Ok(Added::Listed);
            }
            if writer.entries() == 0 {
                return Err(full);
            }
            self.close()?;
        }
    }

    fn writer(&mut self) -> Result<&mut (SitemapWriter<W>, Option<Date>), WriteError> {
        let writer = match self.current.take() {
            Some(current) => current,
            None => {
                let out = (self.open)(self.written.parts.len() + 1)?;
                let scp = std::mem::take(&mut self.scp);
                (SitemapWriter::new(out, &self.options, &scp)?, None)
            }
        };
        Ok(self.current.insert(writer))
    }

    fn close(&mut self) -> io::Result<()> {
        if let Some((writer, modified)) = self.current.take() {
            let (urls, bytes) = (writer.entries(), writer.bytes());
            self.written.parts.push(Part {
                out: writer.finish()?,
                urls,
                bytes,
                modified,
            });
        }
        Ok(())
    }

    /// Ends the last file and returns all files.
    pub fn finish(mut self) -> Result<Written<W>, WriteError> {
        if self.written.parts.is_empty() {
            self.writer()?;
        }
        self.close()?;
        Ok(self.written)
    }
}
