//! The explanation of a sync: what the site offers and what a sync would fetch, without fetching content.

use std::time::Duration;

use serde::Serialize;
use sitecast_fetch::FetchError;
use sitecast_index::{OriginKind, SectionState, SiteId};
use sitecast_scp::{HttpUrl, Timestamp};
use url::Url;

use crate::batch::Deletions;
use crate::discover::Discovered;
use crate::html::is_unchanged;
use crate::listing::Sitemaps;
use crate::plan::{Candidate, Step, plan, sections};
use crate::site::SiteRun;
use crate::{SyncError, Syncer};

/// The sources that a site offers, and the plan for its next sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The base URL of the site.
    pub site: String,
    /// The URLs of the sitemaps that were read.
    pub sitemaps: Vec<String>,
    /// The number of sitemaps that an index names and that were not read.
    pub more_sitemaps: u64,
    /// The sections that have collections, the widest first.
    pub sections: Vec<SectionPlan>,
    /// The URL of the JSON sitemap.
    pub json_sitemap: Option<String>,
    /// The number of pages to fetch one by one, if the sync would do so.
    pub pages: Option<PagePlan>,
    /// The last successful sync.
    pub last: Option<LastSync>,
    /// The kind of source that the sync would use.
    pub way: OriginKind,
    /// The reason for this kind of source.
    pub reason: String,
    /// Warnings about the site's robots.txt and sitemaps.
    pub warnings: Vec<String>,
    /// The number of requests that the explanation took.
    pub requests: u64,
    /// The bytes that the explanation received.
    pub bytes: u64,
}

/// The last successful sync of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastSync {
    /// The kind of source that it used.
    pub way: Option<OriginKind>,
    /// When it ended.
    pub at: Option<Timestamp>,
}

/// The number of pages that a sync would fetch one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PagePlan {
    /// The pages in the sitemaps that were read.
    pub listed: u64,
    /// Those of them that would be requested; the others are known to be unchanged.
    pub asked_for: u64,
}

/// The plan for one section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SectionPlan {
    /// The name of the section.
    pub section: String,
    /// True if the sync would follow this section.
    pub wanted: bool,
    /// The `generated` of the last collection that was applied.
    pub position: Option<Timestamp>,
    /// The collections that the sync would download.
    #[serde(flatten)]
    pub intent: Intent,
}

/// The collections of a section that a sync would download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Intent {
    /// `nothing`, `snapshot`, `deltas` or `stuck`.
    pub take: &'static str,
    /// The reason for this choice.
    pub why: String,
    /// The URLs of the collections, in order.
    pub urls: Vec<String>,
    /// The size of the collections in bytes, if the sitemap has it for all of them.
    pub bytes: Option<u64>,
}

impl Syncer<'_> {
    /// Reads what a site offers and plans a sync. Fetches sitemaps but no content, and does not change the index.
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
                // The deltas after the snapshot follow.
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
            last: run.state.last_success.is_some().then_some(LastSync {
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
    /// Counts the listed machine pages, and those whose hash differs from the copy in the index.
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
        let mut deletions = Deletions::default();
        let links_missing = self.is_unlinked_recently();
        for file in &listed.files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut deletions)? {
                plan.listed += 1;
                plan.asked_for += u64::from(!self.is_item_unchanged(&item, links_missing)?);
            }
        }
        Ok(Some(plan))
    }

    /// Counts the pages in the sitemaps that were read, and those that may have changed since they were fetched.
    fn count_html(&mut self, found: &Discovered) -> Result<Option<PagePlan>, SyncError> {
        let listing = self.listing(found, Sitemaps::Here)?;
        if listing.pages == 0 {
            return Ok(None);
        }
        let mut plan = PagePlan::default();
        for page in self.listed(&listing) {
            let facts = self.index.facts(&self.site, &page.url)?;
            plan.listed += 1;
            plan.asked_for += u64::from(!is_unchanged(facts.as_ref(), page.lastmod));
        }
        plan.asked_for = plan.asked_for.min(self.options.html_pages);
        Ok(Some(plan))
    }
}

impl Intent {
    /// Adds the deltas that follow a snapshot.
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
            why: "they lead from the copy in the index to the newest state".to_owned(),
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
