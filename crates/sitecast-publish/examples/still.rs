//! How many pages of a site move although nothing that a reader sees changed: publishes the site, edits the markup of all
//! pages or of a tenth of them, and publishes again, once for each kind of edit, with the cache and without.
//!
//! ```text
//! cargo run --release -p sitecast-publish --example still -- FOLDER BASE_URL [--list] [KIND…]
//! ```
//!
//! With `--list` the pages that moved are named. Kinds are those of `tests/edits`, such as `Classes`.

#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use sitecast_publish::{FolderSource, Options, Report, publish};
use sitecast_scp::{Event, ReaderOptions};
use sitecast_storage::Folder;

#[allow(dead_code)]
#[path = "../tests/edits/mod.rs"]
mod edits;

use edits::{Edit, Kind};

const SEED: u64 = 19;

/// The pages of a site, by path.
type Pages = BTreeMap<String, String>;

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let before = arguments.len();
    arguments.retain(|argument| argument != "--list");
    let is_listed = arguments.len() < before;
    let [folder, base, kinds @ ..] = arguments.as_slice() else {
        println!("usage: still FOLDER BASE_URL [--list] [KIND…]");
        return;
    };
    let folder = Path::new(folder);
    let mut pages = Pages::new();
    read(folder, folder, &mut pages);
    println!("{} files; new, changed and deleted pages:", pages.len());
    println!(
        "{:16} {:>18} {:>18} {:>18} {:>18}",
        "", "all, cache", "all, none", "tenth, cache", "tenth, none"
    );
    let mut sums = [0; 4];
    for kind in Kind::ALL {
        let name = format!("{kind:?}");
        if !kinds.is_empty() && !kinds.contains(&name) {
            continue;
        }
        let edit = Edit::new(kind, SEED, pages.values().map(String::as_str));
        let mut line = format!("{name:16}");
        let mut moved = Vec::new();
        let ways = [(1, true), (1, false), (10, true), (10, false)];
        for ((share, is_cached), sum) in ways.into_iter().zip(&mut sums) {
            let run = Run::new(folder, base, &pages, is_cached);
            run.write(&edit, &pages, share);
            let report = run.publish("2026-10-02T00:00:00Z");
            let counts = &report.pages;
            *sum += counts.new + counts.changed + counts.deleted;
            let counts = format!("{} {} {}", counts.new, counts.changed, counts.deleted);
            line.push_str(&format!(" {counts:>18}"));
            moved.push(run.moved(&report));
        }
        println!("{line}");
        if is_listed {
            for (way, urls) in ways.iter().zip(moved) {
                urls.iter().for_each(|url| println!("  {way:?} {url}"));
            }
        }
    }
    println!(
        "{:16} {:>18} {:>18} {:>18} {:>18}",
        "sum", sums[0], sums[1], sums[2], sums[3]
    );
}

/// A site that is published, in a folder of its own.
struct Run {
    scratch: tempfile::TempDir,
    options: Options,
}

impl Run {
    /// Publishes the site as it is.
    fn new(folder: &Path, base: &str, pages: &Pages, is_cached: bool) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let mut options = Options::new(base.parse().unwrap());
        options.cache = is_cached.then(|| scratch.path().join("cache"));
        let run = Self { scratch, options };
        for (path, page) in pages {
            run.put(path, page);
        }
        for name in ["robots.txt", "sitemap.xml"] {
            if folder.join(name).exists() {
                fs::copy(
                    folder.join(name),
                    run.scratch.path().join("site").join(name),
                )
                .unwrap();
            }
        }
        run.publish("2026-10-01T00:00:00Z");
        run
    }

    fn put(&self, path: &str, page: &str) {
        let path = self.scratch.path().join("site").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, page).unwrap();
    }

    /// Edits one page of so many.
    fn write(&self, edit: &Edit, pages: &Pages, share: u64) {
        for (path, page) in pages {
            if edits::is_chosen(SEED, path, share) {
                self.put(path, &edit.apply(path, page));
            }
        }
    }

    fn publish(&self, now: &str) -> Report {
        let source = FolderSource::open(&self.scratch.path().join("site")).unwrap();
        let store = Folder::new(self.scratch.path().join("out")).unwrap();
        publish(
            &source,
            &store,
            None,
            &self.options,
            now.parse().unwrap(),
            &(),
        )
        .unwrap()
    }

    /// The pages that the first delta of the run names.
    fn moved(&self, report: &Report) -> Vec<String> {
        let deltas = report
            .collections
            .iter()
            .filter(|written| written.kind == "delta");
        let Some(file) = deltas.flat_map(|delta| &delta.files).next() else {
            return Vec::new();
        };
        let file = File::open(self.scratch.path().join("out").join(&file.path)).unwrap();
        let mut reader = ReaderOptions::default().read_ahead(file).unwrap();
        let mut urls = Vec::new();
        while let Some(event) = reader.next_event().unwrap() {
            if let Event::Page(page) = event {
                urls.push(page.url().to_owned());
            }
        }
        let deleted = reader.collection().map(|collection| &collection.deleted);
        urls.extend(
            deleted
                .into_iter()
                .flatten()
                .map(|url| format!("{url} (deleted)")),
        );
        urls
    }
}

fn read(root: &Path, folder: &Path, pages: &mut Pages) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(root, &path, pages);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            pages.insert(
                name,
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
            );
        }
    }
}
