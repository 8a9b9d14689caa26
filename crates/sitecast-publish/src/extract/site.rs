//! Chooses the site's template: that of the last run while it fits, otherwise one that is learnt.

use sitecast_extract::{Extractor, SiteTemplate};

use crate::PublishError;
use crate::changes::template::{fits_cached, fits_published};
use crate::list::Listing;
use crate::progress::Step;
use crate::recall::cache::Cache;
use crate::run::Run;
use crate::template::published::PublishedTemplate;
use crate::template::{Kept, Site, TemplateOrigin, learn};

/// Returns what is known about the site as a whole.
pub(crate) fn site(
    run: &Run<'_>,
    listing: &Listing,
    sample: &[usize],
    cache: Option<&Cache>,
) -> Result<Site<'static>, PublishError> {
    let (source, items, options) = (run.source, &listing.items, run.options);
    let extractor = Extractor {
        limits: options.extract_limits.clone(),
        rules: options.extract_rules.clone(),
        nosnippet: options.keep_out.nosnippet(),
        comments: options.comments,
        ..Extractor::default()
    };
    if let Some(cache) = cache.filter(|_| !options.full)
        && fits_cached(source, items, sample, cache)?
        && let Some(text) = cache.template()
        && let Some(template) = SiteTemplate::restore(&text, extractor.clone())
    {
        return Ok(Site {
            style: cache.head.outcome.style,
            template,
            html: cache.head.outcome.html,
            sampled: Kept::default(),
            other_host: None,
            origin: TemplateOrigin::LastPublication,
        });
    }
    if !options.full
        && let Some(published) = PublishedTemplate::read(run.origin(), options)
        && fits_published(source, items, sample, &published)?
        && let Some(site) = published.into_site(extractor.clone())
    {
        return Ok(site);
    }
    run.progress.begin(Step::Learn, None);
    let listed = &listing.site_sitemap.listed;
    learn(source, items, sample, listed, extractor, options, run.now)
}
