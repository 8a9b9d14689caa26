use sitecast_scp::{HttpUrl, Timestamp};
use url::Url;

use crate::Html;

/// The most folders that a relative link may go up.
const FOLDERS: usize = 32;
const HOST: &str = "https://page.invalid";

/// A stand-in URL for a page whose URL is unknown.
///
/// A page needs a URL, and so do its links. They get one under `page.invalid`, a name that never resolves, and
/// [`as_written`](Self::as_written) makes links relative again.
///
/// ```
/// use sitecast_extract::{Unlocated, extract_page};
/// use sitecast_scp::to_markdown_with;
///
/// let nowhere = Unlocated::default();
/// let html = b"<title>Tea</title><article><p>Pour boiling water over <a href=../leaves.html>the leaves</a>.";
/// let page = extract_page(&nowhere.html(html, "2025-01-15T09:00:00Z".parse()?))?.page;
/// assert_eq!(
///     to_markdown_with(&page, &|url| nowhere.as_written(url)),
///     "# Tea\n\nPour boiling water over [the leaves](../leaves.html).\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Unlocated {
    url: HttpUrl,
    base: HttpUrl,
    parsed: Url,
}

impl Default for Unlocated {
    #[expect(clippy::expect_used, reason = "constants, parsed in a test")]
    fn default() -> Self {
        let parsed = Url::parse(&format!("{HOST}/{}page", "-/".repeat(FOLDERS)));
        let parsed = parsed.expect("is a URL");
        // The path is a feature of the model, so this one is neutral.
        let url = HttpUrl::new(format!("{HOST}/page")).expect("is a URL");
        let base = HttpUrl::new(parsed.as_str()).expect("is a URL");
        Self { url, base, parsed }
    }
}

impl Unlocated {
    /// Returns HTML with this URL.
    pub fn html<'a>(&'a self, bytes: &'a [u8], seen: Timestamp) -> Html<'a> {
        let mut html = Html::new(&self.url, bytes, seen);
        html.base = Some(&self.base);
        html
    }

    /// Returns a link of such a page as the page has it: relative if it was.
    pub fn as_written(&self, url: &HttpUrl) -> String {
        let absolute = || url.as_str().to_owned();
        let Some(path) = url.as_str().strip_prefix(HOST) else {
            return absolute();
        };
        if !path.starts_with("/-/") {
            return path.to_owned();
        }
        let relative = Url::parse(url.as_str())
            .ok()
            .and_then(|url| self.parsed.make_relative(&url));
        relative.unwrap_or_else(absolute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::resolve;

    #[test]
    fn restores_links_as_written() {
        let nowhere = Unlocated::default();
        for link in [
            "a.html",
            "a/b.html?c=d#e",
            "../a.html",
            "../../../a/",
            "/a/b.html",
            "?page=2",
            "https://example.com/x",
        ] {
            let url = resolve(&nowhere.parsed, link).unwrap();
            assert_eq!(nowhere.as_written(&url), link);
        }
    }
}
