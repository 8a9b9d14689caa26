use std::fs::File;
use std::io::BufWriter;

use sitecast_scp::Version;
use sitecast_sitemap::{
    Date, Limits, Location, PageCount, ScpBlock, Section, SitemapSet, WriterOptions, extend,
    write_index,
};
use sitecast_storage::StorePath;

use super::{Outputs, Published, SITE_CACHE, scratch_error, served};
use crate::PublishError;
use crate::artefacts::MARK;
use crate::carrier::{BESIDE, CarrierKind, SITEMAP, own_path};
use crate::chain::{date, named};

impl Outputs<'_> {
    /// The sitemap that names the collections: the site's own, extended, or ours.
    pub(super) fn sitemaps(&mut self, published: &Published<'_>) -> Result<(), PublishError> {
        let scp = self.scp(published);
        match &published.carrier.kind {
            CarrierKind::Own => self.own_sitemap(SITEMAP, published, scp),
            CarrierKind::Beside { why } => {
                self.notes.push(format!(
                    "`{SITEMAP}` cannot be extended ({why}): the collections are named in `{BESIDE}`"
                ));
                self.own_sitemap(BESIDE, published, scp)
            }
            CarrierKind::Site { path, bytes, index } => {
                let mut extended = Vec::with_capacity(bytes.len() + 4_096);
                let outcome = extend(bytes.as_slice(), &mut extended, &scp, &Limits::default());
                if let Err(source) = outcome {
                    self.notes.push(format!(
                        "`{path}` cannot be extended ({source}): the collections are named in `{BESIDE}`"
                    ));
                    return self.own_sitemap(BESIDE, published, scp);
                }
                if let Some(index) = index {
                    let attributes = served("application/xml", SITE_CACHE);
                    self.put("sitemap", &own_path(SITEMAP), index.clone(), attributes)?;
                }
                self.put(
                    "sitemap",
                    path,
                    extended,
                    served("application/xml", SITE_CACHE),
                )
            }
        }
    }

    /// What a sitemap says of the collections.
    fn scp(&self, published: &Published<'_>) -> ScpBlock {
        let mut scp = ScpBlock {
            version: Some(Version::CURRENT.to_string()),
            compression: self
                .options
                .compressions
                .iter()
                .map(|compression| compression.name().to_owned())
                .filter(|name| name != "none")
                .collect(),
            ..ScpBlock::default()
        };
        let sections = self.options.sections.iter().zip(published.chains);
        for (number, (section, chain)) in sections.enumerate() {
            if chain.links.is_empty() {
                continue;
            }
            let bit = 1 << number;
            let members = published
                .ledger
                .iter()
                .filter(|(_, known)| known.sections & bit != 0);
            scp.sections.push(Section {
                name: section.name.to_string(),
                update_frequency: Some(section.update_frequency),
                pages: Some(PageCount {
                    pages: members.count() as u64,
                    approximate: false,
                }),
            });
            scp.collections
                .extend(named(section.name.as_str(), chain, self.options));
        }
        for (name, chain) in published.retired {
            scp.collections.extend(named(name, chain, self.options));
        }
        scp
    }

    /// Ours, with all pages; in several files and an index if it takes them.
    fn own_sitemap(
        &mut self,
        name: &str,
        published: &Published<'_>,
        scp: ScpBlock,
    ) -> Result<(), PublishError> {
        let scratch = self.scratch("")?;
        let failed = |source| PublishError::Sitemap {
            path: name.to_owned(),
            source,
        };
        let file = |number: usize| scratch.join(format!("sitemap-{number}.xml"));
        let options = WriterOptions {
            comment: Some(MARK.to_owned()),
            ..WriterOptions::default()
        };
        let open = |number| Ok(BufWriter::new(File::create(file(number))?));
        let mut set = SitemapSet::new(options.clone(), scp, open);
        for (url, known) in published.ledger.by_urls() {
            set.add(url, date(known.modified)).map_err(failed)?;
        }
        let written = set.finish().map_err(failed)?;
        if written.skipped > 0 {
            self.notes.push(format!(
                "{} URLs are too long for a sitemap, or otherwise not for one",
                written.skipped
            ));
        }
        let mut parts = Vec::new();
        for part in written.parts {
            part.out
                .into_inner()
                .map_err(|error| scratch_error(&scratch, error.into_error()))?;
            parts.push(part.modified);
        }
        let attributes = served("application/xml", SITE_CACHE);
        if parts.len() == 1 {
            return self.put_file("sitemap", &own_path(name), &file(1), attributes);
        }
        let stem = name.strip_suffix(".xml").unwrap_or(name);
        let part_path = |number: usize| own_path(&format!("{stem}-{number}.xml"));
        let mut index: Vec<(Location, Date)> = Vec::new();
        for (number, modified) in (1..).zip(&parts) {
            let url: String = self.options.base.url_of(part_path(number).as_str()).into();
            if let (Ok(location), Some(modified)) = (url.parse(), modified) {
                index.push((location, *modified));
            }
        }
        // The one with the collections comes last of the parts, and the index last of all.
        for number in (1..=parts.len()).rev() {
            let path = part_path(number);
            self.put_file("sitemap", &path, &file(number), attributes.clone())?;
        }
        let bytes = write_index(Vec::new(), &options, index).map_err(failed)?;
        self.put("sitemap", &own_path(name), bytes, attributes)
    }
}

/// The sitemaps that robots.txt has to name.
pub(super) fn for_robots(published: &Published<'_>, options: &crate::Options) -> Vec<String> {
    let url = |path: &StorePath| String::from(options.base.url_of(path.as_str()));
    let mut urls = vec![url(&own_path(SITEMAP))];
    match &published.carrier.kind {
        CarrierKind::Own => {}
        CarrierKind::Site { path, .. } => urls.push(url(path)),
        CarrierKind::Beside { .. } => urls.push(url(&own_path(BESIDE))),
    }
    urls.dedup();
    urls
}
