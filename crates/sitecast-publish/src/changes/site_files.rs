//! Files beside the collections: are they, and everything that they are made from, as the last run left them?

use serde::Serialize;
use sitecast_storage::{Store, StorePath};
use sitecast_tct::{ContentHash, Policy};
use url::Url;

use crate::keep_out::OwnerRules;
use crate::list::Listing;
use crate::list::site_sitemap::SiteSitemapKind;
use crate::recall::cache::SiteFiles;
use crate::recall::page_settings::PageSettings;
use crate::run::Run;
use crate::{Artefacts, Options, PublishError};

/// Everything that the files are made from, without pages and collections.
#[derive(Serialize)]
struct Inputs<'a> {
    pages: PageSettings<'a>,
    files: FileSettings<'a>,
    site_sitemap: SitemapInput<'a>,
    robots: Option<String>,
    owners: &'a OwnerRules,
}

/// The site's own sitemap. It may be large, and is hashed.
#[derive(Serialize)]
enum SitemapInput<'a> {
    Own,
    Unseen,
    Beside(&'a str),
    Site {
        path: &'a str,
        hash: String,
        index: Option<String>,
    },
}

/// The settings that do not decide about pages, but about collections or files.
#[derive(Serialize)]
struct FileSettings<'a> {
    frequencies: Vec<&'a str>,
    exclude: &'a [String],
    compressions: Vec<&'a str>,
    collections: &'a str,
    collections_url: Option<&'a str>,
    delta_share: f64,
    artefacts: &'a Artefacts,
    policy: Option<&'a Policy>,
}

/// Hashes everything that the files are made from.
pub(crate) fn inputs(run: &Run<'_>, listing: &Listing) -> Result<String, PublishError> {
    let hash = |bytes: &[u8]| ContentHash::of(bytes).to_string();
    let robots = run.source.optional_file("robots.txt")?;
    let inputs = Inputs {
        pages: PageSettings::of(run),
        files: file_settings(run.options),
        site_sitemap: match &listing.site_sitemap.kind {
            SiteSitemapKind::Own => SitemapInput::Own,
            SiteSitemapKind::Unseen => SitemapInput::Unseen,
            SiteSitemapKind::Beside { why } => SitemapInput::Beside(why),
            SiteSitemapKind::Site { path, bytes, index } => SitemapInput::Site {
                path: path.as_str(),
                hash: hash(bytes),
                index: index.as_deref().map(hash),
            },
        },
        robots: robots.as_deref().map(hash),
        owners: &listing.owners,
    };
    let inputs = serde_json::to_vec(&inputs).map_err(PublishError::internal)?;
    Ok(hash(&inputs))
}

/// Describes the files that a run has left.
pub(crate) fn describe(
    run: &Run<'_>,
    listing: &Listing,
    files: &[StorePath],
    notes: Vec<String>,
) -> Result<SiteFiles, PublishError> {
    let mut versions = Vec::new();
    for path in files {
        if let Some(object) = run.store.get(path)? {
            versions.push((path.to_string(), object.tag.0));
        }
    }
    Ok(SiteFiles {
        inputs: inputs(run, listing)?,
        files: versions,
        notes,
    })
}

/// Returns true if all files have the version that the last run left.
pub(crate) fn are_unchanged(files: &SiteFiles, store: &dyn Store) -> Result<bool, PublishError> {
    for (path, tag) in &files.files {
        let Ok(path) = path.parse::<StorePath>() else {
            return Ok(false);
        };
        if store.get(&path)?.is_none_or(|object| object.tag.0 != *tag) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn file_settings(options: &Options) -> FileSettings<'_> {
    let sections = options.sections.iter();
    let compressions = options.compressions.iter();
    FileSettings {
        frequencies: sections
            .map(|section| section.update_frequency.name())
            .collect(),
        exclude: &options.exclude,
        compressions: compressions.map(|compression| compression.name()).collect(),
        collections: &options.collections,
        collections_url: options.collections_url.as_ref().map(Url::as_str),
        delta_share: options.delta_share,
        artefacts: &options.artefacts,
        policy: options.policy.as_ref(),
    }
}
