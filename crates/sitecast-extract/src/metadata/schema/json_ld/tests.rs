use serde_json::json;

use super::*;
use crate::Limits;
use crate::dom::parse;
use crate::metadata::MetadataElements;

fn of_page(html: &str) -> Vec<Value> {
    let dom = parse(html, &Limits::default());
    json_ld(&dom, &MetadataElements::of(&dom).json_ld)
}

fn values(script: &str) -> Vec<Value> {
    let html = format!("<script type='application/ld+json'>{script}</script>");
    of_page(&html)
}

#[test]
fn reads_valid_scripts() {
    assert_eq!(values(r#"{"a": [1, "x"]}"#), [json!({"a": [1, "x"]})]);
    assert_eq!(values(" "), Vec::<Value>::new());
    assert_eq!(of_page("<script>{\"a\":1}</script>"), Vec::<Value>::new());
}

#[test]
fn repairs_common_mistakes() {
    let a = json!({"a": "b"});
    for script in [
        r#"{"a": "b",}"#,
        r#"{"a": "b"};"#,
        r#"<!-- {"a": "b"} -->"#,
        "//<![CDATA[\n{\"a\": \"b\"}\n//]]>",
        "/* <![CDATA[ */{\"a\": \"b\"}/* ]]> */",
        "\u{feff}{\"a\": \"b\"}",
        "{/* by a plugin */\"a\": \"b\"}",
        "{\u{a0}\"a\": \"b\" // why\n}",
        r#"{"a": "b", , }"#,
    ] {
        assert_eq!(values(script), std::slice::from_ref(&a), "{script}");
    }
    assert_eq!(
        values("{\"a\": \"x\ny\tz\u{1}\"}"),
        [json!({"a": "x\ny\tz"})]
    );
    assert_eq!(
        values(r#"{"a": "it\'s C:\x \"q\""}"#),
        [json!({"a": "it's C:\\x \"q\""})]
    );
    assert_eq!(
        values(r#"{"a": ["x",], "u": "//x, ]"}"#),
        [json!({"a": ["x"], "u": "//x, ]"})]
    );
    assert_eq!(
        values(r#"{"a": "\ud83d \ude00 \ud83d\ude00 \u00e9 \uzz"}"#),
        [json!({"a": "\u{fffd} \u{fffd} 😀 é \u{fffd}zz"})]
    );
    assert_eq!(
        values(r#"{"a":1}{"b":2}"#),
        [json!({"a": 1}), json!({"b": 2})]
    );
    assert_eq!(
        values(r#"{"a":1},{"b":2}"#),
        [json!({"a": 1}), json!({"b": 2})]
    );
}

#[test]
fn skips_scripts_beyond_repair() {
    for script in [
        "{",
        "nonsense",
        "{\"a\": }",
        "{'a': 1}",
        "\"",
        "\\",
        "/*",
        ",",
        "{{}}",
    ] {
        assert_eq!(values(script), Vec::<Value>::new(), "{script}");
    }
    assert_eq!(values(&"[".repeat(10_000)), Vec::<Value>::new());
    assert_eq!(values(&"{\"a\":".repeat(10_000)), Vec::<Value>::new());
    assert_eq!(
        values(&format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_SCRIPT_BYTES))),
        Vec::<Value>::new()
    );
}
