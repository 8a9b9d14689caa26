//! The JSON-LD scripts of a page, mended where their makers slipped.

use serde_json::Value;

use super::json_repair::mend;
use crate::dom::{Dom, NodeId};

const MAX_SCRIPT_BYTES: usize = 2_000_000;
const MAX_TOTAL_BYTES: usize = 8_000_000;

/// What the page's JSON-LD scripts hold, in document order. Scripts beyond mending are left out.
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
    let mended = mend(text);
    if read_values(&mended, found) {
        return;
    }
    // Objects one after the other with commas between them. If that is not it, the objects before
    // the mistake are kept.
    if let Ok(values) = serde_json::from_str::<Vec<Value>>(&format!("[{mended}]")) {
        found.truncate(before);
        found.extend(values);
    }
}

/// Reads one value after the other; whether all of the text was values.
fn read_values(text: &str, found: &mut Vec<Value>) -> bool {
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value {
            Ok(value) => found.push(value),
            Err(_) => return false,
        }
    }
    true
}

/// The script without the comment signs that hide it from browsers of the last century.
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
