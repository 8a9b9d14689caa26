//! A publication as it is served: an immutable catalogue, replaced as a whole by the next one.

pub(crate) mod base;
pub(crate) mod collections;
pub(crate) mod document;
pub(crate) mod gone;
pub(crate) mod held;
pub(crate) mod lists;
pub(crate) mod load;
pub(crate) mod pages;
pub(crate) mod pinned;
pub(crate) mod variants;

use std::collections::{HashMap, HashSet};

use hyper::header::HeaderValue;
use sitecast_sitemap::UpdateFrequency;
use sitecast_storage::{StorePath, Tag};

use base::Base;
use document::Document;
use pages::Pages;

/// The publication.
#[derive(Debug)]
pub(crate) struct Site {
    /// Counts publications since the server started.
    pub(crate) generation: u64,
    pub(crate) base: Option<Base>,
    pub(crate) pages: Pages,
    /// Sitemaps and other files that belong to the whole, by path.
    pub(crate) documents: HashMap<Box<str>, Document>,
    /// How often the sections change.
    pub(crate) frequencies: HashMap<String, UpdateFrequency>,
    /// Pages that were there once, by their path from the base on.
    pub(crate) gone: HashSet<Box<str>>,
    /// `Link` of pages for people: the JSON sitemap.
    pub(crate) index_link: Option<HeaderValue>,
    /// `Link` of machine pages, after the canonical one.
    pub(crate) machine_links: String,
    /// What is looked at to notice the next publication.
    pub(crate) watched: Vec<(StorePath, Option<Tag>)>,
    /// The collections that the sitemaps name.
    pub(crate) collections: HashSet<StorePath>,
    /// What is not as it should be, in words.
    pub(crate) warnings: Vec<String>,
}

impl Site {
    /// A request's path from the base on.
    pub(crate) fn relative<'p>(&self, path: &'p str) -> Option<&'p str> {
        match &self.base {
            Some(base) => base.strip(path),
            None => path.strip_prefix('/'),
        }
    }

    /// The path of requests under which the site is.
    pub(crate) fn root(&self) -> &str {
        self.base.as_ref().map_or("/", Base::path)
    }

    /// Descriptors that it may hold: large documents are open files, as are their two compressions; and the next
    /// publication is read while this one is served.
    pub(crate) fn descriptors(&self) -> usize {
        let is_file = |document: &&Document| {
            let content = &document.held.variants.identity.content;
            matches!(content, sitecast_storage::Content::File(_))
        };
        self.documents.values().filter(is_file).count() * 3 * 2
    }

    /// A sitemap or other file that belongs to the whole, by its path or its well-known one.
    pub(crate) fn document(&self, path: &str) -> Option<&Document> {
        let known = path
            .strip_prefix(".well-known/")
            .filter(|file| matches!(*file, "llm-sitemap.json" | "llm-policy.json"));
        self.documents.get(known.unwrap_or(path))
    }

    /// Whether a file is the Markdown of a page of the publication: it says what the page says, and links where it does.
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

    /// How often the section of a collection changes.
    pub(crate) fn frequency(&self, section: &str) -> UpdateFrequency {
        let known = self.frequencies.get(section);
        known.copied().unwrap_or(UpdateFrequency::Daily)
    }

    /// Whether a page was at this path once: the page itself, or its machine page.
    pub(crate) fn is_gone(&self, path: &str) -> bool {
        let page = match path.strip_suffix("llm.json") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => folder,
            Some(name) => name.strip_suffix('.').unwrap_or(path),
            None => path,
        };
        self.gone.contains(page) || self.gone.contains(path)
    }
}
