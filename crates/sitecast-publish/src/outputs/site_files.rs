use sitecast_sitemap::SEPARATE_SITEMAP;

use super::{Outputs, Published, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{add_sitemaps, is_marked, is_usual_policy, usual_policy};
use crate::carrier::{BESIDE, CarrierKind, SITEMAP, own_path, read_all};
use crate::source::Source;
use crate::template::published::PATH;

impl Outputs<'_> {
    /// `Sitemap:` lines in robots.txt, which belongs to the root of the host alone.
    pub(super) fn robots_txt(
        &mut self,
        source: &dyn Source,
        sitemaps: &[String],
    ) -> Result<(), PublishError> {
        if !self.options.base.is_root() {
            let usual = self.options.base.url_of(SITEMAP);
            let others = sitemaps.iter().filter(|url| *url != usual.as_str());
            let host = self.options.base.as_url().origin().ascii_serialization();
            self.note_lines_to_add(
                others,
                &format!("`{host}/robots.txt` is not of this folder"),
            );
            return Ok(());
        }
        let path = own_path("robots.txt");
        let there = match source.site_file("robots.txt")? {
            Some(bytes) => Some(bytes),
            None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
        };
        if there.is_none() && !source.has_site_files() {
            let why = "the site's own `robots.txt` is not known here, and is not replaced";
            self.note_lines_to_add(sitemaps.iter(), why);
            return Ok(());
        }
        let added = add_sitemaps(there.as_deref(), sitemaps);
        let Some(bytes) = added.or(there) else {
            return Ok(());
        };
        self.renew_copies(source, "robots-txt", &path, &bytes)?;
        self.put("robots-txt", &path, bytes, served("text/plain", SITE_CACHE))
    }

    /// Tells the owner which lines robots.txt has to have, where it cannot be written.
    fn note_lines_to_add<'s>(&mut self, sitemaps: impl Iterator<Item = &'s String>, why: &str) {
        let lines: Vec<String> = sitemaps.map(|url| format!("`Sitemap: {url}`")).collect();
        if !lines.is_empty() {
            let lines = lines.join(" and ");
            self.notes.push(format!("{why}: add {lines} to it"));
        }
    }

    /// What the site's pages have in common, for a next run without a cache.
    pub(super) fn template(&mut self, published: &Published<'_>) -> Result<(), PublishError> {
        let path = own_path(PATH);
        let there = read_all(self.store, &path)?.map(|(bytes, _)| bytes);
        let is_ours = there.as_deref().is_none_or(is_marked);
        let wanted = published.template.as_ref();
        match wanted.filter(|_| self.options.artefacts.template) {
            Some(bytes) if is_ours => {
                let attributes = served("application/json", SITE_CACHE);
                self.put("template", &path, bytes.clone(), attributes)?;
            }
            Some(_) => {
                self.leaves(std::slice::from_ref(&path), "the template is not kept");
                self.looked_at.push(path);
            }
            None if is_ours && there.is_some() => {
                self.store.delete(&path)?;
                self.wrote_many("template", 0, 1, 0);
            }
            None => {}
        }
        Ok(())
    }

    /// What the publisher allows and asks for. One that the owner wrote by hand stays, unless the settings say what
    /// it should be.
    pub(super) fn policy(
        &mut self,
        source: &dyn Source,
        published: &Published<'_>,
    ) -> Result<(), PublishError> {
        let path = own_path("llm-policy.json");
        if self.options.policy.is_none() {
            let there = match source.optional_file(path.as_str())? {
                Some(bytes) => Some(bytes),
                None => read_all(self.store, &path)?.map(|(bytes, _)| bytes),
            };
            if there.is_some_and(|there| !is_usual_policy(&there)) {
                self.looked_at.push(path);
                return Ok(());
            }
        }
        let policy = self.options.policy.clone();
        let policy = policy.unwrap_or_else(|| {
            let sitemap = match &published.carrier.kind {
                _ if published.carrier.is_separate => SEPARATE_SITEMAP,
                CarrierKind::Unseen => BESIDE,
                _ => SITEMAP,
            };
            usual_policy(&self.options.base, sitemap)
        });
        self.put(
            "policy",
            &path,
            policy.to_json().into_bytes(),
            served("application/json", SITE_CACHE),
        )
    }
}
