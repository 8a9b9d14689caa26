//! The site's template: from the cache as long as it fits, else learnt.

use std::collections::HashMap;

use sitecast_extract::{Extractor, SiteTemplate};

use super::Run;
use crate::PublishError;
use crate::cache::Cache;
use crate::carrier::Carrier;
use crate::making::{has_hash, is_same};
use crate::progress::Step;
use crate::source::{Item, Items};
use crate::template::{Kept, Site, learn, sample};

/// A template is learnt anew when more than this share of the sample is new to it.
const NEW_TO_TEMPLATE: f64 = 0.34;

impl Run<'_> {
    /// What is known of the site as a whole: from the cache as long as it fits, else learnt.
    pub(super) fn site(
        &self,
        items: &Items,
        carrier: &Carrier,
        cache: Option<&Cache>,
    ) -> Result<Site<'static>, PublishError> {
        let extractor = Extractor {
            limits: self.options.extract_limits.clone(),
            ..Extractor::default()
        };
        if let Some(cache) = cache.filter(|_| !self.options.full)
            && self.still_fits(items, cache)?
            && let Some(text) = cache.template()
            && let Some(template) = SiteTemplate::restore(&text, extractor.clone())
        {
            return Ok(Site {
                style: cache.head.style,
                template,
                html: cache.head.html,
                sampled: Kept::default(),
            });
        }
        self.progress.begin(Step::Learn, None);
        learn(
            self.source,
            items,
            carrier,
            extractor,
            self.options,
            self.now,
        )
    }

    /// Whether most of the sample is as it was when the template was learnt.
    fn still_fits(&self, items: &Items, cache: &Cache) -> Result<bool, PublishError> {
        let is_older = cache.is_older_than(items);
        let listing = items.fingerprint();
        if is_older.is_none() && listing.is_some() && listing == cache.head.listing {
            return Ok(true);
        }
        let sampled = sample(items);
        let mut keys: HashMap<&str, Item<'_>> = sampled
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
                || has_hash(self.source, item, &cached)?
            {
                keys.remove(cached.key.as_str());
            }
            if keys.is_empty() {
                break;
            }
        }
        Ok(keys.len() as f64 <= all as f64 * NEW_TO_TEMPLATE)
    }
}
