use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use sitecast_scp::{Limits, Page};

use super::{Item, Items, Loaded, Raw, Source, Stamp};
use crate::{PublishError, Reason};

/// Pages as lines of JSON: each an SCP page, or an object with `url` and `html`.
///
/// All lines are looked at before anything else happens; one that is not as it should be is an
/// error with its number.
#[derive(Debug)]
pub struct LinesSource {
    name: String,
    file: Mutex<File>,
    limits: Limits,
}

/// The members of a line.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    #[serde(borrow)]
    html: Option<Cow<'a, str>>,
    /// The time of the last change of the HTML (RFC 3339).
    #[serde(borrow)]
    modified: Option<Cow<'a, str>>,
    #[serde(borrow)]
    language: Option<Cow<'a, str>>,
    /// As in `X-Robots-Tag`, or as drafts of SCP have it.
    robots: Option<serde_json::Value>,
    /// The status of the response.
    status: Option<u16>,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    protected: bool,
}

impl LinesSource {
    /// Opens a file.
    pub fn open(path: &Path, limits: Limits) -> Result<Self, PublishError> {
        let failed = |error| PublishError::source(path.display(), error);
        Ok(Self {
            name: path.display().to_string(),
            file: Mutex::new(File::open(path).map_err(failed)?),
            limits,
        })
    }

    /// Takes lines that can be read only once, such as standard input, and keeps them in a
    /// temporary file.
    pub fn spooled(
        name: &str,
        mut source: impl Read,
        limits: Limits,
    ) -> Result<Self, PublishError> {
        let failed = |error| PublishError::source(name, error);
        let mut file = tempfile::tempfile().map_err(failed)?;
        io::copy(&mut source, &mut file).map_err(failed)?;
        file.flush().map_err(failed)?;
        Ok(Self {
            name: name.to_owned(),
            file: Mutex::new(file),
            limits,
        })
    }

    fn failed(&self, source: io::Error) -> PublishError {
        PublishError::source(&self.name, source)
    }

    fn wrong(&self, line: u64, problem: impl Into<String>) -> PublishError {
        PublishError::Line {
            path: self.name.clone(),
            line,
            problem: problem.into(),
        }
    }

    /// Checks that a line is a page; returns its URL.
    fn check(&self, number: u64, line: &[u8]) -> Result<String, PublishError> {
        let text = std::str::from_utf8(line).map_err(|_| self.wrong(number, "it is not UTF-8"))?;
        let parsed: Line<'_> =
            serde_json::from_str(text).map_err(|error| self.wrong(number, not_a_page(&error)))?;
        let url = parsed
            .url
            .ok_or_else(|| self.wrong(number, "it has no `url`"))?;
        if let Some(status) = parsed.status.filter(|status| !(100..600).contains(status)) {
            let problem = format!("its `status` is {status}, which no server answers");
            return Err(self.wrong(number, problem));
        }
        if parsed.html.is_some() {
            url.parse::<sitecast_scp::HttpUrl>().map_err(|_| {
                self.wrong(number, "its `url` is not an absolute http or https URL")
            })?;
            if let Some(modified) = &parsed.modified
                && modified.parse::<sitecast_scp::Timestamp>().is_err()
            {
                return Err(self.wrong(number, "its `modified` is not a time of RFC 3339"));
            }
            return Ok(url.into_owned());
        }
        let (page, warnings) = Page::from_line(text, &self.limits).map_err(|error| {
            self.wrong(
                number,
                format!("it is neither HTML nor an SCP page: {error}"),
            )
        })?;
        // Readers would drop such a page, and the owner would not notice.
        if let Some(warning) = warnings.first() {
            return Err(self.wrong(number, warning.to_string()));
        }
        Ok(page.url.as_str().to_owned())
    }

    /// Two lines with the same URL. Their numbers are counted only for this error.
    fn twice(&self, file: &mut File, first: Item<'_>, second: Item<'_>) -> PublishError {
        let mut line_of = |item: Item<'_>| {
            let counted = file.seek(SeekFrom::Start(0)).and_then(|_| {
                let before = BufReader::new(&mut *file).take(item.place);
                before.bytes().try_fold(1, |lines, byte| {
                    Ok::<u64, io::Error>(lines + u64::from(byte? == b'\n'))
                })
            });
            counted.map_or_else(|_| "a line".to_owned(), |line| format!("line {line}"))
        };
        PublishError::Collision {
            first: line_of(first),
            second: line_of(second),
            url: first.key.to_string(),
        }
    }

    fn read_at(&self, item: Item<'_>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(item.stamp.size).unwrap_or(usize::MAX)];
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(item.place))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Source for LinesSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn items(&self) -> Result<Items, PublishError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(0))
            .map_err(|error| self.failed(error))?;
        let mut reader = BufReader::with_capacity(1 << 20, &*file);
        let mut items = Items::default();
        let (mut line, mut at) = (Vec::new(), 0);
        for number in 1.. {
            line.clear();
            // One byte more than a page may have tells that it has too many.
            let most = self.limits.page_bytes as u64 + 2;
            let count = reader
                .by_ref()
                .take(most)
                .read_until(b'\n', &mut line)
                .map_err(|error| self.failed(error))?;
            if count == 0 {
                break;
            }
            let from = at;
            at += count as u64;
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            if text.len() > self.limits.page_bytes {
                let most = self.limits.page_bytes;
                return Err(self.wrong(number, format!("it has more than {most} bytes")));
            }
            if text.trim_ascii().is_empty() {
                continue;
            }
            let url = self.check(number, text)?;
            let hash: [u8; 32] = Sha256::digest(text).into();
            let mut mark = [0; 8];
            mark.copy_from_slice(hash.get(..8).unwrap_or(&[0; 8]));
            items.add(Item {
                key: &url,
                stamp: Stamp {
                    size: text.len() as u64,
                    mark: i64::from_le_bytes(mark),
                },
                place: from,
            });
        }
        items.sort();
        for (first, second) in items.iter().zip(items.iter().skip(1)) {
            if first.key == second.key {
                return Err(self.twice(&mut file, first, second));
            }
        }
        Ok(items)
    }

    fn load(&self, item: Item<'_>) -> Result<Loaded, PublishError> {
        let bytes = self.read_at(item).map_err(|error| self.failed(error))?;
        // Checked when it was listed.
        let unusable = |error: String| Ok(Loaded::Excluded(Reason::Unusable(error)));
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return unusable("it is not UTF-8".to_owned());
        };
        let line: Line<'_> = match serde_json::from_str(text) {
            Ok(line) => line,
            Err(error) => return unusable(error.to_string()),
        };
        // Not a page: a redirect, a missing page, an error.
        if let Some(status) = line.status.filter(|status| !(200..300).contains(status)) {
            return Ok(Loaded::Excluded(Reason::Status(status)));
        }
        if line.draft {
            return Ok(Loaded::Excluded(Reason::Draft));
        }
        if line.protected {
            return Ok(Loaded::Excluded(Reason::Protected));
        }
        if let Some(html) = line.html {
            return Ok(Loaded::Html(Raw {
                bytes: html.into_owned().into_bytes(),
                url: line.url.and_then(|url| url.parse().ok()),
                last_modified: line.modified.and_then(|time| time.parse().ok()),
                content_type: None,
                language: line.language.map(Cow::into_owned),
                robots: match line.robots {
                    Some(serde_json::Value::String(text)) => Some(text),
                    Some(serde_json::Value::Array(words)) => {
                        let words = words.iter().filter_map(serde_json::Value::as_str);
                        Some(words.collect::<Vec<_>>().join(","))
                    }
                    _ => None,
                },
            }));
        }
        match Page::from_line(text, &self.limits) {
            Ok((page, _)) => Ok(Loaded::Page(Box::new(page))),
            Err(error) => unusable(error.to_string()),
        }
    }

    fn site_file(&self, _path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        Ok(None)
    }

    fn has_site_files(&self) -> bool {
        false
    }
}

/// Describes an error in the JSON of a line, without the line number of the parser, which counts within the line.
fn not_a_page(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Eof => "it is JSON that is cut short".to_owned(),
        serde_json::error::Category::Syntax => {
            format!("it is not JSON from column {} on", error.column())
        }
        _ => format!("it is not a page: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"{"url":"https://example.com/a","title":"A","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":[{"type":"text","text":"Hello"}]}"#;

    fn source(text: &str) -> LinesSource {
        LinesSource::spooled("pages.jsonl", text.as_bytes(), Limits::default()).unwrap()
    }

    fn error(text: &str) -> String {
        source(text).items().unwrap_err().to_string()
    }

    #[test]
    fn takes_pages_and_html_in_any_order() {
        let html =
            r#"{"url":"https://example.com/","html":"<p>Hi","language":"de","robots":["noindex"]}"#;
        let source = source(&format!("{PAGE}\n\n{html}"));
        let items = source.items().unwrap();
        assert_eq!(items.len(), 2);
        match source.load(items.get(0).unwrap()).unwrap() {
            Loaded::Html(raw) => {
                assert_eq!(raw.bytes, b"<p>Hi");
                assert_eq!(raw.robots.as_deref(), Some("noindex"));
            }
            other => panic!("{other:?}"),
        }
        match source.load(items.get(1).unwrap()).unwrap() {
            Loaded::Page(page) => assert_eq!(page.title, "A"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bad_line_is_an_error_with_its_number() {
        for (line, says) in [
            ("nonsense", "line 2: it is not JSON from column 2 on"),
            (r#"{"url":"#, "line 2: it is JSON that is cut short"),
            ("[1]", "line 2: it is not a page"),
            (r#"{"html":"x"}"#, "line 2: it has no `url`"),
            (r#"{"url":"/a","html":"x"}"#, "not an absolute http"),
            (
                r#"{"url":"https://example.com/b"}"#,
                "neither HTML nor an SCP page",
            ),
            (
                r#"{"url":"https://example.com/b","html":"","modified":"yesterday"}"#,
                "not a time of RFC 3339",
            ),
        ] {
            let message = error(&format!("{PAGE}\n{line}\n"));
            assert!(message.contains(says), "{line}: {message}");
        }
    }

    #[test]
    fn what_a_reader_would_drop_is_an_error() {
        let line = PAGE.replace(r#"{"type":"text","text":"Hello"}"#, r#"{"type":"poll"}"#);
        assert!(error(&line).contains("line 1"), "{}", error(&line));
    }

    #[test]
    fn the_same_url_twice_is_an_error_with_both_lines() {
        let message = error(&format!("{PAGE}\n{PAGE}\n"));
        assert!(
            message.contains("line 1") && message.contains("line 2"),
            "{message}"
        );
    }

    #[test]
    fn redirects_and_errors_stay_out_by_their_status() {
        for (status, is_page) in [
            (200, true),
            (203, true),
            (301, false),
            (404, false),
            (500, false),
        ] {
            let line =
                format!(r#"{{"url":"https://example.com/","html":"<p>","status":{status}}}"#);
            let source = source(&line);
            let items = source.items().unwrap();
            match source.load(items.get(0).unwrap()).unwrap() {
                Loaded::Excluded(reason) => {
                    assert_eq!((reason, is_page), (Reason::Status(status), false));
                }
                _ => assert!(is_page, "{status}"),
            }
        }
        let wrong = r#"{"url":"https://example.com/","html":"","status":1}"#;
        assert!(
            error(wrong).contains("its `status` is 1"),
            "{}",
            error(wrong)
        );
    }

    #[test]
    fn drafts_and_protected_pages_stay_out() {
        for (member, reason) in [("draft", Reason::Draft), ("protected", Reason::Protected)] {
            let line = format!(r#"{{"url":"https://example.com/","html":"<p>","{member}":true}}"#);
            let source = source(&line);
            let items = source.items().unwrap();
            match source.load(items.get(0).unwrap()).unwrap() {
                Loaded::Excluded(found) => assert_eq!(found, reason),
                other => panic!("{other:?}"),
            }
        }
    }
}
