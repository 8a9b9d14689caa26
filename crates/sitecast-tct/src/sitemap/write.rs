//! Writing JSON sitemaps and their index.

use std::io::{self, Write};

use sha2::{Digest, Sha256};
use sitecast_scp::{HttpUrl, Timestamp};

use super::{Listing, MAX_ITEMS};
use crate::canonical::write_text;
use crate::page::PROFILE;
use crate::{CanonicalError, ContentHash};

/// Settings for writing JSON sitemaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapOptions {
    /// The most items in one file.
    pub max_items: u64,
    /// The most bytes in one file.
    pub max_bytes: u64,
    /// Include listing pages. The draft advises against it.
    pub listings: bool,
}

impl Default for SitemapOptions {
    /// The recommendations of the draft: 50,000 items, content pages only. And 50 MiB.
    fn default() -> Self {
        Self {
            max_items: MAX_ITEMS,
            max_bytes: 50 << 20,
            listings: false,
        }
    }
}

/// A page to be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The URL of the page for people.
    pub c_url: HttpUrl,
    /// The URL of the machine page.
    pub m_url: HttpUrl,
    /// The time of the last change.
    pub modified: Timestamp,
    /// The hash of the machine page, which is also its entity tag.
    pub hash: ContentHash,
}

impl Entry {
    fn write(&self) -> String {
        let mut json = String::with_capacity(400);
        let hash = self.hash.to_string();
        let modified = self.modified.to_string();
        json.push_str("{\"cUrl\":");
        write_text(self.c_url.as_str(), &mut json);
        json.push_str(",\"contentHash\":");
        write_text(&hash, &mut json);
        json.push_str(",\"etag\":");
        write_text(&hash, &mut json);
        json.push_str(",\"mUrl\":");
        write_text(self.m_url.as_str(), &mut json);
        json.push_str(",\"modified\":");
        write_text(&modified, &mut json);
        json.push('}');
        json
    }
}

/// The result of adding a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The page is in the sitemap.
    Listed,
    /// The page was left out, because it is a listing.
    Skipped(Listing),
}

/// Writes the machine pages of a site as canonical JSON into as many JSON sitemaps as needed.
///
/// `open` is called with the number of each file, from 1, just before it is needed. The files can be named
/// after [`Self::finish`] has returned their number. Several files need an index: [`write_index`].
///
/// ```
/// use sitecast_tct::ContentHash;
/// use sitecast_tct::sitemap::{Entry, SitemapOptions, SitemapSet};
///
/// let homepage = Entry {
///     c_url: "https://example.com/".parse()?,
///     m_url: "https://example.com/llm/".parse()?,
///     modified: "2025-10-15T08:00:00Z".parse()?,
///     hash: ContentHash::of(b"x"),
/// };
/// let set = SitemapSet::new(SitemapOptions::default(), Some(homepage), |_number| Ok(Vec::new()))?;
/// let written = set.finish()?;
/// assert!(String::from_utf8_lossy(&written.parts[0].out).ends_with(r#"}],"profile":"tct-1","version":1}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SitemapSet<W, F> {
    options: SitemapOptions,
    homepage: Option<HttpUrl>,
    open: F,
    current: Option<Current<W>>,
    written: Written<W>,
}

struct Current<W> {
    out: W,
    hashed: Sha256,
    items: u64,
    bytes: u64,
    modified: Option<Timestamp>,
}

/// The files that were written, and totals.
#[derive(Debug)]
pub struct Written<W> {
    /// The files, at least one.
    pub parts: Vec<Part<W>>,
    /// Items in all files.
    pub items: u64,
    /// Pages that were left out because they are listings.
    pub skipped: u64,
}

/// A JSON sitemap that was written.
#[derive(Debug)]
pub struct Part<W> {
    /// The writer that `open` returned.
    pub out: W,
    /// Items in this file.
    pub items: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// The latest change of a page in this file; `None` if it is empty.
    pub modified: Option<Timestamp>,
    /// The hash of the file: its entity tag.
    pub hash: ContentHash,
}

const BEGIN: &str = "{\"items\":[";

fn end() -> String {
    format!("],\"profile\":\"{PROFILE}\",\"version\":1}}")
}

impl<W: Write> Current<W> {
    fn put(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.hashed.update(text.as_bytes());
        self.bytes += text.len() as u64;
        Ok(())
    }
}

impl<W: Write, F: FnMut(usize) -> io::Result<W>> SitemapSet<W, F> {
    /// Starts the set with the homepage, if there is one, as the first item.
    pub fn new(options: SitemapOptions, homepage: Option<Entry>, open: F) -> io::Result<Self> {
        let mut set = Self {
            options,
            homepage: homepage.as_ref().map(|entry| entry.c_url.clone()),
            open,
            current: None,
            written: Written {
                parts: Vec::new(),
                items: 0,
                skipped: 0,
            },
        };
        if let Some(entry) = homepage {
            set.put(&entry)?;
        }
        Ok(set)
    }

    /// Adds a page. A listing page is skipped and counted; the homepage is not added a second time.
    pub fn add(&mut self, entry: &Entry) -> io::Result<Added> {
        if self.homepage.as_ref() == Some(&entry.c_url) {
            return Ok(Added::Listed);
        }
        let listing = Listing::of(entry.c_url.as_str()).filter(|_| !self.options.listings);
        if let Some(listing) = listing {
            self.written.skipped += 1;
            return Ok(Added::Skipped(listing));
        }
        self.put(entry).map(|()| Added::Listed)
    }

    fn put(&mut self, entry: &Entry) -> io::Result<()> {
        let json = entry.write();
        let least = (BEGIN.len() + json.len() + end().len()) as u64;
        if least > self.options.max_bytes {
            let limit = self.options.max_bytes;
            let message = format!(
                "the entry of `{}` is larger than {limit} bytes",
                entry.c_url
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if let Some(current) = &self.current {
            let bytes = current.bytes + (1 + json.len() + end().len()) as u64;
            if current.items >= self.options.max_items || bytes > self.options.max_bytes {
                self.close()?;
            }
        }
        let current = self.current()?;
        if current.items > 0 {
            current.put(",")?;
        }
        current.put(&json)?;
        current.items += 1;
        current.modified = current.modified.max(Some(entry.modified));
        self.written.items += 1;
        Ok(())
    }

    fn current(&mut self) -> io::Result<&mut Current<W>> {
        let current = match self.current.take() {
            Some(current) => current,
            None => {
                let mut current = Current {
                    out: (self.open)(self.written.parts.len() + 1)?,
                    hashed: Sha256::new(),
                    items: 0,
                    bytes: 0,
                    modified: None,
                };
                current.put(BEGIN)?;
                current
            }
        };
        Ok(self.current.insert(current))
    }

    fn close(&mut self) -> io::Result<()> {
        if let Some(mut current) = self.current.take() {
            current.put(&end())?;
            current.out.flush()?;
            self.written.parts.push(Part {
                out: current.out,
                items: current.items,
                bytes: current.bytes,
                modified: current.modified,
                hash: ContentHash::finish(current.hashed),
            });
        }
        Ok(())
    }

    /// Completes the last file.
    pub fn finish(mut self) -> io::Result<Written<W>> {
        if self.written.parts.is_empty() {
            self.current()?;
        }
        self.close()?;
        Ok(self.written)
    }
}

/// A JSON sitemap to be listed in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The URL of the sitemap.
    pub url: HttpUrl,
    /// The time of the last change.
    pub modified: Option<Timestamp>,
    /// The hash of the file, which is also its entity tag.
    pub hash: ContentHash,
}

/// Returns the index of several JSON sitemaps as canonical JSON.
///
/// ```
/// use sitecast_tct::ContentHash;
/// use sitecast_tct::sitemap::{IndexEntry, write_index};
///
/// let entry = IndexEntry {
///     url: "https://example.com/llm-sitemap-1.json".parse()?,
///     modified: None,
///     hash: ContentHash::of(b"x"),
/// };
/// assert!(write_index(&[entry]).starts_with(r#"{"profile":"tct-1","sitemaps":[{"etag":"sha256-"#));
/// # Ok::<(), sitecast_scp::InvalidValue>(())
/// ```
pub fn write_index(entries: &[IndexEntry]) -> String {
    let mut json = format!("{{\"profile\":\"{PROFILE}\",\"sitemaps\":[");
    for (number, entry) in entries.iter().enumerate() {
        if number > 0 {
            json.push(',');
        }
        json.push_str(&format!("{{\"etag\":\"{}\"", entry.hash));
        if let Some(modified) = entry.modified {
            json.push_str(&format!(",\"modified\":\"{modified}\""));
        }
        json.push_str(",\"url\":");
        write_text(entry.url.as_str(), &mut json);
        json.push('}');
    }
    json.push_str("],\"version\":1}");
    debug_assert_eq!(
        crate::canonicalize(&json).as_deref(),
        Ok::<_, &CanonicalError>(json.as_str())
    );
    json
}
