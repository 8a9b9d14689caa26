//! Bounded collection of the `scp:` elements of untrusted sitemaps.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use crate::{Collection, CollectionKind, ScpBlock, ScpEntry};

/// The most collections of one site. A thousand are three years of daily deltas in one section.
const COLLECTIONS: usize = 10_000;
/// The most sections of one site, counting both declared sections and those that only collections name.
const SECTIONS: usize = 1_000;
/// The most bytes of all names and URLs together.
const BYTES: usize = 16 << 20;

/// Collects the `scp:` elements of one or several sitemaps, each collection and each section once. The numbers are
/// limited to what a real site can need, so that the caller processes a bounded number of elements.
///
/// ```
/// use sitecast_sitemap::{Event, ScpCollector, SitemapReader};
///
/// let xml = r#"<urlset xmlns:c="https://scp-protocol.org/schemas/sitemap/1.0">
///     <c:section name="all" updateFreq="daily" pages="120"/></urlset>"#;
/// let mut reader = SitemapReader::new(xml.as_bytes());
/// let mut collector = ScpCollector::default();
/// while let Some(event) = reader.next_event()? {
///     if let Event::Scp(entry) = event {
///         collector.add(entry);
///     }
/// }
/// assert!(!collector.is_truncated());
/// assert_eq!(collector.into_block().sections[0].name, "all");
/// # Ok::<(), sitecast_sitemap::ReadError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ScpCollector {
    block: ScpBlock,
    hasher: RandomState,
    /// Keyed hashes of the names of sections.
    names: HashSet<u64>,
    /// Keyed hashes of the names of sections that were declared.
    declared: HashSet<u64>,
    /// Keyed hashes of the collections.
    collections: HashSet<u64>,
    bytes: usize,
    truncated: bool,
}

impl ScpCollector {
    /// Adds an element. Returns true if the block now contains it, which includes duplicates, and false if it exceeds
    /// the limits.
    pub fn add(&mut self, entry: ScpEntry) -> bool {
        match &entry {
            ScpEntry::Version(_) | ScpEntry::Compression(_) => {}
            ScpEntry::Section(section) => {
                let name = self.hasher.hash_one(&section.name);
                if self.declared.contains(&name) {
                    return true;
                }
                if !self.reserve(name, section.name.len()) {
                    return false;
                }
                self.declared.insert(name);
            }
            ScpEntry::Collection(collection) => {
                let hash = self.hasher.hash_one(collection);
                if self.collections.contains(&hash) {
                    return true;
                }
                let name = self.hasher.hash_one(&collection.section);
                if self.collections.len() >= COLLECTIONS {
                    self.truncated = true;
                    return false;
                }
                if !self.reserve(name, text_bytes(collection)) {
                    return false;
                }
                self.collections.insert(hash);
            }
        }
        self.block.add(entry);
        true
    }

    /// Adds the elements of another sitemap.
    pub fn extend(&mut self, block: ScpBlock) {
        let ScpBlock {
            version,
            compression,
            sections,
            collections,
        } = block;
        let version = version.map(ScpEntry::Version);
        let compression = (!compression.is_empty()).then_some(ScpEntry::Compression(compression));
        let sections = sections.into_iter().map(ScpEntry::Section);
        let collections = collections.into_iter().map(ScpEntry::Collection);
        let entries = version.into_iter().chain(compression);
        for entry in entries.chain(sections).chain(collections) {
            self.add(entry);
        }
    }

    /// The elements collected so far.
    pub fn block(&self) -> &ScpBlock {
        &self.block
    }

    /// Returns the collected elements.
    pub fn into_block(self) -> ScpBlock {
        self.block
    }

    /// Returns true if elements were dropped because they exceed the limits.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Counts `bytes` bytes and a section with this name. Returns false if that exceeds the limits.
    fn reserve(&mut self, name: u64, bytes: usize) -> bool {
        let is_new = !self.names.contains(&name);
        if is_new && self.names.len() >= SECTIONS || self.bytes.saturating_add(bytes) > BYTES {
            self.truncated = true;
            return false;
        }
        self.bytes += bytes;
        self.names.insert(name);
        true
    }
}

/// The total length of the texts of a collection.
fn text_bytes(collection: &Collection) -> usize {
    let period = match &collection.kind {
        CollectionKind::Snapshot => None,
        CollectionKind::Delta { period, .. } => period.as_ref(),
    };
    let texts = [period, collection.checksum.as_ref()];
    let optional: usize = texts.into_iter().flatten().map(String::len).sum();
    collection.section.len() + collection.url.len() + optional
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Section;

    fn section(name: String) -> ScpEntry {
        ScpEntry::Section(Section {
            name,
            update_frequency: None,
            pages: None,
        })
    }

    fn collection(section: &str, url: String) -> ScpEntry {
        ScpEntry::Collection(Collection {
            section: section.to_owned(),
            kind: CollectionKind::Snapshot,
            url,
            generated: "2025-01-01T00:00:00Z".parse().unwrap(),
            expires: None,
            pages: None,
            size: None,
            checksum: None,
        })
    }

    #[test]
    fn bounds_declared_and_named_sections() {
        let mut collector = ScpCollector::default();
        for n in 0..600 {
            assert!(collector.add(section(format!("declared-{n}"))));
            // A repeated declaration does not count.
            assert!(collector.add(section(format!("declared-{n}"))));
        }
        for n in 0..600 {
            let url = format!("https://example.com/{n}");
            collector.add(collection(&format!("named-{n}"), url));
        }
        let truncated = collector.is_truncated();
        let block = collector.into_block();
        assert_eq!((block.sections.len(), block.collections.len()), (600, 400));
        assert!(truncated);
    }

    #[test]
    fn bounds_collections_in_number_and_bytes() {
        let mut many = ScpCollector::default();
        let mut long = ScpCollector::default();
        for n in 0..11_000 {
            many.add(collection("all", format!("https://example.com/{n}")));
            let url = format!("https://example.com/{n}/{}", "a".repeat(8_000));
            long.add(collection("all", url));
        }
        assert_eq!(many.block().collections.len(), COLLECTIONS);
        let bytes: usize = long.block().collections.iter().map(text_bytes).sum();
        assert!(bytes <= BYTES && bytes > BYTES / 2, "{bytes}");
        assert!(many.is_truncated() && long.is_truncated());
    }

    #[test]
    fn keeps_the_elements_of_two_sitemaps_once() {
        let mut collector = ScpCollector::default();
        let mut block = ScpBlock::default();
        block.add(section("all".to_owned()));
        block.add(collection("all", "https://example.com/1".to_owned()));
        collector.extend(block.clone());
        collector.extend(block.clone());
        assert_eq!(*collector.block(), block);
    }
}
