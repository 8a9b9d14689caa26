//! Runs that come to an end at each of their writes, one after the other, and what the next run makes of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use sitecast_publish::{FolderSource, PublishError, Section, publish};
use sitecast_scp::to_text;
use sitecast_storage::{
    Folder, Listed, Lock, Object, Opened, Put, Store, StoreError, StorePath, Tag,
};

use crate::site::{Site, html, machine_pages, time, walk, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const THIRD: &str = "2025-06-03T12:00:00Z";

/// A folder whose disk is lost after so many writes.
struct Dying {
    folder: Folder,
    left: AtomicUsize,
}

impl Dying {
    fn write(&self) -> Result<(), StoreError> {
        let one_less = |left: usize| left.checked_sub(1);
        let left = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
        left.map(|_| ()).map_err(|_| StoreError::Io {
            action: "write",
            place: "the disk".to_owned(),
            source: std::io::Error::other("it is gone"),
        })
    }
}

impl Store for Dying {
    fn name(&self) -> String {
        self.folder.name()
    }

    fn get(&self, path: &StorePath) -> Result<Option<Object>, StoreError> {
        self.folder.get(path)
    }

    fn open(&self, path: &StorePath) -> Result<Option<Opened>, StoreError> {
        self.folder.open(path)
    }

    fn put(&self, put: Put) -> Result<Tag, StoreError> {
        self.write()?;
        self.folder.put(put)
    }

    fn delete(&self, path: &StorePath) -> Result<(), StoreError> {
        self.write()?;
        self.folder.delete(path)
    }

    fn list(&self, folder: Option<&StorePath>) -> Result<Vec<Listed>, StoreError> {
        self.folder.list(folder)
    }

    fn lock(&self) -> Result<Box<dyn Lock>, StoreError> {
        self.folder.lock()
    }

    fn scratch(&self) -> Result<PathBuf, StoreError> {
        self.folder.scratch()
    }
}

/// Publishes until so many writes are done; `false` if that was enough for all of it.
fn dies_after(site: &Site, writes: usize) -> bool {
    let source = FolderSource::open(site.path()).unwrap();
    let store = Dying {
        folder: Folder::new(site.path()).unwrap(),
        left: writes.into(),
    };
    match publish(&source, &store, None, &site.options, time(NEXT), &()) {
        Ok(_) => false,
        Err(PublishError::Store(StoreError::Io { .. })) => true,
        Err(error) => panic!("{error}"),
    }
}

const OWN_SITEMAP: &str = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
    <url><loc>https://example.com/</loc></url></urlset>\n";

fn site() -> Site {
    let mut site = Site::new();
    site.write("blog/1/index.html", &html("Post", &words("posts")));
    site.options.sections.push(Section {
        name: "blog".parse().unwrap(),
        paths: vec!["/blog/**".to_owned(), "/tea/**".to_owned()],
        update_frequency: sitecast_sitemap::UpdateFrequency::Daily,
    });
    site
}

fn change(site: &Site) {
    site.page("tea", &words("another tea"));
    site.page("juice", &words("juice"));
    fs::remove_file(site.path().join("milk/index.html")).unwrap();
}

fn change_back(site: &Site) {
    site.page("tea", &words("tea"));
    site.page("milk", &words("milk"));
    fs::remove_file(site.path().join("juice/index.html")).unwrap();
}

/// Everything that is published says what the folder says, and nothing is left over.
fn is_right(site: &Site, changed: bool, when: &str) {
    let published = site.published();
    let all = published.followed("all");
    let says = |url: &str, what: &str| {
        let page = all.get(&format!("https://example.com/{url}/"));
        page.is_some_and(|page| to_text(page).contains(what))
    };
    assert_eq!(says("tea", "another tea"), changed, "{when}");
    assert_eq!(says("juice", "juice"), changed, "{when}");
    assert_eq!(says("milk", "milk"), !changed, "{when}");
    assert_eq!(published.snapshot_with_deltas("all"), all, "{when}");
    let blog = published.followed("blog");
    assert_eq!(
        blog["https://example.com/tea/"], all["https://example.com/tea/"],
        "{when}"
    );
    assert_eq!(published.snapshot_with_deltas("blog"), blog, "{when}");

    // Of each page the machine page that the JSON sitemap speaks of, and no other.
    assert_eq!(
        machine_pages(site),
        all.keys().cloned().collect::<BTreeSet<_>>(),
        "{when}"
    );
    let (mut machine, mut litter) = (0, Vec::new());
    let named = fs::read_to_string(site.path().join("sitemap.xml")).unwrap();
    walk(site.path(), &mut |path| {
        let name = path.file_name().unwrap().to_string_lossy();
        machine += usize::from(name == "llm.json");
        if name.starts_with(".sitecast") || name.contains(".scp") && !named.contains(&*name) {
            litter.push(path.to_owned());
        }
    });
    assert_eq!(machine, all.len(), "{when}");
    if site.options.artefacts.markdown {
        let text = |page: &str| fs::read_to_string(site.path().join(page).join("index.md"));
        let is_new = text("tea").unwrap().contains("another tea");
        let (juice, milk) = (text("juice").is_ok(), text("milk").is_ok());
        assert_eq!(
            (is_new, juice, milk),
            (changed, changed, !changed),
            "{when}"
        );
    }
    assert!(litter.is_empty(), "{when}: {litter:?}");
}

#[test]
fn whenever_a_run_ends_the_next_makes_everything_right() {
    for case in 0..16_u32 {
        let [cached, own_sitemap, back, first] = [1, 2, 4, 8].map(|bit| case & bit != 0);
        if own_sitemap && first {
            // Nothing was published that it could lose.
            continue;
        }
        for writes in 0.. {
            let mut site = site();
            let cache = tempfile::tempdir().unwrap();
            site.options.cache = cached.then(|| cache.path().to_owned());
            site.options.artefacts.markdown = cached;
            if own_sitemap {
                site.write("sitemap.xml", OWN_SITEMAP);
            }
            if !first {
                site.publish(FIRST);
            }
            change(&site);
            let died = dies_after(&site, writes);
            if own_sitemap {
                // The site's build writes it anew each time.
                site.write("sitemap.xml", OWN_SITEMAP);
            }
            if back {
                change_back(&site);
            }
            site.publish(THIRD);
            let when = format!(
                "after {writes} writes; cache: {cached}, own sitemap: {own_sitemap}, back: {back}, first: {first}"
            );
            is_right(&site, !back, &when);
            if !died {
                assert!(writes > 10, "{when}");
                break;
            }
        }
    }
}

#[test]
fn whenever_a_run_ends_no_compressed_copy_hides_the_new_sitemap() {
    for writes in 0.. {
        let site = Site::new();
        site.write("sitemap.xml", OWN_SITEMAP);
        site.write("sitemap.xml.br", "of the old one");
        let died = dies_after(&site, writes);
        let is_new = site.read("sitemap.xml") != OWN_SITEMAP;
        let is_hidden = site.path().join("sitemap.xml.br").exists();
        assert!(!is_new || !is_hidden, "after {writes} writes");
        if !died {
            assert!(is_new);
            break;
        }
    }
}
