//! Helpers: files to read, and the outcome of reading them.

use std::io::{Cursor, Write};

use sitecast_scp::{
    Collection, Compression, Event, Limits, MissingMetadata, Page, ReadError, ReaderOptions,
    Summary, Warning, WriterOptions,
};

pub(crate) const METADATA: &str = r#"{"collection":{"id":"test","section":"all","type":"snapshot","generated":"2025-01-15T10:00:00Z","version":"0.1"}}"#;

/// The line of a page with this content, which is JSON.
pub(crate) fn page_with_content(path: &str, content: &str) -> String {
    format!(
        r#"{{"url":"https://example.com/{path}","title":"Title","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":{content}}}"#
    )
}

pub(crate) fn page(path: &str) -> String {
    page_with_content(path, r#"[{"type":"text","text":"Hello"}]"#)
}

/// A file with the usual metadata and these lines.
pub(crate) fn file(pages: &[&str]) -> Vec<u8> {
    lines(&[&[METADATA], pages].concat())
}

pub(crate) fn lines(lines: &[&str]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| format!("{line}\n").into_bytes())
        .collect()
}

pub(crate) fn gzip(data: &[u8]) -> Vec<u8> {
    // The same library as in the reader, but another interface of it.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0; zstd_safe::compress_bound(data.len())];
    let length = zstd_safe::compress(out.as_mut_slice(), data, 3).unwrap();
    out.truncate(length);
    out
}

/// The outcome of reading a file.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) collection: Option<Collection>,
    pub(crate) pages: Vec<Page>,
    pub(crate) lines: Vec<String>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) result: Result<Summary, ReadError>,
}

impl Outcome {
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.warnings.iter().map(Warning::code).collect()
    }

    pub(crate) fn error_code(&self) -> Option<&'static str> {
        self.result.as_ref().err().map(ReadError::code)
    }
}

pub(crate) fn read(data: &[u8]) -> Outcome {
    read_with(data, &ReaderOptions::default())
}

pub(crate) fn read_limited(data: &[u8], limits: Limits) -> Outcome {
    read_with(
        data,
        &ReaderOptions {
            limits,
            ..ReaderOptions::default()
        },
    )
}

pub(crate) fn accept_missing_metadata() -> ReaderOptions {
    ReaderOptions {
        missing_metadata: MissingMetadata::Accept,
        ..ReaderOptions::default()
    }
}

pub(crate) fn read_with(data: &[u8], options: &ReaderOptions) -> Outcome {
    let mut outcome = Outcome {
        collection: None,
        pages: vec![],
        lines: vec![],
        warnings: vec![],
        result: Err(ReadError::Changed),
    };
    let mut reader = match options.read(data) {
        Ok(reader) => reader,
        Err(error) => {
            return Outcome {
                result: Err(error),
                ..outcome
            };
        }
    };
    outcome.collection = reader.collection().cloned();
    loop {
        match reader.next_event() {
            Ok(Some(Event::Page(page))) => {
                outcome.pages.push(
                    page.to_page()
                        .expect("a page that was returned can be built"),
                );
                outcome.lines.push(page.line().to_owned());
            }
            Ok(Some(Event::Warning(warning))) => outcome.warnings.push(warning),
            Ok(None) => break,
            Err(error) => {
                outcome.result = Err(error);
                assert!(
                    reader.summary().is_none() && reader.next_event().unwrap().is_none(),
                    "reading ends after an error"
                );
                return outcome;
            }
        }
    }
    outcome.result = Ok(reader
        .summary()
        .cloned()
        .expect("a file that was read without an error has a summary"));
    outcome
}

pub(crate) fn snapshot() -> Collection {
    let generated = "2025-01-15T10:00:00Z".parse().unwrap();
    Collection::snapshot("test".parse().unwrap(), "all".parse().unwrap(), generated)
}

/// Writes pages and returns the file.
pub(crate) fn write(compression: Compression, collection: &Collection, pages: &[Page]) -> Vec<u8> {
    let options = WriterOptions {
        workers: 0,
        ..WriterOptions::new(compression)
    };
    let mut writer = options.create(Cursor::new(Vec::new()), collection).unwrap();
    for page in pages {
        writer.write_page(page).unwrap();
    }
    writer.finish().unwrap().0.into_inner()
}

/// Pseudorandom letters, which compress badly; the same for the same seed.
pub(crate) fn noise(seed: u64, letters: usize) -> String {
    let mut state = seed;
    (0..letters)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + (state >> 60) as u8)
        })
        .collect()
}

pub(crate) const COMPRESSIONS: [Compression; 3] =
    [Compression::None, Compression::Gzip, Compression::Zstd];
