//! One line to one page.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use sitecast_extract::{Extractor, Html, fold};
use sitecast_scp::Timestamp;

use crate::commands::extract::parse_url;

#[derive(Debug, Deserialize)]
struct Input {
    url: Option<String>,
    html: Option<String>,
}

#[derive(Debug, Serialize)]
struct NoPage<'a> {
    url: Option<&'a str>,
    error: &'a str,
}

/// What makes pages of lines.
pub(super) struct Maker<'a> {
    pub(super) extractor: Extractor<'a>,
    pub(super) blocks: usize,
    pub(super) seen: Timestamp,
}

impl Maker<'_> {
    /// The line of the page, or the line that says why there is none.
    pub(super) fn make(&self, number: u64, line: Vec<u8>) -> Result<String, String> {
        let input: Input = serde_json::from_slice(&line).map_err(|error| {
            // Its own line is the first of one.
            let error = error
                .to_string()
                .replace(" at line 1 column ", " at column ");
            let error = format!("not a JSON object with `url` and `html` as text: {error}");
            no_page(url_of(&line).as_deref(), number, &error)
        })?;
        // The page is in there once more.
        drop(line);
        let url = input.url.as_deref();
        let fail = |error: &str| no_page(url, number, error);
        let text = url.ok_or_else(|| fail("there is no `url`"))?;
        let parsed = parse_url(text).map_err(|error| fail(&format!("`url` {error}")))?;
        let html = input
            .html
            .as_deref()
            .ok_or_else(|| fail("there is no `html`"))?;
        let mut extracted = self
            .extractor
            .extract_page(&Html::new(&parsed, html.as_bytes(), self.seen))
            .map_err(|error| fail(&error.to_string()))?;
        fold(&mut extracted.page, self.blocks);
        serde_json::to_string(&extracted.page).map_err(|error| fail(&error.to_string()))
    }
}

pub(super) fn no_page(url: Option<&str>, number: u64, error: &str) -> String {
    let error = &format!("line {number}: {error}");
    serde_json::to_string(&NoPage { url, error }).unwrap_or_else(|_| "{}".to_owned())
}

/// The `url` of a line that cannot be read as a whole: cut short, or with text that is none.
fn url_of(line: &[u8]) -> Option<String> {
    let mut found = None;
    let mut parser = serde_json::Deserializer::from_slice(line);
    // Whatever is wrong with the line has been said; it is wrong after the URL, with some luck.
    let _ = UrlSeed(&mut found).deserialize(&mut parser);
    found
}

/// Keeps the `url` of an object as soon as it is met.
struct UrlSeed<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for UrlSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for UrlSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "url" {
                *self.0 = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::url_of;

    #[test]
    fn a_url_is_found_in_what_is_no_text() {
        let url = Some("https://e.com/ä".to_owned());
        for line in [
            &br#"{"url":"https://e.com/\u00e4","html":"\ud800"}"#[..],
            br#"{"html":"\udc00","url":"https://e.com/\u00e4"}"#,
            b"{\"html\":\"\xff\",\"url\":\"https://e.com/\\u00e4\"}",
            br#"{"url":"https://e.com/\u00e4","html":"cut sho"#,
            br#"{"url":"https://e.com/\u00e4","html":7}"#,
            br#"{"url":"https://e.com/\u00e4" "html":"x"}"#,
        ] {
            assert_eq!(url_of(line), url, "{}", String::from_utf8_lossy(line));
        }
        for line in [
            &b"null"[..],
            b"",
            b"[]",
            b"{\"url\":7}",
            b"{\"url\":\"\xff\"}",
        ] {
            assert_eq!(url_of(line), None, "{}", String::from_utf8_lossy(line));
        }
    }
}
