use sitecast_sitemap::SEPARATE_SITEMAP;

use super::writer::{FileWriter, SITE_CACHE, served};
use crate::PublishError;
use crate::artefacts::{add_sitemaps, is_marked, is_usual_policy, usual_policy};
use crate::files::{own_path, read_all};
use crate::list::site_sitemap::{BESIDE, SITEMAP, SiteSitemapKind};
use crate::template::published::PATH;

impl FileWriter<'_> {
    /// `Sitemap:` lines in robots.txt, which belongs to the root of the host alone.
    pub(super) fn robots_txt(&mut self, sitemaps: &[String]) -> Result<(), PublishError> {
        if !self.run.options.base.is_root() {
            let usual = self.run.options.base.url_of(SITEMAP);
            let others = sitemaps.iter().filter(|url| *url != usual.as_str());
            let host = self
                .run
                .options
                .base
                .as_url()
                .origin()
                .ascii_serialization();
            self.note_lines_to_add(
                others,
                &format!("`{host}/robots.txt` is not of this folder"),
            );
            return Ok(());
        }
        let path = own_path("robots.txt");
        let there = match self.run.source.site_file("robots.txt")? {
            Some(bytes) => Some(bytes),
            None => read_all(self.run.store, &path)?.map(|(bytes, _)| bytes),
        };
        if there.is_none() && !self.run.source.has_site_files() {
            let why = "the site's own `robots.txt` is not known here, and is not replaced";
            self.note_lines_to_add(sitemaps.iter(), why);
            return Ok(());
        }
        let added = add_sitemaps(there.as_deref(), sitemaps);
        let Some(bytes) = added.or(there) else {
            return Ok(());
        };
        self.renew_copies("robots-txt", &path, &bytes)?;
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

    /// Puts the site's template, for a next run without a cache.
    pub(super) fn template(&mut self, template: Option<Vec<u8>>) -> Result<(), PublishError> {
        let path = own_path(PATH);
        let there = read_all(self.run.store, &path)?.map(|(bytes, _)| bytes);
        let is_ours = there.as_deref().is_none_or(is_marked);
        match template.filter(|_| self.run.options.artefacts.template) {
            Some(bytes) if is_ours => {
                let attributes = served("application/json", SITE_CACHE);
                self.put("template", &path, bytes, attributes)?;
            }
            Some(_) => {
                self.leaves(std::slice::from_ref(&path), "the template is not kept");
                self.looked_at.push(path);
            }
            None if is_ours && there.is_some() => {
                self.run.store.delete(&path)?;
                self.wrote_many("template", 0, 1, 0);
            }
            None => {}
        }
        Ok(())
    }

    /// Puts the policy. One that the owner wrote by hand stays, unless the settings have one.
    pub(super) fn policy(&mut self) -> Result<(), PublishError> {
        let path = own_path("llm-policy.json");
        if self.run.options.policy.is_none() {
            let there = match self.run.source.optional_file(path.as_str())? {
                Some(bytes) => Some(bytes),
                None => read_all(self.run.store, &path)?.map(|(bytes, _)| bytes),
            };
            if there.is_some_and(|there| !is_usual_policy(&there)) {
                self.looked_at.push(path);
                return Ok(());
            }
        }
        let policy = self.run.options.policy.clone();
        let policy = policy.unwrap_or_else(|| {
            let sitemap = match &self.listing.site_sitemap.kind {
                _ if self.listing.site_sitemap.is_separate => SEPARATE_SITEMAP,
                SiteSitemapKind::Unseen => BESIDE,
                _ => SITEMAP,
            };
            usual_policy(&self.run.options.base, sitemap)
        });
        self.put(
            "policy",
            &path,
            policy.to_json().into_bytes(),
            served("application/json", SITE_CACHE),
        )
    }
}
