use std::io::{self, Write};

use super::{SitemapWriter, WriteError, WriterOptions};
use crate::{Date, LocationProblem, ScpBlock};

/// Writes the pages of a site into as many sitemaps as it takes.
///
/// `open` is called with the number of each file, from 1, just before it is needed. What to call
/// them is decided by the caller when [`Self::finish`] says how many there are: one can be
/// `sitemap.xml` itself, several need a [`write_index`](crate::write_index).
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

/// What became of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// It is in the sitemap.
    Listed,
    /// It is not, and this is why.
    Skipped(LocationProblem),
}

/// What was written.
#[derive(Debug)]
pub struct Written<W> {
    /// The files, at least one.
    pub parts: Vec<Part<W>>,
    /// Pages in all of them.
    pub urls: u64,
    /// URLs that were left out because a sitemap cannot hold them.
    pub skipped: u64,
}

/// One file.
#[derive(Debug)]
pub struct Part<W> {
    /// Where it was written to.
    pub out: W,
    /// Pages in it.
    pub urls: u64,
    /// Its size before compression.
    pub bytes: u64,
    /// When the page in it that changed last did so; none if there is no page.
    pub modified: Option<Date>,
}

impl<W: Write, F: FnMut(usize) -> io::Result<W>> SitemapSet<W, F> {
    /// Begins. What is said of the site's collections goes into the first file.
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

    /// Adds a page and when it last changed. A URL that a sitemap cannot hold is skipped and
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

    /// Ends the last file, and says what was written.
    pub fn finish(mut self) -> Result<Written<W>, WriteError> {
        if self.written.parts.is_empty() {
            self.writer()?;
        }
        self.close()?;
        Ok(self.written)
    }
}
