//! Canonical JSON (RFC 8785, JCS).

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::bytes::find_byte;

/// The reason why a text has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// The text is not JSON, is nested deeper than 128 levels, or has a duplicate name or a number beyond a double.
    #[error("not usable JSON: {0}")]
    Json(String),
    /// A number does not fit a double, so that programs would read different values.
    #[error("the number {0} does not fit a double; write it as a string")]
    Number(String),
}

/// Returns the canonical form of a JSON text.
///
/// Members are sorted by the UTF-16 code units of their names, numbers and strings are written as in ECMAScript, and there
/// is no white space. A text that programs would read differently has no canonical form: one with duplicate
/// names, or with integers that do not fit a double.
///
/// ```
/// let canonical = sitecast_tct::canonicalize(r#"{ "b": 1.0, "a": "\u00e9\/" }"#)?;
/// assert_eq!(canonical, r#"{"a":"é/","b":1}"#);
/// # Ok::<(), sitecast_tct::CanonicalError>(())
/// ```
pub fn canonicalize(json: &str) -> Result<String, CanonicalError> {
    if let Some(number) = numbers(json).find(|number| !is_portable(number)) {
        return Err(CanonicalError::Number(number.chars().take(60).collect()));
    }
    write(json, DuplicateNames::Refuse)
}

/// Like [`canonicalize`], but rounds every number to a double.
pub(crate) fn canonicalize_rounding(json: &str) -> Result<String, CanonicalError> {
    write(json, DuplicateNames::Refuse)
}

/// Like [`canonicalize`], but makes JSON of unknown origin portable: numbers that do not fit a double become strings, and
/// the last of duplicate names counts, as in browsers.
pub(crate) fn canonicalize_foreign(json: &str) -> Result<String, CanonicalError> {
    write(&quote_unportable(json), DuplicateNames::KeepLast)
}

fn write(json: &str, duplicates: DuplicateNames) -> Result<String, CanonicalError> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let invalid = |error: serde_json::Error| CanonicalError::Json(error.to_string());
    let node = duplicates.deserialize(&mut deserializer).map_err(invalid)?;
    deserializer.end().map_err(invalid)?;
    let mut out = String::with_capacity(json.len());
    node.write(&mut out);
    Ok(out)
}

/// The treatment of duplicate names in an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DuplicateNames {
    Refuse,
    KeepLast,
}

enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => out.push_str(ryu_js::Buffer::new().format(*number)),
            Self::Text(text) => write_text(text, out),
            Self::Array(nodes) => {
                let mut before = '[';
                for node in nodes {
                    out.push(before);
                    node.write(out);
                    before = ',';
                }
                out.push_str(if nodes.is_empty() { "[]" } else { "]" });
            }
            Self::Object(members) => {
                let mut before = '{';
                for (name, node) in members {
                    out.push(before);
                    write_text(name, out);
                    out.push(':');
                    node.write(out);
                    before = ',';
                }
                out.push_str(if members.is_empty() { "{}" } else { "}" });
            }
        }
    }
}

/// Writes a string by RFC 8785: only quotes, backslashes and control characters are escaped.
pub(crate) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    let is_special = |byte| byte < b' ' || byte == b'"' || byte == b'\\';
    while let Some(at) = find_byte(rest.as_bytes(), is_special) {
        let (plain, special) = rest.split_at_checked(at).unwrap_or_default();
        out.push_str(plain);
        match special.as_bytes().first() {
            Some(b'"') => out.push_str("\\\""),
            Some(b'\\') => out.push_str("\\\\"),
            Some(8) => out.push_str("\\b"),
            Some(b'\t') => out.push_str("\\t"),
            Some(b'\n') => out.push_str("\\n"),
            Some(12) => out.push_str("\\f"),
            Some(b'\r') => out.push_str("\\r"),
            Some(control) => out.push_str(&format!("\\u{control:04x}")),
            None => {}
        }
        rest = special.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out.push('"');
}

impl<'de> DeserializeSeed<'de> for DuplicateNames {
    type Value = Node;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DuplicateNames {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = access.next_element_seed(self)? {
            nodes.push(node);
        }
        Ok(Node::Array(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut members: Vec<(String, Node)> = Vec::new();
        while let Some(name) = access.next_key_seed(Name)? {
            members.push((name, access.next_value_seed(self)?));
        }
        // A stable sort, which keeps the order of duplicate names.
        members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        if self == Self::Refuse {
            let mut pairs = members.iter().zip(members.iter().skip(1));
            if let Some(((name, _), _)) = pairs.find(|((a, _), (b, _))| a == b) {
                let name: String = name.chars().take(60).collect();
                return Err(de::Error::custom(format!(
                    "duplicate name `{name}` in an object"
                )));
            }
        } else {
            members.reverse();
            members.dedup_by(|(a, _), (b, _)| a == b);
            members.reverse();
        }
        Ok(Node::Object(members))
    }
}

struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = String;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        String::deserialize(deserializer)
    }
}

/// Iterates over the numbers of a JSON text, as they are written. For a text that is not JSON the result is arbitrary; the
/// parser reports the error.
fn numbers(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find(|c: char| matches!(c, '"' | '-' | '0'..='9'))?;
            let from = rest.get(at..)?;
            if let Some(inside) = from.strip_prefix('"') {
                rest = after_string(inside);
                continue;
            }
            let end = from
                .find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'))
                .unwrap_or(from.len());
            rest = from.get(end..)?;
            return from.get(..end);
        }
    })
}

/// Returns the text after a string, given the text after its opening quote.
fn after_string(inside: &str) -> &str {
    let mut rest = inside;
    while let Some(at) = rest.find(['"', '\\']) {
        let special = rest.get(at..).unwrap_or_default();
        if special.starts_with('"') {
            return special.get(1..).unwrap_or_default();
        }
        let mut escaped = special.chars();
        escaped.nth(1);
        rest = escaped.as_str();
    }
    ""
}

/// Returns true if all programs read the same value: an integer that a double represents exactly, or a finite
/// fraction.
fn is_portable(number: &str) -> bool {
    let Ok(value) = number.parse::<f64>() else {
        // Not a number: the parser reports the error.
        return true;
    };
    if !value.is_finite() {
        return false;
    }
    let integer = !number.contains(['.', 'e', 'E']);
    // Either the double has exactly this value, or this is how ECMAScript writes that double.
    !integer
        || number.len() < 16
        || format!("{value:.0}") == number
        || ryu_js::Buffer::new().format(value) == number
}

/// Quotes the numbers that are not portable.
fn quote_unportable(json: &str) -> Cow<'_, str> {
    let mut quoted = String::new();
    let mut copied = 0;
    for number in numbers(json).filter(|number| !is_portable(number)) {
        let from = number.as_ptr() as usize - json.as_ptr() as usize;
        quoted.push_str(json.get(copied..from).unwrap_or_default());
        quoted.push('"');
        quoted.push_str(number);
        quoted.push('"');
        copied = from + number.len();
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    quoted.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(quoted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// RFC 8785, appendix B: doubles by their bits, and their canonical text.
    #[test]
    fn numbers_must_be_written_as_ecmascript_does() {
        for (bits, text) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            let number = f64::from_bits(bits);
            assert_eq!(
                canonicalize(&format!("{number:e}")).as_deref(),
                Ok(text),
                "{bits:x}"
            );
            assert_eq!(canonicalize(text).as_deref(), Ok(text));
        }
    }

    /// The examples of RFC 8785 §3.2.2 to §3.2.4.
    #[test]
    fn vectors_of_rfc_8785() {
        let sample = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let canonical = canonicalize(sample).unwrap();
        assert_eq!(
            canonical,
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        );
        assert_eq!(canonical.len(), 118);
        let sorting = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
            "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        assert_eq!(
            canonicalize(sorting).unwrap(),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\
             \"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}"
        );
        for (json, canonical) in [
            (
                r#"[56,{"d":true,"10":null,"1":[]}]"#,
                r#"[56,{"1":[],"10":null,"d":true}]"#,
            ),
            (
                r#"{"1":{"f":{"f":"hi","F":5},"\n":56.0},"10":{},"":"empty"}"#,
                r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{}}"#,
            ),
            (r#"{"a":"A\u030a"}"#, "{\"a\":\"A\u{30a}\"}"),
            (
                "[1000000000000000000000,9007199254740994,-18014398509481984]",
                "[1e+21,9007199254740994,-18014398509481984]",
            ),
            (
                r#" "\b\t\n\f\r\u0000\u001F\u007f" "#,
                "\"\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\"",
            ),
        ] {
            assert_eq!(canonicalize(json).as_deref(), Ok(canonical));
        }
    }

    #[test]
    fn refuses_ambiguous_json() {
        for number in [
            "9007199254740993",
            "-9007199254740993",
            "18446744073709551615",
            "12345678901234567890123",
            "1e400",
            "-1e400",
        ] {
            let json = format!("{{\"a\":[\"9007199254740993\",{number}]}}");
            assert_eq!(
                canonicalize(&json),
                Err(CanonicalError::Number(number.to_owned())),
                "{json}"
            );
        }
        for json in [
            "",
            "{",
            "[1,]",
            "NaN",
            "[Infinity]",
            "{\"a\":1,\"a\":1}",
            "{\"a\":{\"b\":1,\"c\":2,\"\\u0062\":3}}",
            "1 2",
            "\"\\ud800\"",
            "01",
            "+1",
        ] {
            assert!(
                matches!(canonicalize(json), Err(CanonicalError::Json(_))),
                "{json}"
            );
        }
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert!(matches!(canonicalize(&deep), Err(CanonicalError::Json(_))));
    }

    #[test]
    fn makes_foreign_json_portable() {
        for (json, canonical) in [
            (
                r#"{"sku":12345678901234567890,"x":1e400,"a":"12345678901234567890"}"#,
                r#"{"a":"12345678901234567890","sku":"12345678901234567890","x":"1e400"}"#,
            ),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            (
                r#"["\"9007199254740993",9007199254740993]"#,
                r#"["\"9007199254740993","9007199254740993"]"#,
            ),
        ] {
            assert_eq!(canonicalize_foreign(json).as_deref(), Ok(canonical));
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        use serde_json::Value;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-9_007_199_254_740_992i64..=9_007_199_254_740_992).prop_map(Value::from),
            any::<f64>().prop_filter_map("finite", |number| serde_json::Number::from_f64(number)
                .map(Value::Number)),
            "\\PC{0,8}".prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z\u{e000}\u{ffff}😀é\"\\\\\n]{0,4}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_an_independent_implementation(value in json()) {
            let theirs = serde_json_canonicalizer::to_string(&value).unwrap();
            for text in [serde_json::to_string(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap()] {
                let ours = canonicalize(&text).unwrap();
                prop_assert_eq!(&ours, &theirs);
                prop_assert_eq!(canonicalize(&ours).unwrap(), ours.clone());
                prop_assert_eq!(canonicalize_foreign(&text).unwrap(), ours);
            }
        }

        #[test]
        fn never_panics(text in "[\\[\\]{}:,\"\\\\0-9eE+.a é-]{0,40}") {
            let _ = canonicalize(&text);
            let _ = canonicalize_foreign(&text);
        }
    }
}
