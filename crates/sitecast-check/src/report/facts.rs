//! Facts about a file, by its kind: the members of the JSON between `ok` and the sizes.

use serde::Serialize;
use sitecast_scp::{Checksum, ChecksumStatus, Collection, Counts, Summary};
use sitecast_tct::Policy;

/// Facts about a file, by its kind.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Facts {
    /// An SCP collection.
    Collection(CollectionFacts),
    /// A sitemap or a sitemap index: XML, text, RSS or Atom.
    Sitemap(SitemapFacts),
    /// A JSON sitemap or an index of JSON sitemaps (TCT).
    JsonSitemap(JsonSitemapFacts),
    /// A machine page (TCT).
    MachinePage(MachinePageFacts),
    /// A policy (TCT).
    Policy(Box<PolicyFacts>),
    /// A robots.txt.
    Robots(RobotsFacts),
    /// A folder or a website.
    Site(Box<SiteFacts>),
    /// Another file, or one that could not be read.
    Unknown {},
}

/// Facts about an SCP collection.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CollectionFacts {
    /// Valid pages.
    pub pages: u64,
    /// Page lines that agents leave out.
    pub rejected_pages: u64,
    /// Blocks of the valid pages.
    pub blocks: u64,
    /// `None` if a checksum is declared but reading ended before it could be compared.
    pub checksum: Option<ChecksumResult>,
    /// The metadata line, if it could be read.
    pub collection: Option<Collection>,
    /// True if the metadata line was accepted, so that the counts mean something.
    #[serde(skip)]
    pub was_read: bool,
    /// The checksum of the content, if all of it was read.
    #[serde(skip)]
    pub digest: Option<Checksum>,
}

/// The comparison of a collection with its declared checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChecksumResult {
    /// The content has the declared checksum.
    Verified,
    /// No checksum is declared.
    Absent,
    /// The content has another checksum.
    Mismatch,
}

/// Facts about a sitemap or a sitemap index.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct SitemapFacts {
    /// True for an index.
    #[serde(skip)]
    pub index: bool,
    /// `xml`, `text`, `rss` or `atom`; `None` if the file is none of them.
    pub format: Option<&'static str>,
    /// URLs of pages.
    pub urls: u64,
    /// Sitemaps that an index names.
    pub sitemaps: u64,
    /// Translations of pages (`xhtml:link`).
    pub alternates: u64,
    /// Sections of the `scp:` extension.
    pub scp_sections: u64,
    /// Collections of the `scp:` extension.
    pub scp_collections: u64,
    /// Entries that agents leave out.
    pub rejected_urls: u64,
}

/// Facts about a JSON sitemap or an index of JSON sitemaps.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct JsonSitemapFacts {
    /// True for an index.
    #[serde(skip)]
    pub index: bool,
    /// Items, one for each page.
    pub items: u64,
    /// JSON sitemaps that an index names.
    pub sitemaps: u64,
    /// Entries that agents leave out.
    pub rejected_items: u64,
}

/// Facts about a machine page.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MachinePageFacts {
    /// The URL of the page.
    pub canonical_url: Option<String>,
    /// The title of the page.
    pub title: Option<String>,
    /// The size of the content in bytes.
    pub content_bytes: u64,
    /// The declared hash.
    pub hash: Option<String>,
    /// The hash by Method A.
    pub computed_hash: Option<String>,
    /// The comparison of the two.
    pub verification: Option<HashResult>,
}

/// The comparison of a machine page with its declared hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashResult {
    /// The hash is that of the canonical JSON.
    MethodA,
    /// The hash is that of the normalised content.
    MethodB,
    /// No hash is declared.
    Absent,
    /// The page has another hash by both methods.
    Mismatch,
}

/// Facts about a policy.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct PolicyFacts {
    /// The readable part of the policy.
    pub policy: Option<Policy>,
}

/// Facts about a robots.txt.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RobotsFacts {
    /// Groups of user agents.
    pub groups: u64,
    /// `Allow` and `Disallow` lines.
    pub rules: u64,
    /// The URLs of the sitemaps that it names.
    pub sitemaps: Vec<String>,
}

/// Facts about a folder or a website.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SiteFacts {
    /// True for a folder.
    #[serde(skip)]
    pub folder: bool,
    /// The URL of the site's top. A folder is at the URL that its files name.
    pub base_url: Option<String>,
    /// Files that were checked.
    pub files: u64,
    /// Files among them that are not ok.
    pub files_not_ok: u64,
    /// Sitemaps that were found.
    pub sitemaps: u64,
    /// Collections that the sitemaps name; in a folder without sitemaps, those in it.
    pub collections: u64,
    /// Collections that were checked.
    pub collections_checked: u64,
    /// The URL of the JSON sitemap.
    pub json_sitemap: Option<String>,
    /// Items of the JSON sitemaps.
    pub items: u64,
    /// Machine pages that were checked.
    pub pages_checked: u64,
    /// The URL of the policy.
    pub policy: Option<String>,
    /// Requests that the check made. Absent for folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Bytes that the check received. Absent for folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl Facts {
    /// Returns the name of the kind of file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Collection(_) => "collection",
            Self::Sitemap(SitemapFacts { index: true, .. }) => "sitemap-index",
            Self::Sitemap(_) => "sitemap",
            Self::JsonSitemap(JsonSitemapFacts { index: true, .. }) => "json-sitemap-index",
            Self::JsonSitemap(_) => "json-sitemap",
            Self::MachinePage(_) => "machine-page",
            Self::Policy(_) => "policy",
            Self::Robots(_) => "robots",
            Self::Site(facts) if facts.folder => "folder",
            Self::Site(_) => "site",
            Self::Unknown {} => "unknown",
        }
    }

    /// Returns true for a folder or a website.
    pub fn is_site(&self) -> bool {
        matches!(self, Self::Site(_))
    }
}

impl CollectionFacts {
    /// Sets what the reader knows, wherever it stopped.
    pub(crate) fn set_read(
        &mut self,
        collection: Option<&Collection>,
        counts: Counts,
        summary: Option<&Summary>,
    ) {
        self.was_read = true;
        self.collection = collection.cloned();
        self.pages = counts.pages;
        self.rejected_pages = counts.rejected_pages;
        self.blocks = counts.blocks;
        self.digest = summary.map(|summary| summary.digest);
        let declared = collection.is_some_and(|collection| collection.checksum.is_some());
        self.checksum = match summary.map(|summary| summary.checksum) {
            Some(ChecksumStatus::Verified) => Some(ChecksumResult::Verified),
            Some(ChecksumStatus::Absent) => Some(ChecksumResult::Absent),
            None if !declared => Some(ChecksumResult::Absent),
            None => self.checksum,
        };
    }
}
