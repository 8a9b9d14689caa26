//! The cache: results of the last run that the next one need not compute again.
//!
//! Without it a run takes longer, and does not know what pages showed: pages whose markup alone was edited since then
//! may change. A run uses a cache only if it is whole and was written by this version for the same settings; what it
//! says of published pages counts only if it names the publication that is there. A cached item holds whatever is
//! published, since it names the text that was published of its bytes.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sitecast_extract::ShownHash;
use sitecast_scp::Timestamp;
use sitecast_tct::ContentHash;

use crate::Reason;
use crate::address::Style;
use crate::ledger::{Fingerprint, Known, Ledger, SectionBits};
use crate::report::{Excluded, NamedCrawlers, Savings};
use crate::source::{Item, Items, Stamp};
use crate::template::HtmlSizes;

/// The results of the last run about one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedItem {
    pub(crate) key: String,
    pub(crate) stamp: Stamp,
    /// The hash of its bytes without our link; `None` if it is not HTML, or was not read.
    pub(crate) hash: Option<Fingerprint>,
    /// The URL of its page.
    pub(crate) url: Option<String>,
    /// The text that was published of it. Another machine may have published another one since.
    pub(crate) text: Option<Fingerprint>,
    /// The hash of everything that the page shows; `None` if it is not HTML.
    pub(crate) shown: Option<ShownHash>,
    /// The reason in its bytes not to publish it.
    pub(crate) excluded: Option<Reason>,
    /// True if its HTML links to the machine page.
    pub(crate) linked: bool,
    /// True if it names a date from which on it is not to be published, whatever its bytes.
    pub(crate) has_date_to_come: bool,
}

impl CachedItem {
    /// An item of which nothing is known.
    pub(crate) fn new(item: Item<'_>) -> Self {
        Self {
            key: item.key.to_owned(),
            stamp: item.stamp,
            hash: None,
            url: None,
            text: None,
            shown: None,
            excluded: None,
            linked: false,
            has_date_to_come: false,
        }
    }

    /// Makes the next run read the item again: a date that it names will keep it out.
    pub(crate) fn expect_date(&mut self) {
        self.has_date_to_come = true;
        self.stamp = self.stamp.unreliable();
    }
}

/// An item as it is written: key, size, mark, hash, URL, text, what it shows, reason, link, date.
pub(super) type ItemLine = (
    String,
    u64,
    i64,
    Option<u128>,
    Option<String>,
    Option<u128>,
    Option<ShownHash>,
    Option<Reason>,
    bool,
    bool,
);
/// A page as it is written: URL, fingerprint, time, machine page, sections, words.
pub(super) type PageLine = (String, u128, String, Option<String>, SectionBits, u32);

/// The file that is written last, and makes the others valid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CacheHead {
    /// The version of Sitecast.
    pub(super) version: String,
    /// The run that wrote it; the other files begin with it.
    pub(super) run: String,
    pub(super) finished: SystemTime,
    /// The fingerprint of all items, without those that have no page; `None` if some are read in every run.
    pub(crate) listing: Option<String>,
    pub(crate) pages: u64,
    pub(crate) outcome: Outcome,
}

/// The results of a run that are not about single items or pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The settings that decide what is cached: [`cache_key`](super::page_settings::cache_key).
    pub(crate) key: String,
    /// The collections that were published.
    pub(crate) publication: Vec<String>,
    /// For each section, the time since which deletions wait for a snapshot.
    pub(crate) deletions: Vec<Option<String>>,
    pub(crate) html: HtmlSizes,
    pub(crate) style: Style,
    /// `None` if the files beside the collections are checked in every run.
    pub(crate) site_files: Option<SiteFiles>,
    pub(crate) savings: Savings,
    pub(crate) named_crawlers: NamedCrawlers,
}

/// The files beside the collections, as a run left them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SiteFiles {
    /// A hash of everything that they are made from, without pages and collections.
    pub(crate) inputs: String,
    /// Each file with its version in the store.
    pub(crate) files: Vec<(String, String)>,
    /// The notes about them, which the owner reads again while they stay the same.
    pub(crate) notes: Vec<String>,
}

pub(super) const HEAD: &str = "head.json";
pub(super) const ITEMS: &str = "items.jsonl";
pub(super) const PAGES: &str = "pages.jsonl";
pub(super) const TEMPLATE: &str = "template.json";
pub(super) const EXCLUDED: &str = "excluded.jsonl";

/// A cache that is there and can be believed.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    pub(crate) head: CacheHead,
}

impl Cache {
    /// Opens it, if it is there and was written for these settings.
    pub(crate) fn open(folder: &Path, key: &str) -> Option<Self> {
        let head: CacheHead = serde_json::from_slice(&fs::read(folder.join(HEAD)).ok()?).ok()?;
        let fits = head.version == env!("CARGO_PKG_VERSION") && head.outcome.key == key;
        fits.then(|| Self {
            folder: folder.to_owned(),
            head,
        })
    }

    /// Returns the time when it was written, if some of the items were changed since then.
    pub(crate) fn is_older_than(&self, items: &Items) -> Option<SystemTime> {
        let finished = self.head.finished;
        items.changed.filter(|changed| *changed > finished)?;
        Some(finished)
    }

    fn lines(&self, name: &str) -> io::Result<impl Iterator<Item = io::Result<String>> + use<>> {
        let file = File::open(self.folder.join(name))?;
        let mut lines = BufReader::with_capacity(64 << 10, file).lines();
        match lines.next().transpose()? {
            Some(run) if run == self.head.run => Ok(lines),
            _ => Err(io::Error::other("it is of another run")),
        }
    }

    /// The items, by key.
    pub(crate) fn items(&self) -> io::Result<impl Iterator<Item = CachedItem> + Send + use<>> {
        let lines = self.lines(ITEMS)?;
        // A malformed line ends the list: the run reads the other items again.
        Ok(lines.map_while(|line| {
            let line: ItemLine = serde_json::from_str(&line.ok()?).ok()?;
            let (key, size, mark, hash, url, text, shown, excluded, linked, has_date_to_come) =
                line;
            Some(CachedItem {
                key,
                stamp: Stamp { size, mark },
                hash: hash.map(u128::to_le_bytes),
                url,
                text: text.map(u128::to_le_bytes),
                shown,
                excluded,
                linked,
                has_date_to_come,
            })
        }))
    }

    /// For each section, the time since which deletions wait for a snapshot.
    pub(crate) fn deletions(&self) -> Vec<Option<Timestamp>> {
        let times = self.head.outcome.deletions.iter();
        times.map(|time| time.as_ref()?.parse().ok()).collect()
    }

    /// The published pages; `None` where the file is damaged.
    pub(crate) fn ledger(&self) -> Option<Ledger> {
        // The number is only a hint, and not of our making if somebody wrote the file.
        let room = usize::try_from(self.head.pages).unwrap_or(0).min(1 << 20);
        let mut ledger = Ledger::with_room(room);
        for line in self.lines(PAGES).ok()? {
            let (url, print, modified, machine, sections, words): PageLine =
                serde_json::from_str(&line.ok()?).ok()?;
            let machine = machine.map(|hash| hash.parse::<ContentHash>());
            let known = Known {
                fingerprint: print.to_le_bytes(),
                modified: modified.parse().ok()?,
                machine: machine.transpose().ok()?,
                sections,
                words,
                gone: false,
            };
            ledger.put(&url, known);
        }
        (ledger.len() as u64 == self.head.pages).then_some(ledger)
    }

    /// Items that were not published, and why; `None` where the file is damaged.
    pub(crate) fn excluded(&self) -> Option<Vec<Excluded>> {
        let lines = self.lines(EXCLUDED).ok()?;
        lines
            .map(|line| serde_json::from_str(&line.ok()?).ok())
            .collect()
    }

    pub(crate) fn template(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(TEMPLATE)).ok()?;
        let (run, template) = text.split_once('\n')?;
        (run == self.head.run).then(|| template.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::cache_writer::CacheWriter;

    fn outcome() -> Outcome {
        Outcome {
            key: "s".to_owned(),
            publication: vec!["p".to_owned()],
            deletions: vec![None],
            html: HtmlSizes::default(),
            style: Style::default(),
            site_files: None,
            savings: Savings::default(),
            named_crawlers: NamedCrawlers::default(),
        }
    }

    fn excluded() -> Excluded {
        Excluded {
            item: "b.html".to_owned(),
            url: "https://example.com/b.html".to_owned(),
            reason: Reason::NoIndex,
        }
    }

    fn write(folder: &Path) -> CachedItem {
        let item = CachedItem {
            key: "a.html".to_owned(),
            stamp: Stamp { size: 3, mark: -7 },
            hash: Some([9; 16]),
            url: Some("https://example.com/a.html".to_owned()),
            text: Some([5; 16]),
            shown: serde_json::from_str("18446744073709551615").unwrap(),
            excluded: Some(Reason::Redirect("x".to_owned())),
            linked: true,
            has_date_to_come: true,
        };
        let mut ledger = Ledger::default();
        let known = Known {
            fingerprint: [7; 16],
            modified: "2025-01-15T09:00:00.5Z".parse().unwrap(),
            machine: Some(ContentHash::of(b"x")),
            sections: 3,
            words: 7,
            gone: false,
        };
        ledger.put("https://example.com/a.html", known);
        let mut writer = CacheWriter::new(folder).unwrap();
        writer.item(&item).unwrap();
        writer.excluded(&[excluded()]).unwrap();
        writer.finish(outcome(), &ledger, "template").unwrap();
        item
    }

    #[test]
    fn comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let item = write(folder.path());
        let cache = Cache::open(folder.path(), "s").unwrap();
        assert_eq!(cache.items().unwrap().collect::<Vec<_>>(), [item]);
        let ledger = cache.ledger().unwrap();
        assert_eq!(ledger.get(0).unwrap().fingerprint, [7; 16]);
        assert_eq!(ledger.get(0).unwrap().machine, Some(ContentHash::of(b"x")));
        assert_eq!(cache.excluded(), Some(vec![excluded()]));
        assert_eq!(cache.template().as_deref(), Some("template"));
        assert!(Cache::open(folder.path(), "other").is_none());
    }

    #[test]
    fn files_of_different_runs_are_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let kept = fs::read(folder.path().join(ITEMS)).unwrap();
        write(folder.path());
        fs::write(folder.path().join(ITEMS), kept).unwrap();
        let cache = Cache::open(folder.path(), "s").unwrap();
        assert!(cache.items().is_err());
        fs::write(folder.path().join(PAGES), "rubbish").unwrap();
        assert!(cache.ledger().is_none());
        fs::write(folder.path().join(HEAD), "{").unwrap();
        assert!(Cache::open(folder.path(), "s").is_none());
    }
}
