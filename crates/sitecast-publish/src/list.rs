//! First stage: lists the items of the source, and reads the owner's rules about them.

pub(crate) mod site_sitemap;

use sitecast_sitemap::Robots;

use crate::PublishError;
use crate::files::site_file;
use crate::keep_out::OwnerRules;
use crate::progress::Step;
use crate::run::Run;
use crate::source::Items;
use site_sitemap::SiteSitemap;

/// Everything that the source has, beside the content of its pages.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) items: Items,
    pub(crate) robots: Robots,
    /// `_headers` and `.htaccess`.
    pub(crate) owners: OwnerRules,
    pub(crate) site_sitemap: SiteSitemap,
}

/// Lists the source.
pub(crate) fn list(run: &Run<'_>) -> Result<Listing, PublishError> {
    run.progress.begin(Step::List, None);
    let items = run.source.items()?;
    let robots = robots(run)?;
    let keep_out = run.options.keep_out;
    let owners = OwnerRules::read(run.source, run.store, &items, keep_out, run.now)?;
    Ok(Listing {
        items,
        robots,
        owners,
        site_sitemap: SiteSitemap::find(run.source, run.store, run.options)?,
    })
}

/// Reads robots.txt. It counts only where the site is all of its host (RFC 9309 §2.3).
fn robots(run: &Run<'_>) -> Result<Robots, PublishError> {
    if !run.options.base.is_root() {
        return Ok(Robots::default());
    }
    let bytes = site_file(run.source, run.store, "robots.txt")?;
    Ok(bytes.map_or_else(Robots::default, |bytes| Robots::parse(&bytes)))
}
