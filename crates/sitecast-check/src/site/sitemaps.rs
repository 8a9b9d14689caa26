//! Checking robots.txt and the XML sitemaps.

use sitecast_sitemap::{ScpBlock, ScpCollector, SitemapQueue};
use url::Url;

use super::walk::UsualPlaces;
use super::{Outcome, ReadFile, SiteCheck};
use crate::files::{Expected, Probes, SiteFiles};
use crate::recognize::Format;
use crate::report::facts::Facts;
use crate::{CheckError, Role};

/// Sitemaps of one website that are fetched. Of a folder all are read.
const FETCHED: u64 = 100;

impl SiteCheck<'_, '_> {
    /// Checks robots.txt and all sitemaps. Returns what they say about collections.
    pub(crate) fn sitemaps(
        &mut self,
        root: &Url,
        robots: Option<Url>,
        usual: &[Option<Url>],
        when: UsualPlaces,
        files: &mut dyn SiteFiles,
    ) -> Result<ScpBlock, CheckError> {
        let mut queue = SitemapQueue::new(&self.checker.options.sitemap_limits);
        let mut scp = ScpCollector::default();
        let mut by_robots = Vec::new();
        if let Some(robots) = &robots
            && let Outcome::Read(read) = self.read(robots, Expected::Robots, Probes::Skip, files)?
        {
            if let Facts::Robots(facts) = &read.report.facts {
                by_robots.clone_from(&facts.sitemaps);
            }
            self.add_read(Role::Part, *read)?;
        }
        let mut found = 0;
        for url in &by_robots {
            self.queue(&mut queue, url);
        }
        found += self.follow(&mut queue, "robots.txt", &mut scp, files)?;
        let by_robots_found = found;
        for url in usual.iter().flatten() {
            if when == UsualPlaces::IfNeeded && !scp.block().collections.is_empty() {
                break;
            }
            // The queue refuses a sitemap that was read before.
            if queue.add(url.as_str()).is_err() || queue.next().is_none() {
                continue;
            }
            if let Some(read) =
                self.read_if_present(url, Expected::Sitemap, Format::Sitemap, files)?
            {
                found += 1;
                let from = sitecast_sitemap::Queued {
                    url: url.to_string(),
                    depth: 0,
                };
                for child in &read.references.sitemaps {
                    let _ = queue.add_child(&from, child);
                }
                self.add_sitemap(*read, &mut scp)?;
                found += self.follow(&mut queue, "a sitemap index", &mut scp, files)?;
            }
        }
        self.facts.sitemaps = found;
        if scp.is_truncated() {
            let message =
                "more sections or collections than an agent looks at; the rest was left out";
            self.report
                .warning("too-many-collections", None, None, &message);
        }
        let scp = scp.into_block();
        self.facts.collections = scp.collections.len() as u64;
        // A robots.txt counts only at the top of its host.
        if found > 0 && by_robots_found == 0 && root.path() == "/" {
            let message = "robots.txt names no sitemap that is there";
            self.report
                .warning("robots-without-sitemap", None, None, &message);
        }
        Ok(scp)
    }

    fn queue(&mut self, queue: &mut SitemapQueue, url: &str) {
        if let Err(refused) = queue.add(url) {
            let message = format!("the sitemap is left out: {refused}");
            self.report
                .warning("sitemap-refused", None, Some(url), &message);
        }
    }

    /// Checks all sitemaps of the queue, and those that they name.
    fn follow(
        &mut self,
        queue: &mut SitemapQueue,
        by: &str,
        scp: &mut ScpCollector,
        files: &mut dyn SiteFiles,
    ) -> Result<u64, CheckError> {
        let (mut found, mut checked) = (0, 0);
        while let Some(next) = queue.next() {
            let Ok(url) = Url::parse(&next.url) else {
                continue;
            };
            if checked >= FETCHED && !self.facts.folder {
                let message = format!("more than {FETCHED} sitemaps; the rest was not looked at");
                self.report
                    .warning("not-all-sitemaps", None, None, &message);
                while queue.next().is_some() {}
                break;
            }
            checked += 1;
            let by = if next.depth > 0 {
                "a sitemap index"
            } else {
                by
            };
            match self.read(&url, Expected::Sitemap, Probes::Skip, files)? {
                Outcome::Read(read) => {
                    found += 1;
                    for child in &read.references.sitemaps {
                        let _ = queue.add_child(&next, child);
                    }
                    self.add_sitemap(*read, scp)?;
                }
                Outcome::Absent(why) => self.report.error_between(
                    "missing",
                    url.as_str(),
                    format!("`{url}`, which {by} names, cannot be had: {why}"),
                ),
                Outcome::Elsewhere => self.note_elsewhere(&url),
                Outcome::Failed => {}
            }
        }
        Ok(found)
    }

    fn add_sitemap(
        &mut self,
        mut read: ReadFile,
        scp: &mut ScpCollector,
    ) -> Result<(), CheckError> {
        scp.extend(std::mem::take(&mut read.references.scp));
        self.add_read(Role::Part, read)
    }

    /// Notes a file that is not in the folder.
    pub(crate) fn note_elsewhere(&mut self, url: &Url) {
        let message = "it is not in this folder, and was not looked at";
        self.report
            .warning("not-in-the-folder", None, Some(url.as_str()), &message);
    }
}
