//! What is known of a file beside what is wrong with it, for each kind of file.

mod site;

use std::io::Write;

use serde::Serialize;
use sitecast_scp::{Checksum, ChecksumStatus, Collection, Counts, Summary};
use sitecast_tct::Policy;

use crate::failure::Failure;
use crate::output::plain::Plain;
use crate::output::{Output, human};

pub(crate) use site::SiteFacts;

/// What is known of a file, by its kind.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Facts {
    Collection(CollectionFacts),
    Sitemap(SitemapFacts),
    JsonSitemap(JsonSitemapFacts),
    MachinePage(MachinePageFacts),
    Policy(Box<PolicyFacts>),
    Robots(RobotsFacts),
    Site(Box<SiteFacts>),
    Unknown {},
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct CollectionFacts {
    pub(crate) pages: u64,
    pub(crate) rejected_pages: u64,
    blocks: u64,
    /// `None` where a checksum is declared but reading ended before it could be compared.
    pub(crate) checksum: Option<ChecksumResult>,
    pub(crate) collection: Option<Collection>,
    #[serde(skip)]
    was_read: bool,
    #[serde(skip)]
    pub(crate) digest: Option<Checksum>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChecksumResult {
    Verified,
    Absent,
    Mismatch,
}

#[derive(Debug, Serialize)]
pub(crate) struct SitemapFacts {
    #[serde(skip)]
    pub(crate) index: bool,
    pub(crate) format: Option<&'static str>,
    pub(crate) urls: u64,
    pub(crate) sitemaps: u64,
    pub(crate) alternates: u64,
    pub(crate) scp_sections: u64,
    pub(crate) scp_collections: u64,
    pub(crate) rejected_urls: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct JsonSitemapFacts {
    #[serde(skip)]
    pub(crate) index: bool,
    pub(crate) items: u64,
    pub(crate) sitemaps: u64,
    pub(crate) rejected_items: u64,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct MachinePageFacts {
    pub(crate) canonical_url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) content_bytes: u64,
    pub(crate) hash: Option<String>,
    pub(crate) computed_hash: Option<String>,
    pub(crate) verification: Option<HashResult>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HashResult {
    MethodA,
    MethodB,
    Absent,
    Mismatch,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct PolicyFacts {
    pub(crate) policy: Option<Policy>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct RobotsFacts {
    pub(crate) groups: u64,
    pub(crate) rules: u64,
    pub(crate) sitemaps: Vec<String>,
}

impl CollectionFacts {
    /// How far reading came.
    pub(crate) fn read(
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

    fn write(&self, sizes: Option<&str>, output: &mut Output) -> Result<(), Failure> {
        if let Some(collection) = &self.collection {
            write!(
                output.out(),
                "  {} `{}` of section `{}`, generated {}",
                collection.kind.name(),
                collection.id,
                collection.section,
                collection.generated
            )?;
            if let Some(since) = collection.kind.since() {
                write!(output.out(), ", since {since}")?;
            }
            writeln!(output.out(), ", version {}", collection.version)?;
            if !collection.deleted.is_empty() {
                let deleted = human::counted(collection.deleted.len() as u64, "page");
                writeln!(output.out(), "  {deleted} listed as deleted")?;
            }
        }
        let (Some(sizes), true) = (sizes, self.was_read) else {
            return Ok(());
        };
        let pages = with_rejected(self.pages, "page", self.rejected_pages);
        let blocks = human::counted(self.blocks, "block");
        writeln!(output.out(), "  {pages}, {blocks}; {sizes}")?;
        match (self.checksum, self.digest) {
            (Some(ChecksumResult::Verified), Some(digest)) => {
                writeln!(output.out(), "  checksum verified: {digest}")?;
            }
            (Some(ChecksumResult::Absent), Some(digest)) => {
                writeln!(output.out(), "  no checksum; the content has {digest}")?;
            }
            _ => {}
        }
        Ok(())
    }
}

impl Facts {
    /// The name of the kind of file.
    pub(crate) fn kind(&self) -> &'static str {
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

    /// Whether it is many files.
    pub(crate) fn is_site(&self) -> bool {
        matches!(self, Self::Site(_))
    }

    /// What is known, whatever the verdict. `sizes` is how large the file is, if it could be read.
    pub(crate) fn write(&self, sizes: Option<&str>, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Collection(facts) => return facts.write(sizes, output),
            Self::Site(facts) => return facts.write(output),
            _ => {}
        }
        let Some(sizes) = sizes else {
            return Ok(());
        };
        let line = match self {
            // The error says what it is instead.
            Self::Sitemap(SitemapFacts { format: None, .. }) => return Ok(()),
            Self::Sitemap(facts) => facts.line(),
            Self::JsonSitemap(facts) => facts.line(),
            Self::MachinePage(facts) => facts.line(),
            Self::Policy(facts) => facts.line(),
            Self::Robots(facts) => facts.line(),
            Self::Collection(_) | Self::Site(_) | Self::Unknown {} => return Ok(()),
        };
        writeln!(output.out(), "  {}; {sizes}", Plain::line(&line))?;
        match self {
            Self::MachinePage(facts) => facts.write_hash(output),
            Self::Robots(facts) => {
                for sitemap in &facts.sitemaps {
                    writeln!(output.out(), "  sitemap {}", Plain::line(sitemap))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl SitemapFacts {
    fn line(&self) -> String {
        let mut parts = vec![match (self.index, self.format) {
            (true, _) => "sitemap index".to_owned(),
            (false, Some("xml")) => "XML sitemap".to_owned(),
            (false, Some("text")) => "text sitemap".to_owned(),
            (false, Some("rss")) => "RSS as a sitemap".to_owned(),
            (false, _) => "Atom as a sitemap".to_owned(),
        }];
        if self.sitemaps > 0 || self.index {
            parts.push(human::counted(self.sitemaps, "sitemap"));
        }
        if self.urls > 0 || !self.index {
            parts.push(with_rejected(self.urls, "URL", self.rejected_urls));
        } else if self.rejected_urls > 0 {
            parts.push(format!("{} rejected", human::count(self.rejected_urls)));
        }
        for (count, noun) in [
            (self.alternates, "alternate"),
            (self.scp_sections, "SCP section"),
            (self.scp_collections, "SCP collection"),
        ] {
            if count > 0 {
                parts.push(human::counted(count, noun));
            }
        }
        parts.join(", ")
    }
}

impl JsonSitemapFacts {
    fn line(&self) -> String {
        if self.index {
            let sitemaps = with_rejected(self.sitemaps, "sitemap", self.rejected_items);
            format!("JSON sitemap index, {sitemaps}")
        } else {
            let items = with_rejected(self.items, "item", self.rejected_items);
            format!("JSON sitemap, {items}")
        }
    }
}

impl MachinePageFacts {
    fn line(&self) -> String {
        match (&self.canonical_url, &self.title) {
            (Some(url), Some(title)) => {
                let content = human::bytes(self.content_bytes);
                format!("machine page of {url}, `{title}`, {content} of content")
            }
            _ => "machine page".to_owned(),
        }
    }

    fn write_hash(&self, output: &mut Output) -> Result<(), Failure> {
        let hash = self.hash.as_deref().unwrap_or_default();
        let computed = self.computed_hash.as_deref().unwrap_or_default();
        match self.verification {
            Some(HashResult::MethodA) => {
                writeln!(output.out(), "  hash verified (Method A): {hash}")?;
            }
            Some(HashResult::MethodB) => {
                writeln!(output.out(), "  hash verified (Method B): {hash}")?;
            }
            Some(HashResult::Absent) => {
                writeln!(output.out(), "  no hash; by Method A it is {computed}")?;
            }
            Some(HashResult::Mismatch) | None => {}
        }
        Ok(())
    }
}

impl PolicyFacts {
    fn line(&self) -> String {
        let purposes = self.policy.as_ref().map(|policy| &policy.purposes);
        let named = purposes.map_or([None; 3], |purposes| {
            [
                purposes.allow_ai_input,
                purposes.allow_ai_train,
                purposes.allow_search_indexing,
            ]
        });
        let names = ["AI input", "AI training", "search"];
        let said = |wanted: bool, word: &str| {
            let with = named.iter().zip(names);
            let names: Vec<&str> = with
                .filter(|(said, _)| **said == Some(wanted))
                .map(|(_, name)| name)
                .collect();
            (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
        };
        ["TCT policy".to_owned()]
            .into_iter()
            .chain(said(true, "allows"))
            .chain(said(false, "refuses"))
            .collect::<Vec<_>>()
            .join("; ")
    }
}

impl RobotsFacts {
    fn line(&self) -> String {
        format!(
            "robots.txt, {}, {}, {}",
            human::counted(self.groups, "group"),
            human::counted(self.rules, "rule"),
            human::counted(self.sitemaps.len() as u64, "sitemap")
        )
    }
}

/// `12 pages`, or `12 pages, 3 rejected`.
fn with_rejected(count: u64, noun: &str, rejected: u64) -> String {
    let counted = human::counted(count, noun);
    if rejected > 0 {
        format!("{counted}, {} rejected", human::count(rejected))
    } else {
        counted
    }
}
