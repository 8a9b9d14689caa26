//! Reading and writing JSON sitemaps.

use std::io::Read;

use proptest::prelude::*;
use sitecast_tct::sitemap::{
    Added, ChildSitemap, Entry, Event, IndexEntry, Item, Listing, ReadError, SitemapKind,
    SitemapOptions, SitemapReader, SitemapSet, write_index,
};
use sitecast_tct::{ContentHash, Limits, canonicalize};

const HASH: &str = "sha256-2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";

#[derive(Debug, Default)]
struct Outcome {
    items: Vec<Item>,
    children: Vec<ChildSitemap>,
    warnings: Vec<(Option<u64>, &'static str)>,
    kind: Option<SitemapKind>,
    error: Option<ReadError>,
}

impl Outcome {
    fn codes(&self) -> Vec<&'static str> {
        self.warnings.iter().map(|(_, code)| *code).collect()
    }
}

fn read_with(source: impl Read, limits: &Limits) -> Outcome {
    let mut reader = SitemapReader::new(source, limits);
    let mut outcome = Outcome::default();
    loop {
        match reader.next_event() {
            Ok(Some(Event::Item(item))) => outcome.items.push(item),
            Ok(Some(Event::Sitemap(child))) => outcome.children.push(child),
            Ok(Some(Event::Warning(warning))) => {
                outcome.warnings.push((warning.item, warning.code()))
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => {
                outcome.error = Some(error);
                assert!(reader.next_event().unwrap().is_none());
                break;
            }
        }
    }
    let counts = reader.counts();
    assert_eq!(counts.items, outcome.items.len() as u64);
    assert_eq!(counts.sitemaps, outcome.children.len() as u64);
    assert_eq!(counts.warnings, outcome.warnings.len() as u64);
    outcome.kind = reader.kind();
    outcome
}

fn read(json: impl AsRef<[u8]>) -> Outcome {
    read_with(json.as_ref(), &Limits::default())
}

fn item(members: &str) -> String {
    format!(r#"{{"cUrl":"https://example.com/a/","mUrl":"https://example.com/a/llm/",{members}}}"#)
}

fn sitemap(items: &[String]) -> String {
    format!(
        r#"{{"version":1,"profile":"tct-1","items":[{}]}}"#,
        items.join(",\n")
    )
}

fn entry(path: &str) -> Entry {
    Entry {
        c_url: format!("https://example.com{path}").parse().unwrap(),
        m_url: format!("https://example.com{path}llm/").parse().unwrap(),
        modified: "2025-10-01T12:34:56Z".parse().unwrap(),
        hash: HASH.parse().unwrap(),
    }
}

#[test]
fn reads_the_drafts_example_without_warnings() {
    let outcome = read(sitemap(&[item(&format!(
        r#""modified": "2025-10-01T12:34:56Z", "contentHash": "{HASH}""#
    ))]));
    assert_eq!(outcome.items.len(), 1);
    assert_eq!(outcome.items[0].hash.as_deref(), Some(HASH));
    assert_eq!(
        outcome.items[0].modified.unwrap().to_string(),
        "2025-10-01T12:34:56Z"
    );
    assert!(
        outcome.warnings.is_empty() && outcome.error.is_none(),
        "{outcome:?}"
    );
    assert_eq!(outcome.kind, Some(SitemapKind::Items));
}

#[test]
fn reads_items_of_every_draft() {
    for (members, codes) in [
        (
            format!(r#""contentHash":"{HASH}","modified":"2025-10-01T12:34:56Z""#),
            vec![],
        ),
        (format!(r#""etag":"{HASH}""#), vec![]),
        (
            format!(r#""etag":"{HASH}","lastModified":"2025-10-01T12:34:56+00:00""#),
            vec![],
        ),
        (format!(r#""etag":"\"{HASH}\"""#), vec!["hash-spelling"]),
        (
            format!(r#""etag":"W/\"{HASH}\"","post_id":7"#),
            vec!["hash-spelling"],
        ),
        (format!(r#""contentHash":"{HASH}","etag":"{HASH}""#), vec![]),
        (format!(r#""contentHash":"{HASH}","etag":"""#), vec![]),
        (
            format!(r#""contentHash":"sha256-00","etag":"{HASH}""#),
            vec!["two-hashes"],
        ),
    ] {
        let outcome = read(sitemap(&[item(&members)]));
        assert_eq!(outcome.items[0].hash.as_deref(), Some(HASH), "{members}");
        assert_eq!(outcome.codes(), codes, "{members}");
    }
    let uri = "https://www.ietf.org/archive/id/draft-jurkovikj-collab-tunnel-03.html#tct-m-sitemap-profile";
    let outcome = read(format!(
        r#"{{"items":[{{"cUrl":"https://example.com/","mUrl":"https://example.com/m"}}],"profile":"{uri}","version":2}}"#
    ));
    assert_eq!((outcome.items.len(), outcome.codes()), (1, vec!["no-hash"]));
    let insecure = item(&format!(r#""etag":"{HASH}""#))
        .replace("https://example.com/a/llm/", "http://example.com/a/llm/");
    assert_eq!(read(sitemap(&[insecure])).codes(), ["not-https"]);
}

#[test]
fn malformed_items_must_not_cost_the_others() {
    let good = item(&format!(r#""etag":"{HASH}""#));
    let outcome = read(sitemap(&[
        good.clone(),
        "7".to_owned(),
        r#"["https://example.com/","https://example.com/m",null,null,null,null,null]"#.to_owned(),
        r#"{"cUrl":"https://example.com/"}"#.to_owned(),
        r#"{"cUrl":"/relative","mUrl":"https://example.com/m"}"#.to_owned(),
        r#"{"cUrl":1,"mUrl":"https://example.com/m"}"#.to_owned(),
        item(r#""etag":7"#),
        r#"{"cUrl":"https://example.com/a","cUrl":"https://example.com/b","mUrl":"https://example.com/m"}"#.to_owned(),
        r#"{oops}"#.to_owned(),
        format!("\"{}\"", "x".repeat(100_000)),
        item(&format!(r#""etag":"{HASH}","modified":"soon""#)),
        item(r#""etag":"abc""#),
    ]));
    assert_eq!(outcome.items.len(), 3, "{outcome:?}");
    assert!(outcome.error.is_none());
    let malformed: Vec<_> = outcome
        .warnings
        .iter()
        .filter(|(_, code)| *code == "malformed-item")
        .map(|(n, _)| n.unwrap())
        .collect();
    assert_eq!(malformed, [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        outcome.warnings.iter().skip(7).copied().collect::<Vec<_>>(),
        [
            (Some(9), "not-json"),
            (Some(10), "item-too-long"),
            (Some(11), "invalid-time"),
            (Some(12), "hash-spelling")
        ]
    );
}

#[test]
fn clients_must_ignore_unknown_fields_in_any_order() {
    let items = format!(
        r#"[{}]"#,
        item(&format!(r#""etag":"{HASH}","x":{{"y":["]","}}"]}}"#))
    );
    for json in [
        format!(r#"{{"items":{items},"a":{{"b":[1,2,{{}}]}},"version":1,"profile":"tct-1"}}"#),
        format!(
            "\u{feff}\n {{ \"profile\" : \"tct-1\" , \"x\":\"\\\"]\" ,\"version\":1,\"items\":\n{items} }} \n"
        ),
    ] {
        let outcome = read(&json);
        assert_eq!(outcome.items.len(), 1, "{json}");
        assert!(outcome.error.is_none(), "{outcome:?}");
    }
    let outcome = read(format!(
        r#"{{"items":{items},"version":7,"profile":"tct-9"}} tail"#
    ));
    assert_eq!(
        outcome.codes(),
        ["unknown-version", "unknown-profile", "trailing-content"]
    );
    assert_eq!(
        read(format!(r#"{{"items":{items}}}"#)).codes(),
        ["no-version", "no-profile"]
    );
    assert_eq!(
        read(r#"{"version":1,"profile":"tct-1","items":[]}"#).codes(),
        ["no-items"]
    );
}

#[test]
fn rejects_malformed_sitemaps() {
    for (json, code) in [
        ("", "cut-short"),
        ("{", "cut-short"),
        ("[]", "not-json"),
        ("<html>", "not-json"),
        ("{}", "not-a-sitemap"),
        (r#"{"version":1}"#, "not-a-sitemap"),
        (r#"{"items":{}}"#, "not-a-sitemap"),
        (r#"{"items" []}"#, "not-json"),
        (r#"{"items":[1 2]}"#, "not-json"),
        (r#"{"items":[,]}"#, "not-json"),
        (r#"{"items":[1],}"#, "not-json"),
        (r#"{"version":nope,"items":[]}"#, "not-json"),
        (r#"{"items":[1}"#, "not-json"),
    ] {
        let outcome = read(json);
        assert_eq!(
            outcome.error.as_ref().map(ReadError::code),
            Some(code),
            "{json}: {outcome:?}"
        );
    }
    let not_text = sitemap(&[item("\"x\":\"?\"")])
        .replace('?', "\u{0}")
        .into_bytes();
    let not_text: Vec<u8> = not_text
        .into_iter()
        .map(|byte| if byte == 0 { 0xe9 } else { byte })
        .collect();
    assert_eq!(read(not_text).codes(), ["not-json"]);
    // The first two bytes of a byte order mark.
    let code = |bytes: &[u8]| read(bytes).error.map(|error| error.code());
    let half_a_mark = [&b"\xef\xbb"[..], br#"{"items":[]}"#].concat();
    assert_eq!(code(&half_a_mark), Some("not-json"));
    assert_eq!(code(b"\xef\xbb"), Some("cut-short"));
    let error = read("{\n \"items\": [\n 1 2]}").error.unwrap();
    assert_eq!((error.position.line, error.position.column), (3, 4));
}

#[test]
fn detects_truncation_and_keeps_earlier_items() {
    let json = sitemap(&vec![item(&format!(r#""etag":"{HASH}""#)); 3]);
    for length in 0..json.len() {
        let outcome = read(&json[..length]);
        assert_eq!(
            outcome.error.as_ref().map(ReadError::code),
            Some("cut-short"),
            "cut at {length}"
        );
        let whole = json[..length].matches("\"}").count();
        assert_eq!(outcome.items.len(), whole, "cut at {length}");
    }
}

#[test]
fn agents_should_enforce_a_maximum_size_and_hold_one_item() {
    let json = sitemap(&vec![item(&format!(r#""etag":"{HASH}""#)); 1_000]);
    let limits = Limits {
        sitemap_bytes: 100_000,
        ..Limits::default()
    };
    let outcome = read_with(json.as_bytes(), &limits);
    assert_eq!(outcome.error.unwrap().code(), "too-large");
    assert!(outcome.items.len() > 300);
    let limits = Limits {
        items: 10,
        ..Limits::default()
    };
    let outcome = read_with(json.as_bytes(), &limits);
    assert_eq!(
        (outcome.items.len(), outcome.error.unwrap().code()),
        (10, "too-many-items")
    );
    // An endless item and endless nesting are skipped without being held in memory.
    for (begin, middle) in [
        (r#"{"items":["#, "["),
        (r#"{"items":[""#, "x"),
        (r#"{"x":""#, "x"),
    ] {
        let endless = begin
            .as_bytes()
            .chain(std::io::repeat(middle.as_bytes()[0]))
            .take(200_000_000);
        let outcome = read_with(endless, &Limits::default());
        assert_eq!(outcome.error.unwrap().code(), "too-large");
    }
}

#[test]
fn lists_the_homepage_first_and_omits_listings() {
    let mut set = SitemapSet::new(SitemapOptions::default(), Some(entry("/")), |_| {
        Ok(Vec::new())
    })
    .unwrap();
    assert_eq!(set.add(&entry("/about/")).unwrap(), Added::Listed);
    assert_eq!(set.add(&entry("/")).unwrap(), Added::Listed);
    assert_eq!(
        set.add(&entry("/category/news/")).unwrap(),
        Added::Skipped(Listing::Category)
    );
    let written = set.finish().unwrap();
    assert_eq!(
        (written.items, written.skipped, written.parts.len()),
        (2, 1, 1)
    );
    let part = &written.parts[0];
    assert_eq!(part.hash, ContentHash::of(&part.out));
    assert_eq!(part.bytes, part.out.len() as u64);
    let json = String::from_utf8(part.out.clone()).unwrap();
    assert_eq!(
        json,
        format!(
            r#"{{"items":[{{"cUrl":"https://example.com/","contentHash":"{HASH}","etag":"{HASH}","mUrl":"https://example.com/llm/","modified":"2025-10-01T12:34:56Z"}},{{"cUrl":"https://example.com/about/","contentHash":"{HASH}","etag":"{HASH}","mUrl":"https://example.com/about/llm/","modified":"2025-10-01T12:34:56Z"}}],"profile":"tct-1","version":1}}"#
        )
    );
    assert_eq!(canonicalize(&json).unwrap(), json);
    let outcome = read(json);
    assert!(outcome.warnings.is_empty(), "{outcome:?}");
}

#[test]
fn servers_must_bound_the_size_and_split_with_an_index() {
    let paths: Vec<String> = (0..50_001).map(|n| format!("/post-{n}/")).collect();
    let mut set = SitemapSet::new(SitemapOptions::default(), Some(entry("/")), |_| {
        Ok(Vec::new())
    })
    .unwrap();
    for path in &paths {
        set.add(&entry(path)).unwrap();
    }
    let written = set.finish().unwrap();
    assert_eq!(
        written
            .parts
            .iter()
            .map(|part| part.items)
            .collect::<Vec<_>>(),
        [50_000, 2]
    );
    let options = SitemapOptions {
        max_bytes: 10_000,
        ..SitemapOptions::default()
    };
    let mut set = SitemapSet::new(options, None, |_| Ok(Vec::new())).unwrap();
    for path in paths.iter().take(200) {
        set.add(&entry(path)).unwrap();
    }
    let tiny = SitemapOptions {
        max_bytes: 100,
        ..SitemapOptions::default()
    };
    assert!(SitemapSet::new(tiny, Some(entry("/")), |_| Ok(Vec::new())).is_err());
    let small = set.finish().unwrap();
    assert!(small.parts.iter().all(|part| part.bytes <= 10_000) && small.parts.len() > 1);
    assert_eq!(
        small
            .parts
            .iter()
            .map(|part| read(&part.out).items.len())
            .sum::<usize>(),
        200
    );

    let index: Vec<IndexEntry> = (1..)
        .zip(&written.parts)
        .map(|(n, part)| IndexEntry {
            url: format!("https://example.com/llm-sitemap-{n}.json")
                .parse()
                .unwrap(),
            modified: part.modified,
            hash: part.hash,
        })
        .collect();
    let json = write_index(&index);
    assert_eq!(canonicalize(&json).unwrap(), json);
    let outcome = read(&json);
    assert_eq!(outcome.kind, Some(SitemapKind::Index));
    assert_eq!(outcome.children.len(), 2);
    assert_eq!(
        outcome.children[0].hash,
        Some(written.parts[0].hash.to_string())
    );
    assert!(outcome.warnings.is_empty());
}

#[test]
fn writes_an_empty_sitemap() {
    let set = SitemapSet::new(SitemapOptions::default(), None, |_| Ok(Vec::new())).unwrap();
    let written = set.finish().unwrap();
    assert_eq!(
        written.parts[0].out,
        br#"{"items":[],"profile":"tct-1","version":1}"#
    );
    assert_eq!(written.parts[0].modified, None);
}

#[test]
fn reports_items_that_are_not_json() {
    for (item, code) in [
        (r"\", "not-json"),
        (r#"{"cUrl":1,\}"#, "not-json"),
        ("1", "malformed-item"),
        (r#"{"cUrl":1}"#, "malformed-item"),
    ] {
        let outcome = read(format!("{{\"items\":[{item}]}}"));
        assert!(
            outcome.codes().contains(&code),
            "{item}: {:?}",
            outcome.codes()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn ends_with_a_verdict_for_any_input(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"items\"", "\"sitemaps\"", "\"version\"", "1", "\"", "\\", "null", " ", "\n", "é",
        "\"cUrl\":\"https://example.com/\"", "\"mUrl\":\"https://example.com/m\"", "{\"items\":[", "]}",
    ]), 0..25)) {
        let text = pieces.concat();
        let whole = read(&text);
        let pieces = read_with(OneByOne(text.as_bytes()), &Limits::default());
        prop_assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
        // A document without errors and warnings about JSON is JSON.
        if whole.error.is_none() && !whole.codes().contains(&"not-json") && !whole.codes().contains(&"trailing-content") {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        }
    }
}

struct OneByOne<'a>(&'a [u8]);

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(1);
        self.0.read(&mut buffer[..count])
    }
}
