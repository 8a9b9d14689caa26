//! Reading one file: recognises the format and reads to the end, or to the first fatal error.

mod collection;
mod robots;
mod sitemap;
mod tct;

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use sitecast_scp::Compression;
use sitecast_sitemap::ScpBlock;
use sitecast_tct::sitemap::ChildSitemap;
use url::Url;

use crate::recognize::{Format, recognize};
use crate::report::{Finding, Report};
use crate::{Checker, Options};

/// Other files that a file names.
#[derive(Debug, Default)]
pub(crate) struct References {
    pub(crate) sitemaps: Vec<String>,
    pub(crate) scp: ScpBlock,
    pub(crate) json_sitemaps: Vec<ChildSitemap>,
}

/// Knowledge about a file before it is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Context<'u> {
    /// The URL of the file, which resolves relative URLs in it.
    pub(crate) url: Option<&'u Url>,
    /// The format that the file must have at its place, whatever its content looks like.
    pub(crate) format: Option<Format>,
}

impl Checker<'_> {
    /// Reads a file into a report, and returns the files that it names. An error of the source is a finding like any
    /// other.
    pub(crate) fn read(
        &self,
        mut source: Box<dyn Read + Send>,
        context: Context<'_>,
        report: &mut Report,
    ) -> References {
        let mut references = References::default();
        let recognized = match recognize(&mut source) {
            Ok(recognized) => recognized,
            Err(error) => {
                report.io_error(&error);
                return references;
            }
        };
        let format = context.format.unwrap_or(recognized.format);
        let whole = io::Cursor::new(recognized.head).chain(source);
        let options = &self.options;
        match format {
            Format::Collection => collection::check(whole, &options.reading, report),
            // The reader of sitemaps says what is wrong with HTML.
            Format::Sitemap | Format::Html => {
                let limits = &options.sitemap_limits;
                sitemap::check(whole, limits, context.url, report, &mut references);
            }
            Format::JsonSitemap | Format::MachinePage | Format::Policy | Format::Robots => {
                let text = Text {
                    format,
                    gzip: recognized.gzip,
                    url: context.url,
                };
                text.check(whole, options, report, &mut references);
            }
            Format::Unknown => report.error(Finding::new(
                "not-recognized",
                "neither a collection, a sitemap, a machine page, a policy nor a robots.txt",
            )),
        }
        references
    }
}

/// A JSON or text file, which may be compressed with gzip.
struct Text<'u> {
    format: Format,
    gzip: bool,
    url: Option<&'u Url>,
}

impl Text<'_> {
    fn check(
        &self,
        source: impl Read,
        options: &Options,
        report: &mut Report,
        references: &mut References,
    ) {
        let (gzip, limits) = (self.gzip, &options.tct_limits);
        let mut stored = LimitedSource::new(source, limits.sitemap_bytes);
        let mut text: Box<dyn Read + '_> = if gzip {
            Box::new(MultiGzDecoder::new(&mut stored))
        } else {
            Box::new(&mut stored)
        };
        match self.format {
            Format::JsonSitemap => tct::sitemap(&mut text, gzip, limits, report, references),
            Format::MachinePage => tct::page(&mut text, gzip, limits, report),
            Format::Policy => tct::policy(&mut text, gzip, limits, report),
            _ => robots::check(&mut text, gzip, self.url, report),
        }
        drop(text);
        report.compressed_bytes = stored.bytes;
        report.compression = Some(match gzip {
            true => Compression::Gzip,
            false => Compression::None,
        });
    }
}

/// Adds an error of the source, or of its compression, to the report.
fn add_read_error(error: &io::Error, gzip: bool, report: &mut Report) {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    if gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) {
        let message = format!("cannot decompress the gzip stream: {error}");
        report.error(Finding::new("decompress", message));
    } else {
        report.io_error(error);
    }
}

/// Reads at most one byte more than the limit, so that the caller can see that a file is too large.
fn read_limited(
    source: &mut impl Read,
    limit: usize,
    gzip: bool,
    report: &mut Report,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match source.take(limit as u64 + 1).read_to_end(&mut bytes) {
        Ok(_) => Some(bytes),
        Err(error) => {
            add_read_error(&error, gzip, report);
            None
        }
    }
}

/// Counts the bytes of a source and fails beyond a limit: an endless gzip stream can decompress to nothing, so that the
/// limit on the decompressed size would never be reached.
struct LimitedSource<R> {
    source: R,
    bytes: u64,
    limit: u64,
}

impl<R> LimitedSource<R> {
    fn new(source: R, limit: u64) -> Self {
        Self {
            source,
            bytes: 0,
            limit,
        }
    }
}

impl<R: Read> Read for LimitedSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes > self.limit {
            return Err(io::Error::other(format!(
                "larger than {} bytes",
                self.limit
            )));
        }
        let count = self.source.read(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }
}
