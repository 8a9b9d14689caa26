//! The sitemap that names the collections: the site's own if it has one, otherwise ours.

use std::collections::HashSet;

use sitecast_sitemap::{Event, ReaderOptions, SEPARATE_SITEMAP, SitemapKind};
use sitecast_storage::{Store, StorePath};

use crate::artefacts::{is_marked, store_path};
use crate::files::{own_path, site_file};
use crate::source::Source;
use crate::{Options, PublishError, SitemapForm};

/// The usual path of a sitemap.
pub(crate) const SITEMAP: &str = "sitemap.xml";
/// The path of ours if `sitemap.xml` belongs to the site and cannot be extended.
pub(crate) const BESIDE: &str = "sitecast-sitemap.xml";

/// URLs of the site's own sitemap that are remembered; enough to see how it spells them.
const MOST_URLS: usize = 50_000;

/// The sitemap that tells of the collections.
#[derive(Debug)]
pub(crate) struct SiteSitemap {
    pub(crate) kind: SiteSitemapKind,
    /// True if the collections are named in a sitemap of their own, whatever the site has.
    pub(crate) is_separate: bool,
    /// Pages that the site's own sitemaps list.
    pub(crate) listed: HashSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SiteSitemapKind {
    /// There is none, or it is ours.
    Own,
    /// The site's own, which is extended.
    Site {
        path: StorePath,
        bytes: Vec<u8>,
        /// The index that names it, if it is not `sitemap.xml` itself.
        index: Option<Vec<u8>>,
    },
    /// The site has one that cannot be extended; ours stands beside it.
    Beside { why: String },
    /// It is not known whether the site has one, and ours must not replace it.
    Unseen,
}

impl SiteSitemap {
    /// Looks at what the site has.
    pub(crate) fn find(
        source: &dyn Source,
        store: &dyn Store,
        options: &Options,
    ) -> Result<Self, PublishError> {
        let mut site_sitemap = Self {
            kind: match source.has_site_files() {
                true => SiteSitemapKind::Own,
                false => SiteSitemapKind::Unseen,
            },
            is_separate: options.artefacts.sitemap == SitemapForm::Separate,
            listed: HashSet::new(),
        };
        let beside = |why: &str| SiteSitemapKind::Beside {
            why: why.to_owned(),
        };
        let bytes = match site_file(source, store, SITEMAP) {
            // The site has one that cannot be read.
            Err(PublishError::Refused { reason, .. }) => {
                site_sitemap.kind = beside(&reason.to_string());
                return Ok(site_sitemap);
            }
            bytes => bytes?,
        };
        let Some(bytes) = bytes else {
            return Ok(site_sitemap);
        };
        if is_ours(&bytes) {
            return Ok(site_sitemap);
        }
        let found = site_sitemap.read(&bytes, options);
        site_sitemap.kind = match found {
            Some(Found::Pages) => SiteSitemapKind::Site {
                path: own_path(SITEMAP),
                bytes,
                index: None,
            },
            Some(Found::Index(children)) => {
                match site_sitemap.first_child(&children, source, store, options)? {
                    Some((path, child)) => SiteSitemapKind::Site {
                        path,
                        bytes: child,
                        index: Some(bytes),
                    },
                    None => beside("no sitemap that its index names is here"),
                }
            }
            Some(Found::Other) => beside("it is not an XML sitemap"),
            None => beside("it cannot be read as a sitemap"),
        };
        Ok(site_sitemap)
    }

    fn read(&mut self, bytes: &[u8], options: &Options) -> Option<Found> {
        let mut reader = ReaderOptions {
            base: Some(options.base.as_url().clone()),
            ..ReaderOptions::default()
        }
        .read(bytes);
        let mut children = Vec::new();
        while let Some(event) = reader.next_event().ok()? {
            match event {
                Event::Url(page) if self.listed.len() < MOST_URLS => {
                    self.listed.insert(page.loc);
                }
                Event::Sitemap(child) => children.push(child.loc),
                _ => {}
            }
        }
        Some(match reader.kind() {
            Some(SitemapKind::Index) => Found::Index(children),
            Some(SitemapKind::UrlSet) => Found::Pages,
            _ => Found::Other,
        })
    }

    fn first_child(
        &mut self,
        children: &[String],
        source: &dyn Source,
        store: &dyn Store,
        options: &Options,
    ) -> Result<Option<(StorePath, Vec<u8>)>, PublishError> {
        let mut first = None;
        for url in children {
            let Ok(path) = store_path(options.base.as_url(), url) else {
                continue;
            };
            let bytes = match site_file(source, store, path.as_str()) {
                Err(PublishError::Refused { .. }) => continue,
                bytes => bytes?,
            };
            let Some(bytes) = bytes else {
                continue;
            };
            let found = self.read(&bytes, options);
            if first.is_none() && matches!(found, Some(Found::Pages)) {
                first = Some((path, bytes));
            }
        }
        Ok(first)
    }

    /// Returns the path of the sitemap that names the collections.
    pub(crate) fn path(&self) -> StorePath {
        match &self.kind {
            _ if self.is_separate => own_path(SEPARATE_SITEMAP),
            SiteSitemapKind::Own => own_path(SITEMAP),
            SiteSitemapKind::Site { path, .. } => path.clone(),
            SiteSitemapKind::Beside { .. } | SiteSitemapKind::Unseen => own_path(BESIDE),
        }
    }
}

enum Found {
    Pages,
    Index(Vec<String>),
    Other,
}

fn is_ours(bytes: &[u8]) -> bool {
    is_marked(bytes.get(..1_024).unwrap_or(bytes))
}
