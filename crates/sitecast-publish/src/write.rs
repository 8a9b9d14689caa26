//! Last stage: puts the collections and the files beside them, the sitemap last.

mod cache;
mod clean_up;
mod compressed;
mod copy;
mod headers;
mod links;
mod machine_pages;
pub(crate) mod obstacles;
mod readable;
mod site_files;
mod sitemap;
mod strays;
mod withdraw;
mod writer;

use crate::collections::expire;
use crate::extract::Extraction;
use crate::list::Listing;
use crate::plan::{Plan, Publication};
use crate::progress::Step;
use crate::recall::Recalled;
use crate::report::Report;
use crate::run::Run;
use crate::template::published::PublishedTemplate;
use crate::{PublishError, SitemapForm};
use cache::write_cache;
use copy::copy_previous;
use writer::FileWriter;

/// Writes a planned publication, and the cache for the next run.
pub(crate) fn write(
    run: &Run<'_>,
    listing: &Listing,
    mut recalled: Recalled<'_>,
    plan: Plan,
    mut extraction: Extraction,
    report: &mut Report,
) -> Result<(), PublishError> {
    let Plan {
        mut publication,
        prepared,
        deletions,
        future,
    } = plan;
    check_lock(run)?;
    let has_new_collections = run.previous.is_some() || !prepared.is_empty();
    let has_machine_pages = !extraction.pages.machine.spool.is_empty();
    if has_new_collections || !publication.deleted.is_empty() || has_machine_pages {
        recalled.marker.begin(publication.generated)?;
    }
    copy_previous(run, &mut publication, &mut report.notes)?;
    for section in prepared {
        let link = section.collection.commit(run.store)?;
        if let Some(chain) = publication.chains.get_mut(section.number) {
            chain.add(link);
        }
    }
    run.progress.begin(Step::Artefacts, None);
    let Publication {
        chains, retired, ..
    } = &mut publication;
    let mut expired = expire(chains, retired, run.now);
    expired.extend(future);
    let mut writer = FileWriter::new(run, listing);
    writer.files(
        &publication,
        &mut extraction,
        &mut recalled,
        has_new_collections,
    )?;
    writer.clean_up(&publication, &expired)?;
    report.notes.extend(writer.notes.iter().cloned());
    write_cache(run, &publication, &deletions, extraction, &writer, report)?;
    report.artefacts = writer.artefacts;
    Ok(())
}

impl FileWriter<'_> {
    /// Writes all files. A file that names others comes after them, and the sitemap after all.
    fn files(
        &mut self,
        publication: &Publication,
        extraction: &mut Extraction,
        recalled: &mut Recalled<'_>,
        has_new_collections: bool,
    ) -> Result<(), PublishError> {
        let artefacts = &self.run.options.artefacts;
        let (site, pages) = (&extraction.site, &mut extraction.pages);
        if artefacts.tct {
            self.machine_pages(publication, &mut pages.machine, recalled.may_differ)?;
        } else {
            self.withdraw_machine_pages(&mut recalled.marker, publication.generated)?;
        }
        if artefacts.policy {
            self.policy()?;
        }
        if artefacts.markdown {
            self.markdown(publication, &mut pages.lines.spool)?;
        }
        if artefacts.llms_txt {
            self.llms_txt(publication)?;
        }
        let sample = std::mem::take(&mut pages.sample);
        self.template(PublishedTemplate::write(site, sample, self.run.options))?;
        if recalled.marker.is_left() {
            self.remove_strays(&publication.ledger)?;
        }
        self.header_files(publication)?;
        self.link_html(&publication.ledger, &pages.to_link)?;
        self.sitemaps(publication, has_new_collections)?;
        recalled.marker.end()
    }

    /// Writes the sitemaps after everything that they name is durable.
    fn sitemaps(
        &mut self,
        publication: &Publication,
        has_new_collections: bool,
    ) -> Result<(), PublishError> {
        let artefacts = &self.run.options.artefacts;
        let sitemaps = match artefacts.sitemap {
            SitemapForm::Off => None,
            SitemapForm::Extended | SitemapForm::Separate => Some(self.make_sitemaps(publication)?),
        };
        if artefacts.robots_txt {
            let named = sitemaps.as_ref().map(|made| made.for_robots.as_slice());
            self.robots_txt(named.unwrap_or_default())?;
        }
        if has_new_collections || !self.artefacts.is_empty() {
            self.run.store.sync()?;
        }
        check_lock(self.run)?;
        let before = self.artefacts.len();
        match sitemaps {
            Some(sitemaps) => self.put_sitemaps(sitemaps)?,
            None => self.withdraw_sitemaps()?,
        }
        if self.artefacts.len() > before {
            self.run.store.sync()?;
        }
        Ok(())
    }
}

/// Fails if another publisher has taken the lock.
fn check_lock(run: &Run<'_>) -> Result<(), PublishError> {
    match &run.lock {
        Some(lock) => Ok(lock.check()?),
        None => Ok(()),
    }
}
