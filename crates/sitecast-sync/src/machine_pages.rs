//! Syncing by machine pages: the JSON sitemap says which have another hash than ours, and only those are
//! fetched, on the condition that they are not ours after all.
//!
//! Before a machine page is kept its `Link` must name the page it is for, its hash must be the same in the
//! entity tag, in the payload and when it is computed. What fails is fetched as HTML instead.

mod find;
mod page;

use sitecast_fetch::FetchError;
use sitecast_index::{Origin, OriginKind};
use sitecast_tct::sitemap::Event;
use url::Url;

use crate::SyncError;
use crate::batch::{Batch, Roll};
use crate::progress::Doing;
use crate::site::SiteRun;
pub(crate) use find::NOTE_NONE;
pub(crate) use page::Answer;

/// Where the JSON sitemap was found.
const NOTE_PLACE: &str = "tct-sitemap";
/// Of which JSON sitemaps everything that they list was taken. By their hash: a run that was killed after it
/// had fetched newer ones must not be the last to look at them.
pub(crate) const NOTE_COMPLETE: &str = "tct-taken";
/// A site that fails so often in a row is left alone.
const FAILURES: u32 = 5;

pub(crate) const JSON: &str = "application/json";

impl SiteRun<'_> {
    pub(crate) fn sync_machine_pages(&mut self) -> Result<(), SyncError> {
        let Some(place) = self.json_sitemap()? else {
            // Pages may still name one.
            self.heeds_links = self.options.prefer != Some(OriginKind::Html);
            return Err(SyncError::NotOffered("JSON sitemap"));
        };
        self.sync_listed(&place)
    }

    /// Takes what this JSON sitemap lists.
    pub(crate) fn sync_listed(&mut self, place: &Url) -> Result<(), SyncError> {
        let listed = self.json_sitemaps(place)?;
        let files = listed.files;
        self.notes.push((NOTE_PLACE, Some(place.to_string())));
        if self.state.notes.get(NOTE_COMPLETE) == Some(&listed.hash)
            && self.state.strategy == Some(OriginKind::Tct)
        {
            return Ok(());
        }
        let mut batch = Batch::default();
        let mut roll = Roll {
            gone: Vec::new(),
            complete: listed.complete,
        };
        let mut instead = Vec::new();
        let mut in_a_row = 0;
        let mut seen = 0;
        'files: for file in &files {
            let mut reader = self.open_json(file)?;
            while let Some(item) = self.next_item(&mut reader, file, &mut roll)? {
                seen += 1;
                self.doing(Doing::Pages { pages: seen });
                match self.machine_page(&item) {
                    Ok(Answer::Fresh(page)) => batch.put(Origin::Tct, *page),
                    Ok(Answer::Unchanged) => self.report.pages.unchanged += 1,
                    Ok(Answer::NotAsked) => {
                        self.report.warn(format!(
                            "stopped after {} machine pages, the most that are fetched in one run",
                            self.asked_pages
                        ));
                        roll.complete = false;
                        break 'files;
                    }
                    Ok(Answer::Gone) => roll.gone.push(item.c_url.to_string()),
                    Ok(Answer::Unusable(why)) => {
                        self.report.warn(format!("`{}`: {why}", item.m_url));
                        instead.push(item.c_url.to_string());
                    }
                    Err(SyncError::Fetch(error)) => {
                        in_a_row += 1;
                        if error.ends_visit() || in_a_row >= FAILURES && error.is_unreachable() {
                            self.flush(&mut batch)?;
                            return Err(error.into());
                        }
                        self.report.warn(error.to_string());
                        if !matches!(error, FetchError::Disallowed { .. }) {
                            instead.push(item.c_url.to_string());
                        }
                        continue;
                    }
                    Err(error) => return Err(error),
                }
                in_a_row = 0;
                self.settle(&mut batch)?;
            }
        }
        self.flush(&mut batch)?;
        if seen == 0 {
            return Err(SyncError::JsonSitemap {
                url: place.to_string(),
                reason: "it lists no page of this site".to_owned(),
            });
        }
        let complete = roll.complete;
        self.sweep_machine_pages(&files, &roll)?;
        let failed_before = self.report.failed_pages;
        self.fetch_instead(instead)?;
        let all = complete && self.report.failed_pages == failed_before;
        self.notes.push((NOTE_COMPLETE, all.then_some(listed.hash)));
        Ok(())
    }

    /// Everything that is listed is there, whether or not it could be had this time.
    fn sweep_machine_pages(&mut self, files: &[Url], roll: &Roll) -> Result<(), SyncError> {
        let mut readers = Vec::new();
        for file in files {
            readers.push(self.open_json(file)?);
        }
        self.close(Origin::Tct, roll, &mut |keep| {
            for reader in &mut readers {
                while let Ok(Some(event)) = reader.next_event() {
                    if let Event::Item(item) = event
                        && !roll.gone.iter().any(|gone| gone == item.c_url.as_str())
                    {
                        keep(item.c_url.as_str())?;
                    }
                }
            }
            Ok(())
        })
    }
}
