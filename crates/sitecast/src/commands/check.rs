//! `check`: recognises each target by its content, reads it whole, and reports.

mod collection;
mod recognize;
mod robots;
mod sitemap;
mod tct;

use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use flate2::read::MultiGzDecoder;
use sitecast_scp::ReaderOptions;

use super::{Source, open};
use crate::cli::Check;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::output::report::{CheckReport, TargetReport};
use crate::settings::Settings;
use recognize::{Format, Recognized, recognize};

pub(crate) fn run(
    arguments: &Check,
    settings: &Settings,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let strict = arguments.strict || settings.strict;
    let reading = settings.reader(&arguments.reading);
    let inputs = arguments.targets.iter();
    if inputs.filter(|target| target.as_os_str() == "-").count() > 1 {
        return Err(Failure::new(
            Exit::Usage,
            "standard input (`-`) can be read only once",
        ));
    }
    let mut report = CheckReport::new(strict);
    for target in &arguments.targets {
        let started = Instant::now();
        let result = check(target, &reading, settings, output);
        if !output.json {
            result.write_text(output, strict, started.elapsed())?;
        }
        report.add(result);
    }
    if output.json {
        report.write_json(output.out())?;
    } else {
        report.write_text(output)?;
    }
    Ok(report.exit())
}

/// Reads one target to its end or to what is fatal. A target that cannot be read is a result like
/// any other, so that the rest is still checked.
fn check(
    target: &Path,
    reading: &ReaderOptions,
    settings: &Settings,
    output: &Output,
) -> TargetReport {
    let mut report = TargetReport::new(target);
    let mut source = match open(target, output) {
        Ok(source) => source,
        Err(failure) => {
            report.cannot_read(&failure);
            return report;
        }
    };
    let bar = source.bar();
    match recognize(&mut source) {
        Ok(recognized) => check_format(recognized, source, reading, settings, &mut report),
        Err(error) => report.io_error(&error),
    }
    bar.clear();
    report
}

fn check_format(
    recognized: Recognized,
    source: Source,
    reading: &ReaderOptions,
    settings: &Settings,
    report: &mut TargetReport,
) {
    let Recognized { head, format, gzip } = recognized;
    let whole = io::Cursor::new(head).chain(source);
    match format {
        Format::Collection => collection::check(whole, reading, report),
        Format::Sitemap => sitemap::check(whole, settings.sitemap_limits(), report),
        Format::JsonSitemap | Format::MachinePage | Format::Policy | Format::Robots => {
            let mut stored = Counted::new(whole, settings.tct_limits().sitemap_bytes);
            let mut text: Box<dyn Read + '_> = if gzip {
                Box::new(MultiGzDecoder::new(&mut stored))
            } else {
                Box::new(&mut stored)
            };
            match format {
                Format::JsonSitemap => tct::sitemap(&mut text, gzip, settings.tct_limits(), report),
                Format::MachinePage => tct::page(&mut text, gzip, settings.tct_limits(), report),
                Format::Policy => tct::policy(&mut text, gzip, settings.tct_limits(), report),
                _ => robots::check(&mut text, gzip, report),
            }
            drop(text);
            report.stored(stored.bytes, gzip);
        }
        Format::Unknown => report.finding(
            "not-recognized",
            None,
            "neither a collection, a sitemap, a machine page, a policy nor a robots.txt".to_owned(),
            None,
        ),
    }
}

/// What went wrong while the text of a file was read.
fn read_failure(error: &io::Error, gzip: bool, report: &mut TargetReport) {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    if gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof) {
        let message = format!("cannot decompress the gzip stream: {error}");
        report.finding("decompress", None, message, None);
    } else {
        report.io_error(error);
    }
}

/// Reads no more than a limit and one byte, which tells that there is more.
fn read_limited(
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
