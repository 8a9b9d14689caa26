//! One file, whatever it is: recognised, and read to its end or to what is fatal.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use sitecast_scp::ReaderOptions;
use sitecast_sitemap::ScpBlock;
use sitecast_tct::sitemap::ChildSitemap;
use url::Url;

use super::recognize::{Format, recognize};
use super::{collection, robots, sitemap, tct};
use crate::output::report::TargetReport;
use crate::settings::Settings;

/// How files are read.
pub(super) struct Checker<'s> {
    pub(super) reading: ReaderOptions,
    pub(super) settings: &'s Settings,
}

/// What a file says of others.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) sitemaps: Vec<String>,
    pub(super) scp: ScpBlock,
    pub(super) json_sitemaps: Vec<ChildSitemap>,
}

/// What is known of a file before it is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known<'u> {
    /// Where it is on the web; what is relative in it is relative to this.
    pub(super) url: Option<&'u Url>,
    /// What it is by its place, whatever is in it.
    pub(super) format: Option<Format>,
}

impl Checker<'_> {
    /// Reads a file. What cannot be read is a result like any other.
    pub(super) fn check(
        &self,
        mut source: Box<dyn Read + Send>,
        known: Known<'_>,
        report: &mut TargetReport,
    ) -> Named {
        let mut named = Named::default();
        let recognized = match recognize(&mut source) {
            Ok(recognized) => recognized,
            Err(error) => {
                report.io_error(&error);
                return named;
            }
        };
        let gzip = recognized.gzip;
        let format = known.format.unwrap_or(recognized.format);
        let whole = io::Cursor::new(recognized.head).chain(source);
        let limits = self.settings.tct_limits();
        match format {
            Format::Collection => collection::check(whole, &self.reading, report),
            // Its reader says what HTML is not.
            Format::Sitemap | Format::Html => {
                let limits = self.settings.sitemap_limits();
                sitemap::check(whole, limits, known.url, report, &mut named);
            }
            Format::JsonSitemap | Format::MachinePage | Format::Policy | Format::Robots => {
                let mut stored = Counted::new(whole, limits.sitemap_bytes);
                let mut text: Box<dyn Read + '_> = if gzip {
                    Box::new(MultiGzDecoder::new(&mut stored))
                } else {
                    Box::new(&mut stored)
                };
                match format {
                    Format::JsonSitemap => {
                        tct::sitemap(&mut text, gzip, limits, report, &mut named);
                    }
                    Format::MachinePage => tct::page(&mut text, gzip, limits, report),
                    Format::Policy => tct::policy(&mut text, gzip, limits, report),
                    _ => robots::check(&mut text, gzip, known.url, report),
                }
                drop(text);
                report.stored(stored.bytes, gzip);
            }
            Format::Unknown => report.finding(
                "not-recognized",
                None,
                "neither a collection, a sitemap, a machine page, a policy nor a robots.txt"
                    .to_owned(),
                None,
            ),
        }
        named
    }
}

/// What went wrong while the text of a file was read.
pub(super) fn read_failure(error: &io::Error, gzip: bool, report: &mut TargetReport) {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    if gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) {
        let message = format!("cannot decompress the gzip stream: {error}");
        report.finding("decompress", None, message, None);
    } else {
        report.io_error(error);
    }
}

/// Reads no more than a limit and one byte, which tells that there is more.
pub(super) fn read_limited(
    source: &mut impl Read,
    limit: usize,
    gzip: bool,
    report: &mut TargetReport,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match source.take(limit as u64 + 1).read_to_end(&mut bytes) {
        Ok(_) => Some(bytes),
        Err(error) => {
            read_failure(&error, gzip, report);
            None
        }
    }
}

/// Counts what is read, and ends where a limit is passed: compressed, the endless can come to
/// nothing.
struct Counted<R> {
    source: R,
    bytes: u64,
    limit: u64,
}

impl<R> Counted<R> {
    fn new(source: R, limit: u64) -> Self {
        Self {
            source,
            bytes: 0,
            limit,
        }
    }
}

impl<R: Read> Read for Counted<R> {
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
