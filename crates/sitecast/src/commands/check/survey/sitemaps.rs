//! robots.txt and the XML sitemaps.

use sitecast_sitemap::{ScpBlock, ScpCollector, SitemapQueue};
use url::Url;

use super::walk::Usual;
use super::{Look, Survey};
use crate::commands::check::place::{Place, Thorough, Wanted};
use crate::commands::check::recognize::Format;
use crate::failure::Failure;
use crate::output::report::{Facts, Shown};

/// Sitemaps of one website that are fetched; a folder's are all read.
const FETCHED: u64 = 100;

impl Survey<'_, '_> {
    /// Looks at robots.txt and all sitemaps. Answers what they say of collections.
    pub(super) fn sitemaps(
        &mut self,
        root: &Url,
        robots: Option<Url>,
        usual: &[Option<Url>],
        when: Usual,
        place: &mut dyn Place,
    ) -> Result<ScpBlock, Failure> {
        let mut queue = SitemapQueue::new(self.round.checker.settings.sitemap_limits());
        let mut scp = ScpCollector::default();
        let mut by_robots = Vec::new();
        if let Some(robots) = &robots
            && let Look::Seen(seen) = self.look(robots, Wanted::Robots, Thorough::No, place)?
        {
            if let Facts::Robots(facts) = seen.report.known() {
                by_robots.clone_from(&facts.sitemaps);
            }
            self.done(*seen, Shown::Always)?;
        }
        let mut found = 0;
        for url in &by_robots {
            self.queue(&mut queue, url);
        }
        found += self.follow(&mut queue, "robots.txt", &mut scp, place)?;
        let by_robots_found = found;
        for url in usual.iter().flatten() {
            if when == Usual::IfNeeded && !scp.block().collections.is_empty() {
                break;
            }
            // What was looked at already is not looked at again.
            if queue.add(url.as_str()).is_err() || queue.next().is_none() {
                continue;
            }
            if let Some(seen) = self.guess(url, Wanted::Sitemap, Format::Sitemap, place)? {
                found += 1;
                let from = sitecast_sitemap::Queued {
                    url: url.to_string(),
                    depth: 0,
                };
                for child in &seen.named.sitemaps {
                    let _ = queue.add_child(&from, child);
                }
                self.take(*seen, &mut scp)?;
                found += self.follow(&mut queue, "a sitemap index", &mut scp, place)?;
            }
        }
        self.facts.sitemaps = found;
        if scp.is_truncated() {
            let message =
                "more sections or collections than an agent looks at; the rest was left out";
            self.site
                .warning("too-many-collections", None, None, &message);
        }
        let scp = scp.into_block();
        self.facts.collections = scp.collections.len() as u64;
        // A robots.txt counts at the top of its host only.
        if found > 0 && by_robots_found == 0 && root.path() == "/" {
            let message = "robots.txt names no sitemap that is there";
            self.site
                .warning("robots-without-sitemap", None, None, &message);
        }
        Ok(scp)
    }

    fn queue(&mut self, queue: &mut SitemapQueue, url: &str) {
        if let Err(refused) = queue.add(url) {
            let message = format!("the sitemap is left out: {refused}");
            self.site
                .warning("sitemap-refused", None, Some(url), &message);
        }
    }

    /// Looks at all sitemaps that wait, and at those that they name.
    fn follow(
        &mut self,
        queue: &mut SitemapQueue,
        by: &str,
        scp: &mut ScpCollector,
        place: &mut dyn Place,
    ) -> Result<u64, Failure> {
        let (mut found, mut looked_at) = (0, 0);
        while let Some(next) = queue.next() {
            let Ok(url) = Url::parse(&next.url) else {
                continue;
            };
            if looked_at >= FETCHED && !self.facts.folder {
                let message = format!("more than {FETCHED} sitemaps; the rest was not looked at");
                self.site.warning("not-all-sitemaps", None, None, &message);
                while queue.next().is_some() {}
                break;
            }
            looked_at += 1;
            let by = if next.depth > 0 {
                "a sitemap index"
            } else {
                by
            };
            match self.look(&url, Wanted::Sitemap, Thorough::No, place)? {
                Look::Seen(seen) => {
                    found += 1;
                    for child in &seen.named.sitemaps {
                        let _ = queue.add_child(&next, child);
                    }
                    self.take(*seen, scp)?;
                }
                Look::Absent(why) => self.site.finding_between(
                    "missing",
                    url.as_str(),
                    format!("`{url}`, which {by} names, cannot be had: {why}"),
                ),
                Look::Elsewhere => self.elsewhere(&url),
                Look::Failed => {}
            }
        }
        Ok(found)
    }

    fn take(&mut self, mut seen: super::Seen, scp: &mut ScpCollector) -> Result<(), Failure> {
        scp.extend(std::mem::take(&mut seen.named.scp));
        self.done(seen, Shown::Always)
    }

    /// A file that a folder's site has elsewhere.
    pub(super) fn elsewhere(&mut self, url: &Url) {
        let message = "it is not in this folder, and was not looked at";
        self.site
            .warning("not-in-the-folder", None, Some(url.as_str()), &message);
    }
}
