//! The elements with metadata, collected in one walk over the tree.

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::headings::is_unmarked_title;

/// The elements with metadata by kind, in document order.
#[derive(Debug, Default)]
pub(crate) struct MetadataElements<'d> {
    /// The first `<html>`.
    pub(super) html: Option<Element<'d>>,
    /// The first `<body>`.
    pub(super) body: Option<(NodeId, Element<'d>)>,
    /// `href` of the first `<base>` that has it.
    pub(super) base: Option<&'d str>,
    pub(super) titles: Vec<NodeId>,
    pub(super) metas: Vec<Element<'d>>,
    /// `<link rel="canonical">`.
    pub(super) canonicals: Vec<Element<'d>>,
    /// Scripts that are JSON-LD.
    pub(super) json_ld: Vec<NodeId>,
    pub(super) main_headings: Vec<NodeId>,
    /// Headings of the second and third level.
    pub(super) headings: Vec<NodeId>,
    /// Elements other than `meta` with a property of microdata or RDFa.
    pub(super) properties: Vec<(NodeId, Element<'d>)>,
}

impl<'d> MetadataElements<'d> {
    pub(crate) fn of(dom: &'d Dom) -> Self {
        let mut found = Self::default();
        let has_properties = dom.may_have("itemprop") || dom.may_have("property");
        for (id, element) in dom.elements(NodeId::ROOT) {
            match element.tag {
                Tag::Html => found.html = found.html.or(Some(element)),
                Tag::Body => found.body = found.body.or(Some((id, element))),
                Tag::Base => found.base = found.base.or_else(|| element.attribute("href")),
                Tag::Title => found.titles.push(id),
                Tag::Meta => {
                    found.metas.push(element);
                    continue;
                }
                Tag::Link if element.has_word("rel", "canonical") => found.canonicals.push(element),
                Tag::Script if is_json_ld(element) => found.json_ld.push(id),
                Tag::H1 => found.main_headings.push(id),
                Tag::Div if is_unmarked_title(dom, id, element) => found.main_headings.push(id),
                Tag::H2 | Tag::H3 => found.headings.push(id),
                _ => {}
            }
            if has_properties && property_of(element).is_some() {
                found.properties.push((id, element));
            }
        }
        found
    }
}

fn is_json_ld(element: Element<'_>) -> bool {
    element
        .attribute("type")
        .is_some_and(|kind| kind.to_ascii_lowercase().contains("ld+json"))
}

/// Returns the property that an element states in microdata, or else in RDFa.
pub(super) fn property_of(element: Element<'_>) -> Option<&str> {
    element
        .attribute("itemprop")
        .or_else(|| element.attribute("property"))
}
