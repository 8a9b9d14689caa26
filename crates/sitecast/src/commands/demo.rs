mod bundle;
mod crawl;
mod edits;
mod report;
mod site;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use sitecast_index::{Filter, FolderIndex, Index, OriginKind};
use sitecast_publish::{BaseUrl, FolderSource, Options, Report, publish};
use sitecast_scp::Timestamp;
use sitecast_storage::{Folder, Store};

use crate::cli::Demo;
use crate::commands::{index_failure, publish as publishing, sync};
use crate::failure::{Exit, Failure, reason};
use crate::loopback::Loopback;
use crate::output::Output;
use crate::output::human::{bytes, counted};
use crate::settings::Settings;
use crate::temporary;
use crawl::Crawler;
use report::{Cost, Measured, Teller, Visit};
use site::{BASE, Version};

pub(crate) fn run(arguments: &Demo, output: &mut Output) -> Result<Exit, Failure> {
    let started = Instant::now();
    let mut teller = Teller::new(output);
    if let Some(folder) = &arguments.site {
        return only_the_site(folder, &mut teller);
    }
    let place = Place::new(arguments.keep.as_deref())?;
    let mut demo = Loop::new(place.path())?;
    let mut measured = demo.go(&mut teller)?;
    measured.seconds = started.elapsed().as_secs_f64();
    teller.measured(&measured)?;
    place.farewell(measured.seconds, &mut teller)?;
    Ok(Exit::Done)
}

/// Something to try the other commands on.
fn only_the_site(folder: &Path, teller: &mut Teller<'_>) -> Result<Exit, Failure> {
    empty(folder)?;
    let built =
        site::build(Version::First, folder).map_err(|error| cannot_write(folder, &error))?;
    let name = folder.display();
    teller.line(&format!(
        "Wrote {} to {name}: Brise, a small made-up site.\n\
         Next: sitecast publish {name} --base-url {BASE}",
        counted(built.files, "HTML file")
    ))?;
    Ok(Exit::Done)
}

/// The site on this machine, and those who visit it.
struct Loop {
    site: PathBuf,
    indexes: PathBuf,
    base: BaseUrl,
    settings: Settings,
    crawler: Crawler,
}

impl Loop {
    fn new(place: &Path) -> Result<Self, Failure> {
        let base = BASE
            .parse()
            .map_err(|error: sitecast_publish::InvalidBase| {
                Failure::new(Exit::Failed, error.to_string())
            })?;
        Ok(Self {
            site: place.join("site"),
            indexes: place.to_owned(),
            base,
            settings: Settings::default(),
            crawler: Crawler::default(),
        })
    }

    fn go(&mut self, teller: &mut Teller<'_>) -> Result<Measured, Failure> {
        let built = self.build(Version::First)?;
        teller.line(&format!(
            "Brise, a small made-up site in two languages: {}, {}.",
            counted(built.files, "HTML file"),
            bytes(built.bytes)
        ))?;
        let first = self.publish()?;
        let snapshot_bytes = first.savings.snapshot_bytes;
        teller.step(
            &format!("sitecast publish site --base-url {BASE}"),
            &format!(
                "{} in a snapshot of {}; {} left out, as the site wants it",
                counted(first.pages.new, "page"),
                bytes(snapshot_bytes),
                first.pages.excluded
            ),
        )?;
        let server = self.serve()?;
        teller.step(
            "sitecast serve site",
            &format!("on {}, in place of {BASE}", server.address()),
        )?;
        let mut visits = vec![self.visit("first visit", &server)?];
        teller.step(
            &format!("sitecast sync {BASE}"),
            &format!(
                "{} in the index, verified",
                counted(self.index()?.len() as u64, "page")
            ),
        )?;
        visits.push(self.visit("nothing changed", &server)?);
        drop(server);
        let again = self.build(Version::Second)?;
        teller.step(
            "3 pages edited, 1 deleted, the site built again",
            &format!(
                "the time of the build is on every page: all {} differ",
                counted(again.files, "HTML file")
            ),
        )?;
        let second = self.publish()?;
        teller.step(
            &format!("sitecast publish site --base-url {BASE}"),
            &format!(
                "{} and {} in a delta of {}; the other {} are as they were",
                counted(second.pages.changed, "page"),
                counted(second.pages.deleted, "deletion"),
                bytes(second.savings.delta_bytes),
                second.pages.unchanged,
            ),
        )?;
        let server = self.serve()?;
        visits.push(self.visit("3 changed, 1 deleted", &server)?);
        drop(server);
        let pages = self.compare()?;
        teller.step(
            &format!("sitecast sync {BASE}"),
            &format!(
                "{} in the index: the edits are there, and what was deleted is not",
                counted(pages, "page")
            ),
        )?;
        Ok(Measured {
            version: 1,
            pages: first.pages.new,
            html_files: built.files,
            html_bytes: built.bytes,
            snapshot_bytes,
            delta_bytes: second.savings.delta_bytes,
            visits,
            seconds: 0.0,
        })
    }

    fn build(&self, version: Version) -> Result<site::Built, Failure> {
        site::build(version, &self.site).map_err(|error| cannot_write(&self.site, &error))
    }

    fn store(&self) -> Result<Folder, Failure> {
        Folder::new(&self.site).map_err(|error| publishing::failure(error.into()))
    }

    fn publish(&self) -> Result<Report, Failure> {
        let source = FolderSource::open(&self.site).map_err(publishing::failure)?;
        let options = Options::new(self.base.clone());
        let now = Timestamp::from(SystemTime::now());
        publish(&source, &self.store()?, None, &options, now, &()).map_err(publishing::failure)
    }

    fn serve(&self) -> Result<Loopback, Failure> {
        let store: Arc<dyn Store> = Arc::new(self.store()?);
        Loopback::serve(store, &self.base)
    }

    /// One visit by each way, each with a memory of its own.
    fn visit(&mut self, name: &'static str, server: &Loopback) -> Result<Visit, Failure> {
        let scp = self.sync(server, OriginKind::Scp)?;
        let tct = self.sync(server, OriginKind::Tct)?;
        let pages: Vec<String> = self.index()?.into_keys().collect();
        let client = server.client()?;
        let html = self.crawler.visit(&client, &pages);
        Ok(Visit {
            name,
            scp,
            tct,
            html: html.map_err(|error| sync::failure(&error.into()))?,
        })
    }

    fn sync(&self, server: &Loopback, way: OriginKind) -> Result<Cost, Failure> {
        let report = server.sync(&self.index_of(way), way, &self.settings, &())?;
        if report.way != Some(way) || !report.is_complete() {
            let message = format!("the site could not be synced as planned: {report:?}");
            return Err(Failure::new(Exit::Failed, message));
        }
        Ok(Cost {
            requests: report.requests,
            bytes: report.bytes,
        })
    }

    fn index_of(&self, way: OriginKind) -> PathBuf {
        self.indexes.join(match way {
            OriginKind::Tct => "index-tct",
            _ => "index",
        })
    }

    /// The pages in the index that follows the collections, with their lines.
    fn index(&self) -> Result<BTreeMap<String, String>, Failure> {
        let index = FolderIndex::open(self.index_of(OriginKind::Scp))
            .map_err(|error| index_failure(&error))?;
        let mut stream = index
            .pages(&Filter::default())
            .map_err(|error| index_failure(&error))?;
        let mut pages = BTreeMap::new();
        while let Some(page) = stream.next_page().map_err(|error| index_failure(&error))? {
            pages.insert(page.url, page.line);
        }
        Ok(pages)
    }

    /// Whether what was changed on the site is changed in the index.
    fn compare(&self) -> Result<u64, Failure> {
        let pages = self.index()?;
        let edited = site::edited_urls()
            .all(|(url, said)| pages.get(&url).is_some_and(|line| line.contains(said)));
        if !edited || pages.contains_key(&site::deleted_url()) {
            let message = "the index is not what was published";
            return Err(Failure::new(Exit::Integrity, message).hint("this is a defect of sitecast"));
        }
        Ok(pages.len() as u64)
    }
}

/// Where it all happens.
enum Place {
    /// Gone with the process.
    Temporary(tempfile::TempDir),
    /// For somebody to look at.
    Kept(PathBuf),
}

impl Place {
    fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        let Some(folder) = keep else {
            let made = temporary::folder();
            let made = made.map_err(|error| cannot_write(&std::env::temp_dir(), &error))?;
            return Ok(Self::Temporary(made));
        };
        empty(folder)?;
        Ok(Self::Kept(folder.to_owned()))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Kept(folder) => folder,
        }
    }

    fn farewell(&self, seconds: f64, teller: &mut Teller<'_>) -> Result<(), Failure> {
        match self {
            Self::Temporary(_) => teller.line(&format!(
                "It took {seconds:.1} s and leaves nothing behind; `--keep DIR` keeps it to look at.\n\n\
                 Your site is next: sitecast publish FOLDER --base-url https://your.site --dry-run"
            )),
            Self::Kept(folder) => {
                let folder = folder.display();
                teller.line(&format!(
                    "Kept in {folder}:\n  \
                     the site      sitecast serve {folder}/site\n  \
                     the index     sitecast export --index {folder}/index"
                ))
            }
        }
    }
}

/// Makes a folder; nothing may be in it that is somebody's.
fn empty(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let mut entries = fs::read_dir(folder).map_err(|error| cannot_write(folder, &error))?;
    if entries.next().is_some() {
        let message = format!("`{}` is not empty", folder.display());
        let failure = Failure::new(Exit::Usage, message);
        return Err(failure.hint("name a folder that is empty, or not there yet"));
    }
    Ok(())
}

fn cannot_write(place: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write to `{}`: {}", place.display(), reason(error));
    Failure::new(Exit::Failed, message)
        .hint("choose another folder; without one, TMPDIR says where")
}
