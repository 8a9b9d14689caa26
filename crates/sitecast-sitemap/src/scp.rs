//! The `scp:` extension: the site's collections in a sitemap.

use std::fmt;
use std::str::FromStr;

use crate::Date;

/// The namespace of the extension.
pub const SCP_NAMESPACE: &str = "https://scp-protocol.org/schemas/sitemap/1.0";

/// One element of the extension.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScpEntry {
    /// The version of the protocol: `0.1`.
    Version(String),
    /// The available compressions: `zstd`, `gzip`.
    Compression(Vec<String>),
    /// A section of the site.
    Section(Section),
    /// A collection to download.
    Collection(Collection),
}

/// All elements of the extension in a sitemap.
///
/// [`SitemapWriter`](crate::SitemapWriter) and [`extend`](crate::extend()) write it, and it can be collected while
/// reading a sitemap:
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
    /// The version of the protocol: `0.1`.
    pub version: Option<String>,
    /// The available compressions: `zstd`, `gzip`.
    pub compression: Vec<String>,
    /// The sections of the site.
    pub sections: Vec<Section>,
    /// The collections to download, snapshots and deltas.
    pub collections: Vec<Collection>,
}

/// A section of the site, which has its own collections.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Section {
    /// The name of the section.
    pub name: String,
    /// The time between two publications of its collections. Required by the schema.
    pub update_frequency: Option<UpdateFrequency>,
    /// The number of pages in the section. Required by the schema.
    pub pages: Option<PageCount>,
}

/// A collection with pages of a section.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Collection {
    /// The name of the section.
    pub section: String,
    /// Snapshot or delta.
    pub kind: CollectionKind,
    /// The URL of the collection.
    pub url: String,
    /// The time of its creation.
    pub generated: Date,
    /// The time until which it can be downloaded. Required by the schema.
    pub expires: Option<Date>,
    /// The number of pages in it. Required by the schema.
    pub pages: Option<u64>,
    /// Its compressed size in bytes. Required by the schema.
    pub size: Option<u64>,
    /// Its checksum. The schema does not define it, so it is read but never written.
    pub checksum: Option<String>,
}

/// The kind of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CollectionKind {
    /// All pages of the section.
    Snapshot,
    /// The changed pages.
    Delta {
        /// A name for the period that the delta covers. Required by the schema.
        period: Option<String>,
        /// The delta has the changes after this time.
        since: Date,
    },
}

/// The time between two publications of a section's collections.
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

/// The number of pages in a section: `5000`, or an estimate: `~5000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageCount {
    /// The number of pages.
    pub pages: u64,
    /// True if the number is an estimate.
    pub approximate: bool,
}

impl ScpBlock {
    /// Returns true if there are no elements.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds an element. A version or list of compressions replaces the previous one.
    pub fn add(&mut self, entry: ScpEntry) {
        match entry {
            ScpEntry::Version(version) => self.version = Some(version),
            ScpEntry::Compression(compression) => self.compression = compression,
            ScpEntry::Section(section) => self.sections.push(section),
            ScpEntry::Collection(collection) => self.collections.push(collection),
        }
    }
}

/// The `Cache-Control` of sitemaps and other files that agents request from time to time.
pub const CACHE_CONTROL: &str = "public, max-age=300, must-revalidate";

impl UpdateFrequency {
    /// The time between two publications, in seconds.
    pub fn interval_seconds(self) -> i64 {
        match self {
            Self::Hourly => 3_600,
            Self::Daily => 86_400,
            Self::Weekly => 7 * 86_400,
            Self::Monthly => 30 * 86_400,
        }
    }

    /// The `Cache-Control` of a collection of such a section, as recommended by SCP draft 3:
    /// caches may keep a snapshot for the update interval, at least a day, and a delta for an hour.
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

    /// The value in the XML attribute, such as `daily`.
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

/// Parses a number that consists only of digits.
pub(crate) fn count(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// The error of an invalid value in the extension. Its message has the expected value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}")]
pub struct InvalidScp(pub(crate) &'static str);

/// Returns true for a version by the schema: `\d+\.\d+`.
pub(crate) fn is_version(text: &str) -> bool {
    text.split_once('.')
        .is_some_and(|(major, minor)| count(major).is_some() && count(minor).is_some())
}

/// Returns true for a name of a compression by the schema: `[a-z]+`.
pub(crate) fn is_compression(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase())
}
