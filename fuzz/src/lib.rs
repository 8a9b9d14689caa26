//! What the fuzz targets share: reading to the end, and what must hold of it.

pub mod sitemaps;
pub mod tct;

use std::io::{Cursor, Read};

use sitecast_scp::{
    Compression, Event, Limits, MissingMetadata, ReaderOptions, Verified, WriterOptions,
};

/// All that came of reading, comparable.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub lines: Vec<String>,
    pub warnings: Vec<String>,
    pub end: Result<String, String>,
}

/// Limits that inputs of a few kilobytes can reach.
pub fn options() -> ReaderOptions {
    let limits = Limits {
        page_bytes: 2_000,
        page_blocks: 20,
        depth: 12,
        metadata_bytes: 1_000,
        tracked_urls: 5,
        ratio_from_bytes: 4_000,
        uncompressed_bytes: 4_000_000,
        zstd_window_log: 20,
        ..Limits::default()
    };
    ReaderOptions {
        limits,
        missing_metadata: MissingMetadata::Accept,
    }
}

/// Reads to the end. What was handed out must be buildable, and counted right.
pub fn read(source: impl Read) -> Outcome {
    let mut outcome = Outcome {
        lines: vec![],
        warnings: vec![],
        end: Ok(String::new()),
    };
    let mut reader = match options().read(source) {
        Ok(reader) => reader,
        Err(error) => {
            return Outcome {
                end: Err(error.to_string()),
                ..outcome
            };
        }
    };
    loop {
        match reader.next_event() {
            Ok(Some(Event::Page(page))) => {
                let built = page
                    .to_page()
                    .expect("a page that was handed out can be built");
                assert_eq!(built.url.as_str(), page.url());
                assert_eq!(built.modified, page.modified());
                assert!(page.line().len() <= 2_000 && page.blocks() <= 20);
                outcome.lines.push(page.line().to_owned());
            }
            Ok(Some(Event::Warning(warning))) => outcome.warnings.push(warning.to_string()),
            Ok(None) => break,
            Err(error) => {
                assert!(reader.summary().is_none());
                outcome.end = Err(error.to_string());
                return outcome;
            }
        }
    }
    let summary = reader.summary().expect("no error, so a summary");
    assert!(summary.counts.pages <= outcome.lines.len() as u64);
    assert_eq!(summary.counts.warnings, outcome.warnings.len() as u64);
    outcome.end = Ok(format!("{} {:?}", summary.digest, summary.checksum));
    outcome
}

/// Hands out its bytes a few at a time.
pub struct Dribble<'a>(pub &'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(buffer.len()).min(1 + self.0.len() % 7);
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

/// How the bytes arrive does not matter, and verifying first changes nothing but when.
pub fn check(data: &[u8]) -> Outcome {
    let outcome = read(data);
    assert_eq!(read(Dribble(data)), outcome);
    match (
        Verified::new(Cursor::new(data), &options(), |_| ()),
        &outcome.end,
    ) {
        (Ok(mut verified), Ok(_)) => {
            let mut urls = std::collections::HashSet::new();
            while let Some(event) = verified.next_event().expect("verified already") {
                if let Event::Page(page) = event {
                    let fresh = urls.insert(page.url().to_owned());
                    assert!(
                        fresh || urls.len() >= 5,
                        "each URL comes once, as far as they are tracked"
                    );
                }
            }
        }
        (Err(error), Err(message)) => assert_eq!(&error.to_string(), message),
        (verified, end) => panic!("{:?} but {end:?}", verified.err()),
    }
    outcome
}

/// What the writer takes, the reader takes as it is.
pub fn write_and_read(lines: &[&str]) {
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let limits = options().limits;
        let options = WriterOptions {
            workers: 0,
            level: 1,
            limits,
            ..WriterOptions::new(compression)
        };
        let collection = sitecast_scp::Collection::snapshot(
            "fuzz".parse().unwrap(),
            "all".parse().unwrap(),
            "2025-01-15T10:00:00Z".parse().unwrap(),
        );
        let mut writer = options
            .create(Cursor::new(Vec::new()), &collection)
            .unwrap();
        let taken: Vec<&str> = lines
            .iter()
            .copied()
            .filter(|line| writer.write_line(line).is_ok())
            .collect();
        let Ok((file, report)) = writer.finish() else {
            continue;
        };
        assert_eq!(report.pages, taken.len() as u64);
        let outcome = read(file.get_ref().as_slice());
        assert_eq!(outcome.end, Ok(format!("{} Verified", report.checksum)));
        assert_eq!(outcome.lines, taken);
        let tracked = |warning: &&String| !warning.contains("no longer checked for duplicates");
        assert_eq!(
            outcome.warnings.iter().filter(tracked).count(),
            0,
            "{:?}",
            outcome.warnings
        );
    }
}

/// A file that is split over compressed parts reads as it does whole, and damage to the parts is
/// never more than an error.
pub fn check_parts(data: &[u8], part: u8, damage: u16, compress: impl Fn(&[u8]) -> Vec<u8>) {
    if Compression::detect(data) != Compression::None {
        return; // Whole it would be read as something else.
    }
    let mut parts: Vec<u8> = data
        .chunks(usize::from(part).max(1))
        .flat_map(compress)
        .collect();
    let split = read(parts.as_slice());
    let is_limited = matches!(&split.end, Err(message) if message.contains("bomb"));
    if !parts.is_empty() && !is_limited {
        assert_eq!(split, read(data));
    }
    if let Some(byte) = parts.get_mut(usize::from(damage)) {
        *byte = byte.wrapping_add(1);
        check(&parts);
    }
}
