//! The publication in force: an immutable catalogue, replaced as a whole by the next one.

pub(crate) mod collections;
pub(crate) mod document;
pub(crate) mod load;
pub(crate) mod mentions;
pub(crate) mod pages;
pub(crate) mod pinned;
pub(crate) mod prepared;
pub(crate) mod removed;
pub(crate) mod variants;

use std::collections::{HashMap, HashSet};

use hyper::header::HeaderValue;
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::{Base, StorePath, Tag};

use document::Document;
use pages::Pages;

/// A publication that was read from the store.
#[derive(Debug)]
pub(crate) struct Site {
    /// Number of the publication since the server started, from 1.
    pub(crate) generation: u64,
    pub(crate) base: Option<Base>,
    pub(crate) pages: Pages,
    /// Sitemaps and other files of the whole site, by path.
    pub(crate) documents: HashMap<Box<str>, Document>,
    /// Update frequencies by section.
    pub(crate) frequencies: HashMap<String, UpdateFrequency>,
    /// Paths of removed pages, relative to the base.
    pub(crate) removed: HashSet<Box<str>>,
    /// The `Link` of HTML pages: the JSON sitemap.
    pub(crate) index_link: Option<HeaderValue>,
    /// The rest of the `Link` of machine pages, after the canonical link.
    pub(crate) machine_links: String,
    /// The files whose versions are compared to notice the next publication. `None`: the file did not exist.
    pub(crate) watched: Vec<(StorePath, Option<Tag>)>,
    /// The collections that the sitemaps name.
    pub(crate) collections: HashSet<StorePath>,
    /// Problems for the operator.
    pub(crate) warnings: Vec<String>,
}

impl Site {
    /// Returns a request's path relative to the base.
    pub(crate) fn relative<'p>(&self, path: &'p str) -> Option<&'p str> {
        match &self.base {
            Some(base) => base.strip(path),
            None => path.strip_prefix('/'),
        }
    }

    /// Returns the decoded path of the base, with its last slash.
    pub(crate) fn root(&self) -> &str {
        self.base.as_ref().map_or("/", Base::path)
    }

    /// Returns the number of descriptors that two publications of this size may hold: each large document is an open
    /// file with two compressions, and the next publication is read while this one is in force.
    pub(crate) fn descriptors(&self) -> usize {
        let is_file = |document: &&Document| {
            let content = &document.response.variants.identity.content;
            matches!(content, sitecast_storage::Content::File(_))
        };
        self.documents.values().filter(is_file).count() * 3 * 2
    }

    /// Returns a sitemap or other file of the whole site, by its path or its well-known one.
    pub(crate) fn document(&self, path: &str) -> Option<&Document> {
        let known = path
            .strip_prefix(".well-known/")
            .filter(|file| matches!(*file, "llm-sitemap.json" | "llm-policy.json"));
        self.documents.get(known.unwrap_or(path))
    }

    /// Returns true if a file is the Markdown of a published page, which has the content and the links of that page.
    pub(crate) fn is_markdown_of_page(&self, name: &str) -> bool {
        let Some((base, page)) = self.base.as_ref().zip(name.strip_suffix(".md")) else {
            return false;
        };
        let folder = page.strip_suffix("index");
        let folder = folder.filter(|folder| folder.is_empty() || folder.ends_with('/'));
        [Some(page), folder]
            .into_iter()
            .flatten()
            .any(|page| self.pages.by_page(base, page).is_some())
    }

    /// Returns the update frequency of a section, daily by default.
    pub(crate) fn frequency(&self, section: &str) -> UpdateFrequency {
        let known = self.frequencies.get(section);
        known.copied().unwrap_or(UpdateFrequency::Daily)
    }

    /// Returns true if a page was removed from this path. The path may also be that of its machine page.
    pub(crate) fn is_removed(&self, path: &str) -> bool {
        let page = match path.strip_suffix("llm.json") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => folder,
            Some(name) => name.strip_suffix('.').unwrap_or(path),
            None => path,
        };
        self.removed.contains(page) || self.removed.contains(path)
    }
}
