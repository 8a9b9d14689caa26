//! Writer of a single sitemap.

use std::io::{self, Write};

use super::output::Output;
use super::scp::write_elements;
use super::{WriteError, WriterOptions, escape};
use crate::{Date, Location, SCP_NAMESPACE, SITEMAP_NAMESPACE, ScpBlock};

const END: &str = "</urlset>\n";

/// Writes one sitemap, streaming.
///
/// It refuses pages beyond its limits; [`SitemapSet`](crate::SitemapSet) then begins another file.
///
/// ```
/// use sitecast_sitemap::{ScpBlock, SitemapWriter, WriterOptions};
///
/// let options = WriterOptions::default();
/// let mut writer = SitemapWriter::new(Vec::new(), &options, &ScpBlock::default())?;
/// writer.add(&"https://example.com/?a=1&b=2".parse()?, "2025-11-14".parse()?)?;
/// assert_eq!(String::from_utf8(writer.finish()?)?, r#"<?xml version="1.0" encoding="UTF-8"?>
/// <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
///   <url>
///     <loc>https://example.com/?a=1&amp;b=2</loc>
///     <lastmod>2025-11-14</lastmod>
///   </url>
/// </urlset>
/// "#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SitemapWriter<W: Write> {
    output: Output<W>,
    options: WriterOptions,
    entries: u64,
    bytes: u64,
    line: String,
}

impl<W: Write> SitemapWriter<W> {
    /// Begins a sitemap with the elements of `scp`, if there are any.
    pub fn new(out: W, options: &WriterOptions, scp: &ScpBlock) -> Result<Self, WriteError> {
        let mut head = format!("{}<urlset xmlns=\"{SITEMAP_NAMESPACE}\"", options.prolog());
        if scp.is_empty() {
            head.push_str(">\n");
        } else {
            head.push_str(&format!("\n        xmlns:scp=\"{SCP_NAMESPACE}\">"));
            write_elements(scp, "scp", &mut head)?;
            head.push('\n');
        }
        let mut writer = Self {
            output: Output::new(out, options.gzip),
            options: options.clone(),
            entries: 0,
            bytes: (head.len() + END.len()) as u64,
            line: String::new(),
        };
        if writer.bytes > options.max_bytes {
            return Err(WriteError::Full {
                entries: options.max_entries,
                bytes: options.max_bytes,
            });
        }
        writer.output.write(&head)?;
        Ok(writer)
    }

    /// Adds a page with the day of its last change. Returns false if it does not fit.
    pub fn add(&mut self, location: &Location, modified: Date) -> io::Result<bool> {
        self.line.clear();
        self.line.push_str("  <url>\n    <loc>");
        escape(location.as_str(), &mut self.line);
        self.line.push_str("</loc>\n    <lastmod>");
        self.line.push_str(&modified.day().to_string());
        self.line.push_str("</lastmod>\n  </url>\n");
        let bytes = self.bytes + self.line.len() as u64;
        if self.entries >= self.options.max_entries || bytes > self.options.max_bytes {
            return Ok(false);
        }
        self.output.write(&self.line)?;
        self.entries += 1;
        self.bytes = bytes;
        Ok(true)
    }

    /// The number of pages so far.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// The size in bytes before compression, including the end tag.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Ends the sitemap and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.write(END)?;
        self.output.finish()
    }
}
