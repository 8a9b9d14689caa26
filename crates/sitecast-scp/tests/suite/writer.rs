//! Guarantees of the writer.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use crate::support::*;
use sitecast_scp::{
    Block, CheckedLine, Collection, Compression, HttpUrl, Limits, Page, PageError, WarningKind,
    WriteError, WriterOptions,
};

fn options(compression: Compression) -> WriterOptions {
    WriterOptions {
        workers: 0,
        ..WriterOptions::new(compression)
    }
}

fn a_page(path: &str, text: &str) -> Page {
    let mut page = read(&file(&[&page(path)])).pages.remove(0);
    page.content = vec![Block::Text {
        text: text.to_owned(),
    }];
    page
}

#[test]
fn writes_the_exact_bytes_of_draft_three() {
    let collection = Collection {
        deleted: vec!["https://example.com/gone".parse().unwrap()],
        ..Collection::delta(
            "all-2".parse().unwrap(),
            "all".parse().unwrap(),
            "2025-01-16T11:00:00+01:00".parse().unwrap(),
            "2025-01-15T10:00:00Z".parse().unwrap(),
        )
    };
    let line = r#"{"content":[{"text":"ü\u00fc/\/","type":"text"}],"canonical":"https://example.com/c","author":"A","language":"en","published":"2024-12-01T10:00:00+02:00","modified":"2025-01-15T09:00:00.500Z","description":"D","title":"T","url":"https://example.com/","schema":{"b":1,"a":2.50}}"#;
    let (page, _) = Page::from_line(line, &Limits::default()).unwrap();
    let text = String::from_utf8(write(Compression::None, &collection, &[page])).unwrap();
    let (metadata, rest) = text.split_once('\n').unwrap();
    assert_eq!(
        rest,
        concat!(
            r#"{"url":"https://example.com/","title":"T","description":"D","author":"A","published":"2024-12-01T08:00:00Z","#,
            r#""modified":"2025-01-15T09:00:00.5Z","language":"en","canonical":"https://example.com/c","schema":{"b":1,"a":2.50},"#,
            r#""content":[{"type":"text","text":"üü//"}]}"#,
            "\n"
        )
    );
    let digits = metadata
        .split("sha256:")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert_eq!(
        metadata.replace(digits, "…"),
        r#"{"collection":{"id":"all-2","section":"all","type":"delta","generated":"2025-01-16T10:00:00Z","since":"2025-01-15T10:00:00Z","checksum":"sha256:…","version":"0.1","deleted":["https://example.com/gone"]}}"#
    );
    assert!(
        digits.len() == 64
            && digits
                .bytes()
                .all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    );
}

#[test]
fn publishers_should_include_checksums() {
    for compression in COMPRESSIONS {
        let outcome = read(&write(compression, &snapshot(), &[a_page("a", "x")]));
        assert!(outcome.collection.unwrap().checksum.is_some());
    }
}

#[test]
fn same_pages_produce_the_same_bytes() {
    for compression in COMPRESSIONS {
        let pages = [a_page("a", "x"), a_page("b", "y")];
        assert_eq!(
            write(compression, &snapshot(), &pages),
            write(compression, &snapshot(), &pages)
        );
    }
}

#[test]
fn writes_a_single_gzip_member_or_zstd_frame() {
    let pages: Vec<Page> = (0..200)
        .map(|i| a_page(&i.to_string(), &noise(i as u64, i * 20)))
        .collect();
    let plain = write(Compression::None, &snapshot(), &pages);

    let gzip = write(Compression::Gzip, &snapshot(), &pages);
    let mut one_member = flate2::bufread::GzDecoder::new(gzip.as_slice());
    let mut content = Vec::new();
    one_member.read_to_end(&mut content).unwrap();
    assert!(one_member.into_inner().is_empty() && content == plain);

    for workers in [0, 2] {
        let options = WriterOptions {
            workers,
            ..WriterOptions::new(Compression::Zstd)
        };
        let mut writer = options
            .create(Cursor::new(Vec::new()), &snapshot())
            .unwrap();
        pages
            .iter()
            .for_each(|page| writer.write_page(page).unwrap());
        let zstd = writer.finish().unwrap().0.into_inner();
        assert_eq!(
            zstd_safe::find_frame_compressed_size(&zstd).unwrap(),
            zstd.len()
        );
        // The frame header has the content size, which one-shot decoders need.
        assert_eq!(
            zstd_safe::get_frame_content_size(&zstd).unwrap(),
            Some(plain.len() as u64)
        );
        let mut content = vec![0; plain.len()];
        assert_eq!(
            zstd_safe::decompress(content.as_mut_slice(), &zstd),
            Ok(plain.len())
        );
        assert!(content == plain);
    }
}

#[test]
fn stores_a_first_line_of_any_length() {
    // Longer than a stored block of deflate (64 KiB) or of zstd (128 KiB).
    let long = Collection {
        id: "x".repeat(300_000).parse().unwrap(),
        ..snapshot()
    };
    let deleted: Vec<HttpUrl> = (0..5_000)
        .map(|i| format!("https://example.com/{i}").parse().unwrap())
        .collect();
    let since = "2025-01-14T10:00:00Z".parse().unwrap();
    let delta = Collection {
        deleted,
        ..Collection::delta(
            "d".parse().unwrap(),
            "all".parse().unwrap(),
            snapshot().generated,
            since,
        )
    };
    for collection in [long, delta] {
        for compression in COMPRESSIONS {
            let outcome = read(&write(compression, &collection, &[a_page("a", "x")]));
            assert_eq!(
                outcome.collection.map(|c| Collection {
                    checksum: None,
                    ..c
                }),
                Some(collection.clone())
            );
            assert!(outcome.result.is_ok() && outcome.pages.len() == 1);
        }
    }
}

#[test]
fn refuses_pages_that_readers_reject_and_continues() {
    let mut writer = options(Compression::None)
        .create(Cursor::new(Vec::new()), &snapshot())
        .unwrap();
    writer.write_page(&a_page("a", "x")).unwrap();
    let refused: [(Page, &str); 4] = [
        (
            Page {
                content: vec![],
                ..a_page("b", "")
            },
            "empty-content",
        ),
        (
            Page {
                content: vec![
                    Block::Text {
                        text: String::new()
                    };
                    1001
                ],
                ..a_page("c", "")
            },
            "too-many-blocks",
        ),
        (
            Page {
                language: "x-none".parse().unwrap(),
                ..a_page("d", "x")
            },
            "language-spelling",
        ),
        (a_page("a", "same URL"), "duplicate-url"),
    ];
    for (page, code) in refused {
        let Err(WriteError::Page {
            url,
            problem: PageError::Page(kind),
        }) = writer.write_page(&page)
        else {
            panic!()
        };
        assert_eq!(
            (kind.code(), url.as_deref()),
            (code, Some(page.url.as_str()))
        );
    }
    for line in [
        "",
        "[]",
        "{}",
        "{",
        "{\"url\":\"https://example.com/\"}",
        &page("x").replace("2025-01-15T09", "yesterday"),
        &page("y").replace("\"type\":\"text\"", "\"type\":\"poll\""),
        &page_with_content(
            "z",
            r#"[{"type":"video","title":"x","sources":[{"url":"https://example.com/v"}]}]"#,
        ),
        &format!("{}\n{}", page("1"), page("2")),
    ] {
        assert!(
            matches!(writer.write_line(line), Err(WriteError::Page { .. })),
            "{line}"
        );
    }
    writer.write_line(&page("last")).unwrap();
    let (file, report) = writer.finish().unwrap();
    let outcome = read(file.get_ref());
    assert!(outcome.result.is_ok() && outcome.warnings.is_empty());
    assert_eq!((outcome.pages.len(), report.pages), (2, 2));
}

#[test]
fn refuses_a_page_over_the_limit() {
    let limits = Limits {
        page_bytes: 500,
        ..Limits::default()
    };
    let options = WriterOptions {
        limits,
        ..options(Compression::Gzip)
    };
    let mut writer = options
        .create(Cursor::new(Vec::new()), &snapshot())
        .unwrap();
    let error = writer
        .write_page(&a_page("a", &"x".repeat(500)))
        .unwrap_err();
    let WriteError::Page {
        problem: PageError::Page(WarningKind::PageRejected(_)),
        ..
    } = error
    else {
        panic!()
    };
}

#[test]
fn refuses_metadata_that_readers_warn_about() {
    let later = "2026-01-01T00:00:00Z".parse().unwrap();
    let backwards = Collection::delta(
        "d".parse().unwrap(),
        "all".parse().unwrap(),
        snapshot().generated,
        later,
    );
    let result = options(Compression::None).create(Cursor::new(Vec::new()), &backwards);
    assert!(matches!(result.err(), Some(WriteError::MetadataWarning(_))));
    let long = Limits {
        metadata_bytes: 50,
        ..Limits::default()
    };
    let options = WriterOptions {
        limits: long,
        ..options(Compression::None)
    };
    let result = options.create(Cursor::new(Vec::new()), &snapshot());
    assert!(matches!(result.err(), Some(WriteError::Metadata(_))));
}

/// Collections of pages so alike that they compress like a bomb are padded, so that readers accept them.
#[test]
fn never_writes_a_decompression_bomb() {
    for compression in [Compression::Gzip, Compression::Zstd] {
        for (pages, repeats, letters, padded) in [
            (400, 20_000, 0, true),  // padded while writing
            (300, 2_000, 4, true),   // padded at the end
            (1, 1_000_000, 0, true), // one page alone
            (100, 2_000, 400, false),
            (50, 2_000, 0, false), // below 1 MiB the ratio is not checked
        ] {
            let options = WriterOptions {
                workers: 2,
                ..WriterOptions::new(compression)
            };
            let mut writer = options
                .create(Cursor::new(Vec::new()), &snapshot())
                .unwrap();
            for i in 0..pages {
                let text = "same ".repeat(repeats) + &noise(i, letters);
                let line = page(&i.to_string()).replace("Hello", &text);
                writer.write_line(&line).unwrap();
            }
            let (file, report) = writer.finish().unwrap();
            let file = file.into_inner();
            assert_eq!(report.compressed_bytes, file.len() as u64);
            let outcome = read(&file);
            assert!(
                outcome.result.is_ok() && outcome.pages.len() as u64 == pages,
                "{compression} {pages}: {:?}",
                outcome.result
            );
            let shortest = report.uncompressed_bytes / 100;
            let is_shortest = report.compressed_bytes < shortest + shortest / 2 + 4_096;
            let counts = report.uncompressed_bytes > 1 << 20;
            assert_eq!(counts && is_shortest, padded, "{compression} {report:?}");
        }
    }
}

#[test]
fn unfinished_file_is_not_a_readable_collection() {
    for compression in COMPRESSIONS {
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = options(compression).create(&mut file, &snapshot()).unwrap();
        for i in 0..6_000 {
            writer
                .write_page(&a_page(&i.to_string(), &noise(i, 100)))
                .unwrap();
        }
        drop(writer);
        let mut left = Vec::new();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_to_end(&mut left).unwrap();
        assert!(left.len() > 1000 && read(&left).result.is_err());
    }
}

#[test]
fn starts_at_the_current_position_of_the_output() {
    let mut out = Cursor::new(b"before".to_vec());
    out.seek(SeekFrom::End(0)).unwrap();
    let mut writer = options(Compression::Gzip).create(out, &snapshot()).unwrap();
    writer.write_page(&a_page("a", "x")).unwrap();
    let (mut out, _) = writer.finish().unwrap();
    out.write_all(b"after").unwrap();
    let bytes = out.into_inner();
    let file = bytes
        .strip_prefix(b"before")
        .unwrap()
        .strip_suffix(b"after")
        .unwrap();
    assert_eq!(read(file).pages.len(), 1);
}

#[test]
fn a_failing_disk_poisons_the_writer() {
    struct Full(Cursor<Vec<u8>>);
    impl Write for Full {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            if self.0.position() > 400_000 {
                Err(io::Error::other("disk full"))
            } else {
                self.0.write(data)
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Seek for Full {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    let mut writer = options(Compression::None)
        .create(Full(Cursor::new(Vec::new())), &snapshot())
        .unwrap();
    let mut errors = (0..1000).filter_map(|i| {
        writer
            .write_page(&a_page(&i.to_string(), &"x".repeat(1000)))
            .err()
    });
    assert!(matches!(errors.next(), Some(WriteError::Io(_))));
    assert!(matches!(errors.next(), Some(WriteError::Poisoned)));
    assert!(matches!(writer.finish().err(), Some(WriteError::Poisoned)));
}

#[test]
fn never_writes_a_file_larger_than_readers_accept() {
    for compression in COMPRESSIONS {
        let limits = Limits {
            compressed_bytes: 10_000,
            ..Limits::default()
        };
        let tight = WriterOptions {
            limits,
            ..options(compression)
        };
        let mut writer = tight.create(Cursor::new(Vec::new()), &snapshot()).unwrap();
        let result = writer
            .write_page(&a_page("a", &noise(1, 100_000)))
            .and_then(|()| writer.finish().map(drop));
        assert!(
            matches!(result, Err(WriteError::TooLarge { limit: 10_000 })),
            "{compression}: {result:?}"
        );
    }
}

#[test]
fn refuses_a_page_beyond_the_size_limit_and_can_finish() {
    let limits = Limits {
        uncompressed_bytes: 2_000,
        ..Limits::default()
    };
    let tight = WriterOptions {
        limits: limits.clone(),
        ..options(Compression::None)
    };
    let mut writer = tight.create(Cursor::new(Vec::new()), &snapshot()).unwrap();
    let taken = (0..100)
        .take_while(|i| writer.write_page(&a_page(&i.to_string(), "x")).is_ok())
        .count();
    assert!((1..100).contains(&taken));
    let file = writer.finish().unwrap().0.into_inner();
    let outcome = read_limited(&file, limits);
    assert_eq!((outcome.result.is_ok(), outcome.pages.len()), (true, taken));
}

#[test]
fn respects_the_zstd_window_limit_of_readers() {
    let limits = Limits {
        zstd_window_log: 17,
        ..Limits::default()
    };
    let small = WriterOptions {
        limits: limits.clone(),
        ..options(Compression::Zstd)
    };
    let mut writer = small.create(Cursor::new(Vec::new()), &snapshot()).unwrap();
    for i in 0..40 {
        writer
            .write_page(&a_page(&i.to_string(), &noise(i, 100_000)))
            .unwrap();
    }
    let file = writer.finish().unwrap().0.into_inner();
    assert_eq!(read_limited(&file, limits).pages.len(), 40);
}

#[test]
fn refused_page_does_not_affect_later_pages() {
    let mut writer = options(Compression::None)
        .create(Cursor::new(Vec::new()), &snapshot())
        .unwrap();
    writer.write_line(&page("a")).unwrap();
    for year in ["2026", "2027"] {
        let newer = page("a").replace("2025-01-15T09", &format!("{year}-01-15T09"));
        let Err(WriteError::Page {
            problem: PageError::Page(kind),
            ..
        }) = writer.write_line(&newer)
        else {
            panic!()
        };
        assert_eq!(
            kind,
            WarningKind::DuplicateUrl {
                other_line: 2,
                supersedes: false
            }
        );
        writer.write_line(&page(year)).unwrap();
    }
    assert_eq!(writer.finish().unwrap().1.pages, 3);
}

#[test]
fn checked_line_is_written_like_any_other() {
    let collection = snapshot();
    let lines: Vec<String> = ["/a", "/b"]
        .map(|path| serde_json::to_string(&a_page(path, "Text")).unwrap())
        .into();
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        let begin = || {
            let out = Cursor::new(Vec::new());
            options(compression).create(out, &collection).unwrap()
        };
        let (mut plain, mut checked) = (begin(), begin());
        for line in &lines {
            plain.write_line(line).unwrap();
            let line = CheckedLine::new(line.clone(), &Limits::default()).unwrap();
            checked.write_checked(&line).unwrap();
        }
        assert_eq!(plain.finish().unwrap(), checked.finish().unwrap());
    }
}

#[test]
fn checks_a_checked_line_for_duplicates_and_other_limits() {
    let collection = snapshot();
    let line = serde_json::to_string(&a_page("/a", "Text")).unwrap();
    let line = CheckedLine::new(line, &Limits::default()).unwrap();
    let mut options = options(Compression::None);
    let mut writer = options
        .create(Cursor::new(Vec::new()), &collection)
        .unwrap();
    writer.write_checked(&line).unwrap();
    let again = writer.write_checked(&line);
    assert!(
        matches!(
            &again,
            Err(WriteError::Page {
                problem: PageError::Page(WarningKind::DuplicateUrl { .. }),
                ..
            })
        ),
        "{again:?}"
    );
    // Readers with lower limits would reject it.
    options.limits.page_bytes = 10;
    let mut writer = options
        .create(Cursor::new(Vec::new()), &collection)
        .unwrap();
    assert!(writer.write_checked(&line).is_err());
}

/// The sixth byte is the window descriptor: RFC 8878 §3.1.1.1.2.
#[test]
fn small_collection_gets_a_small_zstd_window() {
    for (pages, window_log) in [(1, 10), (100, 16), (3_000, 22)] {
        let pages: Vec<Page> = (0..pages)
            .map(|i| a_page(&i.to_string(), &noise(i, 300)))
            .collect();
        let file = write(Compression::Zstd, &snapshot(), &pages);
        let exponent = 10 + (file[5] >> 3);
        assert_eq!(exponent, window_log, "{} pages", pages.len());
        assert_eq!(read(&file).pages, pages);
    }
}

#[test]
fn wrong_expected_size_costs_little_and_breaks_nothing() {
    let pages: Vec<Page> = (0..2_000)
        .map(|i| a_page(&i.to_string(), &noise(i, 300)))
        .collect();
    let usual = write(Compression::Zstd, &snapshot(), &pages).len();
    for expected in [0, 1, 200_000, 1 << 20, u64::MAX] {
        let options = WriterOptions {
            expected_bytes: Some(expected),
            ..options(Compression::Zstd)
        };
        let mut writer = options
            .create(Cursor::new(Vec::new()), &snapshot())
            .unwrap();
        for page in &pages {
            writer.write_page(page).unwrap();
        }
        let file = writer.finish().unwrap().0.into_inner();
        assert!(
            file.len() < usual + usual / 10,
            "{expected}: {}",
            file.len()
        );
        assert_eq!(read(&file).pages, pages);
    }
}
