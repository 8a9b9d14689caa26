use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;

use flate2::write::GzEncoder;
use sitecast_scp::Version;
use sitecast_sitemap::{
    Date, Limits, Location, PageCount, SEPARATE_SITEMAP, ScpBlock, Section, SitemapSet, WriteError,
    WriterOptions, extend, write_index,
};
use sitecast_storage::StorePath;

use super::writer::{FileWriter, SITE_CACHE, START, served};
use crate::artefacts::{MARK, is_marked};
use crate::collections::{date, named};
use crate::files::{own_path, read_all};
use crate::list::site_sitemap::{BESIDE, SITEMAP, SiteSitemapKind};
use crate::plan::Publication;
use crate::recall::sitemaps::published_in;
use crate::{Options, PublishError};

/// The first bytes of gzip.
const GZIP: &[u8] = b"\x1f\x8b";

/// Sitemaps that are made and not yet put.
#[derive(Default)]
pub(super) struct Sitemaps {
    /// In the order in which they are put: the one with the collections after those that it comes with.
    files: Vec<(StorePath, Made, &'static str)>,
    /// Those that robots.txt has to name.
    pub(super) for_robots: Vec<String>,
}

enum Made {
    Bytes(Vec<u8>),
    /// In the scratch folder.
    File(PathBuf),
}

impl Sitemaps {
    fn add(&mut self, path: StorePath, made: Made) {
        self.files.push((path, made, "application/xml"));
    }

    fn names(&mut self, path: &StorePath, options: &Options) {
        let url = options.base.url_of(path.as_str()).into();
        if !self.for_robots.contains(&url) {
            self.for_robots.push(url);
        }
    }
}

impl FileWriter<'_> {
    /// Makes the sitemap that names the collections: the site's own, extended, or ours.
    pub(super) fn make_sitemaps(
        &mut self,
        publication: &Publication,
    ) -> Result<Sitemaps, PublishError> {
        let listing = self.listing;
        let scp = self.scp(publication);
        let mut made = Sitemaps::default();
        if listing.site_sitemap.is_separate {
            self.separate_sitemap(publication, scp, &mut made)?;
            return Ok(made);
        }
        if listing.site_sitemap.kind != SiteSitemapKind::Unseen {
            made.names(&own_path(SITEMAP), self.run.options);
        }
        match &listing.site_sitemap.kind {
            SiteSitemapKind::Own => self.own_sitemap(SITEMAP, publication, scp, &mut made)?,
            SiteSitemapKind::Beside { why } => {
                self.stands_beside(SITEMAP, why);
                self.own_sitemap(BESIDE, publication, scp, &mut made)?;
            }
            SiteSitemapKind::Unseen => {
                self.notes.push(format!(
                    "the site's own `{SITEMAP}` is not known here, and is not replaced: the collections are named in \
                     `{BESIDE}`"
                ));
                self.own_sitemap(BESIDE, publication, scp, &mut made)?;
            }
            SiteSitemapKind::Site { path, bytes, index } => match extended(bytes, &scp) {
                Err(why) => {
                    self.stands_beside(path.as_str(), &why.to_string());
                    self.own_sitemap(BESIDE, publication, scp, &mut made)?;
                }
                Ok((extended, content_type)) => {
                    if let Some(index) = index {
                        made.add(own_path(SITEMAP), Made::Bytes(index.clone()));
                    }
                    made.names(path, self.run.options);
                    let extended = Made::Bytes(extended);
                    made.files.push((path.clone(), extended, content_type));
                }
            },
        }
        Ok(made)
    }

    /// Makes a sitemap of the collections alone, and leaves the site's own without them.
    fn separate_sitemap(
        &mut self,
        publication: &Publication,
        scp: ScpBlock,
        made: &mut Sitemaps,
    ) -> Result<(), PublishError> {
        let path = own_path(SEPARATE_SITEMAP);
        made.names(&path, self.run.options);
        let listing = self.listing;
        match &listing.site_sitemap.kind {
            SiteSitemapKind::Own => {
                self.own_sitemap(SITEMAP, publication, ScpBlock::default(), made)?;
            }
            SiteSitemapKind::Site { path, .. } => {
                made.names(&own_path(SITEMAP), self.run.options);
                if let Some((bytes, content_type)) = self.without_collections(path)? {
                    let plain = Made::Bytes(bytes);
                    made.files.push((path.clone(), plain, content_type));
                }
            }
            SiteSitemapKind::Beside { .. } => made.names(&own_path(SITEMAP), self.run.options),
            SiteSitemapKind::Unseen => {}
        }
        let failed = |source| PublishError::Sitemap {
            path: path.to_string(),
            source,
        };
        let options = WriterOptions {
            comment: Some(MARK.to_owned()),
            ..WriterOptions::default()
        };
        let mut set = SitemapSet::new(options, scp, |_| Ok(Vec::new()));
        // The schema of sitemaps asks for a page.
        if let Some((url, known)) = publication.ledger.by_urls().next() {
            set.add(url, date(known.modified)).map_err(failed)?;
        }
        let parts = set.finish().map_err(failed)?.parts;
        for part in parts {
            made.add(path.clone(), Made::Bytes(part.out));
        }
        Ok(())
    }

    /// A sitemap that is there without the collections that it names; `None` if it names none.
    fn without_collections(
        &self,
        path: &StorePath,
    ) -> Result<Option<(Vec<u8>, &'static str)>, PublishError> {
        if published_in(self.run.store, path)?.collections.is_empty() {
            return Ok(None);
        }
        let there = read_all(self.run.store, path)?;
        Ok(there.and_then(|(bytes, _)| extended(&bytes, &ScpBlock::default()).ok()))
    }

    fn stands_beside(&mut self, sitemap: &str, why: &str) {
        self.notes.push(format!(
            "`{sitemap}` cannot be extended ({why}): the collections are named in `{BESIDE}`"
        ));
    }

    /// Puts the sitemaps, and removes our sitemaps of earlier runs: agents that know them would read old collections.
    pub(super) fn put_sitemaps(&mut self, made: Sitemaps) -> Result<(), PublishError> {
        let mut kept = Vec::new();
        for (path, made, content_type) in made.files {
            let attributes = served(content_type, SITE_CACHE);
            match made {
                Made::Bytes(bytes) => {
                    self.renew_copies("sitemap", &path, &bytes)?;
                    self.put("sitemap", &path, bytes, attributes)?;
                }
                Made::File(file) => {
                    let bytes = std::fs::read(&file).map_err(|error| {
                        PublishError::scratch(file.parent().unwrap_or(&file), error)
                    })?;
                    self.renew_copies("sitemap", &path, &bytes)?;
                    self.put_file("sitemap", &path, &file, attributes)?;
                }
            }
            kept.push(path);
        }
        let mut removed = 0;
        for name in [SITEMAP, BESIDE, SEPARATE_SITEMAP] {
            removed += u64::from(self.remove_ours(&own_path(name), &kept)?.unwrap_or(false));
            for number in 1.. {
                match self.remove_ours(&part_path(name, number), &kept)? {
                    Some(is_removed) => removed += u64::from(is_removed),
                    None => break,
                }
            }
        }
        self.wrote_many("sitemap", 0, removed, 0);
        Ok(())
    }

    /// Removes a sitemap that we made, unless it is to be kept; `None` where there is none.
    fn remove_ours(
        &self,
        path: &StorePath,
        kept: &[StorePath],
    ) -> Result<Option<bool>, PublishError> {
        if kept.contains(path) {
            return Ok(Some(false));
        }
        let Some(object) = self.run.store.get(path)? else {
            return Ok(None);
        };
        let mut start = Vec::new();
        let read = object.reader.take(START).read_to_end(&mut start);
        read.map_err(|error| PublishError::source(path, error))?;
        let is_ours = is_marked(&start);
        if is_ours {
            self.run.store.delete(path)?;
        }
        Ok(Some(is_ours))
    }

    /// Takes the collections out of the site's own sitemap, after sitemaps were switched off. Left there they would be
    /// those of the last run before that for ever, and the next run would begin with them. Ours are removed.
    pub(super) fn withdraw_sitemaps(&mut self) -> Result<(), PublishError> {
        let listing = self.listing;
        if let SiteSitemapKind::Site { path, .. } = &listing.site_sitemap.kind
            && let Some((bytes, content_type)) = self.without_collections(path)?
        {
            self.renew_copies("sitemap", path, &bytes)?;
            self.put("sitemap", path, bytes, served(content_type, SITE_CACHE))?;
        }
        self.put_sitemaps(Sitemaps::default())
    }

    /// Returns the collections as a sitemap names them.
    fn scp(&self, publication: &Publication) -> ScpBlock {
        let mut scp = ScpBlock {
            version: Some(Version::CURRENT.to_string()),
            compression: self
                .run
                .options
                .compressions
                .iter()
                .map(|compression| compression.name().to_owned())
                .filter(|name| name != "none")
                .collect(),
            ..ScpBlock::default()
        };
        let sections = self.run.options.sections.iter().zip(&publication.chains);
        for (number, (section, chain)) in sections.enumerate() {
            if chain.links.is_empty() {
                continue;
            }
            let bit = 1 << number;
            let members = publication
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
                .extend(named(section.name.as_str(), chain, self.run.options));
        }
        for (name, chain) in &publication.retired {
            scp.collections.extend(named(name, chain, self.run.options));
        }
        scp
    }

    /// Ours, with all pages; in several files and an index if it takes them.
    fn own_sitemap(
        &mut self,
        name: &str,
        publication: &Publication,
        scp: ScpBlock,
        made: &mut Sitemaps,
    ) -> Result<(), PublishError> {
        made.names(&own_path(name), self.run.options);
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
        for (url, known) in publication.ledger.by_urls() {
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
                .map_err(|error| PublishError::scratch(&scratch, error.into_error()))?;
            parts.push(part.modified);
        }
        if parts.len() == 1 {
            made.add(own_path(name), Made::File(file(1)));
            return Ok(());
        }
        let mut index: Vec<(Location, Date)> = Vec::new();
        for (number, modified) in (1..).zip(&parts) {
            let path = part_path(name, number);
            let url: String = self.run.options.base.url_of(path.as_str()).into();
            if let (Ok(location), Some(modified)) = (url.parse(), modified) {
                index.push((location, *modified));
            }
        }
        // The one with the collections comes last of the parts, and the index last of all.
        for number in (1..=parts.len()).rev() {
            made.add(part_path(name, number), Made::File(file(number)));
        }
        made.names(&part_path(name, 1), self.run.options);
        let bytes = write_index(Vec::new(), &options, index).map_err(failed)?;
        made.add(own_path(name), Made::Bytes(bytes));
        Ok(())
    }
}

/// Returns the path of one of several files of our sitemap.
fn part_path(name: &str, number: usize) -> StorePath {
    let stem = name.strip_suffix(".xml").unwrap_or(name);
    own_path(&format!("{stem}-{number}.xml"))
}

/// A sitemap of the site's own with what it is to say of the collections, compressed if it was; and its type.
fn extended(bytes: &[u8], scp: &ScpBlock) -> Result<(Vec<u8>, &'static str), WriteError> {
    let mut extended = Vec::with_capacity(bytes.len() + 4_096);
    extend(bytes, &mut extended, scp, &Limits::default())?;
    if !bytes.starts_with(GZIP) {
        return Ok((extended, "application/xml"));
    }
    // Without a date or a name, so that the same sitemap is the same bytes.
    let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&extended)?;
    Ok((gzip.finish()?, "application/gzip"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use sitecast_storage::{Memory, Store};

    use super::*;
    use crate::LinesSource;
    use crate::ledger::{Known, Ledger};
    use crate::list::Listing;
    use crate::list::site_sitemap::SiteSitemap;
    use crate::rules::Rules;
    use crate::run::Run;

    /// Publishes sitemaps of a number of pages; returns what robots.txt is to name.
    fn publish(store: &Memory, kind: SiteSitemapKind, pages: usize) -> Vec<String> {
        let options = Options::new("https://example.com/".parse().unwrap());
        let mut ledger = Ledger::default();
        let known = Known {
            fingerprint: [0; 16],
            modified: "2025-01-15T09:00:00Z".parse().unwrap(),
            machine: Some(sitecast_tct::ContentHash::of(b"x")),
            sections: 1,
            words: 3,
            gone: false,
        };
        for n in 0..pages {
            ledger.put(&format!("https://example.com/tea{n}"), known);
        }
        let source =
            LinesSource::spooled("none", &b""[..], sitecast_scp::Limits::default()).unwrap();
        let run = Run {
            source: &source,
            store,
            previous: None,
            options: &options,
            rules: Rules::new(&options).unwrap(),
            now: known.modified,
            progress: &(),
            lock: None,
        };
        let listing = Listing {
            items: Default::default(),
            robots: Default::default(),
            owners: Default::default(),
            site_sitemap: SiteSitemap {
                kind,
                is_separate: false,
                listed: HashSet::new(),
            },
        };
        let publication = Publication {
            ledger,
            deleted: Vec::new(),
            chains: Vec::new(),
            retired: Vec::new(),
            generated: known.modified,
        };
        let mut writer = FileWriter::new(&run, &listing);
        writer.json_sitemap(&publication.ledger).unwrap();
        let made = writer.make_sitemaps(&publication).unwrap();
        let named = made.for_robots.clone();
        writer.put_sitemaps(made).unwrap();
        named
    }

    fn names(store: &Memory) -> Vec<String> {
        let listed = store.list(None).unwrap().into_iter();
        listed.map(|listed| listed.path.to_string()).collect()
    }

    #[test]
    fn robots_txt_names_the_first_of_several_and_none_outlives_a_site_that_shrinks() {
        let store = Memory::default();
        let named = publish(&store, SiteSitemapKind::Own, 50_001);
        let urls =
            ["sitemap.xml", "sitemap-1.xml"].map(|name| format!("https://example.com/{name}"));
        assert_eq!(named, urls);
        let all = [
            "llm-sitemap-1.json",
            "llm-sitemap-2.json",
            "llm-sitemap.json",
            "sitemap-1.xml",
            "sitemap-2.xml",
            "sitemap.xml",
        ];
        assert_eq!(names(&store), all);
        let why = "it is not an XML sitemap".to_owned();
        publish(&store, SiteSitemapKind::Beside { why }, 10);
        assert_eq!(names(&store), ["llm-sitemap.json", "sitecast-sitemap.xml"]);
        assert_eq!(publish(&store, SiteSitemapKind::Own, 10).len(), 1);
        assert_eq!(names(&store), ["llm-sitemap.json", "sitemap.xml"]);
    }
}
