//! The site's template: the one of the last run as long as it fits, else learnt.

use std::collections::HashMap;

use sitecast_extract::{Extractor, SiteTemplate};

use super::Run;
use crate::PublishError;
use crate::cache::Cache;
use crate::carrier::Carrier;
use crate::making::{hash_of_item, is_same};
use crate::progress::Step;
use crate::source::{Item, Items};
use crate::template::published::{PublishedTemplate, sampled};
use crate::template::{Kept, Site, TemplateOrigin, learn};

/// A template is learnt anew when more than this share of the sample is new to it.
const NEW_TO_TEMPLATE: f64 = 0.34;

/// Whether so many pages of a sample may be new to a template.
fn is_little(new: usize, all: usize) -> bool {
    new as f64 <= all as f64 * NEW_TO_TEMPLATE
}

impl Run<'_> {
    /// What is known of the site as a whole: from the cache or the last publication as long as it fits, else learnt.
    pub(super) fn site(
        &self,
        items: &Items,
        sample: &[usize],
        carrier: &Carrier,
        cache: Option<&Cache>,
    ) -> Result<Site<'static>, PublishError> {
        let extractor = Extractor {
            limits: self.options.extract_limits.clone(),
            rules: self.options.extract_rules.clone(),
            nosnippet: self.options.keep_out.nosnippet(),
            comments: self.options.comments,
            ..Extractor::default()
        };
        if let Some(cache) = cache.filter(|_| !self.options.full)
            && self.still_fits(items, sample, cache)?
            && let Some(text) = cache.template()
            && let Some(template) = SiteTemplate::restore(&text, extractor.clone())
        {
            return Ok(Site {
                style: cache.head.style,
                template,
                html: cache.head.html,
                sampled: Kept::default(),
                other_host: None,
                origin: TemplateOrigin::LastPublication,
            });
        }
        if !self.options.full
            && let Some(published) = PublishedTemplate::read(self.origin(), self.options)
            && self.fits_published(items, sample, &published)?
            && let Some(site) = published.into_site(extractor.clone())
        {
            return Ok(site);
        }
        self.progress.begin(Step::Learn, None);
        learn(
            self.source,
            items,
            sample,
            carrier,
            extractor,
            self.options,
            self.now,
        )
    }

    /// Whether most of the sample is as it was when the template was learnt.
    fn still_fits(
        &self,
        items: &Items,
        sample: &[usize],
        cache: &Cache,
    ) -> Result<bool, PublishError> {
        let is_older = cache.is_older_than(items);
        let listing = items.fingerprint();
        if is_older.is_none() && listing.is_some() && listing == cache.head.listing {
            return Ok(true);
        }
        let mut keys: HashMap<&str, Item<'_>> = sample
            .iter()
            .filter_map(|at| items.get(*at))
            .map(|item| (item.key, item))
            .collect();
        let all = keys.len();
        let Ok(known) = cache.items() else {
            return Ok(false);
        };
        for cached in known {
            let Some(item) = keys.get(cached.key.as_str()).copied() else {
                continue;
            };
            if is_same(self.source, item, &cached, is_older)?
                || hash_of_item(self.source, item)? == Some(cached.hash)
            {
                keys.remove(cached.key.as_str());
            }
            if keys.is_empty() {
                break;
            }
        }
        Ok(is_little(keys.len(), all))
    }

    /// The same for a template that was published.
    fn fits_published(
        &self,
        items: &Items,
        sample: &[usize],
        published: &PublishedTemplate,
    ) -> Result<bool, PublishError> {
        let mut new = 0;
        for item in sample.iter().filter_map(|at| items.get(*at)) {
            let hash = hash_of_item(self.source, item)?;
            let is_known = hash.is_some_and(|hash| published.has(sampled(item.key, &hash)));
            new += usize::from(!is_known);
        }
        Ok(is_little(new, sample.len()))
    }
}
