//! Where it is tried out: a copy of the site, its publication, and an index for each way to sync.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use sitecast_index::{Filter, FolderIndex, Index, OriginKind};
use sitecast_publish::{Artefacts, BaseUrl, FolderSource, Options, PublishError, Report, publish};
use sitecast_scp::{HttpUrl, Page, Timestamp, to_markdown};
use sitecast_storage::Folder;
use sitecast_sync::AppliedCollection;

use super::figures::{CollectionBytes, Parsing, Visit};
use super::html::{Crawler, HtmlVisit};
use super::watch::Watch;
use super::{change, copy, parsing};
use crate::commands::{index_failure, publish as publishing};
use crate::failure::{Exit, Failure};
use crate::loopback::Loopback;
use crate::settings::Settings;

/// The folder of the copy.
pub(super) const SOURCE: &str = "source";

pub(super) struct Lab<'a> {
    site: &'a BaseUrl,
    settings: &'a Settings,
    watch: &'a Watch,
    options: Options,
    work: &'a Path,
    source: PathBuf,
    public: PathBuf,
    crawler: Crawler,
}

/// What a sync took.
pub(super) struct Synced {
    pub(super) requests: u64,
    pub(super) bytes: u64,
    /// Pages that are there now.
    pub(super) pages: u64,
    applied: Vec<AppliedCollection>,
    /// What the collections would have been with gzip.
    gzip_bytes: u64,
}

/// The pages as they are in the index.
pub(super) struct Kept {
    pub(super) urls: Vec<String>,
    pub(super) line_bytes: u64,
    pub(super) markdown_bytes: u64,
}

impl<'a> Lab<'a> {
    pub(super) fn new(
        site: &'a BaseUrl,
        exclude: &[String],
        settings: &'a Settings,
        work: &'a Path,
        watch: &'a Watch,
    ) -> Result<Self, Failure> {
        let mut options = Options::new(site.clone());
        options.exclude = [settings.publish.exclude.clone(), exclude.to_vec()].concat();
        options.limits = settings.limits().clone();
        options.comments = settings.comments;
        options.extract_limits = settings.extract_limits().clone();
        options.extract_rules = settings.extract_rules(Some(site));
        // What serves people is not changed, and what only helps static hosts is not needed.
        options.artefacts = Artefacts {
            html_links: false,
            hosts: Vec::new(),
            template: false,
            ..Artefacts::default()
        };
        options.mass_deletion = true;
        options.cache = Some(work.join("cache"));
        let (source, public) = (work.join(SOURCE), work.join("public"));
        for folder in [&source, &public] {
            std::fs::create_dir_all(folder).map_err(|error| copy::cannot_write(folder, &error))?;
        }
        Ok(Self {
            site,
            settings,
            watch,
            options,
            work,
            source,
            public,
            crawler: Crawler::default(),
        })
    }

    /// Takes over the pages of a folder.
    pub(super) fn copy(&self, folder: &Path) -> Result<(), Failure> {
        self.watch.step("copying the site");
        copy::copy(folder, &self.source)
    }

    /// Adds a sentence to some pages.
    pub(super) fn change(&self, published: &Report, now: Timestamp) -> Result<(), Failure> {
        self.watch.step("changing some pages");
        let extractor = self.settings.extractor();
        change::simulate(&self.source, published, &extractor, &self.home()?, now)
    }

    pub(super) fn publish(&self) -> Result<Report, Failure> {
        self.watch.step("publishing");
        let source = FolderSource::open(&self.source).map_err(publishing::failure)?;
        let store = Folder::new(&self.public).map_err(|error| publishing::failure(error.into()))?;
        let now = Timestamp::from(SystemTime::now());
        let report = publish(&source, &store, None, &self.options, now, self.watch);
        let report = report.map_err(|error| {
            let empty = matches!(error, PublishError::Empty { excluded: 1.., .. });
            let failure = publishing::failure(error);
            if empty {
                return failure.hint(
                    "`sitecast publish SOURCE --dry-run -v` lists what is left out, and why",
                );
            }
            failure
        })?;
        copy::put_pages(&self.source, &self.public)?;
        Ok(report)
    }

    /// Brings the index of a way up to date.
    pub(super) fn sync(&self, way: OriginKind) -> Result<Synced, Failure> {
        self.watch.step(match way {
            OriginKind::Scp => "syncing collections",
            OriginKind::Tct => "syncing machine pages",
            OriginKind::Html => "syncing HTML",
        });
        let server = self.serve(&self.public)?;
        let report = server.sync(&self.index(way), way, self.settings, self.watch)?;
        if report.way != Some(way) || report.failed_pages > 0 {
            let why = report.warnings.first().map(String::as_str);
            let message = format!(
                "the site as it is published cannot be synced by {}: {}",
                way.name(),
                why.unwrap_or("it is not offered")
            );
            return Err(Failure::new(Exit::Failed, message));
        }
        let gzip_bytes = report.applied.iter().map(|applied| {
            let url = applied.url.strip_suffix(".zst");
            let gzip = url.and_then(|url| self.size_of(&format!("{url}.gz")));
            gzip.unwrap_or(applied.bytes)
        });
        Ok(Synced {
            requests: report.requests,
            bytes: report.bytes,
            pages: report.pages.total,
            gzip_bytes: gzip_bytes.sum(),
            applied: report.applied,
        })
    }

    /// Asks for pages as a crawler of HTML does. They are served from the copy, with nothing beside them.
    pub(super) fn crawl(&mut self, urls: &[String]) -> Result<HtmlVisit, Failure> {
        self.watch.step("crawling HTML");
        let server = self.serve(&self.source)?;
        let client = server.client()?;
        self.crawler.visit(&client, self.site, urls, self.watch)
    }

    pub(super) fn kept(&self) -> Result<Kept, Failure> {
        self.watch.step("reading the index");
        let index = FolderIndex::open(self.index(OriginKind::Scp))
            .map_err(|error| index_failure(&error))?;
        let mut stream = index
            .pages(&Filter::default())
            .map_err(|error| index_failure(&error))?;
        let mut kept = Kept {
            urls: Vec::new(),
            line_bytes: 0,
            markdown_bytes: 0,
        };
        while let Some(stored) = stream.next_page().map_err(|error| index_failure(&error))? {
            kept.line_bytes += stored.line.len() as u64;
            if let Ok((page, _)) = Page::from_line(&stored.line, self.settings.limits()) {
                kept.markdown_bytes += to_markdown(&page).len() as u64;
            }
            kept.urls.push(stored.url);
        }
        Ok(kept)
    }

    /// Times the pages that were crawled against the first collection that was taken.
    pub(super) fn parsing(
        &self,
        published: &Report,
        synced: &Synced,
        now: Timestamp,
    ) -> Result<Parsing, Failure> {
        self.watch.step("timing");
        let taken = synced.applied.first().map(|applied| applied.url.as_str());
        let files = published.collections.iter().flat_map(|made| &made.files);
        let path = files
            .filter(|file| Some(file.url.as_str()) == taken)
            .map(|file| self.public.join(&file.path))
            .next()
            .ok_or_else(|| Failure::new(Exit::Failed, "no collection was taken"))?;
        parsing::measure(&self.crawler.sample, &path, self.settings, now)
    }

    fn serve(&self, folder: &Path) -> Result<Loopback, Failure> {
        let store = Folder::new(folder).map_err(|error| publishing::failure(error.into()))?;
        Loopback::serve(Arc::new(store), self.site)
    }

    fn index(&self, way: OriginKind) -> PathBuf {
        self.work.join(way.name())
    }

    fn home(&self) -> Result<HttpUrl, Failure> {
        self.site.to_string().parse().map_err(|_| {
            let message = format!("`{}` is not where a page can be", self.site);
            Failure::new(Exit::Usage, message)
        })
    }

    /// How large a collection's file is.
    fn size_of(&self, url: &str) -> Option<u64> {
        let path = url.strip_prefix(self.site.as_url().as_str())?;
        let metadata = std::fs::metadata(self.public.join(path)).ok()?;
        Some(metadata.len())
    }
}

impl Synced {
    /// The same with collections that are compressed with gzip. All else is the same by then.
    pub(super) fn with_gzip(&self) -> Visit {
        let taken: u64 = self.applied.iter().map(|applied| applied.bytes).sum();
        Visit {
            requests: self.requests,
            bytes: self.bytes.saturating_sub(taken) + self.gzip_bytes,
        }
    }
}

/// The collections that were taken, with the sizes of all their files.
pub(super) fn collections(
    published: &Report,
    synced: &Synced,
    visit: &'static str,
) -> Vec<CollectionBytes> {
    let taken = synced.applied.iter().filter_map(|applied| {
        let made = published
            .collections
            .iter()
            .find(|made| made.files.iter().any(|file| file.url == applied.url))?;
        let size = |ending: &str| {
            let file = made.files.iter().find(|file| file.path.ends_with(ending));
            file.map_or(0, |file| file.bytes)
        };
        Some(CollectionBytes {
            kind: made.kind,
            visit,
            pages: made.pages,
            uncompressed_bytes: made.uncompressed_bytes,
            gzip_bytes: size(".gz"),
            zstd_bytes: size(".zst"),
        })
    });
    taken.collect()
}
