//! What the last run found out, so that the next need not find it out again.
//!
//! Losing it loses time, and the knowledge of what pages showed: those whose markup alone was edited since may move.
//! It is believed only if it is whole and was written by this version for these settings; of what is published, only if
//! it speaks of the publication that is there. An item holds whatever is published, since it names the text that was
//! published of its bytes.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sitecast_extract::ShownHash;
use sitecast_scp::Timestamp;
use sitecast_tct::ContentHash;

use crate::Reason;
use crate::ledger::{Fingerprint, Known, Ledger, SectionBits};
use crate::report::{Excluded, NamedCrawlers, Savings};
use crate::run::seal::Seal;
use crate::source::{Items, ItemsPrint, Stamp};
use crate::template::HtmlSizes;

/// What the last run found out about an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CachedItem {
    pub(crate) key: String,
    pub(crate) stamp: Stamp,
    /// Of its bytes, without our link.
    pub(crate) hash: Fingerprint,
    /// The page that it is.
    pub(crate) url: Option<String>,
    /// The text that was published of it. What is published may have come from elsewhere since.
    pub(crate) text: Fingerprint,
    /// What the page shows, whatever its markup is; `None` for what is no HTML.
    pub(crate) shown: Option<ShownHash>,
    /// Why it is none, by what its bytes say.
    pub(crate) excluded: Option<Reason>,
    /// Whether its HTML names the machine page.
    pub(crate) linked: bool,
    /// Whether a date that it names will keep it out from then on, whatever its bytes.
    pub(crate) has_date_to_come: bool,
}

/// An item as it is written: key, size, mark, hash, URL, text, what it shows, reason, link, date.
type ItemLine = (
    String,
    u64,
    i64,
    String,
    Option<String>,
    String,
    Option<ShownHash>,
    Option<Reason>,
    bool,
    bool,
);
/// A page as it is written: URL, fingerprint, time, machine page, sections, words.
type PageLine = (String, String, String, Option<String>, SectionBits, u32);

/// What holds for the whole of it; written last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CacheHead {
    /// The version of Sitecast.
    pub(crate) version: String,
    /// The run that wrote it; the other files begin with it.
    pub(crate) run: String,
    /// What the settings were, as far as they matter to pages.
    pub(crate) settings: String,
    /// The collections that were published.
    pub(crate) publication: Vec<String>,
    /// For each section, since when deletions wait for a snapshot.
    pub(crate) deletions: Vec<Option<String>>,
    pub(crate) html: HtmlSizes,
    /// How the site spells its URLs.
    pub(crate) style: crate::address::Style,
    /// How the files beside the collections were left.
    pub(crate) seal: Option<Seal>,
    /// What is published, against the HTML.
    pub(crate) savings: Savings,
    /// Published pages that robots.txt disallows for named crawlers.
    pub(crate) named_crawlers: NamedCrawlers,
    /// All items as they were left: [`Items::fingerprint`](crate::Items::fingerprint).
    pub(crate) listing: Option<String>,
    /// When it was written.
    pub(crate) finished: Option<SystemTime>,
    pub(crate) items: u64,
    pub(crate) pages: u64,
}

const HEAD: &str = "head.json";
const ITEMS: &str = "items.jsonl";
const PAGES: &str = "pages.jsonl";
const TEMPLATE: &str = "template.json";
const EXCLUDED: &str = "excluded.jsonl";

/// A cache that is there and can be believed.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    pub(crate) head: CacheHead,
}

impl Cache {
    /// Opens it, if it is there and was written for these settings.
    pub(crate) fn open(folder: &Path, settings: &str) -> Option<Self> {
        let head: CacheHead = serde_json::from_slice(&fs::read(folder.join(HEAD)).ok()?).ok()?;
        let fits = head.version == env!("CARGO_PKG_VERSION") && head.settings == settings;
        fits.then(|| Self {
            folder: folder.to_owned(),
            head,
        })
    }

    /// When it was written, if some of the items were changed since then.
    pub(crate) fn is_older_than(&self, items: &Items) -> Option<SystemTime> {
        self.head
            .finished
            .filter(|finished| items.changed.is_some_and(|changed| changed > *finished))
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
        // What cannot be read ends it: the rest is looked at again.
        Ok(lines.map_while(|line| {
            let line: ItemLine = serde_json::from_str(&line.ok()?).ok()?;
            let (key, size, mark, hash, url, text, shown, excluded, linked, has_date_to_come) =
                line;
            Some(CachedItem {
                key,
                stamp: Stamp { size, mark },
                hash: unhex(&hash)?,
                url,
                text: unhex(&text)?,
                shown,
                excluded,
                linked,
                has_date_to_come,
            })
        }))
    }

    /// For each section, since when deletions wait for a snapshot.
    pub(crate) fn deletions(&self) -> Vec<Option<Timestamp>> {
        let times = self.head.deletions.iter();
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
                fingerprint: unhex(&print)?,
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

/// Writes a cache beside the one that is there, and puts it in its place at the end.
pub(crate) struct CacheWriter {
    folder: PathBuf,
    run: String,
    items: BufWriter<File>,
    count: u64,
    listing: ItemsPrint,
}

impl CacheWriter {
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let nanos = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |time| time.as_nanos());
        let run = format!("{}-{nanos}", std::process::id());
        let mut items = BufWriter::with_capacity(1 << 20, File::create(new(folder, ITEMS))?);
        writeln!(items, "{run}")?;
        Ok(Self {
            folder: folder.to_owned(),
            run,
            items,
            count: 0,
            listing: ItemsPrint::default(),
        })
    }

    /// Begins another file.
    fn begin(&self, name: &str) -> io::Result<BufWriter<File>> {
        let mut lines = BufWriter::with_capacity(1 << 20, File::create(new(&self.folder, name))?);
        writeln!(lines, "{}", self.run)?;
        Ok(lines)
    }

    /// Adds an item; they have to come by key.
    pub(crate) fn item(&mut self, item: &CachedItem) -> io::Result<()> {
        let line: ItemLine = (
            item.key.clone(),
            item.stamp.size,
            item.stamp.mark,
            hex(&item.hash),
            item.url.clone(),
            hex(&item.text),
            item.shown,
            item.excluded.clone(),
            item.linked,
            item.has_date_to_come,
        );
        serde_json::to_writer(&mut self.items, &line)?;
        self.items.write_all(b"\n")?;
        self.count += 1;
        self.listing.add(&item.key, item.stamp);
        Ok(())
    }

    /// Writes down the items that are not published, and why.
    pub(crate) fn excluded(&self, items: &[Excluded]) -> io::Result<()> {
        let mut lines = self.begin(EXCLUDED)?;
        for item in items {
            serde_json::to_writer(&mut lines, item)?;
            lines.write_all(b"\n")?;
        }
        lines.flush()
    }

    /// Writes the rest, and lets it all take the place of what was there.
    pub(crate) fn finish(
        mut self,
        mut head: CacheHead,
        ledger: &Ledger,
        template: &str,
    ) -> io::Result<()> {
        self.items.flush()?;
        let mut pages = self.begin(PAGES)?;
        for (url, known) in ledger.iter() {
            let line: PageLine = (
                url.to_owned(),
                hex(&known.fingerprint),
                known.modified.to_string(),
                known.machine.map(|hash| hash.to_string()),
                known.sections,
                known.words,
            );
            serde_json::to_writer(&mut pages, &line)?;
            pages.write_all(b"\n")?;
        }
        pages.flush()?;
        fs::write(
            new(&self.folder, TEMPLATE),
            format!("{}\n{template}", self.run),
        )?;
        head.run.clone_from(&self.run);
        head.items = self.count;
        head.listing = self.listing.finish();
        head.finished = Some(SystemTime::now());
        head.pages = ledger.iter().count() as u64;
        fs::write(new(&self.folder, HEAD), serde_json::to_vec(&head)?)?;
        // Killed in between, the files are of different runs, and none is believed.
        for name in [ITEMS, PAGES, EXCLUDED, TEMPLATE, HEAD] {
            fs::rename(new(&self.folder, name), self.folder.join(name))?;
        }
        Ok(())
    }
}

fn new(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.new"))
}

fn hex(bytes: &Fingerprint) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 15)];
    bytes.iter().flat_map(digits).collect()
}

fn unhex(text: &str) -> Option<Fingerprint> {
    let mut bytes = [0; 16];
    if text.len() != 32 {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> CacheHead {
        CacheHead {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: String::new(),
            settings: "s".to_owned(),
            publication: vec!["p".to_owned()],
            deletions: vec![None],
            html: HtmlSizes::default(),
            style: crate::address::Style::default(),
            seal: None,
            named_crawlers: NamedCrawlers::default(),
            savings: Savings::default(),
            listing: None,
            finished: None,
            items: 0,
            pages: 0,
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
            hash: [9; 16],
            url: Some("https://example.com/a.html".to_owned()),
            text: [5; 16],
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
        writer.finish(head(), &ledger, "template").unwrap();
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
