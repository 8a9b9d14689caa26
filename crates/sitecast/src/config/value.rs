//! Values of `sitecast.toml`, to be looked at and to be shown.

use serde_json::{Map, Number, Value};
use toml::de::DeValue;

/// A value of the file as JSON has it. What JSON does not have (infinity, dates) becomes nothing or text.
pub(crate) fn from_toml(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(is) => Value::Bool(*is),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            number.map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => {
            let number = number.as_str().parse().ok().and_then(Number::from_f64);
            number.map_or(Value::Null, Value::Number)
        }
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(values) => values
            .iter()
            .map(|value| from_toml(value.get_ref()))
            .collect(),
        DeValue::Table(table) => {
            let entries = table.iter();
            let entries = entries.map(|(key, value)| {
                let key = key.get_ref().to_string();
                (key, from_toml(value.get_ref()))
            });
            Value::Object(entries.collect::<Map<_, _>>())
        }
    }
}

/// A value as it stands in the file, parsed.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let value = DeValue::parse(text).ok()?;
    Some(from_toml(value.get_ref()))
}

/// A value as it would stand in the file, on one line.
pub(crate) fn to_toml(value: &Value) -> String {
    match value {
        Value::Null => "\"\"".to_owned(),
        // What JSON escapes, TOML does in the same way; but for this one, which JSON leaves alone.
        Value::String(text) => Value::from(text.as_str())
            .to_string()
            .replace('\u{7f}', "\\u007f"),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(to_toml).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries: Vec<String> = entries
                .map(|(key, value)| {
                    format!(
                        "{} = {}",
                        to_toml(&Value::from(key.as_str())),
                        to_toml(value)
                    )
                })
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// A value without the passwords that may be in URLs.
pub(crate) fn without_passwords(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_password(text)),
        Value::Array(values) => values.iter().map(without_passwords).collect(),
        other => other.clone(),
    }
}

/// `https://***@example.com/` for `https://me:secret@example.com/`.
fn without_password(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{path}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_they_would_stand_in_the_file() {
        for text in [
            "true",
            "-5",
            "0.5",
            "\"a \\\"b\\\" \\\\ c\"",
            "[\"zstd\", \"gzip\"]",
            "[]",
        ] {
            assert_eq!(to_toml(&parse(text).unwrap()), text);
        }
        assert_eq!(to_toml(&parse("0xff").unwrap()), "255");
        assert_eq!(to_toml(&parse("1_000").unwrap()), "1000");
        for text in ["\u{7f}", "\n\t\0", "é\u{2028}"] {
            let shown = to_toml(&Value::from(text));
            assert_eq!(parse(&shown), Some(Value::from(text)), "{shown}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let shown = |text: &str| without_passwords(&Value::from(text));
        assert_eq!(
            shown("https://me:secret@example.com/a@b"),
            "https://***@example.com/a@b"
        );
        assert_eq!(shown("https://example.com/a@b"), "https://example.com/a@b");
        assert_eq!(shown("bots@example.org"), "bots@example.org");
        assert_eq!(shown("s3://key:secret@bucket/x"), "s3://***@bucket/x");
    }
}
