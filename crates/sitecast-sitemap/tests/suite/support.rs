//! Helpers for the tests.

use std::io::Write;

use sitecast_sitemap::{
    Collection, CollectionKind, Event, PageCount, ReadError, ReaderOptions, ScpBlock, ScpEntry,
    Section, SitemapKind, UpdateFrequency,
};

/// The outcome of reading a sitemap.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) urls: Vec<String>,
    pub(crate) dates: Vec<String>,
    pub(crate) children: Vec<String>,
    pub(crate) scp: Vec<ScpEntry>,
    pub(crate) warnings: Vec<(u64, &'static str)>,
    pub(crate) kind: Option<SitemapKind>,
    pub(crate) error: Option<ReadError>,
}

impl Outcome {
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.warnings.iter().map(|(_, code)| *code).collect()
    }

    pub(crate) fn error_code(&self) -> Option<&'static str> {
        self.error.as_ref().map(ReadError::code)
    }
}

pub(crate) fn read(bytes: impl AsRef<[u8]>) -> Outcome {
    read_with(bytes, &ReaderOptions::default())
}

pub(crate) fn read_with(bytes: impl AsRef<[u8]>, options: &ReaderOptions) -> Outcome {
    let mut reader = options.read(bytes.as_ref());
    let mut outcome = Outcome::default();
    let date =
        |date: Option<sitecast_sitemap::Date>| date.map_or("-".into(), |date| date.to_string());
    loop {
        match reader.next_event() {
            Ok(Some(Event::Url(page))) => {
                outcome.dates.push(date(page.lastmod));
                outcome.urls.push(page.loc);
            }
            Ok(Some(Event::Sitemap(child))) => {
                outcome.dates.push(date(child.lastmod));
                outcome.children.push(child.loc);
            }
            Ok(Some(Event::Scp(entry))) => outcome.scp.push(entry),
            Ok(Some(Event::Warning(warning))) => {
                outcome.warnings.push((warning.line, warning.code()));
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                outcome.error = Some(error);
                assert!(
                    reader.next_event().unwrap().is_none(),
                    "nothing after an error"
                );
                break;
            }
        }
    }
    outcome.kind = reader.kind();
    let counts = reader.counts();
    assert_eq!(counts.urls, outcome.urls.len() as u64);
    assert_eq!(counts.sitemaps, outcome.children.len() as u64);
    assert_eq!(counts.warnings, outcome.warnings.len() as u64);
    outcome
}

pub(crate) fn urlset(inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{inside}\n</urlset>\n"
    )
}

pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

/// An `scp:` block similar to the example in the specification.
pub(crate) fn scp_block() -> ScpBlock {
    let collection = |kind| Collection {
        section: "blog".to_owned(),
        kind,
        url: "https://r2.example.com/blog.scp.gz?a=1&b=2".to_owned(),
        generated: "2025-01-15T23:00:00Z".parse().unwrap(),
        expires: Some("2025-01-17T00:00:00Z".parse().unwrap()),
        pages: Some(47),
        size: Some(480_000),
        checksum: None,
    };
    ScpBlock {
        version: Some("0.1".to_owned()),
        compression: vec!["zstd".to_owned(), "gzip".to_owned()],
        sections: vec![Section {
            name: "blog & <news>".to_owned(),
            update_frequency: Some(UpdateFrequency::Daily),
            pages: Some(PageCount {
                pages: 5000,
                approximate: true,
            }),
        }],
        collections: vec![
            collection(CollectionKind::Snapshot),
            collection(CollectionKind::Delta {
                period: Some("2025-01-15".to_owned()),
                since: "2025-01-14T00:00:00.5Z".parse().unwrap(),
            }),
        ],
    }
}
