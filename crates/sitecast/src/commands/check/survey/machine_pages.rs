//! The JSON sitemap, those that it names, and the machine pages that they list.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;
use sitecast_tct::sitemap::{Event, Item, SitemapReader};
use sitecast_tct::{ContentHash, clean_etag};
use url::Url;

use super::{Look, Survey};
use crate::cli::Sample;
use crate::commands::check::place::{Here, Place, Thorough, Wanted};
use crate::commands::check::recognize::Format;
use crate::failure::Failure;
use crate::output::report::{Facts, MachinePageFacts, Shown};

/// Machine pages of a website about which the server is asked more than once.
const THOROUGH: u64 = 20;

/// A JSON sitemap with items.
pub(super) struct Listed {
    pub(super) here: Here,
    items: u64,
}

impl Survey<'_, '_> {
    /// Looks at the JSON sitemap at the first of these places that has one, and at those that it names.
    pub(super) fn json_sitemaps(
        &mut self,
        places: &[Option<Url>],
        place: &mut dyn Place,
    ) -> Result<Vec<Listed>, Failure> {
        let mut listed = Vec::new();
        for url in places.iter().flatten() {
            let Some(mut seen) = self.guess(url, Wanted::Json, Format::JsonSitemap, place)? else {
                continue;
            };
            self.facts.json_sitemap = Some(url.to_string());
            let children = std::mem::take(&mut seen.named.json_sitemaps);
            self.list(*seen, &mut listed)?;
            for child in children {
                let Ok(url) = Url::parse(child.url.as_str()) else {
                    continue;
                };
                match self.look(&url, Wanted::Json, Thorough::Yes, place)? {
                    Look::Seen(seen) => {
                        if let Some(said) = &child.hash {
                            self.compare_sitemap(&url, said, &seen.here);
                        }
                        self.list(*seen, &mut listed)?;
                    }
                    Look::Absent(why) => {
                        let message =
                            format!("`{url}`, which the JSON sitemap names, is not there: {why}");
                        self.site.finding_between("missing", url.as_str(), message);
                    }
                    Look::Elsewhere => self.elsewhere(&url),
                    Look::Failed => {}
                }
            }
            break;
        }
        self.facts.items = listed.iter().map(|sitemap| sitemap.items).sum();
        Ok(listed)
    }

    fn list(&mut self, seen: super::Seen, listed: &mut Vec<Listed>) -> Result<(), Failure> {
        let items = match seen.report.known() {
            Facts::JsonSitemap(facts) => facts.items,
            _ => 0,
        };
        self.add(seen.report, Shown::Always, seen.started)?;
        // Also an index, for the headers that it came with.
        listed.push(Listed {
            here: seen.here,
            items,
        });
        Ok(())
    }

    /// Whether a JSON sitemap is the one that the index means: by its tag, or by its bytes.
    fn compare_sitemap(&mut self, url: &Url, said: &str, here: &Here) {
        let is = match &here.answer {
            Some(answer) => answer
                .head
                .validators
                .etag
                .as_deref()
                .map(clean_etag)
                .map(str::to_owned),
            None => fs::read(&here.path)
                .ok()
                .map(|bytes| ContentHash::of(&bytes).to_string()),
        };
        if let Some(is) = is.filter(|is| is != said) {
            let message = format!("`{url}`: the index says `{said}`, and it is `{is}`");
            self.site.finding_between("parity", url.as_str(), message);
            self.site.not_as_declared("hash mismatch");
        }
    }

    /// Looks at a sample of the machine pages.
    pub(super) fn machine_pages(
        &mut self,
        listed: &[Listed],
        sample: Sample,
        place: &mut dyn Place,
    ) -> Result<(), Failure> {
        let total = self.facts.items;
        let mut index = 0;
        let mut looked = 0;
        let mut pages = Vec::new();
        for sitemap in listed {
            let mut reader = self.reader(&sitemap.here)?;
            while let Ok(Some(event)) = reader.next_event() {
                let Event::Item(item) = event else { continue };
                if sample.takes(index, total) {
                    pages.push(item);
                }
                index += 1;
                // A few at a time: a site can have a million.
                if pages.len() >= 64 {
                    self.look_at(&mut pages, &mut looked, place)?;
                }
            }
            self.look_at(&mut pages, &mut looked, place)?;
        }
        self.facts.pages_checked = looked;
        Ok(())
    }

    fn look_at(
        &mut self,
        pages: &mut Vec<Item>,
        looked: &mut u64,
        place: &mut dyn Place,
    ) -> Result<(), Failure> {
        for item in pages.drain(..) {
            *looked += u64::from(self.machine_page(&item, *looked < THOROUGH, place)?);
        }
        Ok(())
    }

    /// Looks at one machine page; answers whether it is there.
    fn machine_page(
        &mut self,
        item: &Item,
        thorough: bool,
        place: &mut dyn Place,
    ) -> Result<bool, Failure> {
        let Ok(url) = Url::parse(item.m_url.as_str()) else {
            return Ok(false);
        };
        let thorough = if thorough {
            Thorough::Yes
        } else {
            Thorough::No
        };
        match self.look(&url, Wanted::MachinePage, thorough, place)? {
            Look::Seen(seen) => {
                match seen.report.known() {
                    Facts::MachinePage(facts) => self.compare_page(&url, item, facts),
                    _ => {
                        let message =
                            format!("`{url}`, which the JSON sitemap names, is no machine page");
                        self.site
                            .finding_between("no-machine-page", url.as_str(), message);
                    }
                }
                self.done(*seen, Shown::IfRemarkable)?;
                Ok(true)
            }
            Look::Absent(why) => {
                let message = format!("`{url}`, which the JSON sitemap names, is not there: {why}");
                self.site.finding_between("missing", url.as_str(), message);
                Ok(false)
            }
            Look::Elsewhere => {
                self.elsewhere(&url);
                Ok(false)
            }
            Look::Failed => Ok(false),
        }
    }

    /// TCT, "Strong ETag and Parity": the sitemap and the page have the same hash.
    fn compare_page(&mut self, url: &Url, item: &Item, facts: &MachinePageFacts) {
        // Later drafts have no hash in the page.
        let is = facts.hash.as_deref().or(facts.computed_hash.as_deref());
        if let (Some(said), Some(is)) = (item.hash.as_deref(), is)
            && said != is
        {
            let message =
                format!("`{url}`: the JSON sitemap says `{said}`, and the page is `{is}`");
            self.site.finding_between("parity", url.as_str(), message);
            self.site.not_as_declared("hash mismatch");
        }
        if let Some(canonical) = &facts.canonical_url
            && Url::parse(canonical).ok() != Url::parse(item.c_url.as_str()).ok()
        {
            let message = format!(
                "`{url}`: the JSON sitemap says it is of `{}`, and the page `{canonical}`",
                item.c_url
            );
            self.site
                .finding_between("canonical-differs", url.as_str(), message);
        }
    }

    /// Goes through all items again.
    pub(super) fn each_item(
        &mut self,
        listed: &[Listed],
        take: &mut dyn FnMut(Item) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for sitemap in listed {
            let mut reader = self.reader(&sitemap.here)?;
            while let Ok(Some(event)) = reader.next_event() {
                if let Event::Item(item) = event {
                    take(item)?;
                }
            }
        }
        Ok(())
    }

    fn reader(&self, here: &Here) -> Result<SitemapReader<Box<dyn Read>>, Failure> {
        let source = plain(here).map_err(|error| Failure::cannot_read(&here.name, &error))?;
        Ok(SitemapReader::new(
            source,
            self.round.checker.settings.tct_limits(),
        ))
    }
}

/// The file as it was before it was compressed for the way, if it was.
fn plain(here: &Here) -> io::Result<Box<dyn Read>> {
    let mut file = BufReader::with_capacity(64 << 10, here.open()?);
    let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(match gzip {
        true => Box::new(MultiGzDecoder::new(file)),
        false => Box::new(file),
    })
}
