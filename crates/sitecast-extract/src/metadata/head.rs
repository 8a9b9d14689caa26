//! The title, `meta` elements and headings of a page.

use std::cell::OnceCell;

use super::Source;
use super::element_text::text_and_tag_offsets;
use super::metadata_elements::MetadataElements;
use super::text::{first_chars, is_wordless, squeeze, unescaped_line};
use crate::dom::{Dom, Element, NodeId};

/// Further `meta` elements are ignored.
const MAX_METAS: usize = 1_000;
const MAX_META_CHARS: usize = 4_000;
const MAX_HEADINGS: usize = 200;
/// The number of tags in a heading at which [`Heading::pieces`] splits it.
const MAX_TAG_OFFSETS: usize = 8;
/// Titles are cut to this length.
const MAX_TITLE_CHARS: usize = 1_000;

/// A heading element with text in it.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) node: NodeId,
    pub(super) text: String,
    /// The offsets in the text of the tags inside the heading, in bytes.
    tag_offsets: Vec<usize>,
}

impl Heading {
    fn of(dom: &Dom, node: NodeId) -> Option<Self> {
        let (mut text, tag_offsets) = text_and_tag_offsets(dom, node, MAX_TITLE_CHARS);
        // Drop the sign of a link to the heading itself.
        text.truncate(text.trim_end_matches(['¶', '#', '§', ' ']).len());
        (!is_wordless(&text)).then_some(Self {
            node,
            text,
            tag_offsets,
        })
    }

    /// Returns the first [`MAX_HEADINGS`] headings with text among these elements.
    fn of_all(dom: &Dom, nodes: &[NodeId]) -> Vec<Self> {
        let headings = nodes.iter().filter_map(|node| Self::of(dom, *node));
        headings.take(MAX_HEADINGS).collect()
    }

    /// Iterates over the texts between any two tags inside the heading, which may hold labels, numbers and buttons as elements.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        let ends = || {
            self.tag_offsets
                .iter()
                .copied()
                .take(MAX_TAG_OFFSETS)
                .chain([self.text.len()])
        };
        let starts = [0].into_iter().chain(ends());
        starts
            .flat_map(move |from| ends().map(move |to| from..to))
            .filter(|range| !range.is_empty() && range.len() < self.text.len())
            .filter_map(|range| self.text.get(range))
            .map(str::trim)
            .filter(|piece| !piece.is_empty())
    }
}

/// Title, `meta` elements and headings, in document order.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// The text of `<title>`.
    pub(super) title: String,
    /// Name in lower case and value; only those with a value.
    metas: Vec<(String, String)>,
    /// A Bloom filter of these names: their [`bit`]s.
    named: u64,
    pub(super) main_headings: Vec<Heading>,
    /// Headings of the second and third level, read on first use.
    headings: OnceCell<Vec<Heading>>,
}

impl Head {
    pub(super) fn of(dom: &Dom, metadata_elements: &MetadataElements<'_>) -> Self {
        let title_of = |id: &NodeId| {
            let texts = dom.children(*id).filter_map(|child| dom.text(child));
            let text: String = texts.collect();
            squeeze(first_chars(text.trim_start(), MAX_TITLE_CHARS))
        };
        let mut titles = metadata_elements.titles.iter().map(title_of);
        let metas = metas(&metadata_elements.metas);
        Self {
            title: titles.find(|title| !title.is_empty()).unwrap_or_default(),
            named: metas.iter().fold(0, |bits, (name, _)| bits | bit(name)),
            metas,
            main_headings: Heading::of_all(dom, &metadata_elements.main_headings),
            headings: OnceCell::new(),
        }
    }

    /// Returns the headings of the second and third level. Few pages have their title there.
    pub(super) fn headings(&self, source: &Source<'_>) -> &[Heading] {
        self.headings
            .get_or_init(|| Heading::of_all(source.dom, &source.metadata_elements.headings))
    }

    /// Returns the value of the first of these names that has one.
    pub(super) fn meta(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let (_, content) = self.may_be(name).iter().find(|(other, _)| other == name)?;
            Some(content.as_str())
        })
    }

    pub(super) fn all_meta<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.may_be(name)
            .iter()
            .filter(move |(other, _)| other == name)
            .map(|(_, content)| content.as_str())
    }

    /// Returns all `meta` elements if one may have this name, and mostly none.
    fn may_be(&self, name: &str) -> &[(String, String)] {
        match self.named & bit(name) {
            0 => &[],
            _ => &self.metas,
        }
    }

    pub(super) fn metas(&self) -> impl Iterator<Item = (&str, &str)> {
        self.metas
            .iter()
            .map(|(name, content)| (name.as_str(), content.as_str()))
    }
}

/// Returns the bit of a name in the Bloom filter. A page has about twenty of the hundreds of names that are looked up.
fn bit(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let at = |index: usize| bytes.get(index).copied().map_or(0, u32::from);
    let key = at(0) + 3 * at(bytes.len() / 2) + 5 * at(bytes.len().saturating_sub(2));
    1 << (key.wrapping_add(bytes.len() as u32) % u64::BITS)
}

/// Returns the names and values of `meta` elements.
fn metas(elements: &[Element<'_>]) -> Vec<(String, String)> {
    let mut metas = Vec::new();
    for element in elements {
        if metas.len() >= MAX_METAS {
            break;
        }
        let content = element.attribute("content").unwrap_or_default();
        let content = unescaped_line(first_chars(content, MAX_META_CHARS));
        if content.is_empty() {
            continue;
        }
        let names = ["property", "name", "itemprop", "http-equiv"]
            .into_iter()
            .filter_map(|kind| element.attribute(kind))
            .filter(|name| name.len() < 100);
        metas.extend(names.map(|name| (name.trim().to_lowercase(), content.clone())));
    }
    metas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    fn head(html: &str) -> Head {
        let dom = parse(html, &Limits::default());
        Head::of(&dom, &MetadataElements::of(&dom))
    }

    #[test]
    fn reads_title_metas_and_headings() {
        let head = head(
            "<title> A\n title </title><meta name=Author content='Q&amp;amp;A'>\
             <meta property=og:title content=' '><meta property=og:title content=B>\
             <svg><title>icon</title></svg><h1>Main <a>¶</a></h1><h1> </h1><h2>Sub</h2>",
        );
        assert_eq!(head.title, "A title");
        assert_eq!(head.meta(&["nothing", "author"]), Some("Q&A"));
        assert_eq!(head.meta(&["og:title"]), Some("B"));
        assert_eq!(head.main_headings.len(), 1);
        assert_eq!(head.main_headings[0].text, "Main");
    }

    #[test]
    fn cuts_titles_of_a_megabyte() {
        let html = format!("<title>{}</title><h1>{0}</h1>", "long ".repeat(200_000));
        let head = head(&html);
        assert!(head.title.len() <= MAX_TITLE_CHARS);
        assert!(head.main_headings[0].text.len() <= MAX_TITLE_CHARS + 4);
    }
}
