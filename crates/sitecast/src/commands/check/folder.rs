//! A site in a folder, as `sitecast publish` and others leave it there.

use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sitecast_sitemap::{Event, Robots, SEPARATE_SITEMAP, ScpEntry, SitemapReader};
use sitecast_storage::{Base, Folder as Store, StorePath};
use sitecast_tct::sitemap::{Event as JsonEvent, SitemapReader as JsonReader};
use url::Url;

use super::file::Known;
use super::place::{Got, Here, Place, Thorough, Wanted};
use super::recognize::{Format, recognize};
use super::survey::{Round, Survey};
use crate::failure::{Exit, Failure, reason};
use crate::output::report::{Shown, TargetReport};

/// URLs that are tried to find out where the folder is on the web.
const TRIED: usize = 20;

/// Where a folder is that does not say it.
const NOWHERE: &str = "https://folder.invalid/";

/// A folder.
struct Folder {
    root: PathBuf,
    base: Base,
}

impl Place for Folder {
    fn get(&mut self, url: &Url, _wanted: Wanted) -> Got {
        let Some(path) = self.base.relative(url.as_str()) else {
            return Got::Elsewhere;
        };
        let absent = || Got::Absent("there is no such file".to_owned());
        if path.parse::<StorePath>().is_err() {
            return absent();
        }
        let path = self.root.join(&*path);
        match path.is_file() {
            true => Got::Here(Here {
                name: path.display().to_string(),
                path,
                answer: None,
                _temporary: None,
            }),
            false => absent(),
        }
    }

    fn judge(&mut self, _: &Here, _: Thorough, _: &mut TargetReport) {}
}

/// A folder that is named on the command line.
pub(super) fn check(target: &Path, round: &mut Round<'_>) -> Result<(), Failure> {
    let mut survey = Survey::new(target.display().to_string(), round);
    survey.facts.folder = true;
    let hasher = RandomState::new();
    let mut named: HashSet<u64> = HashSet::new();
    let found = base_of(target);
    survey.facts.base_url = found.as_ref().map(|base| base.url_of(""));
    // What is in the usual places is looked at, also if it says nothing of where that is.
    let base = found.or_else(|| Base::new(Url::parse(NOWHERE).ok()?));
    if let Some(base) = base {
        let mut place = Folder {
            root: target.to_owned(),
            base: base.clone(),
        };
        if let Ok(root) = Url::parse(&base.url_of("")) {
            survey.folder(&root, &mut place, &mut |url| {
                if let Some(path) = base.relative(url.as_str()) {
                    named.insert(hasher.hash_one(&*path));
                }
            })?;
        }
    }
    let is_named = |path: &str| named.contains(&hasher.hash_one(path));
    loose(target, &is_named, &mut survey)?;
    if survey.facts.files == 0 && survey.site.is_usable() {
        survey.site.finding(
            "nothing-to-check",
            None,
            "there is neither a sitemap, a JSON sitemap nor a collection in it".to_owned(),
            Some("name the folder that is served as the site's top"),
        );
    }
    survey.finish()
}

/// What nothing names: collections, and machine pages. Where nothing names any collection, those that
/// are there are what is to be checked.
fn loose(
    target: &Path,
    is_named: &dyn Fn(&str) -> bool,
    survey: &mut Survey<'_, '_>,
) -> Result<(), Failure> {
    let all_are_loose = survey.facts.collections == 0;
    let mut found = Vec::new();
    let unlisted = walk(target, &mut |path, name| {
        let is_collection = [".scp", ".scp.gz", ".scp.zst"]
            .iter()
            .any(|end| name.ends_with(end));
        if is_named(name) {
            return;
        }
        if is_collection && all_are_loose {
            found.push(path.to_owned());
        } else if is_collection {
            let message = "no sitemap names it";
            survey
                .site
                .warning("unnamed-collection", None, Some(name), &message);
        } else if name.ends_with(".json") && is_machine_page(path) {
            let message = "it is a machine page that no JSON sitemap names";
            survey
                .site
                .warning("unnamed-page", None, Some(name), &message);
        }
    });
    for (folder, error) in unlisted {
        let message = format!("cannot list `{}`: {}", folder.display(), reason(&error));
        let failure = Failure::new(Exit::Failed, message);
        survey.site.cannot_read(&failure);
    }
    for path in found {
        survey.loose(&path)?;
    }
    Ok(())
}

impl Survey<'_, '_> {
    /// A file that nothing names.
    fn loose(&mut self, path: &Path) -> Result<(), Failure> {
        let started = Instant::now();
        let name = path.display().to_string();
        self.looking(&name);
        let mut report = TargetReport::new(name);
        match File::open(path) {
            Ok(file) => {
                self.checker()
                    .check(Box::new(file), Known::default(), &mut report);
            }
            Err(error) => report.io_error(&error),
        }
        self.facts.collections += 1;
        self.facts.collections_checked += 1;
        self.add(report, Shown::Always, started)
    }
}

fn is_machine_page(path: &Path) -> bool {
    let found = File::open(path).and_then(|mut file| recognize(&mut file));
    found.is_ok_and(|found| found.format == Format::MachinePage)
}

/// Goes through all files, with their names from the folder on. Links are not followed. Answers which
/// folders cannot be listed, and why.
fn walk(root: &Path, take: &mut dyn FnMut(&Path, &str)) -> Vec<(PathBuf, io::Error)> {
    let mut unlisted = Vec::new();
    let mut waiting = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = waiting.pop() {
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                unlisted.push((folder, error));
                continue;
            }
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let name = format!("{prefix}{name}");
            if kind.is_dir() {
                waiting.push((entry.path(), format!("{name}/")));
            } else if kind.is_file() {
                take(&entry.path(), &name);
            }
        }
    }
    unlisted
}

/// Where the folder is on the web, by the URLs in it: the base under which one of their files is here;
/// else the top of their host.
fn base_of(folder: &Path) -> Option<Base> {
    let urls = urls(folder);
    let store = Store::new(folder).ok()?;
    let guessed = urls.iter().find_map(|url| Base::guess(&store, url).ok()?);
    guessed.or_else(|| {
        let first = Url::parse(urls.first()?).ok()?;
        Base::new(first.join("/").ok()?)
    })
}

/// Some URLs of files that should be in the folder. Those that a publisher of machine pages and
/// collections wrote come first: robots.txt may be of another day, or of another host.
fn urls(folder: &Path) -> Vec<String> {
    let mut urls = Vec::new();
    if let Ok(file) = File::open(folder.join("llm-sitemap.json")) {
        let mut reader = JsonReader::new(file, &sitecast_tct::Limits::default());
        while let Ok(Some(event)) = reader.next_event()
            && urls.len() < TRIED
        {
            match event {
                JsonEvent::Item(item) => urls.push(item.m_url.to_string()),
                JsonEvent::Sitemap(child) => urls.push(child.url.to_string()),
                _ => {}
            }
        }
    }
    let mut others = Vec::new();
    if let Ok(bytes) = fs::read(folder.join("robots.txt")) {
        others.extend(Robots::parse(&bytes).sitemaps().iter().take(TRIED).cloned());
    }
    for name in ["sitemap.xml", "sitecast-sitemap.xml", SEPARATE_SITEMAP] {
        let Ok(file) = File::open(folder.join(name)) else {
            continue;
        };
        let mut reader = SitemapReader::new(file);
        while let Ok(Some(event)) = reader.next_event()
            && urls.len() + others.len() < 4 * TRIED
        {
            match event {
                Event::Scp(ScpEntry::Collection(collection)) => urls.push(collection.url),
                Event::Sitemap(child) => others.push(child.loc),
                // Pages have no file of that name, but a host.
                Event::Url(page) => others.push(page.loc),
                _ => {}
            }
        }
    }
    urls.extend(others);
    urls
}
