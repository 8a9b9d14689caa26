//! The walk through a site: its files in the order in which an agent fetches them.

use sitecast_sitemap::SEPARATE_SITEMAP;
use sitecast_tct::{POLICY_PATH, SITEMAP_PATH, WELL_KNOWN_SITEMAP_PATH};
use url::Url;

use super::SiteCheck;
use crate::files::{Expected, SiteFile, SiteFiles};
use crate::recognize::Format;
use crate::{CheckError, CollectionChoice, Role, Sample};

impl SiteCheck<'_, '_> {
    /// Checks a website. The caller has fetched the homepage, if it exists.
    pub(crate) fn website(
        &mut self,
        root: Url,
        homepage: Option<SiteFile>,
        files: &mut dyn SiteFiles,
    ) -> Result<(), CheckError> {
        self.facts.base_url = Some(root.to_string());
        let robots = join(&root, "/robots.txt");
        // A site below the top of its host has no robots.txt of its own that could name this sitemap.
        let separate = join(&root, SEPARATE_SITEMAP).filter(|_| root.path() != "/");
        let usual = [
            join(&root, "sitemap.xml"),
            separate,
            join(&root, "/sitemap.xml"),
        ];
        let scp = self.sitemaps(&root, robots, &usual, UsualPlaces::IfNeeded, files)?;
        self.collections(&scp, self.checker.options.collections, files)?;
        let stated = homepage.as_ref().map(|page| page.links("index"));
        let stated = stated.unwrap_or_default().into_iter().next();
        let candidates = [
            stated.clone(),
            join(&root, file_of(SITEMAP_PATH)),
            join(&root, WELL_KNOWN_SITEMAP_PATH),
            join(&root, SITEMAP_PATH),
        ];
        let listed = self.json_sitemaps(&candidates, files)?;
        if let Some(stated) = &stated
            && self.facts.json_sitemap.as_deref() != Some(stated.as_str())
        {
            let message = format!("at `{stated}`, which the homepage names, is no JSON sitemap");
            self.report
                .error_between("missing", stated.as_str(), message);
        } else if stated.is_none() && !listed.is_empty() && homepage.is_some() {
            let message = "no `Link` of the homepage with rel=\"index\" names the JSON sitemap";
            self.report
                .warning("no-index-link", None, Some(root.as_str()), &message);
        }
        self.machine_pages(&listed, self.checker.options.pages, files)?;
        let linked = listed
            .first()
            .map(|sitemap| sitemap.file.links("describedby"));
        let linked = linked.unwrap_or_default().into_iter().next();
        let is_linked = linked.is_some();
        self.policy(&[linked, join(&root, file_of(POLICY_PATH))], files)?;
        if let (Some(policy), Some(sitemap)) = (&self.facts.policy, &self.facts.json_sitemap)
            && !is_linked
        {
            let message = format!("no `Link` with rel=\"describedby\" names the policy `{policy}`");
            self.report
                .warning("no-policy-link", None, Some(sitemap), &message);
        }
        if self.facts.sitemaps == 0 && listed.is_empty() && self.report.is_usable() {
            self.report.error_between(
                "nothing-offered",
                root.as_str(),
                "the site has neither a sitemap nor a JSON sitemap: nothing for agents".to_owned(),
            );
        }
        Ok(())
    }

    /// Checks a folder, whose top is at the URL `root` on the web. Calls `named` with every file that a sitemap names.
    pub(crate) fn folder(
        &mut self,
        root: &Url,
        files: &mut dyn SiteFiles,
        named: &mut dyn FnMut(&Url),
    ) -> Result<(), CheckError> {
        let robots = join(root, "robots.txt");
        let usual = [
            join(root, "sitemap.xml"),
            join(root, "sitecast-sitemap.xml"),
            join(root, SEPARATE_SITEMAP),
        ];
        let scp = self.sitemaps(root, robots, &usual, UsualPlaces::Always, files)?;
        self.collections(&scp, CollectionChoice::All, files)?;
        for collection in &scp.collections {
            Url::parse(&collection.url).iter().for_each(&mut *named);
        }
        let candidates = [
            join(root, file_of(SITEMAP_PATH)),
            join(root, WELL_KNOWN_SITEMAP_PATH.trim_start_matches('/')),
        ];
        let listed = self.json_sitemaps(&candidates, files)?;
        self.machine_pages(&listed, Sample::All, files)?;
        self.each_item(&listed, &mut |item| {
            Url::parse(item.m_url.as_str()).iter().for_each(&mut *named);
        })?;
        self.policy(&[join(root, file_of(POLICY_PATH))], files)
    }

    /// Checks the policy at the first candidate URL that has one.
    fn policy(
        &mut self,
        candidates: &[Option<Url>],
        files: &mut dyn SiteFiles,
    ) -> Result<(), CheckError> {
        for url in distinct(candidates) {
            if let Some(read) = self.read_if_present(url, Expected::Json, Format::Policy, files)? {
                self.facts.policy = Some(url.to_string());
                return self.add_read(Role::Part, *read);
            }
        }
        Ok(())
    }
}

/// The condition under which the usual places of sitemaps are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsualPlaces {
    /// Only if the sitemaps that robots.txt names have no collections.
    IfNeeded,
    Always,
}

/// Returns each candidate once.
pub(crate) fn distinct(candidates: &[Option<Url>]) -> Vec<&Url> {
    let mut distinct: Vec<&Url> = Vec::new();
    for candidate in candidates.iter().flatten() {
        if !distinct.contains(&candidate) {
            distinct.push(candidate);
        }
    }
    distinct
}

fn join(root: &Url, path: &str) -> Option<Url> {
    root.join(path).ok()
}

/// Returns the name of the file at a usual path.
fn file_of(path: &str) -> &str {
    path.trim_start_matches('/')
}
