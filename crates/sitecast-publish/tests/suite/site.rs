//! A small site in a temporary folder, and what can be read of its publication.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sitecast_publish::{FolderSource, Options, PublishError, Report, publish};
use sitecast_scp::{Event, Page, Reader, Timestamp};
use sitecast_sitemap::{CollectionKind, Event as SitemapEvent, ScpBlock, SitemapReader};
use sitecast_storage::Folder;
use sitecast_tct::{ContentHash, ReadPage, Verification};

pub(crate) const BASE: &str = "https://example.com/";

pub(crate) struct Site {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) options: Options,
}

/// Text that nobody takes for navigation.
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
         <body><nav><a href=\"/\">Home</a> <a href=\"/about/\">About</a></nav>\
         <main><h1>{title}</h1><p>{text}</p></main><footer>© 2025 The Site</footer></body></html>"
    )
}

impl Site {
    pub(crate) fn empty() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            options: Options::new(BASE.parse().unwrap()),
        }
    }

    /// Pages `/`, `/tea/`, `/coffee/` and so on.
    pub(crate) fn new() -> Self {
        let site = Self::empty();
        site.write("index.html", &html("Home", &words("the house")));
        for topic in ["tea", "coffee", "water", "milk"] {
            site.page(topic, &words(topic));
        }
        site
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn page(&self, topic: &str, text: &str) {
        self.write(&format!("{topic}/index.html"), &html(topic, text));
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Publishes into the folder itself.
    pub(crate) fn publish(&self, now: &str) -> Report {
        self.try_publish(now).unwrap()
    }

    pub(crate) fn try_publish(&self, now: &str) -> Result<Report, PublishError> {
        publish_folder(self.path(), self.path(), &self.options, now)
    }

    pub(crate) fn published(&self) -> Published {
        Published::read(self.path(), BASE)
    }

    /// All files with a hash of their bytes and their dates, to see that nothing was touched.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, (String, std::time::SystemTime)> {
        let mut files = BTreeMap::new();
        walk(self.path(), &mut |path| {
            let modified = fs::symlink_metadata(path).unwrap().modified().unwrap();
            let hash = ContentHash::of(&fs::read(path).unwrap_or_default()).to_string();
            files.insert(path.to_owned(), (hash, modified));
        });
        files
    }
}

/// Dates that are too fresh are not relied on.
pub(crate) fn age(site: &Site) {
    walk(site.path(), &mut |path| {
        let file = fs::File::options().write(true).open(path);
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        file.unwrap().set_modified(past).unwrap();
    });
}

/// Every item of the JSON sitemap, verified against its machine page.
pub(crate) fn machine_pages(site: &Site) -> BTreeSet<String> {
    let json = fs::read(site.path().join("llm-sitemap.json")).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let items = value["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| {
            let url = item["mUrl"].as_str().unwrap();
            let path = url.strip_prefix("https://example.com/").unwrap();
            let bytes = fs::read(site.path().join(path)).unwrap();
            let page = ReadPage::parse(&bytes, 1_000_000).unwrap();
            assert_eq!(page.verification, Verification::MethodA);
            assert_eq!(page.hash.as_deref(), item["contentHash"].as_str(), "{url}");
            item["cUrl"].as_str().unwrap().to_owned()
        })
        .collect()
}

pub(crate) fn walk(folder: &Path, take: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, take);
        } else {
            take(&path);
        }
    }
}

pub(crate) fn publish_folder(
    from: &Path,
    to: &Path,
    options: &Options,
    now: &str,
) -> Result<Report, PublishError> {
    let source = FolderSource::open(from)?;
    let store = Folder::new(to)?;
    publish(&source, &store, None, options, time(now), &())
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// What an agent finds: everything through the sitemap.
pub(crate) struct Published {
    pub(crate) scp: ScpBlock,
    pub(crate) folder: PathBuf,
    base: String,
}

impl Published {
    pub(crate) fn read(folder: &Path, base: &str) -> Self {
        Self::read_sitemap(folder, base, "sitemap.xml")
    }

    pub(crate) fn read_sitemap(folder: &Path, base: &str, name: &str) -> Self {
        let file = fs::File::open(folder.join(name)).unwrap();
        let mut reader = SitemapReader::new(file);
        let mut scp = ScpBlock::default();
        while let Some(event) = reader.next_event().unwrap() {
            match event {
                SitemapEvent::Scp(entry) => scp.add(entry),
                SitemapEvent::Warning(warning) => panic!("{warning}"),
                _ => {}
            }
        }
        Self {
            scp,
            folder: folder.to_owned(),
            base: base.to_owned(),
        }
    }

    fn open(&self, url: &str) -> (sitecast_scp::Collection, BTreeMap<String, Page>) {
        let path = url.strip_prefix(&self.base).unwrap();
        let file = fs::File::open(self.folder.join(path)).unwrap();
        let mut reader = Reader::new(file).unwrap();
        let mut pages = BTreeMap::new();
        while let Some(event) = reader.next_event().unwrap() {
            match event {
                Event::Page(page) => {
                    pages.insert(page.url().to_owned(), page.to_page().unwrap());
                }
                Event::Warning(warning) => panic!("{warning}"),
            }
        }
        assert!(reader.summary().is_some());
        (reader.collection().unwrap().clone(), pages)
    }

    /// The newest snapshot of a section.
    pub(crate) fn snapshot(&self, section: &str) -> BTreeMap<String, Page> {
        let newest = self
            .scp
            .collections
            .iter()
            .filter(|named| named.section == section && named.kind == CollectionKind::Snapshot)
            .max_by_key(|named| named.generated)
            .unwrap();
        self.open(&newest.url).1
    }

    /// The oldest snapshot with all deltas applied, as an agent would that was here from the start.
    pub(crate) fn followed(&self, section: &str) -> BTreeMap<String, Page> {
        let mut named: Vec<_> = self
            .scp
            .collections
            .iter()
            .filter(|named| named.section == section && named.url.ends_with(".zst"))
            .collect();
        named.sort_by_key(|named| (named.generated, named.kind == CollectionKind::Snapshot));
        let first = *named
            .iter()
            .find(|named| named.kind == CollectionKind::Snapshot)
            .unwrap();
        let (collection, mut pages) = self.open(&first.url);
        let mut at = collection.generated;
        for delta in named {
            if delta.kind == CollectionKind::Snapshot || delta.generated <= first.generated {
                continue;
            }
            let (collection, changed) = self.open(&delta.url);
            assert_eq!(collection.kind.since(), Some(at), "the chain has a gap");
            at = collection.generated;
            for (url, page) in changed {
                if let Some(old) = pages.get(&url) {
                    assert!(page.modified > old.modified, "{url} did not move");
                }
                pages.insert(url, page);
            }
            for url in collection.deleted {
                pages.remove(url.as_str());
            }
        }
        pages
    }

    /// The newest snapshot with the deltas after it.
    pub(crate) fn snapshot_with_deltas(&self, section: &str) -> BTreeMap<String, Page> {
        let mut scp = self.scp.clone();
        let newest = scp
            .collections
            .iter()
            .filter(|named| named.section == section && named.kind == CollectionKind::Snapshot)
            .map(|named| named.generated)
            .max()
            .unwrap();
        scp.collections.retain(|named| {
            named.generated > newest
                || (named.generated == newest && named.kind == CollectionKind::Snapshot)
        });
        let newest = Self {
            scp,
            folder: self.folder.clone(),
            base: self.base.clone(),
        };
        newest.followed(section)
    }

    /// The newest delta: its pages and what it says is gone.
    pub(crate) fn delta(&self, section: &str) -> (Vec<String>, Vec<String>) {
        let newest = self
            .scp
            .collections
            .iter()
            .filter(|named| named.section == section && named.kind != CollectionKind::Snapshot)
            .max_by_key(|named| named.generated)
            .expect("there is a delta");
        let (collection, pages) = self.open(&newest.url);
        let deleted = collection.deleted.iter().map(|url| url.to_string());
        (pages.into_keys().collect(), deleted.collect())
    }
}
