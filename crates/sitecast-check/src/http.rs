//! HTTP headers of a file: SCP draft 3, "Use with HTTP"; TCT, "MUST Requirements" and "SHOULD Recommendations".

mod probes;

use std::time::{Duration, SystemTime};

use sitecast_fetch::Head;
use sitecast_scp::Compression;
use sitecast_tct::{Canonical, ContentHash, EntityTag};
use url::Url;

use crate::report::facts::{CollectionFacts, Facts, MachinePageFacts, SitemapFacts};
use crate::report::{Finding, Report};

pub(crate) use probes::send_probes;

/// Returns true if a URL leads to this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    })
}

/// Warns of plain HTTP: both specifications require HTTPS. Nobody can listen to what a machine sends to itself.
pub(crate) fn check_scheme(url: &Url, report: &mut Report) {
    if url.scheme() == "http" && !is_loopback(url.as_str()) {
        let message = "it is served over http, where everyone on the way can change it";
        report.warning("not-https", None, Some(url.as_str()), &message);
    }
}

/// Judges the headers of a response by the kind of the file in it.
pub(crate) fn check_headers(head: &Head, report: &mut Report) {
    let mut warnings = HeaderWarnings {
        head,
        list: Vec::new(),
    };
    let mut parity = None;
    match &report.facts {
        Facts::Collection(facts) => {
            warnings.content_type(&["application/scp"]);
            warnings.collection(facts, report.compression);
        }
        Facts::MachinePage(facts) => {
            warnings.content_type(&["application/json"]);
            parity = warnings.machine_page(facts);
        }
        Facts::JsonSitemap(_) => {
            warnings.content_type(&["application/json"]);
            warnings.caching();
            warnings.strong_etag();
        }
        Facts::Policy(_) => warnings.content_type(&["application/json"]),
        Facts::Robots(_) => warnings.content_type(&["text/plain"]),
        Facts::Sitemap(facts) => warnings.content_type(sitemap_types(facts)),
        Facts::Site(_) | Facts::Unknown {} => {}
    }
    let list = warnings.list;
    for (code, message) in list {
        report.warning(code, None, None, &message);
    }
    if let Some(message) = parity {
        report.mismatch = Some("hash mismatch");
        report.error(Finding::new("parity", message));
    }
}

fn sitemap_types(facts: &SitemapFacts) -> &'static [&'static str] {
    match facts.format {
        Some("text") => &["text/plain"],
        Some("rss") => &["application/rss+xml", "application/xml", "text/xml"],
        Some("atom") => &["application/atom+xml", "application/xml", "text/xml"],
        // A file that is stored compressed may have the type of its compression.
        Some(_) => &[
            "application/xml",
            "text/xml",
            "application/gzip",
            "application/x-gzip",
        ],
        None => &[],
    }
}

/// The warnings about the headers of a response.
struct HeaderWarnings<'h> {
    head: &'h Head,
    list: Vec<(&'static str, String)>,
}

impl HeaderWarnings<'_> {
    fn add(&mut self, code: &'static str, message: impl Into<String>) {
        self.list.push((code, message.into()));
    }

    fn content_type(&mut self, expected: &[&str]) {
        let Some(first) = expected.first() else {
            return;
        };
        let Some(value) = self.head.header("content-type") else {
            return self.add(
                "content-type",
                format!("there is no `Content-Type`; it is `{first}`"),
            );
        };
        let kind = value.split(';').next().unwrap_or_default().trim();
        if !expected
            .iter()
            .any(|known| kind.eq_ignore_ascii_case(known))
        {
            let message = format!("`Content-Type` is `{kind}`, and not `{first}`");
            self.add("content-type", message);
        }
    }

    fn collection(&mut self, facts: &CollectionFacts, compression: Option<Compression>) {
        let stored = compression.map_or("", |compression| match compression {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            _ => "",
        });
        let stated = self.head.header("content-encoding").unwrap_or_default();
        let stated = stated.trim().to_ascii_lowercase();
        if compression.is_some() && stated.replace("identity", "") != stored {
            let is = |coding: &str| match coding {
                "" => "is missing".to_owned(),
                coding => format!("is `{coding}`"),
            };
            let file = match stored {
                "" => "the file is not compressed".to_owned(),
                stored => format!("the file is compressed with {stored}"),
            };
            let message = format!("`Content-Encoding` {}, but {file}", is(&stated));
            self.add("content-encoding", message);
        }
        if self.head.header("content-length").is_none() {
            self.add("no-content-length", "there is no `Content-Length`");
        }
        let checksum = facts.collection.as_ref().and_then(|c| c.checksum);
        match (self.tag(), checksum) {
            (Some(tag), Some(checksum)) if !tag.eq_ignore_ascii_case(&checksum.to_string()) => {
                let message =
                    format!("`ETag` is `\"{tag}\"`, and not the checksum `\"{checksum}\"`");
                self.add("etag-differs", message);
            }
            _ => {}
        }
        if let Some(collection) = &facts.collection {
            self.last_modified(collection.generated.unix_seconds());
        }
        if self.head.header("cache-control").is_none() {
            self.add("no-cache-control", "there is no `Cache-Control`");
        }
    }

    fn last_modified(&mut self, generated: i64) {
        let Some(value) = self.head.header("last-modified") else {
            return self.add("no-last-modified", "there is no `Last-Modified`");
        };
        let seconds = u64::try_from(generated).unwrap_or_default();
        let expected = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
        if httpdate::parse_http_date(value).ok() != expected
            && let Some(expected) = expected
        {
            let expected = httpdate::fmt_http_date(expected);
            let message = format!(
                "`Last-Modified` is `{value}`, and not when the collection was made, `{expected}`"
            );
            self.add("last-modified-differs", message);
        }
    }

    /// Judges the headers of a machine page. Returns an error if the tag is another hash than the page's: then one of
    /// the two is stale, which is more than a problem of headers.
    fn machine_page(&mut self, facts: &MachinePageFacts) -> Option<String> {
        let mut parity = None;
        let hash = facts.hash.as_ref().or(facts.computed_hash.as_ref());
        match (self.tag(), hash) {
            (Some(tag), Some(hash)) if tag != *hash => {
                if tag.parse::<ContentHash>().is_ok() {
                    parity = Some(format!(
                        "`ETag` is `\"{tag}\"`, and the page's hash is `{hash}`"
                    ));
                } else {
                    let message =
                        format!("`ETag` is `\"{tag}\"`, and not the page's hash `\"{hash}\"`");
                    self.add("etag-differs", message);
                }
            }
            _ => {}
        }
        let page = facts.canonical_url.as_deref();
        if let Some(page) = page.and_then(|page| Url::parse(page).ok()) {
            match Canonical::check(self.head.links(), &self.head.url, &page) {
                Canonical::Matches => {}
                Canonical::Missing => self.add(
                    "no-canonical-link",
                    format!(
                        "no `Link` with rel=\"canonical\" names `{page}`: agents must not use it"
                    ),
                ),
                Canonical::Differs(others) => {
                    let other = others.first().map(Url::as_str).unwrap_or_default();
                    let message =
                        format!("`Link` with rel=\"canonical\" names `{other}`, and not `{page}`");
                    self.add("canonical-link-differs", message);
                }
            }
        }
        if self.head.header("last-modified").is_none() {
            self.add("no-last-modified", "there is no `Last-Modified`");
        }
        self.caching();
        parity
    }

    /// Returns the entity tag without its quotes if it is a strong one: agents cannot ask for changes without one.
    fn tag(&mut self) -> Option<String> {
        let value = self.strong_etag()?;
        Some(value.trim().trim_matches('"').to_owned())
    }

    fn strong_etag(&mut self) -> Option<String> {
        let Some(value) = self.head.header("etag").map(str::to_owned) else {
            self.add("no-etag", "there is no `ETag`");
            return None;
        };
        match EntityTag::parse(&value) {
            Some(tag) if tag.is_weak() => {
                self.add("weak-etag", format!("`ETag` is weak: `{value}`"));
                None
            }
            Some(_) => Some(value),
            None => {
                self.add(
                    "invalid-etag",
                    format!("`ETag` is not a quoted text: `{value}`"),
                );
                None
            }
        }
    }

    /// Judges the caching headers that TCT requires of machine pages and JSON sitemaps.
    fn caching(&mut self) {
        if self.head.header("cache-control").is_none() {
            self.add("no-cache-control", "there is no `Cache-Control`");
        }
        let vary: Vec<String> = self
            .head
            .headers("vary")
            .flat_map(|value| value.split(','))
            .map(|name| name.trim().to_ascii_lowercase())
            .collect();
        let varies = |name: &str| vary.iter().any(|known| known == name || known == "*");
        if !varies("accept-encoding") {
            self.add("no-vary", "`Vary` does not name `Accept-Encoding`");
        }
        if varies("user-agent") {
            self.add(
                "vary-user-agent",
                "`Vary` names `User-Agent`, which keeps caches from sharing it",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warns_of_plain_http() {
        for (url, warnings) in [
            ("https://example.com/", 0),
            ("http://example.com/", 1),
            ("http://192.168.1.2/", 1),
            ("http://127.0.0.1:8080/", 0),
            ("http://[::1]/", 0),
            ("http://localhost/", 0),
            ("http://localhost.example.com/", 1),
        ] {
            let mut report = Report::new(url);
            check_scheme(&Url::parse(url).unwrap(), &mut report);
            let json = serde_json::to_value(&report).unwrap();
            let listed = json["warnings"].as_array().unwrap().len();
            assert_eq!(listed, warnings, "{url}");
        }
    }
}
