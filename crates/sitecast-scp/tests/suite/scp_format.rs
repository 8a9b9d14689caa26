//! Requirements of SCP draft 3 for readers. Each test is named after its clause.

use crate::support::*;
use sitecast_scp::{
    Block, ChecksumStatus, CollectionKind, Compression, LineProblem, MediaUrl, ReadError,
    Rejection, Version, WarningKind,
};

#[test]
fn must_have_collection_metadata_on_the_first_line() {
    assert_eq!(
        read(&lines(&[&page("a")])).error_code(),
        Some("no-metadata")
    );
    assert_eq!(read(b"").error_code(), Some("no-metadata"));
    let outcome = read(&file(&[&page("a")]));
    assert_eq!(outcome.collection.unwrap().id.as_str(), "test");
}

#[test]
fn accepts_missing_metadata_only_on_request() {
    let file = lines(&[&page("a"), &page("b")]);
    let outcome = read_with(&file, &accept_missing_metadata());
    assert_eq!(outcome.codes(), ["missing-metadata"]);
    assert_eq!(outcome.pages.len(), 2);
    assert_eq!(outcome.result.unwrap().checksum, ChecksumStatus::Absent);
}

#[test]
fn version_must_be_major_dot_minor() {
    for version in ["1", "0.1.0", "v0.1", "0.x", "", "-1.0", "0. 1"] {
        let metadata = METADATA.replace("\"0.1\"", &format!("\"{version}\""));
        assert_eq!(
            read(&lines(&[&metadata])).error_code(),
            Some("invalid-metadata"),
            "{version}"
        );
    }
}

#[test]
fn must_reject_a_major_version_above_ours() {
    for version in ["1.0", "9.0", "99999999999999999999.0"] {
        let metadata = METADATA.replace("\"0.1\"", &format!("\"{version}\""));
        assert_eq!(
            read(&lines(&[&metadata, &page("a")])).error_code(),
            Some("unsupported-version"),
            "{version}"
        );
    }
}

#[test]
fn should_accept_a_higher_minor_version() {
    let metadata = METADATA.replace("\"0.1\"", "\"0.7\"");
    let outcome = read(&lines(&[&metadata, &page("a")]));
    assert_eq!(
        outcome.warnings[0].kind,
        WarningKind::NewerVersion {
            version: Version { major: 0, minor: 7 }
        }
    );
    assert_eq!(outcome.pages.len(), 1);
}

#[test]
fn must_support_version_0_1() {
    let outcome = read(&file(&[&page("a")]));
    assert!(outcome.warnings.is_empty());
    assert_eq!(outcome.collection.unwrap().version, Version::CURRENT);
}

#[test]
fn must_ignore_unknown_fields() {
    let metadata = METADATA.replace("\"id\"", "\"new\":{\"a\":[1]},\"id\"");
    let line = page("a")
        .replace("\"title\"", "\"rating\":4.5,\"title\"")
        .replace("\"text\":\"Hello\"", "\"text\":\"Hello\",\"b\":[]");
    let outcome = read(&lines(&[&metadata, &line]));
    assert!(outcome.warnings.is_empty() && outcome.result.is_ok());
    assert_eq!(outcome.lines, [line], "the line is returned unchanged");
}

#[test]
fn must_log_a_warning_for_unknown_block_types_and_continue() {
    let line = page_with_content(
        "a",
        r#"[{"type":"text","text":"1"},{"type":"poll","of":[{}]},{"type":"text","text":"2"}]"#,
    );
    let outcome = read(&file(&[&line, &page("b")]));
    let kind = WarningKind::UnknownBlock {
        block: 2,
        block_type: Some("poll".to_owned()),
    };
    assert_eq!(
        (outcome.warnings[0].line, &outcome.warnings[0].kind),
        (2, &kind)
    );
    assert_eq!(
        outcome.warnings[0].url.as_deref(),
        Some("https://example.com/a")
    );
    let texts: Vec<_> = outcome.pages[0].content.iter().collect();
    assert!(matches!(
        texts[..],
        [Block::Text { .. }, Block::Text { .. }]
    ));
    assert_eq!(outcome.pages.len(), 2);
}

#[test]
fn must_validate_that_the_file_can_be_decompressed() {
    let mut damaged = gzip(&file(&[&page("a")]));
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    assert!(matches!(
        read(&damaged).result,
        Err(ReadError::Decompress {
            compression: Compression::Gzip,
            ..
        })
    ));
}

#[test]
fn must_validate_that_each_line_is_json() {
    let outcome = read(&file(&[&page("a"), "{\"url\":nope}"]));
    let Err(ReadError::Line {
        line: 3,
        problem: LineProblem::NotJson { at: 8, .. },
    }) = outcome.result
    else {
        panic!("{:?}", outcome.result)
    };
}

#[test]
fn must_validate_required_fields() {
    for member in [
        "url",
        "title",
        "description",
        "modified",
        "language",
        "content",
    ] {
        let missing = page("a").replace(&format!("\"{member}\":"), "\"other\":");
        assert_eq!(
            read(&file(&[&missing])).error_code(),
            Some("missing-member"),
            "{member}"
        );
    }
}

#[test]
fn must_validate_url_format() {
    let relative = page("a").replace("https://example.com/a", "/a");
    let outcome = read(&file(&[&relative, &page("b")]));
    assert_eq!(outcome.codes(), ["page-url"]);
    assert_eq!(outcome.pages[0].url.as_str(), "https://example.com/b");
    assert_eq!(outcome.result.unwrap().counts.rejected_pages, 1);
}

#[test]
fn must_validate_that_blocks_have_a_type() {
    let outcome = read(&file(&[&page_with_content(
        "a",
        r#"[{"text":"x"},{"type":null},7]"#,
    )]));
    assert_eq!(
        outcome.codes(),
        ["unknown-block", "unknown-block", "malformed-block"]
    );
}

#[test]
fn heading_level_outside_1_to_6_is_clamped() {
    let levels = ["0", "7", "-3", "2.5", "1e300", "-1e300", "6.0"];
    let blocks: Vec<String> = levels
        .iter()
        .map(|l| format!(r#"{{"type":"heading","level":{l},"text":"x"}}"#))
        .collect();
    let outcome = read(&file(&[&page_with_content(
        "a",
        &format!("[{}]", blocks.join(",")),
    )]));
    let used: Vec<u8> = outcome.pages[0]
        .content
        .iter()
        .map(|block| match block {
            Block::Heading { level, .. } => level.get(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(used, [1, 6, 1, 3, 6, 1, 6]);
    // 6.0 is a valid level, since JSON does not distinguish it from 6.
    assert_eq!(outcome.codes(), ["heading-level"; 6]);
}

#[test]
fn must_validate_all_urls_against_other_protocol_handlers() {
    for url in [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "JaVaScRiPt:x",
        "https:x",
    ] {
        let blocks = format!(
            r#"[{{"type":"link","url":"{url}","text":"x"}},{{"type":"image","url":"{url}","alt":""}},
            {{"type":"video","name":"x","url":"{url}"}},{{"type":"audio","name":"x","url":[{{"href":"{url}","mediaType":"audio/ogg"}}]}},
            {{"type":"video","name":"x","url":"https://example.com/v","icon":{{"url":"{url}"}}}},
            {{"type":"video","name":"x","url":"https://example.com/v","captions":[{{"language":"en","label":"x","url":"{url}"}}]}}]"#
        )
        .replace('\n', "");
        let outcome = read(&file(&[&page_with_content("a", &blocks)]));
        assert_eq!(outcome.codes(), ["block-url"; 6], "{url}");
        assert!(outcome.pages[0].content.is_empty());
    }
}

#[test]
fn delta_must_have_since() {
    let delta = METADATA.replace("snapshot", "delta");
    assert_eq!(
        read(&lines(&[&delta])).error_code(),
        Some("delta-without-since")
    );
    let delta = delta.replace(
        "\"version\"",
        "\"since\":\"2025-01-14T00:00:00Z\",\"version\"",
    );
    let since = "2025-01-14T00:00:00Z".parse().unwrap();
    assert_eq!(
        read(&lines(&[&delta])).collection.unwrap().kind,
        CollectionKind::Delta { since }
    );
}

#[test]
fn rejects_pages_with_invalid_timestamps_or_languages() {
    for (member, value) in [
        ("modified", "yesterday"),
        ("modified", "2025-01-15"),
        ("language", "en_US"),
        ("language", ""),
    ] {
        let right = if member == "modified" {
            "2025-01-15T09:00:00Z"
        } else {
            "en"
        };
        let wrong = page("a").replace(
            &format!("\"{member}\":\"{right}\""),
            &format!("\"{member}\":\"{value}\""),
        );
        let outcome = read(&file(&[&wrong, &page("b")]));
        assert_eq!(outcome.pages.len(), 1, "{member} {value}");
        assert!(matches!(
            outcome.warnings[0].kind,
            WarningKind::PageRejected(Rejection::Timestamp { .. } | Rejection::Language { .. })
        ));
    }
}

#[test]
fn accepts_bcp_47_language_tags() {
    for tag in [
        "en",
        "en-US",
        "zh-Hans",
        "zh-Hans-CN",
        "es-419",
        "de-CH-1996",
    ] {
        let outcome =
            read(&file(&[&page("a").replace(
                "\"language\":\"en\"",
                &format!("\"language\":\"{tag}\""),
            )]));
        assert!(outcome.warnings.is_empty(), "{tag}");
        assert_eq!(outcome.pages[0].language.as_str(), tag);
    }
}

#[test]
fn newer_of_two_pages_with_the_same_url_counts() {
    let old = page("a")
        .replace("2025-01-15T09", "2025-01-14T09")
        .replace("Title", "Old");
    let new = page("a").replace("Title", "New");
    for (first, second) in [(&old, &new), (&new, &old)] {
        let outcome = read(&file(&[first, second]));
        assert_eq!(outcome.codes(), ["duplicate-url"]);
        assert_eq!(outcome.pages.last().unwrap().title, "New");
        let counts = outcome.result.unwrap().counts;
        assert_eq!(
            (counts.pages, counts.rejected_pages, counts.blocks),
            (1, 1, 1)
        );
    }
}

#[test]
fn converts_media_of_older_drafts() {
    let blocks = r#"[{"type":"video","sources":[{"url":"https://example.com/v.mp4","format":"mp4","quality":"1080p","size":1},{"url":"https://example.com/v.webm?x=1"}],"poster":"https://example.com/p.jpg","title":"V","description":"About","duration":320,"width":1920,"height":1080,"captions":[{"language":"en","url":"https://example.com/c.vtt","label":"English"}],"chapters":[{"time":0,"title":"Start"}],"embed":"https://youtube.com/watch?v=x","transcript":"Said"},{"type":"audio","sources":[{"url":"https://example.com/a.mp3"}],"title":"A","artist":"Band","album":"Record","coverArt":"https://example.com/c.jpg","duration":3600}]"#;
    let outcome = read(&file(&[&page_with_content("a", blocks)]));
    assert_eq!(outcome.codes(), ["legacy-media", "legacy-media"]);
    let present = serde_json::to_value(&outcome.pages[0].content).unwrap();
    assert_eq!(
        present,
        serde_json::json!([
            {"type":"video","name":"V","url":[
                {"href":"https://example.com/v.mp4","mediaType":"video/mp4"},
                {"href":"https://example.com/v.webm?x=1","mediaType":"video/webm"},
                {"href":"https://youtube.com/watch?v=x","mediaType":"text/html","rel":"alternate"}],
             "duration":"PT5M20S","width":1920,"height":1080,"icon":{"type":"Image","url":"https://example.com/p.jpg"},
             "summary":"About","captions":[{"language":"en","url":"https://example.com/c.vtt","label":"English"}],
             "chapters":[{"time":0,"title":"Start"}],"transcript":"Said"},
            {"type":"audio","name":"A","url":[{"href":"https://example.com/a.mp3","mediaType":"audio/mpeg"}],
             "duration":"PT1H","icon":{"type":"Image","url":"https://example.com/c.jpg"},
             "attributedTo":"Band","partOf":"Record"}
        ])
    );
}

#[test]
fn converts_structured_blocks_of_draft_one_to_schema() {
    let blocks = r#"[{"type":"structured","format":"json-ld","data":{"@type":"Product"}},{"type":"text","text":"x"}]"#;
    let outcome = read(&file(&[&page_with_content("a", blocks)]));
    assert_eq!(outcome.codes(), ["legacy-structured"]);
    assert_eq!(
        outcome.pages[0].schema.as_ref().unwrap().as_str(),
        r#"{"@type":"Product"}"#
    );
    assert_eq!(outcome.pages[0].content.len(), 1);

    let own = page_with_content("a", blocks).replace(
        "\"content\"",
        "\"schema\":{\"@type\":\"Recipe\"},\"content\"",
    );
    assert_eq!(
        read(&file(&[&own])).pages[0]
            .schema
            .as_ref()
            .unwrap()
            .as_str(),
        r#"{"@type":"Recipe"}"#
    );
}

#[test]
fn reads_robots_of_older_drafts() {
    let line = page("a").replace("\"content\"", "\"robots\":[\"noarchive\"],\"content\"");
    let outcome = read(&file(&[&line]));
    assert!(outcome.warnings.is_empty());
    assert_eq!(outcome.pages[0].robots, ["noarchive"]);
}

#[test]
fn keeps_every_field_of_activitystreams_media() {
    let blocks = r#"[{"type":"video","name":"V","url":"https://example.com/v","duration":"PT1.5S","width":2.0,"height":0,"icon":{"type":"Image","url":"https://example.com/i"},"summary":"S","captions":[{"language":"en","url":"https://example.com/c","label":"E"}],"chapters":[{"time":60,"title":"C"}],"transcript":"T"},{"type":"audio","name":"A","url":[{"href":"https://example.com/a","mediaType":"audio/ogg","rel":"alternate"}],"attributedTo":{"type":"Person","name":"P"},"partOf":{"type":"Collection"}}]"#;
    let outcome = read(&file(&[&page_with_content("a", blocks)]));
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let Block::Video(video) = &outcome.pages[0].content[0] else {
        panic!()
    };
    assert!(matches!(&video.url, MediaUrl::One(url) if url.as_str() == "https://example.com/v"));
    let mut expected: serde_json::Value = serde_json::from_str(blocks).unwrap();
    expected[0]["width"] = 2.into();
    assert_eq!(
        serde_json::to_value(&outcome.pages[0].content).unwrap(),
        expected
    );
}

#[test]
fn detects_compression_by_the_first_bytes() {
    let plain = file(&[&page("a")]);
    for (data, compression) in [
        (plain.clone(), Compression::None),
        (gzip(&plain), Compression::Gzip),
        (zstd(&plain), Compression::Zstd),
    ] {
        let summary = read(&data).result.unwrap();
        assert_eq!(summary.counts.compression, compression);
        assert_eq!(summary.counts.uncompressed_bytes, plain.len() as u64);
        assert_eq!(summary.counts.compressed_bytes, data.len() as u64);
    }
}

#[test]
fn reads_several_gzip_members_and_zstd_frames() {
    let plain = file(&[&page("a"), &page("b"), &page("c")]);
    for compress in [gzip, zstd] {
        let parts: Vec<u8> = plain.chunks(37).flat_map(compress).collect();
        let outcome = read(&parts);
        assert_eq!(outcome.pages.len(), 3);
        assert_eq!(
            outcome.result.unwrap().counts.uncompressed_bytes,
            plain.len() as u64
        );
    }
}

#[test]
fn keeps_schema_unchanged() {
    let schema = r#"{"z":1e999,"a":[0.10,12345678901234567890],"z":{}}"#;
    let line = page("a").replace("\"content\"", &format!("\"schema\":{schema},\"content\""));
    let outcome = read(&file(&[&line]));
    assert!(outcome.warnings.is_empty());
    assert_eq!(outcome.pages[0].schema.as_ref().unwrap().as_str(), schema);
}
