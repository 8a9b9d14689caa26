//! How long it takes to have a page in hand.

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use sitecast_extract::{Html, stated_url};
use sitecast_scp::{Event, HttpUrl, ReaderOptions, Timestamp};

use super::figures::Parsing;
use crate::failure::{Exit, Failure};
use crate::settings::Settings;

/// The least of so many runs counts: whatever else the machine does only adds.
const RUNS: u32 = 3;

/// Times HTML against a collection of the same site.
pub(super) fn measure(
    sample: &[(HttpUrl, Vec<u8>)],
    collection: &Path,
    settings: &Settings,
    now: Timestamp,
) -> Result<Parsing, Failure> {
    let extractor = settings.extractor();
    let pages = sample.len() as u64;
    let extract = least(|| {
        for (url, bytes) in sample {
            let _ = black_box(extractor.extract_page(&Html::new(url, bytes, now)));
        }
        Ok(pages)
    })?;
    // It parses the whole page to look for one thing.
    let parse = least(|| {
        for (_, bytes) in sample {
            black_box(stated_url(bytes, settings.extract_limits()));
        }
        Ok(pages)
    })?;
    let read = least(|| read(collection, settings))?;
    Ok(Parsing {
        runs: RUNS,
        sampled_pages: pages,
        html_extract_us: extract,
        html_parse_us: parse,
        scp_read_us: read,
    })
}

/// Reads a collection as one has to before anything of it is used: to its end, verified.
fn read(collection: &Path, settings: &Settings) -> Result<u64, Failure> {
    let name = collection.display().to_string();
    let broken = |error: String| Failure::new(Exit::Failed, format!("`{name}`: {error}"));
    let file = File::open(collection).map_err(|error| Failure::cannot_read(&name, &error))?;
    let options = ReaderOptions {
        limits: settings.limits().clone(),
        ..ReaderOptions::default()
    };
    let mut reader = options
        .read(file)
        .map_err(|error| broken(error.to_string()))?;
    let mut pages = 0;
    while let Some(event) = reader
        .next_event()
        .map_err(|error| broken(error.to_string()))?
    {
        if let Event::Page(record) = event {
            black_box(
                record
                    .to_page()
                    .map_err(|error| broken(error.to_string()))?,
            );
            pages += 1;
        }
    }
    Ok(pages)
}

/// Microseconds for a page, to two digits after the point.
fn least(mut work: impl FnMut() -> Result<u64, Failure>) -> Result<f64, Failure> {
    let mut best = Duration::MAX;
    let mut pages = 0;
    for _ in 0..RUNS {
        let start = Instant::now();
        pages = work()?;
        best = best.min(start.elapsed());
    }
    let each = best.as_secs_f64() * 1e6 / pages.max(1) as f64;
    Ok((each * 100.0).round() / 100.0)
}
