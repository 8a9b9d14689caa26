//! `_headers` of Netlify, Cloudflare Pages and others: `X-Robots-Tag` and `Basic-Auth` by path.

use std::collections::BTreeSet;

use serde::Serialize;
use sitecast_scp::Timestamp;

use super::HEADERS;
use super::directives::Judgement;
use super::pattern::Pattern;
use crate::percent::decode;
use crate::{BaseUrl, KeepOut, Reason};

/// Rules that keep pages out; a file of more is refused.
const MOST_RULES: usize = 2_000;

/// The rules of a file that keep pages out, in order.
#[derive(Debug, Default, Serialize)]
pub(super) struct HeaderRules {
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
struct Rule {
    target: Target,
    says: Says,
}

/// The requests that a block is for.
#[derive(Debug, Clone, Serialize)]
struct Target {
    /// `https://:project.pages.dev/*` is for that host alone.
    host: Option<Pattern>,
    path: Pattern,
}

#[derive(Debug, Serialize)]
enum Says {
    KeepOut(Reason),
    /// `! X-Robots-Tag` takes the header away again.
    Detach,
}

impl HeaderRules {
    /// Reads a file; `None` if it has too many rules.
    pub(super) fn parse(bytes: &[u8], now: Timestamp) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut target = None;
        let mut rules = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_matches(['\u{feff}', ' ', '\t', '\r']);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(found) = Target::parse(line) {
                target = Some(found);
                continue;
            }
            let (Some(target), Some(says)) = (&target, says(line, number, now)) else {
                continue;
            };
            if rules.len() == MOST_RULES {
                return None;
            }
            let target = target.clone();
            rules.push(Rule { target, says });
        }
        Some(Self { rules })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The reason to leave out a page. Hosts serve one file under several paths, so that all of them are tried.
    pub(super) fn reason(&self, key: &str, url: &str, base: &BaseUrl) -> Option<Reason> {
        let host = base.as_url().host_str().unwrap_or_default();
        let paths = paths(key, url, base);
        let mut reason = None;
        for rule in &self.rules {
            if rule.target.matches(host, &paths) {
                reason = match &rule.says {
                    Says::KeepOut(kept_out) => reason.or_else(|| Some(kept_out.clone())),
                    // A password stays.
                    Says::Detach => reason.filter(|reason| matches!(reason, Reason::Access { .. })),
                };
            }
        }
        reason
    }
}

impl Target {
    fn parse(line: &str) -> Option<Self> {
        let lower = line.to_ascii_lowercase();
        let absolute = ["https://", "http://"]
            .iter()
            .find_map(|scheme| lower.strip_prefix(scheme));
        let (host, path) = match absolute {
            Some(rest) => {
                let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(Pattern::new(host, b'.')), path.to_owned())
            }
            None if line.starts_with('/') => (None, line.to_owned()),
            None => return None,
        };
        let path = decode(&path).unwrap_or(path);
        Some(Self {
            host,
            path: Pattern::new(if path.is_empty() { "/" } else { &path }, b'/'),
        })
    }

    fn matches(&self, host: &str, paths: &BTreeSet<String>) -> bool {
        self.host
            .as_ref()
            .is_none_or(|pattern| pattern.matches(host))
            && paths.iter().any(|path| self.path.matches(path))
    }
}

fn says(line: &str, number: u64, now: Timestamp) -> Option<Says> {
    if let Some(name) = line.strip_prefix('!') {
        return name
            .trim()
            .eq_ignore_ascii_case("x-robots-tag")
            .then_some(Says::Detach);
    }
    let (name, value) = line.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    if name.eq_ignore_ascii_case("basic-auth") && !value.is_empty() {
        return Some(Says::KeepOut(Reason::Access {
            file: HEADERS.to_owned(),
            line: number,
            // Its value is the password.
            says: "Basic-Auth".to_owned(),
        }));
    }
    if !name.eq_ignore_ascii_case("x-robots-tag") {
        return None;
    }
    let reason = header_reason(HEADERS, number, value, now)?;
    Some(Says::KeepOut(reason))
}

/// The reason that a header `X-Robots-Tag` gives, if any.
pub(super) fn header_reason(file: &str, line: u64, value: &str, now: Timestamp) -> Option<Reason> {
    let mut judgement = Judgement::default();
    judgement.hear(value, None, KeepOut::Any, now);
    judgement.reason.map(|_| Reason::Header {
        file: file.to_owned(),
        line,
        value: value.chars().take(200).collect(),
    })
}

/// The paths that a page may be asked for by: with and without `.html`, `index.html` and a slash at its end, each from
/// the top of the host and from the top of the folder.
fn paths(key: &str, url: &str, base: &BaseUrl) -> BTreeSet<String> {
    let below = base.path_of_page(url).unwrap_or_default();
    let whole = url::Url::parse(url).map(|url| url.path().to_owned());
    let is_index = key == "index.html" || key.ends_with("/index.html");
    let mut paths = BTreeSet::new();
    for path in [whole.unwrap_or_default(), below, format!("/{key}")] {
        let path = decode(&path).unwrap_or(path);
        let mut stem = path.as_str();
        for end in [".html", ".htm", ".xhtml"] {
            stem = stem.strip_suffix(end).unwrap_or(stem);
        }
        let stem = stem.strip_suffix("/index").unwrap_or(stem);
        let stem = stem.strip_suffix('/').unwrap_or(stem);
        paths.insert(format!("{stem}/"));
        if is_index {
            paths.insert(format!("{stem}/index.html"));
        }
        if !stem.is_empty() {
            paths.insert(format!("{stem}.html"));
            paths.insert(stem.to_owned());
        }
        paths.insert(path);
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason_at(text: &str, key: &str, base: &str) -> Option<Reason> {
        let now = "2025-06-01T12:00:00Z".parse().unwrap();
        let rules = HeaderRules::parse(text.as_bytes(), now).unwrap();
        let base: BaseUrl = base.parse().unwrap();
        let url = base.url_of(key.strip_suffix("index.html").unwrap_or(key));
        rules.reason(key, url.as_str(), &base)
    }

    fn is_kept_out(text: &str, key: &str) -> bool {
        reason_at(text, key, "https://example.com").is_some()
    }

    const NOINDEX: &str = "X-Robots-Tag: noindex";

    #[test]
    fn every_spelling_of_a_path_is_heard() {
        for path in [
            "/a",
            "/a/",
            "/A.html",
            "/a/*",
            "/:x",
            "/*",
            "https://example.com/a",
            "/%61",
        ] {
            assert!(
                is_kept_out(&format!("{path}\n  {NOINDEX}\n"), "a/index.html"),
                "{path}"
            );
            assert!(
                is_kept_out(&format!("# x\n{path}\n\t{NOINDEX}\r\n"), "a.html"),
                "{path}"
            );
        }
        for path in [
            "/b",
            "/a/b",
            "/a/:x",
            "/ab/*",
            "https://other.example/*",
            "https://:project.pages.dev/*",
        ] {
            assert!(
                !is_kept_out(&format!("{path}\n  {NOINDEX}\n"), "a.html"),
                "{path}"
            );
        }
    }

    #[test]
    fn passwords_and_named_crawlers_count_and_other_headers_do_not() {
        for (header, expected) in [
            ("Basic-Auth: me:secret", Some("access")),
            ("x-robots-tag: GoogleBot: noindex", Some("header")),
            (
                "X-Robots-Tag: unavailable_after: 2025-05-01",
                Some("header"),
            ),
            ("X-Robots-Tag: unavailable_after: 2025-07-01", None),
            ("X-Robots-Tag: all", None),
            ("Cache-Control: none", None),
            ("Basic-Auth:", None),
        ] {
            let reason = reason_at(&format!("/*\n {header}"), "a.html", "https://example.com");
            assert_eq!(reason.as_ref().map(Reason::code), expected, "{header}");
            assert!(!format!("{reason:?}").contains("secret"));
        }
    }

    #[test]
    fn a_header_may_be_taken_away_again() {
        let text = format!("/*\n  {NOINDEX}\n/open/*\n  ! X-Robots-Tag\n");
        assert!(is_kept_out(&text, "a.html"));
        assert!(!is_kept_out(&text, "open/a.html"));
    }

    #[test]
    fn below_a_path_both_tops_are_tried() {
        for path in ["/docs/a", "/a"] {
            let text = format!("{path}\n  {NOINDEX}\n");
            assert!(
                reason_at(&text, "a.html", "https://example.com/docs/").is_some(),
                "{path}"
            );
        }
    }

    #[test]
    fn too_many_rules_are_refused() {
        let now = "2025-06-01T12:00:00Z".parse().unwrap();
        let text = format!("/*\n{}", format!("{NOINDEX}\n").repeat(MOST_RULES + 1));
        assert!(HeaderRules::parse(text.as_bytes(), now).is_none());
    }
}
