//! Writes the cache.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::cache::{
    CacheHead, CachedItem, EXCLUDED, HEAD, ITEMS, ItemLine, Outcome, PAGES, PageLine, TEMPLATE,
};
use crate::ledger::Ledger;
use crate::report::Excluded;
use crate::source::ItemsPrint;

/// Writes a cache beside the one that is there, and puts it in its place at the end.
pub(crate) struct CacheWriter {
    folder: PathBuf,
    run: String,
    items: BufWriter<File>,
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
            item.hash.map(u128::from_le_bytes),
            item.url.clone(),
            item.text.map(u128::from_le_bytes),
            item.shown,
            item.excluded.clone(),
            item.linked,
            item.has_date_to_come,
        );
        serde_json::to_writer(&mut self.items, &line)?;
        self.items.write_all(b"\n")?;
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
        outcome: Outcome,
        ledger: &Ledger,
        template: &str,
    ) -> io::Result<()> {
        self.items.flush()?;
        let mut pages = self.begin(PAGES)?;
        for (url, known) in ledger.iter() {
            let line: PageLine = (
                url.to_owned(),
                u128::from_le_bytes(known.fingerprint),
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
        let head = CacheHead {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            listing: self.listing.finish(),
            finished: SystemTime::now(),
            pages: ledger.iter().count() as u64,
            run: self.run,
            outcome,
        };
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
