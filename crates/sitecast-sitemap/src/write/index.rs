//! Writer of sitemap indexes.

use std::io::Write;

use super::output::Output;
use super::{WriteError, WriterOptions, escape};
use crate::{Date, Location, SITEMAP_NAMESPACE};

/// Writes a sitemap index: the sitemaps of a site, each with the time of its last change.
///
/// ```
/// use sitecast_sitemap::{WriterOptions, write_index};
///
/// let sitemaps = [("https://example.com/sitemap-1.xml".parse()?, "2025-11-14T19:30:00Z".parse()?)];
/// let xml = write_index(Vec::new(), &WriterOptions::default(), sitemaps)?;
/// assert!(String::from_utf8(xml)?.contains("<lastmod>2025-11-14T19:30:00Z</lastmod>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_index<W: Write>(
    out: W,
    options: &WriterOptions,
    sitemaps: impl IntoIterator<Item = (Location, Date)>,
) -> Result<W, WriteError> {
    const END: &str = "</sitemapindex>\n";
    let mut output = Output::new(out, options.gzip);
    let mut text = format!(
        "{}<sitemapindex xmlns=\"{SITEMAP_NAMESPACE}\">\n",
        options.prolog()
    );
    let mut bytes = END.len() as u64;
    let mut entries = 0;
    for (location, modified) in sitemaps {
        text.push_str("  <sitemap>\n    <loc>");
        escape(location.as_str(), &mut text);
        text.push_str("</loc>\n    <lastmod>");
        text.push_str(&modified.second().to_string());
        text.push_str("</lastmod>\n  </sitemap>\n");
        entries += 1;
        bytes += text.len() as u64;
        if entries > options.max_entries || bytes > options.max_bytes {
            return Err(WriteError::Full {
                entries: options.max_entries,
                bytes: options.max_bytes,
            });
        }
        output.write(&text)?;
        text.clear();
    }
    text.push_str(END);
    output.write(&text)?;
    Ok(output.finish()?)
}
