//! The `scp:` extension: what a sitemap says of the site's collections.

use std::fmt;
use std::str::FromStr;

use crate::Date;

/// The namespace of the extension.
pub const SCP_NAMESPACE: &str = "https://scp-protocol.org/schemas/sitemap/1.0";

/// One element of the extension, as a sitemap is read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScpEntry {
    /// The protocol's version: `0.1`.
    Version(String),
    /// The compressions on offer: `zstd`, `gzip`.
    Compression(Vec<String>),
    /// A part of the site.
    Section(Section),
    /// A file to download.
    Collection(Collection),
}

/// All that a sitemap says of the site's collections.
///
/// It is what [`SitemapWriter`](crate::SitemapWriter) and [`extend`](crate::extend()) put into a
/// sitemap, and what can be gathered while one is read:
///
/// ```
/// use sitecast_sitemap::{Event, ScpBlock, SitemapReader};
///
/// let xml = r#"<urlset xmlns:c="https://scp-protocol.org/schemas/sitemap/1.0">
///     <c:version>0.1</c:version><c:section name="all" updateFreq="daily" pages="~120"/>
///     <url><loc>https://example.com/</loc></url></urlset>"#;
/// let mut reader = SitemapReader::new(xml.as_bytes());
/// let mut scp = ScpBlock::default();
/// while let Some(event) = reader.next_event()? {
///     if let Event::Scp(entry) = event {
///         scp.add(entry);
///     }
/// }
/// assert_eq!(scp.sections[0].name, "all");
/// # Ok::<(), sitecast_sitemap::ReadError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScpBlock {
    /// The protocol's version: `0.1`.
    pub version: Option<String>,
    /// The compressions on offer: `zstd`, `gzip`.
    pub compression: Vec<String>,
    /// The parts of the site.
    pub sections: Vec<Section>,
    /// The files to download, snapshots and deltas.
    pub collections: Vec<Collection>,
}

/// A part of the site that has collections of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// How often its collections are made anew.
    pub update_frequency: Option<UpdateFrequency>,
    /// How many pages it has.
    pub pages: Option<PageCount>,
}

/// A file with the content of a section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Collection {
    /// The section's name.
    pub section: String,
    /// All of it, or what changed.
    pub kind: CollectionKind,
    /// Where the file is.
    pub url: String,
    /// When it was made.
    pub generated: Date,
    /// Until when it can be had. The schema wants it.
    pub expires: Option<Date>,
    /// How many pages are in it. The schema wants it.
    pub pages: Option<u64>,
    /// Its size in bytes, compressed. The schema wants it.
    pub size: Option<u64>,
    /// Its checksum. The schema does not know it, so it is read and never written.
    pub checksum: Option<String>,
}

/// What a collection holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CollectionKind {
    /// All pages of its section.
    Snapshot,
    /// The pages that changed.
    Delta {
        /// The name of the time it covers. The schema wants it.
        period: Option<String>,
        /// The changes after this time.
        since: Date,
    },
}

/// How often a section's collections are made anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UpdateFrequency {
    /// Every hour.
    Hourly,
    /// Every day.
    Daily,
    /// Every week.
    Weekly,
    /// Every month.
    Monthly,
}

/// How many pages a section has: `5000`, or about so many: `~5000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageCount {
    /// The number.
    pub pages: u64,
    /// Whether it is an estimate.
    pub approximate: bool,
}

impl ScpBlock {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in an element that was read.
    pub fn add(&mut self, entry: ScpEntry) {
        match entry {
            ScpEntry::Version(version) => self.version = Some(version),
            ScpEntry::Compression(compression) => self.compression = compression,
            ScpEntry::Section(section) => self.sections.push(section),
            ScpEntry::Collection(collection) => self.collections.push(collection),
        }
    }
}

/// The `Cache-Control` of sitemaps, and of what else is looked at now and then.
pub const CACHE_CONTROL: &str = "public, max-age=300, must-revalidate";

impl UpdateFrequency {
    /// How many seconds it is from one publication to the next.
    pub fn interval_seconds(self) -> i64 {
        match self {
            Self::Hourly => 3_600,
            Self::Daily => 86_400,
            Self::Weekly => 7 * 86_400,
            Self::Monthly => 30 * 86_400,
        }
    }

    /// The `Cache-Control` of a collection of such a section, as draft three of SCP recommends it:
    /// snapshots may be kept for as long as the section usually takes to change, at least a day;
    /// deltas are asked for again after an hour.
    ///
    /// ```
    /// use sitecast_sitemap::UpdateFrequency;
    ///
    /// let snapshot = UpdateFrequency::Weekly.cache_control(true);
    /// assert_eq!(snapshot, "public, max-age=604800, stale-while-revalidate=3600");
    /// ```
    pub fn cache_control(self, is_snapshot: bool) -> String {
        if is_snapshot {
            let age = self.interval_seconds().max(86_400);
            format!("public, max-age={age}, stale-while-revalidate=3600")
        } else {
            "public, max-age=3600, must-revalidate".to_owned()
        }
    }

    /// Its name: `daily`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hourly => "hourly",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
        }
    }
}

impl fmt::Display for UpdateFrequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for UpdateFrequency {
    type Err = InvalidScp;

    fn from_str(text: &str) -> Result<Self, InvalidScp> {
        [Self::Hourly, Self::Daily, Self::Weekly, Self::Monthly]
            .into_iter()
            .find(|value| value.name() == text)
            .ok_or(InvalidScp("`hourly`, `daily`, `weekly` or `monthly`"))
    }
}

impl fmt::Display for PageCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            if self.approximate { "~" } else { "" },
            self.pages
        )
    }
}

impl FromStr for PageCount {
    type Err = InvalidScp;

    fn from_str(text: &str) -> Result<Self, InvalidScp> {
        let number = text.strip_prefix('~');
        count(number.unwrap_or(text))
            .map(|pages| Self {
                pages,
                approximate: number.is_some(),
            })
            .ok_or(InvalidScp("a number such as `5000` or `~5000`"))
    }
}

/// A number of things: digits alone.
pub(crate) fn count(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// A value of the extension that is not as it should be; says what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}")]
pub struct InvalidScp(pub(crate) &'static str);

/// Whether the text is a version as the schema wants it: `\d+\.\d+`.
pub(crate) fn is_version(text: &str) -> bool {
    text.split_once('.')
        .is_some_and(|(major, minor)| count(major).is_some() && count(minor).is_some())
}

/// Whether the text is the name of a compression as the schema wants it: `[a-z]+`.
pub(crate) fn is_compression(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}
