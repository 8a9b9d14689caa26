use proptest::prelude::*;

use super::*;

fn is_json(text: &str) -> bool {
    let mut scanner = Scanner::new(text, 128);
    scanner.value(0).and_then(|_| scanner.end()).is_ok()
}

#[test]
fn agrees_with_the_grammar_of_rfc_8259() {
    for text in [
        "null",
        " true ",
        "-0",
        "0.5e-10",
        "1E+2",
        "\"\"",
        "[]",
        "{}",
        "[1,[2,{\"a\":[]}],\"x\"]",
        "{\"a\":{\"b\":null}}",
        "\"\\u00e9\\n\\\\\\/\"",
        "\"ü€😀\"",
        "\t[\r\n]",
        "\"\\ud83d\\ude00\"",
        "\"\\ud800\"",
        "\"\u{7f}\"",
        "1e999",
    ] {
        assert!(is_json(text), "{text}");
    }
    for text in [
        "",
        " ",
        "nul",
        "truex",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "0x1",
        "NaN",
        "'a'",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123\"",
        "\"a\nb\"",
        "\"\0\"",
        "\"\t\"",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[",
        "]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "[1}",
        "{\"a\":1]",
        "[]]",
        "{}{}",
        "1 2",
        "\u{feff}{}",
        "[1,,2]",
        "// x\n1",
        "[\"a\"",
    ] {
        assert!(!is_json(text), "{text}");
    }
}

#[test]
fn bounds_depth_without_recursion() {
    let depth = 200_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = open.repeat(depth) + "1" + &close.repeat(depth);
        for (limit, too_deep) in [(128, true), (depth - 1, true), (depth, false)] {
            let mut scanner = Scanner::new(&deep, limit);
            assert!(scanner.value(0).and_then(|_| scanner.end()).is_ok());
            assert_eq!(scanner.was_too_deep(), too_deep, "{limit}");
        }
        let mut unclosed = Scanner::new(deep.strip_suffix(close).unwrap(), 128);
        assert!(
            unclosed.value(0).is_err(),
            "a value that is too deep must still be JSON"
        );
    }
    for (depth, too_deep) in [(4, false), (5, true)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = open.repeat(depth - 1) + "[]" + &close.repeat(depth - 1);
            let mut scanner = Scanner::new(&text, 4);
            scanner.value(0).unwrap();
            assert_eq!(scanner.was_too_deep(), too_deep, "{text}");
        }
    }
}

#[test]
fn object_of_one_string_consumes_all_or_nothing() {
    let prefix = "{\"a\":";
    for (text, taken) in [
        ("{\"a\":\"x\"} ", Some("\"x\"")),
        ("{\"a\":\"\\n\"}", Some("\"\\n\"")),
        ("{\"a\":\"x\" }", None),
        ("{\"a\":\"x\",\"b\":1}", None),
        ("{\"a\": \"x\"}", None),
        ("{\"a\":1}", None),
        ("{\"a\":", None),
        ("", None),
    ] {
        let mut scanner = Scanner::new(text, 8);
        let value = scanner.object_of_one_string(prefix, 0).unwrap();
        assert_eq!(value.map(|value| value.raw), taken, "{text}");
        assert_eq!(scanner.position() > 0, taken.is_some(), "{text}");
    }
    let mut cut = Scanner::new("{\"a\":\"x", 8);
    assert!(cut.object_of_one_string(prefix, 0).is_err());
    let mut deep = Scanner::new("{\"a\":\"x\"}", 8);
    assert!(deep.object_of_one_string(prefix, 8).is_ok() && deep.was_too_deep());
}

#[test]
fn classifies_arrays_by_their_elements() {
    let kind = |text| Scanner::new(text, 128).value(0).unwrap().kind;
    assert_eq!(kind("[]"), Kind::EmptyArray);
    assert_eq!(kind("[\"a\",\"b\"]"), Kind::Strings);
    assert_eq!(kind("[[\"a\"],[]]"), Kind::Rows);
    for mixed in [
        "[1]",
        "[\"a\",[\"b\"]]",
        "[[1]]",
        "[[[]]]",
        "[{}]",
        "[\"a\",null]",
    ] {
        assert_eq!(kind(mixed), Kind::Mixed, "{mixed}");
    }
}

#[test]
fn detects_lone_surrogates() {
    for (text, lone) in [
        ("\"\\ud83d\\ude00\"", false),
        ("\"\\ud83d\"", true),
        ("\"\\ude00\"", true),
        ("\"\\ud83dx\"", true),
        ("\"\\ud83d\\n\"", true),
        ("\"\\ud83d\\ud83d\\ude00\"", true),
        ("\"\\u0041\"", false),
        ("\"\\uD83D\\uDE00\"", false),
    ] {
        let mut scanner = Scanner::new(text, 8);
        scanner.value(0).unwrap();
        assert_eq!(scanner.saw_lone_surrogate(), lone, "{text}");
    }
}

fn json_like() -> impl Strategy<Value = String> {
    // Random sequences of these fragments are nearly JSON, and often valid JSON.
    let fragment = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"a\"",
        "\"type\":",
        "1",
        "-1.5e3",
        "true",
        "null",
        " ",
        "\\u",
        "d83d",
        "\\ude00",
        "é",
        "0",
        "\"k\":\"v\"",
        "[\"x\",\"y\"]",
        "{\"z\":[]}",
        "\u{1}",
        "long text without anything special in it",
    ]);
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]
    #[test]
    fn agrees_with_serde_json(text in json_like()) {
        let mut scanner = Scanner::new(&text, 128);
        let ours = scanner.value(0).and_then(|_| scanner.end()).is_ok();
        // To skip a value, serde_json checks only the grammar; to build it, also surrogates and
        // the range of numbers.
        let skipped = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        let built = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        prop_assert_eq!(ours, skipped);
        prop_assert!(!built || !scanner.saw_lone_surrogate());
    }
}
