//! Files beside the collections: are they, and everything that they are made from, as the last run left them?

use serde::Serialize;
use sitecast_extract::Comments;
use sitecast_storage::{Store, StorePath};
use sitecast_tct::{ContentHash, Policy};
use url::Url;

use crate::keep_out::OwnerRules;
use crate::list::Listing;
use crate::list::site_sitemap::SiteSitemapKind;
use crate::recall::cache::SiteFiles;
use crate::run::Run;
use crate::{Artefacts, KeepOut, Options, PublishError, Section};

/// Everything that the files are made from, without pages and collections.
#[derive(Serialize)]
struct Inputs<'a> {
    settings: Settings<'a>,
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

/// The settings, without those that only say how a run is done.
#[derive(Serialize)]
struct Settings<'a> {
    base: &'a str,
    sections: Vec<(&'a str, &'a [String], &'a str)>,
    exclude: &'a [String],
    keep_out: KeepOut,
    compressions: Vec<&'a str>,
    collections: &'a str,
    collections_url: Option<&'a str>,
    delta_share: f64,
    artefacts: &'a Artefacts,
    policy: Option<&'a Policy>,
    extract_limits: &'a sitecast_extract::Limits,
    extract_rules: String,
    comments: bool,
    limits: &'a sitecast_scp::Limits,
}

/// Hashes everything that the files are made from.
pub(crate) fn inputs(run: &Run<'_>, listing: &Listing) -> Result<String, PublishError> {
    let hash = |bytes: &[u8]| ContentHash::of(bytes).to_string();
    let robots = run.source.optional_file("robots.txt")?;
    let inputs = Inputs {
        settings: settings(run.options),
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

fn section_settings(section: &Section) -> (&str, &[String], &str) {
    let Section {
        name,
        paths,
        update_frequency,
    } = section;
    (name.as_str(), paths, update_frequency.name())
}

/// Names every field of the options, so that nobody adds one without a decision here.
fn settings(options: &Options) -> Settings<'_> {
    let Options {
        base,
        sections,
        exclude,
        keep_out,
        compressions,
        collections,
        collections_url,
        delta_share,
        artefacts,
        policy,
        full: _,
        dry_run: _,
        mass_deletion: _,
        cache: _,
        threads: _,
        extract_limits,
        extract_rules,
        comments,
        limits,
    } = options;
    Settings {
        base: base.as_url().as_str(),
        sections: sections.iter().map(section_settings).collect(),
        exclude,
        keep_out: *keep_out,
        compressions: compressions.iter().map(|kind| kind.name()).collect(),
        collections,
        collections_url: collections_url.as_ref().map(Url::as_str),
        delta_share: *delta_share,
        artefacts,
        policy: policy.as_ref(),
        extract_limits,
        extract_rules: extract_rules.fingerprint(),
        comments: *comments == Comments::Include,
        limits,
    }
}
