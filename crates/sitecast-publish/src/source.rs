//! Sources of pages.

mod explore;
mod folder;
mod lines;
mod names;

use std::path::Path;
use std::time::SystemTime;

use sitecast_extract::Html;
use sitecast_scp::{HttpUrl, Page, Timestamp};
use twox_hash::XxHash3_128;

pub use folder::FolderSource;
pub use lines::LinesSource;

use crate::{PublishError, Reason};

/// A site's pages, to be published: a folder of HTML, a file of lines, and later a live site or a
/// content management system.
pub trait Source: Sync {
    /// The source as a person would name it.
    fn name(&self) -> String;

    /// Lists the items that may be pages, sorted by key.
    fn items(&self) -> Result<Items, PublishError>;

    /// One of them.
    fn load(&self, item: Item<'_>) -> Result<Loaded, PublishError>;

    /// Returns the time of the last change of any kind, the date included, if the system records it. A stamp does not
    /// show every change: builds that date all their files alike replace them by others of the same date.
    fn changed(&self, _item: Item<'_>) -> Result<Option<SystemTime>, PublishError> {
        Ok(None)
    }

    /// A file that the site has beside its pages: `robots.txt`, `sitemap.xml`. [`PublishError::Refused`] if there is
    /// something of that name that is not to be read.
    fn site_file(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError>;

    /// Returns true if [`Self::site_file`] knows all files of the site. Otherwise an application may serve a file that
    /// is not there, and it must not be replaced.
    fn has_site_files(&self) -> bool {
        true
    }

    /// The same for a file that can be done without: one that is refused counts as missing.
    fn optional_file(&self, path: &str) -> Result<Option<Vec<u8>>, PublishError> {
        match self.site_file(path) {
            Err(PublishError::Refused { .. }) => Ok(None),
            result => result,
        }
    }

    /// The files beside the pages that were asked for and refused so far, and why.
    fn refused(&self) -> Vec<(String, Reason)> {
        Vec::new()
    }

    /// The folder with the HTML, where it may be edited in place.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Items that may be pages. There may be millions: their keys are stored in one text.
#[derive(Debug, Default)]
pub struct Items {
    keys: String,
    entries: Vec<Entry>,
    /// Items that were left out without loading them, with the reasons.
    pub excluded: Vec<(String, Reason)>,
    /// Files of access rules in the folders that were looked through: `.htaccess`.
    access_files: Vec<String>,
    /// The latest of what [`Source::changed`] says of them.
    pub changed: Option<SystemTime>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The end of its key in the text; it begins at the end of the one before.
    end: u64,
    stamp: Stamp,
    place: u64,
}

/// Something that may be a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// Names it within the source, on this run and the next: a path, a URL.
    pub key: &'a str,
    /// Changes when it does.
    pub stamp: Stamp,
    /// Its place within the source.
    pub place: u64,
}

impl Items {
    /// Adds one.
    pub fn add(&mut self, item: Item<'_>) {
        self.keys.push_str(item.key);
        self.entries.push(Entry {
            end: self.keys.len() as u64,
            stamp: item.stamp,
            place: item.place,
        });
    }

    /// Adds all of another list.
    pub(crate) fn append(&mut self, mut other: Self) {
        let shift = self.keys.len() as u64;
        self.entries.extend(other.entries.iter().map(|entry| Entry {
            end: entry.end + shift,
            ..*entry
        }));
        self.keys.push_str(&other.keys);
        self.excluded.append(&mut other.excluded);
        self.access_files.append(&mut other.access_files);
        self.changed = self.changed.max(other.changed);
    }

    /// Puts them into the order of their keys, which is how [`Source::items`] hands them out.
    pub fn sort(&mut self) {
        let mut access_files = std::mem::take(&mut self.access_files);
        access_files.sort();
        let mut order: Vec<Item<'_>> = self.iter().collect();
        order.sort_unstable_by_key(|item| (item.key, item.place));
        let mut sorted = Self {
            keys: String::with_capacity(self.keys.len()),
            entries: Vec::with_capacity(self.entries.len()),
            excluded: Vec::new(),
            access_files,
            changed: self.changed,
        };
        for item in order {
            sorted.add(item);
        }
        sorted.excluded = std::mem::take(&mut self.excluded);
        sorted.excluded.sort_by(|a, b| a.0.cmp(&b.0));
        *self = sorted;
    }

    /// Notes a file of access rules.
    pub(crate) fn add_access_file(&mut self, path: &str) {
        self.access_files.push(path.to_owned());
    }

    /// The files of access rules, in order.
    pub(crate) fn access_files(&self) -> impl Iterator<Item = &str> {
        self.access_files.iter().map(String::as_str)
    }

    /// One by its number.
    pub fn get(&self, number: usize) -> Option<Item<'_>> {
        let before = number.checked_sub(1).and_then(|at| self.entries.get(at));
        let entry = self.entries.get(number)?;
        let start = before.map_or(0, |before| before.end);
        Some(Item {
            key: self.keys.get(start as usize..entry.end as usize)?,
            stamp: entry.stamp,
            place: entry.place,
        })
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Item<'_>> + Send {
        (0..self.len()).filter_map(|number| self.get(number))
    }

    /// The same as long as all of them are; `None` if some have to be looked at whatever their stamps.
    pub(crate) fn fingerprint(&self) -> Option<String> {
        let mut print = ItemsPrint::default();
        for item in self.iter() {
            print.add(item.key, item.stamp);
        }
        print.finish()
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Tells whether something changed without looking at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// The time of the last change, or a hash.
    pub mark: i64,
}

/// The mark of what has to be looked at whatever its stamp.
pub(crate) const UNRELIABLE: i64 = i64::MIN;

impl Stamp {
    /// Returns true if items with the same stamp have the same bytes.
    pub(crate) fn is_reliable(self) -> bool {
        self.mark != UNRELIABLE
    }

    /// The stamp of an item that is read in every run.
    pub(crate) fn unreliable(self) -> Self {
        Self {
            mark: UNRELIABLE,
            ..self
        }
    }
}

/// A fingerprint of items, which come one after the other.
#[derive(Default)]
pub(crate) struct ItemsPrint {
    hash: XxHash3_128,
    is_unreliable: bool,
}

impl ItemsPrint {
    pub(crate) fn add(&mut self, key: &str, stamp: Stamp) {
        self.is_unreliable |= !stamp.is_reliable();
        for number in [key.len() as u64, stamp.size, stamp.mark.cast_unsigned()] {
            self.hash.write(&number.to_le_bytes());
        }
        self.hash.write(key.as_bytes());
    }

    /// `None` if some have to be looked at whatever their stamps.
    pub(crate) fn finish(&self) -> Option<String> {
        (!self.is_unreliable).then(|| format!("{:032x}", self.hash.finish_128()))
    }
}

/// An item, loaded.
#[derive(Debug)]
pub enum Loaded {
    /// HTML, a page of which is to be made.
    Html(Raw),
    /// A page that is made already.
    Page(Box<Page>),
    /// Not to be published.
    Excluded(Reason),
}

/// HTML, and what is known about it.
#[derive(Debug, Default)]
pub struct Raw {
    /// The bytes, in any encoding.
    pub bytes: Vec<u8>,
    /// Its URL, if that is known.
    pub url: Option<HttpUrl>,
    /// The time of the last change.
    pub last_modified: Option<Timestamp>,
    /// The header `Content-Type`.
    pub content_type: Option<String>,
    /// The header `Content-Language`.
    pub language: Option<String>,
    /// The header `X-Robots-Tag`.
    pub robots: Option<String>,
}

impl Raw {
    /// As the extractor takes it.
    pub fn html<'a>(&'a self, url: &'a HttpUrl, seen: Timestamp) -> Html<'a> {
        let mut html = Html::new(url, &self.bytes, seen);
        html.last_modified = self.last_modified;
        html.content_type = self.content_type.as_deref();
        html.content_language = self.language.as_deref();
        html.robots_tag = self.robots.as_deref();
        html
    }
}
