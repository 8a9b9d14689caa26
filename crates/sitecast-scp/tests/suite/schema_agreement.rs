//! Comparison of the reader's verdicts with the JSON Schemas of the specification, applied by an independent
//! validator. A page is accepted without warnings if and only if it is valid by the schema, except for a list of cases
//! in which the text of the specification, or Sitecast, requires more than the schema.

use crate::strategies::{collection, page};
use crate::support::*;
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};
use sitecast_scp::{Compression, Limits, Page};

fn validator(name: &str) -> Validator {
    let path = format!(
        "{}/../../schemas/scp/{name}.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let schema = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

/// Returns true if the reader accepts a page without any warning.
fn is_clean(page: &Value) -> bool {
    Page::from_line(&page.to_string(), &Limits::default())
        .is_ok_and(|(_, warnings)| warnings.is_empty())
}

fn base() -> Value {
    json!({
        "url": "https://example.com/a", "title": "T", "description": "", "author": "A",
        "published": "2024-01-15T09:00:00Z", "modified": "2025-01-15T09:00:00Z", "language": "en",
        "canonical": "https://example.com/", "schema": {"@type": "Thing"},
        "content": [
            {"type": "text", "text": "x"},
            {"type": "heading", "level": 2, "text": "x"},
            {"type": "link", "url": "https://example.com/", "text": "x", "rel": ["nofollow"]},
            {"type": "image", "url": "https://example.com/", "alt": ""},
            {"type": "list", "ordered": true, "items": ["x"]},
            {"type": "code", "language": "rust", "code": ""},
            {"type": "table", "rows": [["x"]]},
            {"type": "quote", "text": "x", "citation": "y"},
            {"type": "video", "name": "x", "url": [{"href": "https://example.com/", "mediaType": "video/mp4", "rel": "alternate"}],
             "duration": "PT1H2M3.5S", "width": 1, "height": 2, "icon": {"type": "Image", "url": "https://example.com/"},
             "summary": "x", "captions": [{"language": "en", "url": "https://example.com/", "label": "x"}],
             "chapters": [{"time": 0, "title": "x"}], "transcript": "x"},
            {"type": "audio", "name": "x", "url": [{"href": "https://example.com/", "mediaType": "audio/ogg"}],
             "duration": "PT1S", "icon": {"type": "Image", "url": "https://example.com/"}, "summary": "x",
             "attributedTo": "x", "partOf": "y", "chapters": [{"time": 5, "title": "x"}], "transcript": "x"},
        ],
    })
}

/// The JSON pointers of all values in the page above.
fn places() -> Vec<String> {
    fn walk(value: &Value, at: &str, places: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    places.push(format!("{at}/{name}"));
                    walk(value, &format!("{at}/{name}"), places);
                }
            }
            Value::Array(array) => {
                for (index, value) in array.iter().enumerate() {
                    places.push(format!("{at}/{index}"));
                    walk(value, &format!("{at}/{index}"), places);
                }
            }
            _ => {}
        }
    }
    let mut places = Vec::new();
    walk(&base(), "", &mut places);
    places.retain(|place| !place.starts_with("/schema/"));
    places
}

/// The values to put there; `None` removes the value.
fn replacements() -> Vec<Option<Value>> {
    let mut values: Vec<Option<Value>> = vec![None];
    values.extend(
        [
            json!(null),
            json!(true),
            json!(0),
            json!(7),
            json!(-1),
            json!(2.5),
            json!(3.0),
            json!(""),
            json!("x"),
            json!([]),
            json!({}),
            json!(["x"]),
            json!([["x"]]),
            json!([1]),
            json!([{}]),
            json!("poll"),
            json!("Image"),
            json!("en-US"),
            json!("zh-Hans-CN"),
            json!("english language"),
            json!("EN"),
            json!("e"),
            json!("en_US"),
            json!("2025-01-15T10:00:00Z"),
            json!("2025-01-15T10:00:00.5+02:00"),
            json!("2025-01-15"),
            json!("yesterday"),
            json!("2025-02-30T00:00:00Z"),
            json!("2025-01-15 10:00:00Z"),
            json!("2016-12-31T23:59:60Z"),
            json!("https://example.org/x?y=z#f"),
            json!("http://[::1]:8080/"),
            json!("HTTPS://example.org/"),
            json!("/relative"),
            json!("https://example.org/ä"),
            json!("https://example.org/a b"),
            json!("https://example.org/%zz"),
            json!("PT5M20S"),
            json!("PT"),
            json!("P1D"),
            json!({"type": "Person", "name": "x"}),
        ]
        .map(Some),
    );
    values
}

fn put(place: &str, value: &Option<Value>) -> Value {
    let mut page = base();
    let (parent, name) = place.rsplit_once('/').unwrap();
    let parent = page.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(map), Some(value)) => drop(map.insert(name.to_owned(), value.clone())),
        (Value::Object(map), None) => drop(map.remove(name)),
        (Value::Array(array), Some(value)) => array[name.parse::<usize>().unwrap()] = value.clone(),
        (Value::Array(array), None) => drop(array.remove(name.parse().unwrap())),
        _ => unreachable!(),
    }
    page
}

/// The reason why the reader requires more than the schema, if it does.
fn stricter(place: &str, value: &Option<Value>) -> Option<&'static str> {
    let is_url = place.ends_with("/url") || place.ends_with("/href") || place == "/canonical";
    match value {
        Some(Value::String(url)) if is_url && !url.starts_with("http") => {
            Some("every URL must be http(s), the schema says so only of a page's `url`")
        }
        _ if place.ends_with("/rel") && place.contains("/9/") => {
            Some("`rel` of an audio link, on which the schema is silent")
        }
        _ => None,
    }
}

#[test]
fn agrees_with_the_page_schema_on_every_change_of_one_member() {
    let schema = validator("page");
    assert!(schema.is_valid(&base()) && is_clean(&base()));
    let (mut valid, mut broken, mut excepted) = (0, 0, 0);
    for place in places() {
        for value in replacements() {
            let page = put(&place, &value);
            let (by_schema, by_us) = (schema.is_valid(&page), is_clean(&page));
            assert!(
                by_schema || !by_us,
                "the reader accepts what the schema rejects: {place} = {value:?}"
            );
            if by_schema && !by_us {
                assert!(
                    stricter(&place, &value).is_some(),
                    "the reader rejects what the schema accepts: {place} = {value:?}"
                );
                excepted += 1;
            } else if by_schema {
                valid += 1;
            } else {
                broken += 1;
            }
        }
    }
    assert!(
        valid > 300 && broken > 1500,
        "too few cases: {valid} valid, {broken} broken, {excepted} excepted"
    );
}

#[test]
fn agrees_with_the_metadata_schema_on_every_change_of_one_member() {
    let schema = validator("collection");
    let base = json!({"collection": {"id": "a-b_C", "section": "all", "type": "delta", "generated": "2025-01-15T10:00:00Z",
        "since": "2025-01-14T10:00:00Z", "version": "0.1"}});
    let read_cleanly = |metadata: &Value| {
        let outcome = read(format!("{metadata}\n").as_bytes());
        outcome.result.is_ok() && outcome.warnings.is_empty()
    };
    assert!(schema.is_valid(&base) && read_cleanly(&base));
    for name in ["id", "section", "type", "generated", "since", "version"] {
        for value in replacements() {
            let mut metadata = base.clone();
            let members = metadata["collection"].as_object_mut().unwrap();
            match value.clone() {
                Some(value) => drop(members.insert(name.to_owned(), value)),
                None => drop(members.remove(name)),
            }
            // A schema cannot compare two timestamps.
            if schema.is_valid(&metadata) && outcome_is_only_about_order(&metadata) {
                continue;
            }
            assert_eq!(
                schema.is_valid(&metadata),
                read_cleanly(&metadata),
                "{name} = {value:?}"
            );
        }
    }
    // The schema cannot check a checksum, and does not know which versions are supported.
    for (name, value, code) in [
        ("version", json!("9.0"), "unsupported-version"),
        (
            "checksum",
            json!(format!("sha256:{}", "0".repeat(64))),
            "checksum-mismatch",
        ),
    ] {
        let mut metadata = base.clone();
        metadata["collection"][name] = value;
        assert!(schema.is_valid(&metadata));
        assert_eq!(
            read(format!("{metadata}\n").as_bytes()).error_code(),
            Some(code)
        );
    }
}

fn outcome_is_only_about_order(metadata: &Value) -> bool {
    read(format!("{metadata}\n").as_bytes()).codes() == ["since-after-generated"]
}

#[test]
fn rejects_malformed_language_tags_that_match_the_schema() {
    let schema = validator("page");
    for tag in ["en-abcdefghijk", "en-a", "en-x"] {
        let page = put("/language", &Some(json!(tag)));
        assert!(
            schema.is_valid(&page) && !is_clean(&page),
            "{tag} follows the pattern, but not BCP 47"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn writes_pages_that_are_valid_by_the_schema(page in page(), collection in collection()) {
        let file = write(Compression::None, &collection, &[page]);
        let lines: Vec<&str> = std::str::from_utf8(&file).unwrap().lines().collect();
        for (line, schema) in lines.iter().zip(["collection", "page"]) {
            let value = serde_json::from_str(line).unwrap();
            let errors: Vec<String> = validator(schema).iter_errors(&value).map(|error| error.to_string()).collect();
            prop_assert!(errors.is_empty(), "{}: {:?}", line, errors);
        }
    }
}
