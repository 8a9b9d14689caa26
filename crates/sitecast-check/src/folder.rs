//! Checking a site in a folder, as `sitecast publish` or another program left it there.

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

use crate::file::Context;
use crate::files::{Expected, Lookup, Probes, SiteFile, SiteFiles};
use crate::recognize::{Format, recognize};
use crate::report::{Finding, Report};
use crate::site::SiteCheck;
use crate::{CheckError, Checker, Role, Sink, Verdict, io_reason};

/// URLs of each kind that are tried to find the URL of the folder.
const TRIED: usize = 20;

/// The URL of a folder whose files name no URL.
const NOWHERE: &str = "https://folder.invalid/";

/// The files of a folder.
struct Folder {
    root: PathBuf,
    /// The URL of the folder on the web.
    base: Base,
}

impl SiteFiles for Folder {
    fn find(&mut self, url: &Url, _: Expected) -> Lookup {
        let Some(path) = self.base.relative(url.as_str()) else {
            return Lookup::Elsewhere;
        };
        let absent = || Lookup::Absent("there is no such file".to_owned());
        if path.parse::<StorePath>().is_err() {
            return absent();
        }
        let path = self.root.join(&*path);
        match path.is_file() {
            true => Lookup::Found(SiteFile {
                name: path.display().to_string(),
                path,
                exchange: None,
                _temporary: None,
            }),
            false => absent(),
        }
    }

    fn check_headers(&mut self, _: &SiteFile, _: Probes, _: &mut Report) {}
}

impl Checker<'_> {
    /// Checks a folder that is the top of a site: all its files, and what they say about each other.
    pub fn folder(&self, folder: &Path, sink: &mut dyn Sink) -> Result<Verdict, CheckError> {
        let mut site = SiteCheck::new(folder.display().to_string(), self, sink);
        site.facts.folder = true;
        // Hashes instead of names, so that memory does not grow with the names.
        let hasher = RandomState::new();
        let mut named: HashSet<u64> = HashSet::new();
        let found = base_of(folder);
        site.facts.base_url = found.as_ref().map(|base| base.url_of(""));
        // The usual files are checked even if no URL in them tells the URL of the folder.
        let base = found.or_else(|| Base::new(Url::parse(NOWHERE).ok()?));
        if let Some(base) = base {
            let mut files = Folder {
                root: folder.to_owned(),
                base: base.clone(),
            };
            if let Ok(root) = Url::parse(&base.url_of("")) {
                site.folder(&root, &mut files, &mut |url| {
                    if let Some(path) = base.relative(url.as_str()) {
                        named.insert(hasher.hash_one(&*path));
                    }
                })?;
            }
        }
        site.unnamed(folder, &|path| named.contains(&hasher.hash_one(path)))?;
        if site.facts.files == 0 && site.report.is_usable() {
            site.report.error(Finding::new(
                "nothing-to-check",
                "there is neither a sitemap, a JSON sitemap nor a collection in it",
            ));
        }
        site.finish()
    }
}

impl SiteCheck<'_, '_> {
    /// Warns of collections and machine pages that no sitemap names. If the sitemaps name no collection at all, the
    /// collections in the folder are checked instead.
    fn unnamed(
        &mut self,
        folder: &Path,
        is_named: &dyn Fn(&str) -> bool,
    ) -> Result<(), CheckError> {
        let check_collections = self.facts.collections == 0;
        let mut collections = Vec::new();
        let unlisted = walk(folder, &mut |path, name| {
            let is_collection = [".scp", ".scp.gz", ".scp.zst"]
                .iter()
                .any(|end| name.ends_with(end));
            if is_named(name) {
                return;
            }
            if is_collection && check_collections {
                collections.push(path.to_owned());
            } else if is_collection {
                let message = "no sitemap names it";
                self.report
                    .warning("unnamed-collection", None, Some(name), &message);
            } else if name.ends_with(".json") && is_machine_page(path) {
                let message = "it is a machine page that no JSON sitemap names";
                self.report
                    .warning("unnamed-page", None, Some(name), &message);
            }
        });
        for (folder, error) in unlisted {
            let message = format!("cannot list `{}`: {}", folder.display(), io_reason(&error));
            let finding = Finding::new("io", message);
            self.report.unreadable(Verdict::Unreadable, finding);
        }
        for path in collections {
            self.unnamed_collection(&path)?;
        }
        Ok(())
    }

    fn unnamed_collection(&mut self, path: &Path) -> Result<(), CheckError> {
        let started = Instant::now();
        let name = path.display().to_string();
        self.announce(&name);
        let mut report = Report::new(name);
        match File::open(path) {
            Ok(file) => {
                let context = Context::default();
                self.checker.read(Box::new(file), context, &mut report);
            }
            Err(error) => report.io_error(&error),
        }
        self.facts.collections += 1;
        self.facts.collections_checked += 1;
        self.add(Role::Part, report, started)
    }
}

fn is_machine_page(path: &Path) -> bool {
    let found = File::open(path).and_then(|mut file| recognize(&mut file));
    found.is_ok_and(|found| found.format == Format::MachinePage)
}

/// Visits all files below a folder, with their paths relative to it. Links are not followed. Returns the folders that
/// cannot be listed.
fn walk(root: &Path, visit: &mut dyn FnMut(&Path, &str)) -> Vec<(PathBuf, io::Error)> {
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
                visit(&entry.path(), &name);
            }
        }
    }
    unlisted
}

/// Finds the URL of a folder by the URLs in its files: the base under which one of these URLs is a file of the folder;
/// else the top of the first URL's host.
fn base_of(folder: &Path) -> Option<Base> {
    let urls = urls(folder);
    let store = Store::new(folder).ok()?;
    let guessed = urls.iter().find_map(|url| Base::guess(&store, url).ok()?);
    guessed.or_else(|| {
        let first = Url::parse(urls.first()?).ok()?;
        Base::new(first.join("/").ok()?)
    })
}

/// Returns URLs of files that should be in the folder. Those of machine pages and collections come first, because the
/// publisher wrote them together: robots.txt may be older, or name another host.
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
                // A page need not be a file, but its URL tells the host.
                Event::Url(page) => others.push(page.loc),
                _ => {}
            }
        }
    }
    urls.extend(others);
    urls
}
