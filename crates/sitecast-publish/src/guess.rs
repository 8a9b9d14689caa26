use sitecast_sitemap::{Event, SitemapReader};
use url::Url;

use crate::head::scan_head;
use crate::source::{Loaded, Source};
use crate::{BaseUrl, PublishError};

/// Guesses the URL of a site from its own files: its sitemap, the canonical link of its
/// homepage, or, for lines, where the pages are.
pub fn guess_base(source: &dyn Source) -> Result<Option<BaseUrl>, PublishError> {
    let sitemap = source.optional_file("sitemap.xml")?;
    let by_sitemap = sitemap.and_then(|sitemap| by_sitemap(&sitemap));
    if let Some(Guess::Folder(base)) = by_sitemap {
        return Ok(Some(base));
    }
    if let Some(home) = source.optional_file("index.html")? {
        let canonical = scan_head(&home).canonical;
        let base: Option<BaseUrl> = canonical.and_then(|url| url.parse().ok());
        if let Some(base) = base.filter(|base| match &by_sitemap {
            Some(Guess::Host(host)) => host.as_url().origin() == base.as_url().origin(),
            _ => true,
        }) {
            return Ok(Some(base));
        }
    }
    if let Some(Guess::Host(base)) = by_sitemap {
        return Ok(Some(base));
    }
    let items = source.items()?;
    let Some(first) = items.get(0) else {
        return Ok(None);
    };
    let url = match source.load(first)? {
        Loaded::Html(raw) => raw.url,
        Loaded::Page(page) => Some(page.url),
        Loaded::Excluded(_) => None,
    };
    let origin = url.and_then(|url| Url::parse(url.as_str()).ok());
    Ok(origin.and_then(|url| url.origin().ascii_serialization().parse().ok()))
}

/// Returns the base that the URLs of a sitemap share.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Guess {
    /// The homepage is listed, so this is its folder.
    Folder(BaseUrl),
    /// Only the host is certain.
    Host(BaseUrl),
}

/// The folder of the shortest of the listed pages, if all others are below it.
fn by_sitemap(bytes: &[u8]) -> Option<Guess> {
    let mut reader = SitemapReader::new(bytes);
    let mut urls = Vec::new();
    while let Ok(Some(event)) = reader.next_event() {
        match event {
            Event::Url(page) => urls.push(page.loc),
            Event::Sitemap(child) => urls.push(child.loc),
            _ => {}
        }
    }
    let folder = |url: &'_ String| url.strip_suffix("index.html").unwrap_or(url).to_owned();
    let shortest = urls.iter().map(folder).min_by_key(String::len)?;
    let has_homepage = shortest.ends_with('/') && urls.len() > 1;
    let base = if has_homepage {
        shortest
    } else {
        Url::parse(&shortest).ok()?.origin().ascii_serialization()
    };
    let base: BaseUrl = base.parse().ok()?;
    let is_below = |url: &String| url.starts_with(base.as_url().as_str());
    if !urls.iter().all(is_below) {
        return None;
    }
    Some(match has_homepage {
        true => Guess::Folder(base),
        false => Guess::Host(base),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sitemap(urls: &[&str]) -> Option<String> {
        let urls: String = urls
            .iter()
            .map(|url| format!("<url><loc>{url}</loc></url>"))
            .collect();
        let xml = format!(
            "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"
        );
        by_sitemap(xml.as_bytes()).map(|guess| match guess {
            Guess::Folder(base) | Guess::Host(base) => base.to_string(),
        })
    }

    #[test]
    fn the_sitemap_says_where_the_site_is() {
        assert_eq!(
            sitemap(&["https://example.com/blog/", "https://example.com/blog/a/"]).as_deref(),
            Some("https://example.com/blog/")
        );
        assert_eq!(
            sitemap(&[
                "https://example.com/docs/a.html",
                "https://example.com/docs/index.html"
            ])
            .as_deref(),
            Some("https://example.com/docs/")
        );
        assert_eq!(
            sitemap(&["https://example.com/a.html"]).as_deref(),
            Some("https://example.com/")
        );
        assert_eq!(
            sitemap(&["https://example.com/", "https://other.example/x"]),
            None
        );
        assert_eq!(sitemap(&[]), None);
    }
    fn guessed(files: &[(&str, String)]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let source = crate::FolderSource::open(folder.path()).unwrap();
        guess_base(&source).unwrap().map(|base| base.to_string())
    }

    /// Sphinx writes the file's name into the canonical link of the homepage, too.
    #[test]
    fn the_homepage_may_be_named_as_a_file() {
        let home = |canonical: &str| {
            let html = format!("<!doctype html><link rel=canonical href='{canonical}'><p>Hello");
            ("index.html", html)
        };
        let docs = home("https://example.com/docs/index.html");
        assert_eq!(
            guessed(std::slice::from_ref(&docs)).as_deref(),
            Some("https://example.com/docs/")
        );
        // A sitemap without the homepage tells only the host.
        let map = |host: &str| {
            let urls = format!("<url><loc>https://{host}/docs/a.html</loc></url>");
            ("sitemap.xml", format!("<urlset>{urls}</urlset>"))
        };
        assert_eq!(
            guessed(&[docs.clone(), map("example.com")]).as_deref(),
            Some("https://example.com/docs/")
        );
        assert_eq!(
            guessed(&[docs, map("example.org")]).as_deref(),
            Some("https://example.org/")
        );
    }
}
