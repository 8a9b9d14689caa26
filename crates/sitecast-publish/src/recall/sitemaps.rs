//! The collections that the sitemaps of a publication name.

use sitecast_sitemap::{Event, SEPARATE_SITEMAP, ScpBlock, SitemapKind, SitemapReader};
use sitecast_storage::{Store, StorePath};

use crate::PublishError;
use crate::files::own_path;
use crate::list::site_sitemap::{BESIDE, SITEMAP, SiteSitemap, SiteSitemapKind};

/// The collections that the sitemaps of a publication name.
#[derive(Debug, Default)]
pub(crate) struct PublishedScp {
    pub(crate) scp: ScpBlock,
    /// The first of the places of sitemaps that has something else, and what is wrong with it.
    pub(crate) unreadable: Option<(StorePath, String)>,
}

/// Looks for the collections in the places where a publication names them.
pub(crate) fn published_scp(
    store: &dyn Store,
    site_sitemap: &SiteSitemap,
) -> Result<PublishedScp, PublishError> {
    let mut published = PublishedScp::default();
    let places = [
        site_sitemap.path(),
        own_path(SEPARATE_SITEMAP),
        own_path(SITEMAP),
        own_path("sitemap-1.xml"),
        own_path(BESIDE),
        own_path("sitecast-sitemap-1.xml"),
    ];
    for path in places {
        let (scp, problem) = look_in(store, &path)?;
        if !scp.collections.is_empty() {
            published.scp = scp;
            return Ok(published);
        }
        // The site's own sitemap is known to be something else.
        let is_known = matches!(
            site_sitemap.kind,
            SiteSitemapKind::Beside { .. } | SiteSitemapKind::Unseen
        ) && path.as_str() == SITEMAP;
        if let Some(problem) = problem.filter(|_| !is_known && published.unreadable.is_none()) {
            published.unreadable = Some((path, problem));
        }
    }
    Ok(published)
}

/// Reads the collections that one sitemap names.
pub(crate) fn published_in(store: &dyn Store, path: &StorePath) -> Result<ScpBlock, PublishError> {
    Ok(look_in(store, path)?.0)
}

/// Reads the collections that one sitemap names, and the reason if the file is not a sitemap.
fn look_in(
    store: &dyn Store,
    path: &StorePath,
) -> Result<(ScpBlock, Option<String>), PublishError> {
    let mut scp = ScpBlock::default();
    let Some(object) = store.get(path)? else {
        return Ok((scp, None));
    };
    let mut reader = SitemapReader::new(object.reader);
    // A sitemap names its collections first: they count even if it breaks off later.
    loop {
        match reader.next_event() {
            Ok(Some(Event::Scp(entry))) => scp.add(entry),
            Ok(Some(Event::Url(_)) | None) => break,
            Ok(Some(_)) => {}
            Err(error) => return Ok((scp, Some(error.to_string()))),
        }
    }
    let is_sitemap = matches!(
        reader.kind(),
        Some(SitemapKind::UrlSet | SitemapKind::Index)
    );
    let problem = (!is_sitemap).then(|| "it is not an XML sitemap".to_owned());
    Ok((scp, problem))
}
