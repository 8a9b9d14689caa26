//! What a site offers and what would be done about it, without doing it.

use std::time::Duration;

use serde::Serialize;
use sitecast_fetch::FetchError;
use sitecast_index::{OriginKind, SectionState, SiteId};
use sitecast_scp::{HttpUrl, Timestamp};
use url::Url;

use crate::batch::Roll;
use crate::discover::Found;
use crate::html::is_as_it_was;
use crate::listing::Sitemaps;
use crate::plan::{Candidate, Step, plan, sections};
use crate::site::SiteRun;
use crate::{SyncError, Syncer};

/// What a site offers, and what a sync would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The site.
    pub site: String,
    /// The sitemaps that were found.
    pub sitemaps: Vec<String>,
    /// Sitemaps that an index names and that were not looked at.
    pub more_sitemaps: u64,
    /// The sections that have collections, the widest first.
    pub sections: Vec<SectionPlan>,
    /// Where the JSON sitemap is.
    pub json_sitemap: Option<String>,
    /// What would be fetched page by page, where that is what would be done.
    pub pages: Option<PagePlan>,
    /// How it was synced the last time.
    pub last: Option<Last>,
    /// What would be done.
    pub way: OriginKind,
    /// Why so.
    pub reason: String,
    /// Things a person may want to know.
    pub warnings: Vec<String>,
    /// What finding this out took.
    pub requests: u64,
    /// And in bytes.
    pub bytes: u64,
}

/// How a site was synced the last time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Last {
    /// How.
    pub way: Option<OriginKind>,
    /// When.
    pub at: Option<Timestamp>,
}

/// How many pages would be fetched one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PagePlan {
    /// That are listed, as far as was looked.
    pub listed: u64,
    /// Of which so many would be asked for; the others are known to be as they were.
    pub asked_for: u64,
}

/// A section, and what would be taken of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SectionPlan {
    /// Its name.
    pub section: String,
    /// Whether it would be followed.
    pub wanted: bool,
    /// How far we are.
    pub position: Option<Timestamp>,
    /// What would be taken.
    #[serde(flatten)]
    pub intent: Intent,
}

/// What would be taken of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Intent {
    /// `nothing`, `snapshot`, `deltas` or `stuck`.
    pub take: &'static str,
    /// Why.
    pub why: String,
    /// Where from, in this order.
    pub urls: Vec<String>,
    /// How many bytes, as far as the sitemap says.
    pub bytes: Option<u64>,
}

impl Syncer<'_> {
    /// Finds out what a site offers. Sitemaps are fetched, content is not, and the index stays as it is.
    pub fn explain(&self, url: &HttpUrl) -> Result<Explanation, SyncError> {
        let mut run = self.begin(&SiteId::new(url))?;
        let found = run.discover()?;
        let json_sitemap = match run.json_sitemap() {
            Ok(place) => place,
            Err(SyncError::Fetch(FetchError::Disallowed { .. })) => None,
            Err(error) => return Err(error),
        };
        let wanted = match run.wanted_sections(&found) {
            Err(error @ SyncError::NoSection { .. }) if !found.scp.collections.is_empty() => {
                return Err(error);
            }
            wanted => wanted.unwrap_or_default(),
        };
        let every = run.snapshot_every();
        let plans = sections(&found.scp).into_iter().map(|section| {
            let state = run.section_state(&section);
            let step = plan(&found.scp, &section, &state, self.now, every).step;
            let mut intent = intent(&step);
            if let Step::Snapshot(snapshot, _) = &step {
                // Then what changed since.
                let then = SectionState {
                    generated: state.generated.max(Some(snapshot.generated)),
                    snapshot: Some(snapshot.generated),
                };
                let then = plan(&found.scp, &section, &then, self.now, Duration::MAX).step;
                if let Step::Deltas(chain) = &then {
                    intent.add(chain);
                }
            }
            SectionPlan {
                wanted: wanted.contains(&section),
                position: state.generated,
                intent,
                section,
            }
        });
        let plans: Vec<SectionPlan> = plans.collect();
        let offered = |way: &OriginKind| match way {
            OriginKind::Scp => !plans.is_empty(),
            OriginKind::Tct => json_sitemap.is_some(),
            OriginKind::Html => true,
        };
        let way = self.options.ways().into_iter().find(offered);
        let way = way.unwrap_or(OriginKind::Html);
        let reason = match (way, self.options.prefer == Some(way)) {
            (OriginKind::Scp, true) => "collections are preferred",
            (OriginKind::Scp, false) => "the site offers collections",
            (OriginKind::Tct, true) => "machine pages are preferred",
            (OriginKind::Tct, false) => "the site has machine pages and no collections",
            (OriginKind::Html, true) => "HTML is preferred",
            (OriginKind::Html, false) if found.sitemaps.is_empty() => {
                "the site has neither collections, machine pages nor a sitemap: links are followed"
            }
            (OriginKind::Html, false) => {
                "the site has a sitemap, and neither collections nor machine pages"
            }
        };
        let pages = match (way, &json_sitemap) {
            (OriginKind::Tct, Some(place)) => run.count_machine_pages(place)?,
            (OriginKind::Html, _) => run.count_html(&found)?,
            _ => None,
        };
        let cost = run.client.cost();
        Ok(Explanation {
            site: run.site.to_string(),
            sitemaps: found.sitemaps.iter().map(|s| s.url.to_string()).collect(),
            more_sitemaps: found.rest.len() as u64,
            sections: plans,
            json_sitemap: json_sitemap.map(String::from),
            pages,
            last: run.state.last_success.is_some().then_some(Last {
                way: run.state.strategy,
                at: run.state.last_success,
            }),
            way,
            reason: reason.to_owned(),
            warnings: run.report.warnings,
            requests: cost.requests,
            bytes: cost.bytes,
        })
    }
}

impl SiteRun<'_> {
    /// How many of the machine pages that are listed have another hash than ours.
    fn count_machine_pages(&mut self, place: &Url) -> Result<Option<PagePlan>, SyncError> {
        let listed = match self.json_sitemaps(place) {
            Ok(listed) => listed,
            Err(error) if error.allows_another_way() => {
                self.report.warn(error.to_string());
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let mut plan = PagePlan::default();
        let mut roll = Roll::default();
        let links_missing = self.is_unlinked_lately();
        for file in &listed.files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut roll)? {
                plan.listed += 1;
                plan.asked_for += u64::from(!self.is_item_as_it_was(&item, links_missing)?);
            }
        }
        Ok(Some(plan))
    }

    /// How many of the pages that the sitemaps here list may have changed since they were fetched.
    fn count_html(&mut self, found: &Found) -> Result<Option<PagePlan>, SyncError> {
        let listing = self.listing(found, Sitemaps::Here)?;
        if listing.pages == 0 {
            return Ok(None);
        }
        let mut plan = PagePlan::default();
        for page in self.listed(&listing) {
            let facts = self.index.facts(&self.site, &page.url)?;
            plan.listed += 1;
            plan.asked_for += u64::from(!is_as_it_was(facts.as_ref(), page.lastmod));
        }
        plan.asked_for = plan.asked_for.min(self.options.html_pages);
        Ok(Some(plan))
    }
}

impl Intent {
    /// Deltas that follow.
    fn add(&mut self, chain: &[Candidate]) {
        self.urls.extend(chain.iter().filter_map(url));
        let bytes = chain.iter().map(Candidate::size).sum::<Option<u64>>();
        self.bytes = self.bytes.zip(bytes).map(|(whole, deltas)| whole + deltas);
    }
}

fn url(candidate: &Candidate) -> Option<String> {
    candidate.files.first().map(|file| file.url.clone())
}

fn intent(step: &Step) -> Intent {
    match step {
        Step::UpToDate => Intent {
            take: "nothing",
            why: "it is up to date".to_owned(),
            urls: Vec::new(),
            bytes: None,
        },
        Step::Snapshot(candidate, why) => Intent {
            take: "snapshot",
            why: (*why).to_owned(),
            urls: url(candidate).into_iter().collect(),
            bytes: candidate.size(),
        },
        Step::Deltas(chain) => Intent {
            take: "deltas",
            why: "they lead from what is here to what is new".to_owned(),
            urls: chain.iter().filter_map(url).collect(),
            bytes: chain.iter().map(Candidate::size).sum(),
        },
        Step::Stuck(why) => Intent {
            take: "stuck",
            why: why.clone(),
            urls: Vec::new(),
            bytes: None,
        },
    }
}
