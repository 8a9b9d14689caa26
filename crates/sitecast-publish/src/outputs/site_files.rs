use sitecast_tct::{Policy, RateHints};

use super::sitemap::for_robots;
use super::{Outputs, Published, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::add_sitemaps;
use crate::carrier::{own_path, read_all};
use crate::source::Source;

impl Outputs<'_> {
    /// `Sitemap:` lines in robots.txt, which belongs to the root of the host alone.
    pub(super) fn robots_txt(
        &mut self,
        source: &dyn Source,
        published: &Published<'_>,
    ) -> Result<(), PublishError> {
        let sitemaps = for_robots(published, self.options);
        if !self.options.base.is_root() {
            return Ok(());
        }
        let path = own_path("robots.txt");
        let there = match source.site_file("robots.txt")? {
            Some(bytes) => Some(bytes),
            None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
        };
        let added = add_sitemaps(there.as_deref(), &sitemaps);
        let Some(bytes) = added.or(there) else {
            return Ok(());
        };
        self.put("robots-txt", &path, bytes, served("text/plain", SITE_CACHE))
    }

    /// What the publisher allows and asks for.
    pub(super) fn policy(&mut self) -> Result<(), PublishError> {
        let policy = self.options.policy.clone().unwrap_or_else(|| {
            let sitemap = self.options.base.url_of("sitemap.xml");
            Policy {
                version: Some(1),
                rate_hints: RateHints {
                    note: Some(format!(
                        "Take the collections that {sitemap} names rather than single pages."
                    )),
                    ..RateHints::default()
                },
                ..Policy::default()
            }
        });
        self.put(
            "policy",
            &own_path("llm-policy.json"),
            policy.to_json().into_bytes(),
            served("application/json", SITE_CACHE),
        )
    }
}
