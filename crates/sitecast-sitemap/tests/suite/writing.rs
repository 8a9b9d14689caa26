//! Writing of sitemaps and indexes.

use std::io;

use proptest::prelude::*;
use sitecast_sitemap::{
    Added, Date, Event, LocationProblem, ScpBlock, SitemapReader, SitemapSet, SitemapWriter,
    WriteError, WriterOptions, write_index,
};

use crate::support::{read, scp_block};

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

fn files(options: &WriterOptions, scp: &ScpBlock, urls: &[String]) -> Vec<Vec<u8>> {
    let mut set = SitemapSet::new(options.clone(), scp.clone(), |_| Ok(Vec::new()));
    for url in urls {
        set.add(url, date("2025-11-14T19:30:00Z")).unwrap();
    }
    set.finish()
        .unwrap()
        .parts
        .into_iter()
        .map(|part| part.out)
        .collect()
}

fn urls(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("https://example.com/{n}"))
        .collect()
}

#[test]
fn writes_the_exact_layout() {
    let options = WriterOptions::default();
    let mut writer = SitemapWriter::new(Vec::new(), &options, &scp_block()).unwrap();
    assert!(
        writer
            .add(
                &"https://example.com/ü?a=1&b='<>\"".parse().unwrap(),
                date("2025-11-14T23:59:59-08:00")
            )
            .unwrap()
    );
    let bytes = writer.bytes();
    let xml = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert_eq!(bytes, xml.len() as u64);
    assert_eq!(
        xml,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:scp="https://scp-protocol.org/schemas/sitemap/1.0">
  <scp:version>0.1</scp:version>
  <scp:compression>zstd,gzip</scp:compression>
  <scp:section name="blog &amp; &lt;news&gt;" updateFreq="daily" pages="~5000"/>
  <scp:collection section="blog" type="snapshot" url="https://r2.example.com/blog.scp.gz?a=1&amp;b=2" generated="2025-01-15T23:00:00Z" expires="2025-01-17T00:00:00Z" pages="47" size="480000"/>
  <scp:delta section="blog" period="2025-01-15" url="https://r2.example.com/blog.scp.gz?a=1&amp;b=2" generated="2025-01-15T23:00:00Z" expires="2025-01-17T00:00:00Z" pages="47" size="480000" since="2025-01-14T00:00:00.5Z"/>
  <url>
    <loc>https://example.com/%C3%BC?a=1&amp;b=%27%3C%3E%22</loc>
    <lastmod>2025-11-15</lastmod>
  </url>
</urlset>
"#
    );
}

#[test]
fn escapes_an_apostrophe_in_a_path() {
    let mut writer =
        SitemapWriter::new(Vec::new(), &WriterOptions::default(), &ScpBlock::default()).unwrap();
    writer
        .add(&"https://example.com/it's".parse().unwrap(), date("2025"))
        .unwrap();
    let xml = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(
        xml.contains("<loc>https://example.com/it&apos;s</loc>\n    <lastmod>2025</lastmod>"),
        "{xml}"
    );
}

#[test]
fn must_split_at_50_000_urls() {
    let files = files(&WriterOptions::default(), &scp_block(), &urls(100_001));
    assert_eq!(files.len(), 3);
    let outcomes: Vec<_> = files.iter().map(read).collect();
    assert_eq!(
        outcomes.iter().map(|o| o.urls.len()).collect::<Vec<_>>(),
        [50_000, 50_000, 1]
    );
    assert!(
        outcomes
            .iter()
            .all(|o| o.warnings.is_empty() && o.error.is_none())
    );
    // Only the first file has the `scp:` elements.
    assert_eq!(
        outcomes.iter().map(|o| o.scp.len()).collect::<Vec<_>>(),
        [5, 0, 0]
    );
    let all: Vec<_> = outcomes.into_iter().flat_map(|o| o.urls).collect();
    assert_eq!(all, urls(100_001));
}

#[test]
fn must_split_at_50_mib() {
    let path = "a".repeat(2_000);
    let urls: Vec<String> = (0..30_000)
        .map(|n| format!("https://example.com/{n}{path}"))
        .collect();
    let files = files(&WriterOptions::default(), &ScpBlock::default(), &urls);
    assert_eq!(files.len(), 2);
    assert!(files[0].len() <= 52_428_800 && files[0].len() > 52_428_800 - 3_000);
    assert_eq!(
        files
            .iter()
            .map(|file| read(file).urls.len())
            .sum::<usize>(),
        30_000
    );
}

#[test]
fn skips_and_counts_invalid_urls() {
    let mut set = SitemapSet::new(WriterOptions::default(), ScpBlock::default(), |_| {
        Ok(Vec::new())
    });
    let modified = date("2025-11-14");
    let mut skipped = Vec::new();
    for url in [
        "https://example.com/",
        "/a",
        "mailto:me@example.com",
        "https://example.com/b",
        "https://",
    ] {
        match set.add(url, modified).unwrap() {
            Added::Listed => {}
            Added::Skipped(problem) => skipped.push((url, problem)),
        }
    }
    assert_eq!(skipped.len(), 3);
    assert_eq!(skipped[0], ("/a", LocationProblem::Relative));
    let written = set.finish().unwrap();
    assert_eq!((written.urls, written.skipped), (2, 3));
}

#[test]
fn index_has_the_time_of_the_newest_page() {
    let mut set = SitemapSet::new(
        WriterOptions {
            max_entries: 2,
            ..WriterOptions::default()
        },
        ScpBlock::default(),
        |_| Ok(Vec::new()),
    );
    for (url, modified) in [
        ("a", "2025-01-02T03:04:05Z"),
        ("b", "2025-01-01"),
        ("c", "2024-06"),
    ] {
        set.add(&format!("https://example.com/{url}"), date(modified))
            .unwrap();
    }
    let written = set.finish().unwrap();
    let sitemaps = (1..).zip(&written.parts).map(|(n, part)| {
        (
            format!("https://example.com/sitemap-{n}.xml")
                .parse()
                .unwrap(),
            part.modified.unwrap(),
        )
    });
    let xml =
        String::from_utf8(write_index(Vec::new(), &WriterOptions::default(), sitemaps).unwrap())
            .unwrap();
    assert_eq!(
        xml,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap>
    <loc>https://example.com/sitemap-1.xml</loc>
    <lastmod>2025-01-02T03:04:05Z</lastmod>
  </sitemap>
  <sitemap>
    <loc>https://example.com/sitemap-2.xml</loc>
    <lastmod>2024-06-01T00:00:00Z</lastmod>
  </sitemap>
</sitemapindex>
"#
    );
    let outcome = read(xml);
    assert!(outcome.warnings.is_empty() && outcome.error.is_none());
}

#[test]
fn an_index_must_not_name_more_than_50_000_sitemaps() {
    let sitemaps = |count: usize| {
        urls(count)
            .into_iter()
            .map(|url| (url.parse().unwrap(), date("2025-01-01")))
    };
    let options = WriterOptions::default();
    assert!(write_index(io::sink(), &options, sitemaps(50_000)).is_ok());
    assert!(matches!(
        write_index(io::sink(), &options, sitemaps(50_001)),
        Err(WriteError::Full { .. })
    ));
}

#[test]
fn same_input_produces_the_same_bytes() {
    for gzip in [false, true] {
        let options = WriterOptions {
            gzip,
            max_entries: 100,
            ..WriterOptions::default()
        };
        let once = files(&options, &scp_block(), &urls(250));
        assert_eq!(once, files(&options, &scp_block(), &urls(250)));
        assert_eq!(once[0].starts_with(&[0x1f, 0x8b]), gzip);
        assert_eq!(
            once.iter().map(|file| read(file).urls.len()).sum::<usize>(),
            250
        );
        if gzip {
            assert_eq!(
                once[0].get(4..8),
                Some(&[0; 4][..]),
                "no time in the header"
            );
        }
    }
}

#[test]
fn refuses_scp_elements_that_the_schema_does_not_allow() {
    type Change = fn(&mut ScpBlock);
    let changes: [Change; 9] = [
        |scp| scp.version = Some("1".to_owned()),
        |scp| scp.compression.push("GZIP".to_owned()),
        |scp| scp.sections[0].update_frequency = None,
        |scp| scp.sections[0].pages = None,
        |scp| scp.sections[0].name = String::new(),
        |scp| scp.collections[0].expires = None,
        |scp| scp.collections[0].size = None,
        |scp| scp.collections[0].url = "/relative".to_owned(),
        |scp| scp.collections[1].section = "a\u{1}".to_owned(),
    ];
    for change in changes {
        let mut scp = scp_block();
        change(&mut scp);
        let result = SitemapWriter::new(io::sink(), &WriterOptions::default(), &scp);
        assert!(matches!(result, Err(WriteError::Scp { .. })), "{scp:?}");
    }
}

proptest! {
    /// Every listed URL is read back, in order, with its day.
    #[test]
    fn reads_back_what_was_written(
        paths in prop::collection::vec("\\PC{0,20}", 1..20), seconds in 0i64..4_000_000_000, gzip: bool, max_entries in 1u64..10
    ) {
        let modified = Date::from_unix(seconds, 0).unwrap();
        let options = WriterOptions { gzip, max_entries, ..WriterOptions::default() };
        let mut set = SitemapSet::new(options, scp_block(), |_| Ok(Vec::new()));
        let mut listed = Vec::new();
        for path in &paths {
            let url = format!("https://example.com/{path}");
            if set.add(&url, modified).unwrap() == Added::Listed {
                listed.push(url.parse::<sitecast_sitemap::Location>().unwrap().to_string());
            }
        }
        let mut found = Vec::new();
        let mut scp = ScpBlock::default();
        for part in set.finish().unwrap().parts {
            let mut reader = SitemapReader::new(&part.out[..]);
            while let Some(event) = reader.next_event().unwrap() {
                match event {
                    Event::Url(page) => {
                        prop_assert_eq!(page.lastmod, Some(modified.day()));
                        found.push(page.loc);
                    }
                    Event::Scp(entry) => scp.add(entry),
                    Event::Warning(warning) => prop_assert_eq!(warning.code(), "no-entries"),
                    _ => {}
                }
            }
        }
        prop_assert_eq!(found, listed);
        prop_assert_eq!(scp, scp_block());
    }
}
