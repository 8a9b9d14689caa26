//! Writing, reading and verifying machine pages.

use proptest::prelude::*;
use sitecast_scp::{Block, JsonObject, Page};
use sitecast_tct::{ContentHash, MachinePage, ReadPage, Verification, canonicalize, fingerprint};

const LIMIT: usize = 1 << 20;

fn page(title: &str, text: &str) -> Page {
    let mut page = Page::new(
        "https://example.com/hello-world/".parse().unwrap(),
        title,
        "2025-10-15T14:30:00Z".parse().unwrap(),
        "en-US".parse().unwrap(),
    );
    page.published = Some("2025-10-01T10:00:00Z".parse().unwrap());
    page.content.push(Block::Text {
        text: text.to_owned(),
    });
    page
}

fn codes(page: &ReadPage) -> Vec<&'static str> {
    page.warnings.iter().map(|warning| warning.code()).collect()
}

/// The normative vector of the draft.
#[test]
fn method_a_implementations_must_produce_the_drafts_vector() {
    let machine = MachinePage {
        canonical_url: "https://example.com/hello-world/".parse().unwrap(),
        title: "Hello World".to_owned(),
        content: "Hello World".to_owned(),
        language: None,
        published: None,
        modified: None,
        structured_data: None,
    };
    let payload = machine.payload();
    let hash = "sha256-af976cac6d5c89428a724e456311081ddbf3bab73cc4de7c85119b185ffbdab8";
    assert_eq!(payload.hash.to_string(), hash);
    assert_eq!(payload.hash.etag(), format!("\"{hash}\""));
    assert_eq!(
        payload.json,
        format!(
            "{{\"canonical_url\":\"https://example.com/hello-world/\",\"content\":\"Hello World\",\"hash\":\"{hash}\",\
             \"profile\":\"tct-1\",\"title\":\"Hello World\"}}"
        )
    );
    let without = payload.json.replace(&format!("\"hash\":\"{hash}\","), "");
    assert_eq!(without.len(), 116);
    assert_eq!(ContentHash::of(without.as_bytes()).to_string(), hash);
    let read = ReadPage::parse(payload.json.as_bytes(), LIMIT).unwrap();
    assert_eq!(
        (read.verification, read.warnings.as_slice()),
        (Verification::MethodA, &[][..])
    );
}

#[test]
fn writes_optional_members_of_extended_pages() {
    let mut page = page("Title", "Text.");
    page.schema = Some(JsonObject::new(r#"{"@type":"Product","@context":"https://schema.org","sku":12345678901234567890,"price":1.50}"#).unwrap());
    let payload = MachinePage::extended(&page).payload();
    assert_eq!(
        payload.json,
        format!(
            r#"{{"canonical_url":"https://example.com/hello-world/","content":"Title\n\nText.","hash":"{}","language":"en-US","modified":"2025-10-15T14:30:00Z","profile":"tct-1","published":"2025-10-01T10:00:00Z","structured_data":{{"@context":"https://schema.org","@type":"Product","price":1.5,"sku":"12345678901234567890"}},"title":"Title"}}"#,
            payload.hash
        )
    );
    assert_ne!(payload.hash, MachinePage::minimal(&page).payload().hash);
    let read = ReadPage::parse(payload.json.as_bytes(), LIMIT).unwrap();
    assert_eq!(
        (read.language, read.published, read.modified),
        (Some(page.language), page.published, Some(page.modified))
    );
    assert_eq!(
        read.structured_data.unwrap().to_map().unwrap()["price"],
        1.5
    );
    let marked = format!("\u{feff}{}", payload.json);
    assert_eq!(
        codes(&ReadPage::parse(marked.as_bytes(), LIMIT).unwrap()),
        ["byte-order-mark"]
    );
}

#[test]
fn omits_too_deeply_nested_structured_data() {
    let mut page = page("Title", "Text.");
    page.schema = Some(JsonObject::new(&("{\"a\":".repeat(300) + "1" + &"}".repeat(300))).unwrap());
    let payload = MachinePage::extended(&page).payload();
    assert!(!payload.json.contains("structured_data"));
    assert!(ReadPage::parse(payload.json.as_bytes(), LIMIT).is_ok());
}

#[test]
fn the_hash_must_change_with_every_byte_of_the_payload() {
    let base = MachinePage::extended(&page("Title", "Text.")).payload();
    let mut changed = page("Title", "Text.");
    changed.modified = "2025-10-15T14:30:01Z".parse().unwrap();
    for other in [
        page("title", "Text."),
        page("Title", "Text"),
        page("Title", "Text. "),
        changed,
    ] {
        let payload = MachinePage::extended(&other).payload();
        assert_eq!(payload.hash == base.hash, payload.json == base.json);
    }
}

#[test]
fn detects_a_wrong_hash() {
    let payload = MachinePage::minimal(&page("Title", "Text.")).payload();
    let tampered = payload.json.replace("Text.", "Lies.");
    let read = ReadPage::parse(tampered.as_bytes(), LIMIT).unwrap();
    assert_eq!(read.verification, Verification::Mismatch);
    assert_eq!(read.hash, Some(payload.hash.to_string()));
    assert_ne!(read.method_a, payload.hash);
}

#[test]
fn verifies_method_b_and_bare_digits() {
    let hash = fingerprint("Some content");
    for (declared, expected) in [
        (hash.to_string(), vec![]),
        (
            hash.to_string().replace("sha256-", ""),
            vec!["hash-spelling"],
        ),
        (
            hash.to_string()
                .to_uppercase()
                .replace("SHA256-", "sha256-"),
            vec!["hash-spelling"],
        ),
    ] {
        let json = format!(
            r#"{{"canonical_url":"https://example.com/","content":"Some content","hash":"{declared}","profile":"tct-1","title":"T"}}"#
        );
        let read = ReadPage::parse(json.as_bytes(), LIMIT).unwrap();
        assert_eq!(read.verification, Verification::MethodB);
        assert_eq!(codes(&read), expected);
    }
}

#[test]
fn reads_pages_of_other_drafts() {
    // The vector of draft -03: the hash is that of the response, and not a member of it.
    let uri =
        "https://www.ietf.org/archive/id/draft-jurkovikj-collab-tunnel-03.html#tct-m-url-profile";
    let json = format!(
        r#"{{"canonical_url":"https://example.com/post/","content":"Hello","profile":"{uri}","title":"Example"}}"#
    );
    let read = ReadPage::parse(json.as_bytes(), LIMIT).unwrap();
    assert_eq!(
        read.method_a.to_string(),
        "sha256-d5a54a6e2a2ee0f0b84592d4d6c9f5361aeea41e4cb23550f4804e3ea29eaa2c"
    );
    assert_eq!(
        (read.verification, codes(&read)),
        (Verification::Absent, vec!["no-hash"])
    );
    // A page of the first plugin: content in an object, no profile.
    let json = r#"{ "canonical_url": "https://example.com/", "title": "T", "content": {"text": "Hello"}, "word_count": 1, "author": null }"#;
    let read = ReadPage::parse(json.as_bytes(), LIMIT).unwrap();
    assert_eq!(read.content, "Hello");
    assert_eq!(
        codes(&read),
        ["not-canonical", "no-profile", "legacy-content", "no-hash"]
    );
    // Markdown, which -02 allows.
    let json = r##"{"canonical_url":"https://example.com/","content":"# <b>T</b>","content_media_type":"text/markdown","profile":"tct-1","title":"T"}"##;
    assert_eq!(
        codes(&ReadPage::parse(json.as_bytes(), LIMIT).unwrap()),
        ["no-hash"]
    );
}

#[test]
fn clients_must_ignore_unknown_fields_and_profiles() {
    let json = r#"{"canonical_url":"https://example.com/","content":"a <b>bold</b> b","future":[1],"language":"?","modified":"now","profile":"tct-9","title":"T"}"#;
    let read = ReadPage::parse(json.as_bytes(), LIMIT).unwrap();
    assert_eq!(
        codes(&read),
        [
            "unknown-profile",
            "markup-in-content",
            "ignored-member",
            "ignored-member",
            "no-hash"
        ]
    );
}

/// The draft sorts names by code points, RFC 8785 by UTF-16 code units: pages of both kinds must verify.
#[test]
fn verifies_pages_hashed_in_another_order() {
    let members = "\"canonical_url\":\"https://example.com/\",\"content\":\"c\",";
    let rest = "\"profile\":\"tct-1\",\"title\":\"T\",\"\u{fb33}\":1,\"😀\":2}";
    let hash = ContentHash::of(format!("{{{members}{rest}").as_bytes());
    let json = format!("{{{members}\"hash\":\"{hash}\",{rest}");
    let read = ReadPage::parse(json.as_bytes(), LIMIT).unwrap();
    assert_eq!(
        (read.verification, codes(&read)),
        (Verification::MethodA, vec!["not-canonical"])
    );
    let last = format!("{{{members}\"title\":\"T\",\"a\":1.0}}");
    let hash = ContentHash::of(last.as_bytes());
    let json = last.replace('}', &format!(",\"hash\":\"{hash}\"}}"));
    assert_eq!(
        ReadPage::parse(json.as_bytes(), LIMIT)
            .unwrap()
            .verification,
        Verification::MethodA
    );
    let spaced = last.replace('}', &format!(" , \"hash\" : \"{hash}\" }}"));
    assert_eq!(
        ReadPage::parse(spaced.as_bytes(), LIMIT)
            .unwrap()
            .verification,
        Verification::Mismatch
    );
}

#[test]
fn tolerates_numbers_beyond_a_double() {
    let page = |hash: &str| {
        format!(
            r#"{{"canonical_url":"https://example.com/","content":"c","hash":"{hash}","profile":"tct-1","sku":12345678901234567890,"title":"T"}}"#
        )
    };
    // Some publishers hash the digits, others the number rounded to a double.
    let without = page("").replace(r#""hash":"","#, "");
    let rounded = without.replace("12345678901234567890", "12345678901234567000");
    for text in [without, rounded] {
        let hash = ContentHash::of(text.as_bytes()).to_string();
        let read = ReadPage::parse(page(&hash).as_bytes(), LIMIT).unwrap();
        assert_eq!(
            (read.verification, codes(&read)),
            (Verification::MethodA, vec!["unportable-number"])
        );
    }
}

#[test]
fn checks_hostile_content_in_bounded_time() {
    let json = format!(
        r#"{{"canonical_url":"https://example.com/","content":"{}","title":"T"}}"#,
        "<a ".repeat(100_000)
    );
    assert!(
        !codes(&ReadPage::parse(json.as_bytes(), LIMIT).unwrap()).contains(&"markup-in-content")
    );
}

#[test]
fn rejects_malformed_machine_pages() {
    for (json, code) in [
        ("", "not-json"),
        ("[]", "not-an-object"),
        ("{}", "missing-member"),
        (
            r#"{"canonical_url":"https://example.com/","title":"T"}"#,
            "missing-member",
        ),
        (
            r#"{"canonical_url":"/relative","title":"T","content":"c"}"#,
            "wrong-type",
        ),
        (
            r#"{"canonical_url":"https://example.com/","title":1,"content":"c"}"#,
            "wrong-type",
        ),
        (
            r#"{"canonical_url":"https://example.com/","title":"T","content":["c"]}"#,
            "wrong-type",
        ),
        (
            r#"{"canonical_url":"https://example.com/","title":"T","content":"c","n":NaN}"#,
            "not-json",
        ),
        (
            r#"{"canonical_url":"https://example.com/","title":"T","content":"c","n":1e999}"#,
            "unportable-number",
        ),
        (
            r#"{"canonical_url":"https://example.com/","title":"T","content":"c","title":"U"}"#,
            "not-json",
        ),
    ] {
        assert_eq!(
            ReadPage::parse(json.as_bytes(), LIMIT).unwrap_err().code(),
            code,
            "{json}"
        );
    }
    assert_eq!(
        ReadPage::parse(b"\xff", LIMIT).unwrap_err().code(),
        "not-utf8"
    );
    assert_eq!(ReadPage::parse(b"{}", 1).unwrap_err().code(), "too-large");
}

proptest! {
    /// For any page, the payload is canonical, verifies, and contains the page's data.
    #[test]
    fn payloads_are_canonical_and_verify(title in any::<String>(), text in any::<String>(), data in "[a-z\"\\\\é😀\n]{0,6}", number in any::<f64>()) {
        let mut page = page(&title, &text);
        let data = serde_json::json!({"é": data, "n": number, "A": [null, true]});
        page.schema = data.as_object().cloned().map(JsonObject::from);
        for machine in [MachinePage::minimal(&page), MachinePage::extended(&page)] {
            let payload = machine.payload();
            prop_assert_eq!(canonicalize(&payload.json).unwrap(), payload.json.clone());
            let read = ReadPage::parse(payload.json.as_bytes(), LIMIT).unwrap();
            prop_assert_eq!(read.verification, Verification::MethodA);
            prop_assert_eq!(read.method_a, payload.hash);
            prop_assert_eq!(read.title, machine.title);
            prop_assert_eq!(read.content, machine.content);
            let theirs = serde_json_canonicalizer::to_string(&serde_json::from_str::<serde_json::Value>(&payload.json).unwrap()).unwrap();
            prop_assert_eq!(theirs, payload.json);
        }
    }
}
