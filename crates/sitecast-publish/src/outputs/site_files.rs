use super::{Outputs, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{add_sitemaps, is_usual_policy, usual_policy};
use crate::carrier::{own_path, read_all};
use crate::source::Source;

impl Outputs<'_> {
    /// `Sitemap:` lines in robots.txt, which belongs to the root of the host alone.
    pub(super) fn robots_txt(
        &mut self,
        source: &dyn Source,
        sitemaps: &[String],
    ) -> Result<(), PublishError> {
        if !self.options.base.is_root() {
            return Ok(());
        }
        let path = own_path("robots.txt");
        let there = match source.site_file("robots.txt")? {
            Some(bytes) => Some(bytes),
            None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
        };
        let added = add_sitemaps(there.as_deref(), sitemaps);
        let Some(bytes) = added.or(there) else {
            return Ok(());
        };
        self.put("robots-txt", &path, bytes, served("text/plain", SITE_CACHE))
    }

    /// What the publisher allows and asks for. One that the owner wrote by hand stays, unless the settings say what
    /// it should be.
    pub(super) fn policy(&mut self, source: &dyn Source) -> Result<(), PublishError> {
        let path = own_path("llm-policy.json");
        if self.options.policy.is_none() {
            let there = match source.site_file(path.as_str())? {
                Some(bytes) => Some(bytes),
                None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
            };
            if there.is_some_and(|there| !is_usual_policy(&there)) {
                self.looked_at.push(path);
                return Ok(());
            }
        }
        let policy = self.options.policy.clone();
        let policy = policy.unwrap_or_else(|| usual_policy(&self.options.base));
        self.put(
            "policy",
            &path,
            policy.to_json().into_bytes(),
            served("application/json", SITE_CACHE),
        )
    }
}
