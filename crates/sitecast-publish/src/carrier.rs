//! Which sitemap tells of the collections: the site's own if it has one, else ours.

use std::collections::HashSet;

use sitecast_sitemap::{
    Event, ReaderOptions, SEPARATE_SITEMAP, ScpBlock, SitemapKind, SitemapReader,
};
use sitecast_storage::{Store, StorePath};

use crate::artefacts::{is_marked, store_path};
use crate::source::Source;
use crate::{Options, PublishError, SitemapForm};

/// Where sitemaps are looked for.
pub(crate) const SITEMAP: &str = "sitemap.xml";
/// What ours is called where `sitemap.xml` belongs to the site and cannot be extended.
pub(crate) const BESIDE: &str = "sitecast-sitemap.xml";

/// URLs of the site's own sitemap that are remembered; enough to see how it spells them.
const MOST_URLS: usize = 50_000;

/// The sitemap that tells of the collections.
#[derive(Debug)]
pub(crate) struct Carrier {
    pub(crate) kind: CarrierKind,
    /// Whether the collections are named in a sitemap of their own, whatever the site has.
    pub(crate) is_separate: bool,
    /// Pages that the site's own sitemaps list.
    pub(crate) listed: HashSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CarrierKind {
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
    /// Whether the site has one is not known, and ours must not take its place.
    Unseen,
}

impl Carrier {
    /// Looks at what the site has.
    pub(crate) fn find(
        source: &dyn Source,
        store: &dyn Store,
        options: &Options,
    ) -> Result<Self, PublishError> {
        let mut carrier = Self {
            kind: match source.has_site_files() {
                true => CarrierKind::Own,
                false => CarrierKind::Unseen,
            },
            is_separate: options.artefacts.sitemap == SitemapForm::Separate,
            listed: HashSet::new(),
        };
        let beside = |why: &str| CarrierKind::Beside {
            why: why.to_owned(),
        };
        let bytes = match site_file(source, store, SITEMAP) {
            // The site has one, and nobody knows what is in it.
            Err(PublishError::Refused { reason, .. }) => {
                carrier.kind = beside(&reason.to_string());
                return Ok(carrier);
            }
            bytes => bytes?,
        };
        let Some(bytes) = bytes else {
            return Ok(carrier);
        };
        if is_ours(&bytes) {
            return Ok(carrier);
        }
        let found = carrier.read(&bytes, options);
        carrier.kind = match found {
            Some(Found::Pages) => CarrierKind::Site {
                path: own_path(SITEMAP),
                bytes,
                index: None,
            },
            Some(Found::Index(children)) => {
                match carrier.first_child(&children, source, store, options)? {
                    Some((path, child)) => CarrierKind::Site {
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
        Ok(carrier)
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

    /// Where the sitemap with the collections is.
    pub(crate) fn path(&self) -> StorePath {
        match &self.kind {
            _ if self.is_separate => own_path(SEPARATE_SITEMAP),
            CarrierKind::Own => own_path(SITEMAP),
            CarrierKind::Site { path, .. } => path.clone(),
            CarrierKind::Beside { .. } | CarrierKind::Unseen => own_path(BESIDE),
        }
    }
}

enum Found {
    Pages,
    Index(Vec<String>),
    Other,
}

/// A path of ours, which cannot be wrong.
#[allow(clippy::expect_used, reason = "only called with names of our own")]
pub(crate) fn own_path(path: &str) -> StorePath {
    path.parse().expect("a path of ours")
}

fn is_ours(bytes: &[u8]) -> bool {
    is_marked(bytes.get(..1_024).unwrap_or(bytes))
}

/// A file that the site has: in its source, else where it was published before.
pub(crate) fn site_file(
    source: &dyn Source,
    store: &dyn Store,
    path: &str,
) -> Result<Option<Vec<u8>>, PublishError> {
    match source.site_file(path)? {
        Some(bytes) => Ok(Some(bytes)),
        None => Ok(read_all(store, &own_or(path)?)?.map(|(bytes, _)| bytes)),
    }
}

fn own_or(path: &str) -> Result<StorePath, PublishError> {
    path.parse()
        .map_err(|error: sitecast_storage::InvalidPath| PublishError::Settings(error.to_string()))
}

/// All of an object that is not expected to be large.
pub(crate) fn read_all(
    store: &dyn Store,
    path: &StorePath,
) -> Result<Option<(Vec<u8>, sitecast_storage::Tag)>, PublishError> {
    let Some(mut object) = store.get(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut object.reader, &mut bytes).map_err(|source| {
        PublishError::Source {
            path: path.to_string(),
            source,
        }
    })?;
    Ok(Some((bytes, object.tag)))
}

/// What the sitemaps of a publication say of its collections.
#[derive(Debug, Default)]
pub(crate) struct PublishedScp {
    pub(crate) scp: ScpBlock,
    /// The first of the places of sitemaps that has something else, and what is wrong with it.
    pub(crate) unreadable: Option<(StorePath, String)>,
}

/// Looks for the collections in the places where a publication names them.
pub(crate) fn published_scp(
    store: &dyn Store,
    carrier: &Carrier,
) -> Result<PublishedScp, PublishError> {
    let mut published = PublishedScp::default();
    let places = [
        carrier.path(),
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
            carrier.kind,
            CarrierKind::Beside { .. } | CarrierKind::Unseen
        ) && path.as_str() == SITEMAP;
        if let Some(problem) = problem.filter(|_| !is_known && published.unreadable.is_none()) {
            published.unreadable = Some((path, problem));
        }
    }
    Ok(published)
}

/// What one sitemap says of them; empty where it says nothing.
pub(crate) fn published_in(store: &dyn Store, path: &StorePath) -> Result<ScpBlock, PublishError> {
    Ok(look_in(store, path)?.0)
}

/// What one sitemap says of them, and what keeps it from being a sitemap.
fn look_in(
    store: &dyn Store,
    path: &StorePath,
) -> Result<(ScpBlock, Option<String>), PublishError> {
    let mut scp = ScpBlock::default();
    let Some(object) = store.get(path)? else {
        return Ok((scp, None));
    };
    let mut reader = SitemapReader::new(object.reader);
    // What can be read is taken; a sitemap that breaks later names its collections first.
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
