use sitecast_sitemap::{Event, SitemapReader};
use url::Url;

use crate::head::scan_head;
use crate::source::{Loaded, Source};
use crate::{BaseUrl, PublishError};

/// Where a site is on the web, by what it says itself: its sitemap, the canonical link of its
/// homepage, or, for lines, where the pages are.
pub fn guess_base(source: &dyn Source) -> Result<Option<BaseUrl>, PublishError> {
    if let Some(sitemap) = source.site_file("sitemap.xml")?
        && let Some(base) = by_sitemap(&sitemap)
    {
        return Ok(Some(base));
    }
    if let Some(home) = source.site_file("index.html")? {
        let canonical = scan_head(&home).canonical;
        if let Some(base) = canonical.and_then(|url| url.parse().ok()) {
            return Ok(Some(base));
        }
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

/// The shortest of the listed pages, if all others are below it.
fn by_sitemap(bytes: &[u8]) -> Option<BaseUrl> {
    let mut reader = SitemapReader::new(bytes);
    let mut urls = Vec::new();
    while let Ok(Some(event)) = reader.next_event() {
        match event {
            Event::Url(page) => urls.push(page.loc),
            Event::Sitemap(child) => urls.push(child.loc),
            _ => {}
        }
    }
    let shortest = urls.iter().min_by_key(|url| url.len())?;
    // Without the homepage in it, only the host is certain.
    let base = if shortest.ends_with('/') && urls.len() > 1 {
        shortest.clone()
    } else {
        Url::parse(shortest).ok()?.origin().ascii_serialization()
    };
    let base: BaseUrl = base.parse().ok()?;
    let is_below = |url: &String| url.starts_with(base.as_url().as_str());
    urls.iter().all(is_below).then_some(base)
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
        by_sitemap(xml.as_bytes()).map(|base| base.to_string())
    }

    #[test]
    fn the_sitemap_says_where_the_site_is() {
        assert_eq!(
            sitemap(&["https://example.com/blog/", "https://example.com/blog/a/"]).as_deref(),
            Some("https://example.com/blog/")
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
}
