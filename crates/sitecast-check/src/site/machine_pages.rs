//! Checking the JSON sitemap, the JSON sitemaps that it names, and the machine pages that they list.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;
use sitecast_tct::sitemap::{Event, Item, SitemapReader};
use sitecast_tct::{ContentHash, clean_etag};
use url::Url;

use super::walk::distinct;
use super::{Outcome, ReadFile, SiteCheck};
use crate::files::{Expected, Probes, SiteFile, SiteFiles};
use crate::recognize::Format;
use crate::report::facts::{Facts, MachinePageFacts};
use crate::{CheckError, Role, Sample};

/// Machine pages of a website for which additional requests are sent.
const PROBED: u64 = 20;

/// A JSON sitemap that was read.
pub(crate) struct Listed {
    pub(crate) file: SiteFile,
    items: u64,
}

impl SiteCheck<'_, '_> {
    /// Checks the JSON sitemap at the first candidate URL that has one, and the JSON sitemaps that it names.
    pub(crate) fn json_sitemaps(
        &mut self,
        candidates: &[Option<Url>],
        files: &mut dyn SiteFiles,
    ) -> Result<Vec<Listed>, CheckError> {
        let mut listed = Vec::new();
        for url in distinct(candidates) {
            let Some(mut read) =
                self.read_if_present(url, Expected::Json, Format::JsonSitemap, files)?
            else {
                continue;
            };
            self.facts.json_sitemap = Some(url.to_string());
            let children = std::mem::take(&mut read.references.json_sitemaps);
            self.list(*read, &mut listed)?;
            for child in children {
                let Ok(url) = Url::parse(child.url.as_str()) else {
                    continue;
                };
                match self.read(&url, Expected::Json, Probes::Send, files)? {
                    Outcome::Read(read) => {
                        if let Some(said) = &child.hash {
                            self.compare_sitemap(&url, said, &read.file);
                        }
                        self.list(*read, &mut listed)?;
                    }
                    Outcome::Absent(why) => {
                        let message =
                            format!("`{url}`, which the JSON sitemap names, cannot be had: {why}");
                        self.report.error_between("missing", url.as_str(), message);
                    }
                    Outcome::Elsewhere => self.note_elsewhere(&url),
                    Outcome::Failed => {}
                }
            }
            break;
        }
        self.facts.items = listed.iter().map(|sitemap| sitemap.items).sum();
        Ok(listed)
    }

    fn list(&mut self, read: ReadFile, listed: &mut Vec<Listed>) -> Result<(), CheckError> {
        let items = match &read.report.facts {
            Facts::JsonSitemap(facts) => facts.items,
            _ => 0,
        };
        self.add(Role::Part, read.report, read.started)?;
        // An index is listed for its `Link` headers.
        listed.push(Listed {
            file: read.file,
            items,
        });
        Ok(())
    }

    /// Compares a JSON sitemap with its hash in the index: by its entity tag, in a folder by its bytes.
    fn compare_sitemap(&mut self, url: &Url, said: &str, file: &SiteFile) {
        let is = match &file.exchange {
            Some(exchange) => exchange
                .head
                .validators
                .etag
                .as_deref()
                .map(clean_etag)
                .map(str::to_owned),
            None => fs::read(&file.path)
                .ok()
                .map(|bytes| ContentHash::of(&bytes).to_string()),
        };
        if let Some(is) = is.filter(|is| is != said) {
            let message = format!("`{url}`: the index says `{said}`, and it is `{is}`");
            self.report.error_between("parity", url.as_str(), message);
            self.report.mismatch = Some("hash mismatch");
        }
    }

    /// Checks a sample of the machine pages.
    pub(crate) fn machine_pages(
        &mut self,
        listed: &[Listed],
        sample: Sample,
        files: &mut dyn SiteFiles,
    ) -> Result<(), CheckError> {
        let total = self.facts.items;
        let mut index = 0;
        let mut checked = 0;
        let mut pages = Vec::new();
        for sitemap in listed {
            let mut reader = self.reader(&sitemap.file)?;
            while let Ok(Some(event)) = reader.next_event() {
                let Event::Item(item) = event else { continue };
                if sample.includes(index, total) {
                    pages.push(item);
                }
                index += 1;
                // In batches, because a site can have a million machine pages.
                if pages.len() >= 64 {
                    self.check_pages(&mut pages, &mut checked, files)?;
                }
            }
            self.check_pages(&mut pages, &mut checked, files)?;
        }
        self.facts.pages_checked = checked;
        Ok(())
    }

    fn check_pages(
        &mut self,
        pages: &mut Vec<Item>,
        checked: &mut u64,
        files: &mut dyn SiteFiles,
    ) -> Result<(), CheckError> {
        for item in pages.drain(..) {
            *checked += u64::from(self.machine_page(&item, *checked < PROBED, files)?);
        }
        Ok(())
    }

    /// Checks one machine page. Returns true if it is there.
    fn machine_page(
        &mut self,
        item: &Item,
        probed: bool,
        files: &mut dyn SiteFiles,
    ) -> Result<bool, CheckError> {
        let Ok(url) = Url::parse(item.m_url.as_str()) else {
            return Ok(false);
        };
        let probes = match probed {
            true => Probes::Send,
            false => Probes::Skip,
        };
        match self.read(&url, Expected::MachinePage, probes, files)? {
            Outcome::Read(read) => {
                if let Facts::MachinePage(facts) = &read.report.facts {
                    self.compare_page(&url, item, facts);
                }
                self.add_read(Role::RoutinePart, *read)?;
                Ok(true)
            }
            Outcome::Absent(why) => {
                let message =
                    format!("`{url}`, which the JSON sitemap names, cannot be had: {why}");
                self.report.error_between("missing", url.as_str(), message);
                Ok(false)
            }
            Outcome::Elsewhere => {
                self.note_elsewhere(&url);
                Ok(false)
            }
            Outcome::Failed => Ok(false),
        }
    }

    /// Compares a machine page with its item: both must have the same hash (TCT, "Strong ETag and Parity").
    fn compare_page(&mut self, url: &Url, item: &Item, facts: &MachinePageFacts) {
        // In later drafts the page has no hash.
        let is = facts.hash.as_deref().or(facts.computed_hash.as_deref());
        if let (Some(said), Some(is)) = (item.hash.as_deref(), is)
            && said != is
        {
            let message =
                format!("`{url}`: the JSON sitemap says `{said}`, and the page is `{is}`");
            self.report.error_between("parity", url.as_str(), message);
            self.report.mismatch = Some("hash mismatch");
        }
        if let Some(canonical) = &facts.canonical_url
            && Url::parse(canonical).ok() != Url::parse(item.c_url.as_str()).ok()
        {
            let message = format!(
                "`{url}`: the JSON sitemap says it is of `{}`, and the page `{canonical}`",
                item.c_url
            );
            self.report
                .error_between("canonical-differs", url.as_str(), message);
        }
    }

    /// Reads all items again.
    pub(crate) fn each_item(
        &mut self,
        listed: &[Listed],
        visit: &mut dyn FnMut(&Item),
    ) -> Result<(), CheckError> {
        for sitemap in listed {
            let mut reader = self.reader(&sitemap.file)?;
            while let Ok(Some(event)) = reader.next_event() {
                if let Event::Item(item) = event {
                    visit(&item);
                }
            }
        }
        Ok(())
    }

    fn reader(&self, file: &SiteFile) -> Result<SitemapReader<Box<dyn Read>>, CheckError> {
        let source = open_decompressed(file).map_err(|source| CheckError::Read {
            name: file.name.clone(),
            source,
        })?;
        let limits = &self.checker.options.tct_limits;
        Ok(SitemapReader::new(source, limits))
    }
}

/// Opens a file, and decompresses it if it is compressed with gzip.
fn open_decompressed(file: &SiteFile) -> io::Result<Box<dyn Read>> {
    let mut file = BufReader::with_capacity(64 << 10, file.open()?);
    let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(match gzip {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    })
}
