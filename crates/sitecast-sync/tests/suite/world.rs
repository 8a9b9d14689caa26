//! The test environment: a published site, a server that can misbehave, and an index.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sitecast_fetch::{Addresses, Client, Options as FetchOptions};
use sitecast_index::{Filter, FolderIndex, Index};
use sitecast_publish::{FolderSource, Options as PublishOptions, Report, publish};
use sitecast_scp::{Event, Reader, Timestamp};
use sitecast_storage::Folder as FolderStore;
use sitecast_sync::{Options, SiteReport, Syncer};
use sitecast_testserver::{Answer, Folder, Request, Server};

type Intercept = Box<dyn Fn(&Request) -> Option<Answer> + Send>;

pub(crate) struct World {
    pub(crate) site: tempfile::TempDir,
    pub(crate) here: tempfile::TempDir,
    pub(crate) server: Server,
    pub(crate) base: String,
    pub(crate) publishing: PublishOptions,
    pub(crate) options: Options,
    pub(crate) fetching: FetchOptions,
    pub(crate) index: FolderIndex,
    intercept: Arc<Mutex<Option<Intercept>>>,
}

/// Returns text that is long enough not to be taken for navigation.
pub(crate) fn words(topic: &str) -> String {
    format!(
        "Everything that is worth knowing about {topic} is written down here, in sentences of \
         some length, so that nobody takes it for a menu. It goes on for a while: {topic} has a \
         history, a present and, if we are careful with it, a future."
    )
}

pub(crate) fn html(title: &str, text: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} | The Site</title></head>\
         <body><nav><a href=\"/\">Home</a> <a href=\"/tea/\">Tea</a> <a href=\"/coffee/\">Coffee</a></nav>\
         <main><h1>{title}</h1><p>{text}</p></main><footer>© 2025 The Site</footer></body></html>"
    )
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The days of the tests.
pub(crate) const MONDAY: &str = "2026-01-05T10:00:00Z";
pub(crate) const TUESDAY: &str = "2026-01-06T10:00:00Z";
pub(crate) const WEDNESDAY: &str = "2026-01-07T10:00:00Z";

impl World {
    /// Creates an empty site and an empty index.
    pub(crate) fn empty() -> Self {
        let site = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let intercept: Arc<Mutex<Option<Intercept>>> = Arc::default();
        let folder = Folder::new(site.path());
        let server = Server::listen(listener, {
            let intercept = Arc::clone(&intercept);
            move |request| {
                let intercepted = intercept.lock().unwrap().as_ref().and_then(|f| f(request));
                intercepted.unwrap_or_else(|| folder.answer(request))
            }
        })
        .unwrap();
        let here = tempfile::tempdir().unwrap();
        let index = FolderIndex::open(here.path().join("index")).unwrap();
        Self {
            publishing: PublishOptions::new(base.parse().unwrap()),
            options: Options::default(),
            fetching: FetchOptions {
                addresses: Addresses::All,
                delay: Duration::ZERO,
                backoff: Duration::from_millis(5),
                longest_wait: Duration::from_secs(1),
                silence: Duration::from_millis(800),
                connect: Duration::from_millis(800),
                grace: Duration::from_millis(300),
                ..FetchOptions::new("sitecast-test/1.0 (+https://example.com/bot)")
            },
            intercept,
            index,
            site,
            here,
            server,
            base,
        }
    }

    /// Creates a site with the pages `/`, `/tea/`, `/coffee/`, `/water/` and `/milk/`, published on Monday.
    pub(crate) fn published() -> Self {
        let world = Self::unpublished();
        world.publish(MONDAY);
        world
    }

    pub(crate) fn unpublished() -> Self {
        let world = Self::empty();
        world.write("index.html", &html("Home", &words("the house")));
        for topic in ["tea", "coffee", "water", "milk"] {
            world.page(topic, &words(topic));
        }
        world
    }

    pub(crate) fn page(&self, topic: &str, text: &str) {
        self.write(&format!("{topic}/index.html"), &html(topic, text));
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.site.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, topic: &str) {
        fs::remove_dir_all(self.site.path().join(topic)).unwrap();
    }

    pub(crate) fn publish(&self, now: &str) -> Report {
        let source = FolderSource::open(self.site.path()).unwrap();
        let store = FolderStore::new(self.site.path()).unwrap();
        publish(&source, &store, None, &self.publishing, time(now), &()).unwrap()
    }

    /// Answers requests with `f`, and with the folder if it returns `None`.
    pub(crate) fn intercept(&self, f: impl Fn(&Request) -> Option<Answer> + Send + 'static) {
        *self.intercept.lock().unwrap() = Some(Box::new(f));
    }

    pub(crate) fn behave(&self) {
        *self.intercept.lock().unwrap() = None;
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.fetching.clone()).unwrap()
    }

    pub(crate) fn with_syncer<T>(&self, now: &str, f: impl FnOnce(Syncer<'_>) -> T) -> T {
        let client = self.client();
        f(Syncer {
            client: &client,
            index: &self.index,
            scratch: &self.here.path().join("scratch"),
            options: &self.options,
            now: time(now),
            progress: &(),
        })
    }

    pub(crate) fn try_sync(&self, now: &str) -> SiteReport {
        self.with_syncer(now, |syncer| syncer.sync(&self.base.parse().unwrap()))
    }

    /// Syncs, and asserts that it succeeds.
    pub(crate) fn sync(&self, now: &str) -> SiteReport {
        let report = self.try_sync(now);
        assert!(report.is_complete(), "{report:?}");
        report
    }

    /// Returns the pages of the index: lines by URL.
    pub(crate) fn held(&self) -> BTreeMap<String, String> {
        let mut pages = self.index.pages(&Filter::default()).unwrap();
        let mut held = BTreeMap::new();
        while let Some(page) = pages.next_page().unwrap() {
            held.insert(page.url, page.line);
        }
        held
    }

    /// Returns the paths of the pages in the index.
    pub(crate) fn paths(&self) -> Vec<String> {
        let held = self.held().into_keys();
        held.map(|url| url.replacen(&self.base, "/", 1)).collect()
    }

    /// Returns the pages of a fresh snapshot of the site: lines by URL.
    pub(crate) fn truth(&self) -> BTreeMap<String, String> {
        let out = tempfile::tempdir().unwrap();
        copy(self.site.path(), out.path());
        let source = FolderSource::open(out.path()).unwrap();
        let store = FolderStore::new(out.path()).unwrap();
        let mut options = self.publishing.clone();
        options.full = true;
        options.mass_deletion = true;
        publish(
            &source,
            &store,
            None,
            &options,
            time("2026-01-20T00:00:00Z"),
            &(),
        )
        .unwrap();
        let newest = files(&out.path().join("scp"), "snapshot")
            .into_iter()
            .filter(|name| name.starts_with("all-") && name.ends_with(".zst"))
            .max()
            .unwrap();
        pages_of(&out.path().join("scp").join(newest))
    }

    /// Returns the files of published collections whose names contain `kind`.
    pub(crate) fn collections(&self, kind: &str) -> Vec<String> {
        files(&self.site.path().join("scp"), kind)
    }
}

pub(crate) fn files(folder: &Path, part: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.contains(part)).collect();
    names.sort();
    names
}

/// Returns the pages of a collection: lines by URL.
pub(crate) fn pages_of(collection: &Path) -> BTreeMap<String, String> {
    let mut reader = Reader::new(fs::File::open(collection).unwrap()).unwrap();
    let mut pages = BTreeMap::new();
    while let Some(event) = reader.next_event().unwrap() {
        if let Event::Page(page) = event {
            pages.insert(page.url().to_owned(), page.line().to_owned());
        }
    }
    pages
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
