//! The way through a site: what is looked at, and in which order.

use sitecast_sitemap::SEPARATE_SITEMAP;
use sitecast_tct::{POLICY_PATH, SITEMAP_PATH, WELL_KNOWN_SITEMAP_PATH};
use url::Url;

use super::Survey;
use crate::cli::{Sample, Which};
use crate::commands::check::place::{Here, Place, Wanted};
use crate::commands::check::recognize::Format;
use crate::failure::Failure;
use crate::output::report::Shown;

impl Survey<'_, '_> {
    /// A site on the web. The homepage was fetched already, if it could be.
    pub(in crate::commands::check) fn website(
        &mut self,
        root: Url,
        homepage: Option<Here>,
        place: &mut dyn Place,
    ) -> Result<(), Failure> {
        self.facts.base_url = Some(root.to_string());
        let robots = join(&root, "/robots.txt");
        // robots.txt names the last one, but for a site that does not have one of its own.
        let separate = join(&root, SEPARATE_SITEMAP).filter(|_| root.path() != "/");
        let usual = [
            join(&root, "sitemap.xml"),
            separate,
            join(&root, "/sitemap.xml"),
        ];
        let scp = self.sitemaps(&root, robots, &usual, Usual::IfNeeded, place)?;
        self.collections(&scp, self.round.which, place)?;
        let stated = homepage.as_ref().map(|page| page.links("index"));
        let stated = stated.unwrap_or_default().into_iter().next();
        let places = [
            stated.clone(),
            join(&root, file_of(SITEMAP_PATH)),
            join(&root, WELL_KNOWN_SITEMAP_PATH),
            join(&root, SITEMAP_PATH),
        ];
        let listed = self.json_sitemaps(&places, place)?;
        if let Some(stated) = &stated
            && self.facts.json_sitemap.as_deref() != Some(stated.as_str())
        {
            let message = format!("at `{stated}`, which the homepage names, is no JSON sitemap");
            self.site
                .finding_between("missing", stated.as_str(), message);
        } else if stated.is_none() && !listed.is_empty() && homepage.is_some() {
            let message = "no `Link` of the homepage with rel=\"index\" names the JSON sitemap";
            self.site
                .warning("no-index-link", None, Some(root.as_str()), &message);
        }
        self.machine_pages(&listed, self.round.sample, place)?;
        let linked = listed
            .first()
            .map(|sitemap| sitemap.here.links("describedby"));
        let linked = linked.unwrap_or_default().into_iter().next();
        let is_linked = linked.is_some();
        self.policy(&[linked, join(&root, file_of(POLICY_PATH))], place)?;
        if let (Some(policy), Some(sitemap)) = (&self.facts.policy, &self.facts.json_sitemap)
            && !is_linked
        {
            let message = format!("no `Link` with rel=\"describedby\" names the policy `{policy}`");
            self.site
                .warning("no-policy-link", None, Some(sitemap), &message);
        }
        if self.facts.sitemaps == 0 && listed.is_empty() && self.site.is_usable() {
            self.site.finding_between(
                "nothing-offered",
                root.as_str(),
                "the site has neither a sitemap nor a JSON sitemap: nothing for agents".to_owned(),
            );
        }
        Ok(())
    }

    /// A site in a folder; what is at `root` on the web is at the folder's top.
    pub(in crate::commands::check) fn folder(
        &mut self,
        root: &Url,
        place: &mut dyn Place,
        named: &mut dyn FnMut(&Url),
    ) -> Result<(), Failure> {
        let robots = join(root, "robots.txt");
        let usual = [
            join(root, "sitemap.xml"),
            join(root, "sitecast-sitemap.xml"),
            join(root, SEPARATE_SITEMAP),
        ];
        let scp = self.sitemaps(root, robots, &usual, Usual::Always, place)?;
        self.collections(&scp, Which::All, place)?;
        for collection in &scp.collections {
            Url::parse(&collection.url).iter().for_each(&mut *named);
        }
        let places = [
            join(root, file_of(SITEMAP_PATH)),
            join(root, WELL_KNOWN_SITEMAP_PATH.trim_start_matches('/')),
        ];
        let listed = self.json_sitemaps(&places, place)?;
        self.machine_pages(&listed, Sample::All, place)?;
        self.each_item(&listed, &mut |item| {
            Url::parse(item.m_url.as_str()).iter().for_each(&mut *named);
            Ok(())
        })?;
        self.policy(&[join(root, file_of(POLICY_PATH))], place)
    }

    /// The first of these places that has a policy.
    fn policy(&mut self, places: &[Option<Url>], place: &mut dyn Place) -> Result<(), Failure> {
        for url in distinct(places) {
            if let Some(seen) = self.guess(url, Wanted::Json, Format::Policy, place)? {
                self.facts.policy = Some(url.to_string());
                return self.done(*seen, Shown::Always);
            }
        }
        Ok(())
    }
}

/// Whether the usual places of sitemaps are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usual {
    /// Only if what is named says nothing of collections.
    IfNeeded,
    Always,
}

/// Each of the places once.
pub(super) fn distinct(places: &[Option<Url>]) -> Vec<&Url> {
    let mut distinct: Vec<&Url> = Vec::new();
    for place in places.iter().flatten() {
        if !distinct.contains(&place) {
            distinct.push(place);
        }
    }
    distinct
}

fn join(root: &Url, path: &str) -> Option<Url> {
    root.join(path).ok()
}

/// The name of a file whose usual place is a path.
fn file_of(path: &str) -> &str {
    path.trim_start_matches('/')
}
