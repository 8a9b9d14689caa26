//! JSON objects kept as text.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::InvalidValue;
use crate::json::{Kind, Scanner};

/// A JSON object from outside, kept as text.
///
/// Schema.org data and ActivityStreams objects are passed through without being interpreted. As text they take
/// no more memory than in the file, while a tree of values can take a hundred times as much; and
/// numbers, order and duplicate members are preserved. Only white space between tokens is removed.
///
/// With `serde_json` it serialises as an object; other serialisers are not supported.
///
/// ```
/// use sitecast_scp::JsonObject;
///
/// let object = JsonObject::new(r#"{ "@type": "Product", "price": 29.90 }"#)?;
/// assert_eq!(object.as_str(), r#"{"@type":"Product","price":29.90}"#);
/// assert_eq!(object.to_map()?["@type"], "Product");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JsonObject(String);

impl JsonObject {
    /// Checks that `text` is a JSON object, and removes white space between tokens.
    pub fn new(text: &str) -> Result<Self, InvalidValue> {
        let mut scanner = Scanner::new(text, usize::MAX);
        let object = scanner
            .value(0)
            .ok()
            .filter(|value| value.kind == Kind::Object);
        match object {
            Some(object) if scanner.end().is_ok() && !scanner.saw_lone_surrogate() => {
                Ok(Self::from_checked(object.raw))
            }
            _ => Err(InvalidValue::new(text, "a JSON object")),
        }
    }

    /// Takes the text of an object with valid syntax.
    pub(crate) fn from_checked(raw: &str) -> Self {
        let mut text = String::with_capacity(raw.len());
        let mut in_string = false;
        let mut escaped = false;
        for c in raw.chars() {
            if in_string || !matches!(c, ' ' | '\t' | '\n' | '\r') {
                text.push(c);
            }
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == '"' {
                in_string = !in_string;
            }
        }
        Self(text)
    }

    /// The object as text, without white space between tokens.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses the object. This fails for values that `serde_json` does not accept: numbers beyond a
    /// double, nesting beyond 128 levels.
    pub fn to_map(&self) -> serde_json::Result<serde_json::Map<String, serde_json::Value>> {
        serde_json::from_str(&self.0)
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for JsonObject {
    fn from(map: serde_json::Map<String, serde_json::Value>) -> Self {
        Self(serde_json::Value::Object(map).to_string())
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_everything_but_white_space_between_tokens() {
        let text = "{ \"a b\" : [ 1e999 ,\t2.50 ] ,\n \"q\\\" \\\\\" : \" x \" , \"a b\":1 }";
        let object = JsonObject::new(text).unwrap();
        assert_eq!(
            object.as_str(),
            "{\"a b\":[1e999,2.50],\"q\\\" \\\\\":\" x \",\"a b\":1}"
        );
        assert_eq!(serde_json::to_string(&object).unwrap(), object.as_str());
    }

    #[test]
    fn rejects_everything_but_one_object() {
        for text in ["", "[]", "null", "{", "{} {}", "{\"a\":\"\\ud800\"}"] {
            assert!(JsonObject::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn accepts_any_depth() {
        let deep = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
        let object = JsonObject::new(&deep).unwrap();
        assert_eq!(object.as_str().len(), deep.len());
    }
}
