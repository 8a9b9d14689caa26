//! Single values out of other programs' files of settings.
//!
//! These are TOML, YAML, JSON, JavaScript or Python, and only a text that stands there literally is of
//! use. So YAML is read as far as its first level goes, and programs as text; what is computed is not
//! found, and asked for.

use std::path::Path;

use serde_json::Value;
use toml::de::DeTable;

use crate::config::value::from_toml;

/// More is no file of settings.
const LONGEST: u64 = 1 << 20;

/// A file of settings of another program.
pub(super) struct Peek {
    text: String,
    syntax: Syntax,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Toml,
    Json,
    Yaml,
    Program,
}

impl Peek {
    /// Opens a file; `None` if it is not there or cannot be read as text.
    pub(super) fn open(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        if !metadata.is_file() || metadata.len() > LONGEST {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        let end = path.extension().and_then(|end| end.to_str());
        let syntax = match end {
            Some("toml") => Syntax::Toml,
            Some("json") => Syntax::Json,
            Some("yml" | "yaml") => Syntax::Yaml,
            _ => Syntax::Program,
        };
        Some(Self { text, syntax })
    }

    /// The text that a key has. In TOML and JSON a dot leads into tables, and case does not matter.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        if key.is_empty() {
            return None;
        }
        let found = match self.syntax {
            Syntax::Toml => {
                let table = DeTable::parse(&self.text).ok()?;
                let value = from_toml(&toml::de::DeValue::Table(table.into_inner()));
                within(&value, key)
            }
            Syntax::Json => within(&serde_json::from_str(&self.text).ok()?, key),
            Syntax::Yaml => yaml(&self.text, key),
            Syntax::Program => program(&self.text, key),
        };
        found.filter(|text| !text.is_empty())
    }

    /// Whether a key is there, whatever it has.
    pub(super) fn has(&self, key: &str) -> bool {
        key.is_empty() || self.text(key).is_some()
    }
}

fn within(value: &Value, key: &str) -> Option<String> {
    let mut value = value;
    for part in key.split('.') {
        let entries = value.as_object()?;
        let (_, inner) = entries
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(part))?;
        value = inner;
    }
    value.as_str().map(str::to_owned)
}

/// A scalar of the first level.
fn yaml(text: &str, key: &str) -> Option<String> {
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else {
            continue;
        };
        let name = name.trim_end().trim_matches(['"', '\'']);
        if line.starts_with([' ', '\t', '#', '-']) || !name.eq_ignore_ascii_case(key) {
            continue;
        }
        let rest = rest.trim_start();
        let value = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest.get(1..)?.split(quote).next()?,
            _ => rest.split(" #").next()?.trim_end(),
        };
        // A variable, an anchor, a block or a list is no text that could be used.
        let is_plain = !value.starts_with(['!', '&', '*', '|', '>', '{', '[', '#']);
        return is_plain.then(|| value.to_owned());
    }
    None
}

/// What stands in quotes after a name and `:` or `=`, outside of comments.
fn program(text: &str, key: &str) -> Option<String> {
    for line in text.lines() {
        let line = line.trim_start();
        if line.starts_with("//") || line.starts_with('#') || line.starts_with('*') {
            continue;
        }
        for (at, _) in line.match_indices(key) {
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$')) {
                continue;
            }
            let rest = line.get(at + key.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['"', '\'']).trim_start();
            let Some(rest) = rest.strip_prefix([':', '=']) else {
                continue;
            };
            let rest = rest.trim_start();
            let quote = rest
                .chars()
                .next()
                .filter(|c| matches!(c, '"' | '\'' | '`'));
            let value = quote.and_then(|quote| rest.get(1..)?.split_once(quote));
            if let Some((value, _)) = value
                && !value.contains("${")
            {
                return Some(value.to_owned());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peek(name: &str, text: &str, key: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Peek::open(&path).unwrap().text(key)
    }

    #[test]
    fn values_are_found_in_the_files_of_other_programs() {
        for (name, text, key, value) in [
            (
                "hugo.toml",
                "BaseURL = 'https://a.example/'\n[params]\nbaseURL='x'",
                "baseURL",
                "https://a.example/",
            ),
            (
                "book.toml",
                "[build]\nbuild-dir = \"../out\"",
                "build.build-dir",
                "../out",
            ),
            (
                "hugo.json",
                r#"{"baseURL":"https://a.example/"}"#,
                "baseURL",
                "https://a.example/",
            ),
            (
                "mkdocs.yml",
                "site_name: X\nsite_url: https://a.example/b/ # here\n",
                "site_url",
                "https://a.example/b/",
            ),
            (
                "_config.yml",
                "# url: no\nauthor:\n  url: no\nurl: \"https://a.example\" # yes\n",
                "url",
                "https://a.example",
            ),
            (
                "conf.py",
                "# html_baseurl = 'no'\nhtml_baseurl = 'https://a.example/'\n",
                "html_baseurl",
                "https://a.example/",
            ),
            (
                "c.config.js",
                "const c = {\n  // url: 'no',\n  editUrl: 'no',\n  url: 'https://a.example',\n  baseUrl: \"/b/\",\n}",
                "url",
                "https://a.example",
            ),
            (
                "c.config.js",
                "export default { \"url\": \"https://a.example\" }",
                "url",
                "https://a.example",
            ),
        ] {
            assert_eq!(peek(name, text, key).as_deref(), Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_computed_is_not_found() {
        for (name, text, key) in [
            ("mkdocs.yml", "site_url: !ENV SITE_URL\n", "site_url"),
            ("c.config.js", "url: process.env.URL,\n", "url"),
            ("c.config.js", "url: `https://${host}/`,\n", "url"),
            ("hugo.toml", "not toml at all", "baseURL"),
            ("hugo.toml", "baseURL = 5", "baseURL"),
            ("_config.yml", "url:\n", "url"),
        ] {
            assert_eq!(peek(name, text, key), None, "{text}");
        }
    }
}
