//! Reading and repairing the JSON-LD scripts of a page.

use serde_json::Value;

use super::json_repair::repair;
use crate::dom::{Dom, NodeId};

const MAX_SCRIPT_BYTES: usize = 2_000_000;
const MAX_TOTAL_BYTES: usize = 8_000_000;

/// Returns the values in the JSON-LD scripts of a page, in document order, without scripts that cannot be repaired.
pub(in crate::metadata) fn json_ld(dom: &Dom, scripts: &[NodeId]) -> Vec<Value> {
    let mut found = Vec::new();
    let mut total = 0;
    for script in scripts {
        let text: String = dom
            .children(*script)
            .filter_map(|child| dom.text(child))
            .collect();
        total += text.len();
        if text.len() > MAX_SCRIPT_BYTES || total > MAX_TOTAL_BYTES {
            continue;
        }
        read(&text, &mut found);
    }
    found
}

fn read(script: &str, found: &mut Vec<Value>) {
    let text = unwrapped(script);
    if text.is_empty() {
        return;
    }
    let before = found.len();
    if read_values(text, found) {
        return;
    }
    found.truncate(before);
    let repaired = repair(text);
    if read_values(&repaired, found) {
        return;
    }
    // The script may be objects separated by commas. If it is not, the values before the first error are kept.
    if let Ok(values) = serde_json::from_str::<Vec<Value>>(&format!("[{repaired}]")) {
        found.truncate(before);
        found.extend(values);
    }
}

/// Reads one value after the other; returns false at the first error.
fn read_values(text: &str, found: &mut Vec<Value>) -> bool {
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value {
            Ok(value) => found.push(value),
            Err(_) => return false,
        }
    }
    true
}

/// Returns the script without the comment signs that hide it from very old browsers.
fn unwrapped(script: &str) -> &str {
    let mut text = script.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    loop {
        let before = text.len();
        for opening in [
            "<!--",
            "//<![CDATA[",
            "// <![CDATA[",
            "<![CDATA[",
            "/*<![CDATA[*/",
            "/* <![CDATA[ */",
            "//",
        ] {
            text = text.strip_prefix(opening).unwrap_or(text).trim_start();
        }
        for closing in [
            "-->",
            "//]]>",
            "// ]]>",
            "]]>",
            "/*]]>*/",
            "/* ]]> */",
            ";",
            "//",
        ] {
            text = text.strip_suffix(closing).unwrap_or(text).trim_end();
        }
        if text.len() == before {
            return text;
        }
    }
}

#[cfg(test)]
mod tests;
