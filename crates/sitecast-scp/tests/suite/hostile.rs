//! Hostile and damaged files: each has a defined result, in bounded time and memory.

use std::io::Read;

use crate::support::*;
use sitecast_scp::{
    ChecksumStatus, Collection, Compression, Event, Limits, ReadError, ReaderOptions,
};

#[test]
fn decompression_ratio_must_not_exceed_100_to_1() {
    let mut bomb = file(&[]);
    bomb.resize(30_000_000, b' ');
    for data in [gzip(&bomb), zstd(&bomb)] {
        let Err(ReadError::Ratio {
            uncompressed,
            limit: 100,
            ..
        }) = read(&data).result
        else {
            panic!()
        };
        assert!(uncompressed < 30_000_000, "stopped before the end");
    }
}

#[test]
fn ratio_limit_applies_only_above_1_mib() {
    let line = page("a").replace("Hello", &"a".repeat(900_000));
    for compress in [gzip, zstd] {
        let data = compress(&file(&[&line]));
        assert!(
            data.len() * 100 < 900_000,
            "compresses far better than 100:1"
        );
        assert!(read(&data).result.is_ok());
    }
}

#[test]
fn verdict_does_not_depend_on_read_sizes() {
    struct OneByteAtATime<'a>(&'a [u8]);
    impl Read for OneByteAtATime<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }
    let mut bomb = file(&[]);
    bomb.resize(30_000_000, b' ');
    for data in [
        file(&[&page("a"), &page("b")]),
        gzip(&file(&[&page("a")])),
        zstd(&bomb),
        gzip(&bomb),
    ] {
        let mut reader = ReaderOptions::default()
            .read(OneByteAtATime(&data))
            .unwrap();
        let mut pages = 0;
        let error = loop {
            match reader.next_event() {
                Ok(Some(Event::Page(_))) => pages += 1,
                Ok(Some(Event::Warning(_))) => {}
                Ok(None) => break None,
                Err(error) => break Some(error.code()),
            }
        };
        let whole = read(&data);
        assert_eq!((pages, error), (whole.pages.len(), whole.error_code()));
    }
}

#[test]
fn detects_truncation_at_every_byte() {
    let pages = read(&file(&[&page("a"), &page("b")])).pages;
    for compression in COMPRESSIONS {
        let whole = write(compression, &snapshot(), &pages);
        assert!(read(&whole).result.is_ok());
        for length in 0..whole.len() {
            let outcome = read(&whole[..length]);
            assert!(
                outcome.result.is_err(),
                "{compression} cut to {length} of {} bytes",
                whole.len()
            );
        }
    }
}

#[test]
fn detects_truncated_streams_without_a_checksum() {
    let plain = file(&[&page("a"), &page("b")]);
    for compress in [gzip, zstd] {
        let whole = compress(&plain);
        for length in 1..whole.len() {
            let error = read(&whole[..length]).error_code();
            assert!(error.is_some(), "cut to {length} of {} bytes", whole.len());
        }
    }
}

#[test]
fn nesting_200_000_deep_rejects_only_that_page() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(200_000) + "1" + &close.repeat(200_000);
        for line in [
            page("deep").replace("\"content\"", &format!("\"schema\":{deep},\"content\"")),
            page("deep").replace("\"content\"", &format!("\"unknown\":{deep},\"content\"")),
            page_with_content("deep", &format!("[{deep}]")),
            page_with_content("deep", &format!("[{{\"type\":\"list\",\"items\":{deep}}}]")),
        ] {
            let outcome = read(&file(&[&line, &page("a")]));
            assert_eq!(outcome.codes(), ["page-too-deep"]);
            assert_eq!(
                outcome.warnings[0].url.as_deref(),
                Some("https://example.com/deep")
            );
            assert_eq!(outcome.pages.len(), 1);
        }
        let in_metadata = METADATA.replace("\"id\"", &format!("\"x\":{deep},\"id\""));
        assert_eq!(
            read(&lines(&[&in_metadata])).error_code(),
            Some("no-metadata")
        );
    }
    let array = "[".repeat(200_000) + &"]".repeat(200_000);
    assert_eq!(read(array.as_bytes()).error_code(), Some("no-metadata"));
    assert_eq!(read(&file(&[&array])).error_code(), Some("not-an-object"));
}

#[test]
fn lines_that_are_too_deep_must_still_be_json_and_a_page() {
    let line = page("deep").replace(
        "\"content\"",
        &format!("\"schema\":{},\"content\"", "[".repeat(200)),
    );
    assert_eq!(read(&file(&[&line])).error_code(), Some("not-json"));
    let deep = "[".repeat(200) + &"]".repeat(200);
    let untitled = page("deep").replace("\"title\":\"Title\"", &format!("\"x\":{deep}"));
    assert_eq!(
        read(&file(&[&untitled])).error_code(),
        Some("missing-member")
    );
}

/// A tree of JSON values would take gigabytes here; the text takes no more than in the file.
#[test]
fn embedded_objects_take_no_more_memory_than_their_text() {
    let object = format!("{{\"a\":[{}]}}", vec!["{\"\":0}"; 500_000].join(","));
    let audio = format!(
        r#"[{{"type":"audio","name":"x","url":"https://example.com/a","attributedTo":{object}}}]"#
    );
    let line = page_with_content("a", &audio)
        .replace("\"content\"", &format!("\"schema\":{object},\"content\""));
    let outcome = read(&file(&[&line]));
    assert!(outcome.warnings.is_empty());
    assert_eq!(outcome.pages[0].schema.as_ref().unwrap().as_str(), object);
}

#[test]
fn a_page_object_must_not_exceed_100_mb_and_is_not_buffered() {
    // A line of 101 MB, generated while it is read, and then an ordinary page.
    let start = page("long");
    let (head, tail) = start.split_once("Hello").unwrap();
    let filler = std::io::repeat(b'x').take(101_000_000);
    let last = format!("{tail}\n{}\n", page("a"));
    let source = std::io::Cursor::new(format!("{METADATA}\n{head}"))
        .chain(filler)
        .chain(last.as_bytes());
    let mut reader = ReaderOptions::default().read(source).unwrap();
    let mut seen = Vec::new();
    while let Some(event) = reader.next_event().unwrap() {
        seen.push(match event {
            Event::Page(page) => page.url().to_owned(),
            Event::Warning(warning) => warning.code().to_owned(),
        });
    }
    assert_eq!(seen, ["page-too-long", "https://example.com/a"]);
    assert_eq!(reader.summary().unwrap().counts.rejected_pages, 1);
}

#[test]
fn reads_a_page_of_exactly_the_limit() {
    let line = page("a");
    for (limit, kept) in [(line.len(), true), (line.len() - 1, false)] {
        // The page is within the first chunk of 512 KiB, or at any position around its end.
        for spaces in (0..1).chain((512 << 10) - 2 * line.len() - 400..(512 << 10) + 10) {
            if spaces > 0
                && spaces % 7 != 0
                && spaces < (512 << 10) - METADATA.len() - line.len() - 20
            {
                continue;
            }
            let first = METADATA.to_owned() + &" ".repeat(spaces);
            let limits = Limits {
                page_bytes: limit,
                ..Limits::default()
            };
            for end in ["", "\n"] {
                let outcome =
                    read_limited(format!("{first}\n{line}{end}").as_bytes(), limits.clone());
                assert_eq!(outcome.pages.len(), usize::from(kept), "{limit} {spaces}");
                assert_eq!(outcome.codes().is_empty(), kept);
            }
        }
    }
}

#[test]
fn hashes_a_first_line_across_chunks() {
    // Longer than a chunk, so that the line is assembled from several, with its checksum in the middle.
    for bytes in [300_000, 524_288, 700_000, 1_500_000] {
        let collection = Collection {
            id: "x".repeat(bytes).parse().unwrap(),
            ..snapshot()
        };
        for compression in COMPRESSIONS {
            let summary = read(&write(
                compression,
                &collection,
                &read(&file(&[&page("a")])).pages,
            ))
            .result
            .unwrap();
            assert_eq!(summary.checksum, ChecksumStatus::Verified);
        }
    }
}

#[test]
fn stops_reading_an_endless_first_line_at_its_limit() {
    let outcome = ReaderOptions::default().read(std::io::repeat(b'x'));
    assert_eq!(outcome.err().map(|error| error.code()), Some("no-metadata"));
    let metadata = METADATA.to_owned() + &" ".repeat(10_000_000);
    assert_eq!(
        read_with(metadata.as_bytes(), &accept_missing_metadata()).error_code(),
        Some("no-metadata")
    );
}

#[test]
fn content_must_not_exceed_1000_blocks() {
    let content = |blocks: usize| {
        format!(
            "[{}]",
            vec![r#"{"type":"text","text":"x"}"#; blocks].join(",")
        )
    };
    let outcome = read(&file(&[
        &page_with_content("full", &content(1000)),
        &page_with_content("over", &content(1001)),
    ]));
    assert_eq!(outcome.codes(), ["too-many-blocks"]);
    assert_eq!(outcome.pages.len(), 1);
}

#[test]
fn checks_json_beyond_the_block_limit() {
    let blocks = vec![r#"{"type":"text","text":"x"}"#; 1001].join(",");
    let outcome = read(&file(&[&page_with_content(
        "a",
        &format!("[{blocks},oops]"),
    )]));
    assert_eq!(outcome.error_code(), Some("not-json"));
}

#[test]
fn size_limits_are_configurable() {
    let data = file(&[&page("a")]);
    let tight = Limits {
        compressed_bytes: data.len() as u64 - 1,
        ..Limits::default()
    };
    assert_eq!(
        read_limited(&data, tight).error_code(),
        Some("compressed-size")
    );
    let tight = Limits {
        uncompressed_bytes: data.len() as u64 - 1,
        ..Limits::default()
    };
    assert_eq!(
        read_limited(&gzip(&data), tight).error_code(),
        Some("uncompressed-size")
    );
    let tight = Limits {
        metadata_bytes: METADATA.len() - 1,
        ..Limits::default()
    };
    assert_eq!(read_limited(&data, tight).error_code(), Some("no-metadata"));
    let exact = Limits {
        compressed_bytes: data.len() as u64,
        uncompressed_bytes: data.len() as u64,
        metadata_bytes: METADATA.len(),
        ..Limits::default()
    };
    assert!(read_limited(&data, exact).result.is_ok());
}

#[test]
fn default_limits_match_the_specification() {
    let limits = Limits::default();
    assert_eq!(limits.compressed_bytes, 50_000_000_000);
    assert_eq!(limits.uncompressed_bytes, 500_000_000_000);
    assert_eq!(limits.page_bytes, 100_000_000);
    assert_eq!((limits.ratio, limits.page_blocks), (100, 1000));
}

#[test]
fn rejects_a_zstd_window_beyond_the_limit() {
    // A frame header that asks for a window of 2^31 bytes; RFC 8878 §3.1.1.1.2.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00];
    let Err(ReadError::Decompress {
        compression: Compression::Zstd,
        reason,
        ..
    }) = read(&frame).result
    else {
        panic!()
    };
    assert!(reason.contains("memory"), "{reason}");
}

#[test]
fn rejects_pages_with_lone_surrogates() {
    for escape in ["\\ud800", "\\udfff", "\\ud83d\\u0041", "\\uDE00\\uD83D"] {
        let outcome = read(&file(&[&page("a").replace("Hello", escape), &page("b")]));
        assert_eq!(
            (outcome.codes(), outcome.pages.len()),
            (vec!["lone-surrogate"], 1),
            "{escape}"
        );
        assert_eq!(
            outcome.warnings[0].url.as_deref(),
            Some("https://example.com/a")
        );
    }
    // In the URL too, which then cannot be reported.
    let outcome = read(&file(&[&page("\\ud800")]));
    assert_eq!(
        (outcome.codes(), outcome.warnings[0].url.clone()),
        (vec!["lone-surrogate"], None)
    );
}

#[test]
fn nul_bytes_are_not_json_but_their_escape_is() {
    assert_eq!(
        read(&file(&[&page("a").replace("Hello", "\0")])).error_code(),
        Some("not-json")
    );
    let outcome = read(&file(&[&page("a").replace("Hello", "\\u0000")]));
    assert!(outcome.warnings.is_empty() && outcome.result.is_ok());
    assert_eq!(read(&[0; 1000]).error_code(), Some("not-json"));
}

#[test]
fn rejects_pages_with_duplicate_members() {
    let twice = page("a").replace("\"title\"", "\"url\":\"https://evil.example/\",\"title\"");
    let outcome = read(&file(&[&twice, &page("b")]));
    assert_eq!(
        (outcome.codes(), outcome.pages.len()),
        (vec!["duplicate-member"], 1)
    );
    // With an escape in the name, too.
    let spelled = page("a").replace(
        "\"title\"",
        "\"\\u0075rl\":\"https://evil.example/\",\"title\"",
    );
    assert_eq!(read(&file(&[&spelled])).codes(), ["duplicate-member"]);
    for (first, second) in [("1", "\"T\""), ("\"T\"", "1")] {
        let twice = page("a").replace(
            "\"title\":\"Title\"",
            &format!("\"title\":{first},\"title\":{second}"),
        );
        assert_eq!(
            read(&file(&[&twice])).codes(),
            ["duplicate-member"],
            "whichever comes first"
        );
    }
    let content = page("a").replace("\"title\"", "\"content\":[],\"title\"");
    assert_eq!(read(&file(&[&content])).codes(), ["duplicate-member"]);
    let metadata = METADATA.replace("\"id\"", "\"checksum\":\"x\",\"checksum\":\"y\",\"id\"");
    assert_eq!(
        read(&lines(&[&metadata])).error_code(),
        Some("invalid-metadata")
    );
}

#[test]
fn reads_mixed_line_ends_but_not_bare_carriage_returns() {
    let mixed = format!(
        "{METADATA}\r\n{}\n{}\r\n{}",
        page("a"),
        page("b"),
        page("c")
    );
    let outcome = read(mixed.as_bytes());
    assert_eq!(outcome.pages.len(), 3);
    assert!(outcome.warnings.is_empty());
    let mac = format!("{METADATA}\r{}\r", page("a"));
    assert_eq!(read(mac.as_bytes()).error_code(), Some("not-json"));
}

#[test]
fn empty_line_is_fatal_with_its_number() {
    for (data, number) in [
        (file(&["", &page("a")]), 2),
        (file(&[&page("a"), "", ""]), 3),
        (file(&[" \r"]), 2),
    ] {
        let error = read(&data).result.unwrap_err();
        assert_eq!((error.code(), error.line()), ("empty-line", Some(number)));
    }
}

#[test]
fn invalid_utf8_is_fatal_with_its_position() {
    let mut data = file(&[&page("a")]);
    let at = data
        .windows(5)
        .position(|window| window == b"Hello")
        .unwrap();
    data[at] = 0xff;
    let error = read(&data).result.unwrap_err();
    assert_eq!((error.code(), error.line()), ("not-utf8", Some(2)));
    assert!(
        error
            .to_string()
            .contains(&format!("byte {}", at - METADATA.len())),
        "{error}"
    );
}

#[test]
fn bounds_the_warnings_of_a_page() {
    let blocks = vec![r#"{"type":"poll"}"#; 1000].join(",");
    let line = page_with_content("a", &format!("[{blocks}]"));
    let outcome = read(&file(&[&line]));
    assert_eq!(outcome.warnings.len(), 1000);
    // Any number of links in one block cause one warning.
    let links = vec![r#"{"href":"http://ä","mediaType":""}"#; 10_000].join(",");
    let video = format!(r#"[{{"type":"video","name":"x","url":[{links}]}}]"#);
    assert_eq!(
        read(&file(&[&page_with_content("a", &video)])).codes(),
        ["url-spelling"]
    );
    // The warnings about the blocks of a rejected page are dropped.
    let over = page_with_content("a", &format!("[{blocks},{{}}]"));
    assert_eq!(read(&file(&[&over])).codes(), ["too-many-blocks"]);
    let huge = page_with_content(
        "a",
        &format!("[{{\"type\":\"{}\"}}]", "p".repeat(1_000_000)),
    );
    assert!(
        read(&file(&[&huge])).warnings[0].to_string().len() < 1000,
        "untrusted text is cut in messages"
    );
}

#[test]
fn rejects_trailing_bytes_after_the_compressed_stream() {
    for compress in [gzip, zstd] {
        for trailing in [&b"\0\0\0\0\0\0"[..], b"garbage", &[0x1f]] {
            let data = [compress(&file(&[&page("a")])), trailing.to_vec()].concat();
            assert!(
                matches!(read(&data).error_code(), Some("decompress" | "cut-short")),
                "{trailing:?}"
            );
        }
    }
}

#[test]
fn reports_read_errors_of_the_source() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk failed"))
        }
    }
    let source = std::io::Cursor::new(file(&[&page("a")])).chain(Broken);
    assert!(matches!(
        ReaderOptions::default().read(source).err(),
        Some(ReadError::Io(_))
    ));
    assert!(matches!(
        ReaderOptions::default().read_ahead(Broken).err(),
        Some(ReadError::Io(_))
    ));
}
