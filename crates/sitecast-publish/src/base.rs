use std::fmt;
use std::str::FromStr;

use url::Url;

use crate::percent::decode;

/// The URL of a site: `https://example.com/`, or with a path `https://example.org/blog/`. A file of HTML
/// stands for the folder it is in: generators name their homepage `https://example.org/docs/index.html`.
///
/// ```
/// use sitecast_publish::BaseUrl;
///
/// let base: BaseUrl = "https://Example.org/blog".parse()?;
/// assert_eq!(base.to_string(), "https://example.org/blog/");
/// # Ok::<(), sitecast_publish::InvalidBase>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// The error about an invalid base URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid base URL `{url}`: {problem}")]
pub struct InvalidBase {
    url: String,
    problem: &'static str,
}

impl FromStr for BaseUrl {
    type Err = InvalidBase;

    fn from_str(text: &str) -> Result<Self, InvalidBase> {
        let wrong = |problem| InvalidBase {
            url: text.to_owned(),
            problem,
        };
        let mut url = Url::parse(text.trim()).map_err(|_| wrong("it is not an absolute URL"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("it is not an http or https URL"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("it has a query or a fragment"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it has a user name or password"));
        }
        if let Some((folder, file)) = url.path().rsplit_once('/')
            && is_html(file)
        {
            let folder = format!("{folder}/");
            url.set_path(&folder);
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self(url))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl BaseUrl {
    /// As a URL, which ends with a slash.
    pub fn as_url(&self) -> &Url {
        &self.0
    }

    /// Returns true if the site is all of its host, so that `robots.txt` is its own.
    pub fn is_root(&self) -> bool {
        self.0.path() == "/"
    }

    /// The URL of a file in the site's folder, encoded as it has to be.
    pub(crate) fn url_of(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_query(None);
        let prefix = self.0.path().to_owned();
        url.set_path(&prefix);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty();
            for part in path.split('/') {
                segments.push(part);
            }
        }
        url
    }

    /// The path below the base, percent-decoded and with a slash before it; `None` for URLs of
    /// other sites.
    pub(crate) fn path_below(&self, url: &Url) -> Option<String> {
        let same = url.scheme() == self.0.scheme()
            && url.host_str() == self.0.host_str()
            && url.port_or_known_default() == self.0.port_or_known_default();
        let below = url.path().strip_prefix(self.0.path());
        let below = below.filter(|_| same)?;
        Some(format!("/{}", decoded(below)))
    }

    /// The same for the URL of a page.
    pub(crate) fn path_of_page(&self, page: &str) -> Option<String> {
        // Most are spelled plainly, and there are as many as pages.
        match page.strip_prefix(self.0.as_str()) {
            Some(below) if is_plain(below) => Some(format!("/{below}")),
            _ => self.path_below(&Url::parse(page).ok()?),
        }
    }
}

/// Returns true if a name is that of an HTML file.
fn is_html(name: &str) -> bool {
    let end = name.rsplit_once('.').map(|(_, end)| end);
    end.is_some_and(|end| {
        let known = ["html", "htm", "xhtml"];
        known.iter().any(|known| end.eq_ignore_ascii_case(known))
    })
}

/// Returns true if nothing in a path is encoded, and no part of it is `.` or `..`.
fn is_plain(path: &str) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_~/.".contains(byte);
    path.as_bytes().iter().all(is_plain) && !path.starts_with('.') && !path.contains("/.")
}

/// Percent-decoded, where that gives text; else as it is.
pub(crate) fn decoded(path: &str) -> String {
    decode(path).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn base(text: &str) -> BaseUrl {
        text.parse().unwrap()
    }

    #[test]
    fn refuses_what_is_no_base() {
        for text in [
            "example.com",
            "ftp://example.com/",
            "https://",
            "https://example.com/?x",
            "https://example.com/#a",
            "https://me:secret@example.com/",
        ] {
            assert!(text.parse::<BaseUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_of_html_stands_for_its_folder() {
        for (text, folder) in [
            ("https://example.com/index.html", "https://example.com/"),
            (
                "https://example.com/en/latest/index.html",
                "https://example.com/en/latest/",
            ),
            ("https://example.com/home.HTM", "https://example.com/"),
            ("https://example.com/v1.2", "https://example.com/v1.2/"),
            ("https://example.com/a.html/", "https://example.com/a.html/"),
        ] {
            assert_eq!(base(text).to_string(), folder);
        }
    }

    #[test]
    fn files_get_urls_below_it() {
        let base = base("https://example.org/blog");
        assert_eq!(
            base.url_of("a b/c%d#e?.html").as_str(),
            "https://example.org/blog/a%20b/c%25d%23e%3F.html"
        );
        assert_eq!(
            base.url_of("2025/").as_str(),
            "https://example.org/blog/2025/"
        );
    }

    proptest! {
        #[test]
        fn the_short_way_to_a_path_leads_where_the_long_one_does(below in "[a./%?#A~2\\\\ü&-]{0,12}") {
            let base = base("https://example.org/blog");
            let url = format!("https://example.org/blog/{below}");
            let parsed = Url::parse(&url).ok();
            prop_assert_eq!(base.path_of_page(&url), parsed.and_then(|url| base.path_below(&url)));
        }
    }
}
