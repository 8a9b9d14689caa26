//! SCP draft 3, "Use with HTTP", and range requests as RFC 9110 defines them.

use std::fs;

use sitecast_scp::Reader;

use crate::client::Answer;
use crate::fixture::{FIRST, SECOND, Served, Site, words};

fn bytes(served: &Served, path: &str) -> Vec<u8> {
    fs::read(served.site.path().join(&path[1..])).unwrap()
}

fn checksum(bytes: &[u8]) -> String {
    let reader = Reader::new(bytes).unwrap();
    reader.collection().unwrap().checksum.unwrap().to_string()
}

#[test]
fn servers_must_set_content_type_and_content_encoding_of_collections() {
    let served = Site::published().serve();
    for (end, encoding) in [(".scp.gz", "gzip"), (".scp.zst", "zstd")] {
        let path = served.collection("snapshot", end);
        let answer = served.get(&path);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/scp");
        assert_eq!(answer.header("content-encoding"), encoding);
        assert_eq!(answer.body, bytes(&served, &path));
        assert_eq!(answer.header("accept-ranges"), "bytes");
    }
}

#[test]
fn uncompressed_collections_have_no_content_encoding() {
    let mut site = Site::new();
    site.options.compressions = vec![sitecast_scp::Compression::None];
    site.publish(FIRST);
    let served = site.serve();
    let answer = served.get(&served.collection("snapshot", ".scp"));
    assert_eq!(answer.header("content-type"), "application/scp");
    assert_eq!(answer.get("content-encoding"), None);
}

#[test]
fn etag_should_be_the_checksum_and_last_modified_the_time_of_generation() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let answer = served.get(&path);
    let expected = checksum(&answer.body);
    assert!(expected.starts_with("sha256:"));
    assert_eq!(answer.header("etag"), format!("\"{expected}\""));
    assert_eq!(
        answer.header("last-modified"),
        "Thu, 15 Jan 2026 10:00:00 GMT"
    );
}

#[test]
fn cache_control_should_follow_kind_and_update_frequency() {
    let mut site = Site::published();
    site.options.sections[0].update_frequency = sitecast_sitemap::UpdateFrequency::Weekly;
    site.page("tea", &words("another tea"));
    site.publish(SECOND);
    let served = site.serve();
    let cache = |part| {
        served
            .get(&served.collection(part, ".gz"))
            .header("cache-control")
    };
    assert_eq!(
        cache("snapshot"),
        "public, max-age=604800, stale-while-revalidate=3600"
    );
    assert_eq!(cache("delta"), "public, max-age=3600, must-revalidate");
}

#[test]
fn servers_must_respond_304_when_the_conditions_say_so() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let full = served.get(&path);
    let etag = full.header("etag");
    let modified = full.header("last-modified");
    for headers in [
        vec![("If-None-Match", etag.as_str())],
        vec![("If-None-Match", "*")],
        vec![("If-None-Match", "\"x\""), ("If-None-Match", etag.as_str())],
        vec![("If-Modified-Since", modified.as_str())],
        vec![("If-Modified-Since", "Fri, 16 Jan 2026 10:00:00 GMT")],
        vec![
            ("If-None-Match", etag.as_str()),
            ("If-Modified-Since", "Mon, 01 Jan 2024 00:00:00 GMT"),
        ],
    ] {
        for method in ["GET", "HEAD"] {
            let answer = served.request(method, &path, &headers);
            assert_eq!(answer.status, 304, "{method} {headers:?}");
            assert!(answer.body.is_empty());
            for name in ["etag", "last-modified", "cache-control"] {
                assert_eq!(answer.get(name), full.get(name), "{name}");
            }
            assert_eq!(
                answer.get("content-length").filter(|length| length != "0"),
                None
            );
        }
    }
    // `If-None-Match` takes precedence; malformed headers count as absent.
    for headers in [
        vec![
            ("If-None-Match", "\"other\""),
            ("If-Modified-Since", modified.as_str()),
        ],
        vec![("If-Modified-Since", "Thu, 15 Jan 2026 09:59:59 GMT")],
        vec![("If-Modified-Since", "yesterday")],
        vec![("If-None-Match", "rubbish")],
    ] {
        assert_eq!(served.get_with(&path, &headers).status, 200, "{headers:?}");
    }
}

#[test]
fn preconditions_follow_the_precedence_of_rfc_9110() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let full = served.get(&path);
    let etag = full.header("etag");
    let weak = format!("W/{etag}");
    let (before, at, after) = (
        "Wed, 14 Jan 2026 10:00:00 GMT",
        "Thu, 15 Jan 2026 10:00:00 GMT",
        "Fri, 16 Jan 2026 10:00:00 GMT",
    );
    for (headers, status) in [
        (vec![("If-Match", "*")], 200),
        (vec![("If-Match", etag.as_str())], 200),
        (vec![("If-Match", "\"other\"")], 412),
        // Strong comparison: weak tags never match.
        (vec![("If-Match", weak.as_str())], 412),
        (vec![("If-Unmodified-Since", before)], 412),
        (vec![("If-Unmodified-Since", at)], 200),
        (vec![("If-Unmodified-Since", after)], 200),
        // `If-Match` takes precedence over `If-Unmodified-Since`.
        (
            vec![("If-Match", etag.as_str()), ("If-Unmodified-Since", before)],
            200,
        ),
        (
            vec![("If-Match", "\"other\""), ("If-None-Match", etag.as_str())],
            412,
        ),
        (
            vec![
                ("If-Match", etag.as_str()),
                ("If-None-Match", etag.as_str()),
            ],
            304,
        ),
        (
            vec![
                ("If-Unmodified-Since", before),
                ("If-None-Match", etag.as_str()),
            ],
            412,
        ),
        // Weak comparison: weak tags match.
        (vec![("If-None-Match", weak.as_str())], 304),
        // Conditions are evaluated before ranges.
        (
            vec![("If-None-Match", etag.as_str()), ("Range", "bytes=0-1")],
            304,
        ),
        (vec![("If-Match", "\"other\""), ("Range", "bytes=0-1")], 412),
        (
            vec![("If-Match", etag.as_str()), ("Range", "bytes=0-1")],
            206,
        ),
        (
            vec![("If-Match", etag.as_str()), ("Range", "bytes=999999-")],
            416,
        ),
    ] {
        assert_eq!(
            served.get_with(&path, &headers).status,
            status,
            "{headers:?}"
        );
    }
}

#[test]
fn range_returns_206() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".zst");
    let all = bytes(&served, &path);
    let size = all.len();
    for (range, start, end) in [
        ("bytes=0-0", 0, 1),
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, size),
        ("bytes=-7", size - 7, size),
        ("bytes=5-999999999", 5, size),
    ] {
        let answer = served.get_with(&path, &[("Range", range)]);
        assert_eq!(answer.status, 206, "{range}");
        assert_eq!(answer.body, all[start..end], "{range}");
        let expected = format!("bytes {start}-{}/{size}", end - 1);
        assert_eq!(answer.header("content-range"), expected);
        assert_eq!(answer.header("content-encoding"), "zstd");
        assert_eq!(answer.header("etag"), served.get(&path).header("etag"));
    }
    // Malformed ranges count as absent.
    for range in ["bytes=5-2", "lines=1-2", "bytes=x", "bytes=1-2;3"] {
        let answer = served.get_with(&path, &[("Range", range)]);
        assert_eq!((answer.status, answer.body.len()), (200, size), "{range}");
    }
}

/// Splits a multipart body, by RFC 2046.
fn parts(answer: &Answer) -> Vec<(String, Vec<u8>)> {
    let kind = answer.header("content-type");
    let boundary = kind
        .strip_prefix("multipart/byteranges; boundary=")
        .unwrap();
    let mut rest = answer.body.as_slice();
    let open = format!("--{boundary}\r\n");
    let find = |haystack: &[u8], needle: &str| {
        haystack
            .windows(needle.len())
            .position(|part| part == needle.as_bytes())
    };
    let mut parts = Vec::new();
    rest = rest.strip_prefix(open.as_bytes()).unwrap();
    loop {
        let head = find(rest, "\r\n\r\n").unwrap();
        let headers = String::from_utf8(rest[..head].to_vec()).unwrap();
        rest = &rest[head + 4..];
        let end = find(rest, &format!("\r\n--{boundary}")).unwrap();
        parts.push((headers, rest[..end].to_vec()));
        rest = &rest[end + 4 + boundary.len()..];
        if rest == b"--\r\n" {
            return parts;
        }
        rest = rest.strip_prefix(b"\r\n").unwrap();
    }
}

#[test]
fn several_ranges_return_multipart() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let all = bytes(&served, &path);
    let size = all.len();
    let answer = served.get_with(&path, &[("Range", "bytes=0-9, 50-59, -3")]);
    assert_eq!(answer.status, 206);
    assert_eq!(answer.get("content-range"), None);
    let expected = [(0, 10), (50, 60), (size - 3, size)];
    let found = parts(&answer);
    assert_eq!(found.len(), 3);
    for ((headers, content), (start, end)) in found.iter().zip(expected) {
        assert_eq!(*content, all[start..end]);
        assert!(headers.contains("Content-Type: application/scp"));
        let range = format!("Content-Range: bytes {start}-{}/{size}", end - 1);
        assert!(headers.contains(&range), "{headers}");
    }
    // Adjacent ranges are joined.
    let answer = served.get_with(&path, &[("Range", "bytes=0-9,10-19")]);
    assert_eq!(answer.header("content-range"), format!("bytes 0-19/{size}"));
}

#[test]
fn range_beyond_the_end_returns_416() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let size = bytes(&served, &path).len();
    for range in [format!("bytes={size}-"), "bytes=-0".to_owned()] {
        let answer = served.get_with(&path, &[("Range", &range)]);
        assert_eq!(answer.status, 416, "{range}");
        assert_eq!(answer.header("content-range"), format!("bytes */{size}"));
    }
}

#[test]
fn if_range_must_use_strong_comparison() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let full = served.get(&path);
    let etag = full.header("etag");
    let weak = format!("W/{etag}");
    for (value, status) in [
        (etag.as_str(), 206),
        (weak.as_str(), 200),
        ("\"other\"", 200),
        ("Thu, 15 Jan 2026 10:00:00 GMT", 206),
        ("Thu, 15 Jan 2026 10:00:01 GMT", 200),
        ("rubbish", 200),
        ("*", 200),
    ] {
        let answer = served.get_with(&path, &[("Range", "bytes=1-2"), ("If-Range", value)]);
        assert_eq!(answer.status, status, "{value}");
        if status == 200 {
            assert_eq!(answer.body, full.body);
        }
    }
}

#[test]
fn head_of_a_collection_equals_get_without_the_body() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    let get = served.get(&path);
    // HEAD ignores ranges.
    for headers in [&[][..], &[("Range", "bytes=0-1")]] {
        let head = served.request("HEAD", &path, headers);
        assert_eq!(head.status, 200);
        let sorted = |answer: &Answer| {
            let mut headers = answer.headers.clone();
            headers.retain(|(name, _)| name != "date");
            headers.sort();
            headers
        };
        assert_eq!(sorted(&head), sorted(&get));
    }
}

#[test]
fn other_methods_return_405_and_allow() {
    let served = Site::published().serve();
    let path = served.collection("snapshot", ".gz");
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
        for target in [path.as_str(), "/", "/llm.json", "/nothing"] {
            let answer = served.request(method, target, &[("Content-Length", "0")]);
            assert_eq!(answer.status, 405, "{method} {target}");
            assert_eq!(answer.header("allow"), "GET, HEAD, OPTIONS");
        }
    }
}

#[test]
fn large_collection_is_served_whole_and_can_be_resumed() {
    let site = Site::published();
    // The file is sent as it is, in three chunks and a bit.
    let name = "large.bin";
    let large: Vec<u8> = (0..900_001_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(site.path().join(name), &large).unwrap();
    let served = site.serve();
    let whole = served.get("/large.bin");
    assert!(whole.body == large);
    let start = 1_234_567;
    let etag = whole.header("etag");
    let headers = [("Range", "bytes=1234567-"), ("If-Range", etag.as_str())];
    let rest = served.get_with("/large.bin", &headers);
    assert_eq!(rest.status, 206);
    assert!(rest.body == large[start..]);
    let parts = served.get_with("/large.bin", &[("Range", "bytes=0-600000,2000000-2999999")]);
    assert_eq!(parts.status, 206);
    assert_eq!(
        parts.body.len() as u64,
        parts.header("content-length").parse::<u64>().unwrap()
    );
}

#[test]
fn does_not_serve_files_misnamed_as_collections() {
    let site = Site::published();
    site.write("scp/fake.scp.gz", "not gzip");
    let served = site.serve();
    assert_eq!(served.get("/scp/fake.scp.gz").status, 404);
    assert_eq!(served.get("/scp/none.scp.gz").status, 404);
}
