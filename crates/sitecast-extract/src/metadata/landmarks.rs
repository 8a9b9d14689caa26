//! The elements that say something about the page itself, found in one walk for all who ask.

use crate::dom::{Dom, Element, NodeId, Tag};
use crate::headings::is_unmarked_title;

/// Elements of a few kinds, in document order.
#[derive(Debug, Default)]
pub(crate) struct Landmarks<'d> {
    /// The first of its kind.
    pub(super) html: Option<Element<'d>>,
    pub(super) body: Option<(NodeId, Element<'d>)>,
    /// What the first `<base>` with an address says.
    pub(super) base: Option<&'d str>,
    pub(super) titles: Vec<NodeId>,
    pub(super) metas: Vec<Element<'d>>,
    /// Links to what the page prefers to be known by.
    pub(super) canonicals: Vec<Element<'d>>,
    /// Scripts that are JSON-LD.
    pub(super) json_ld: Vec<NodeId>,
    pub(super) main_headings: Vec<NodeId>,
    /// Of the second and third level.
    pub(super) headings: Vec<NodeId>,
    /// Elements other than `meta` that say what property of something their text is.
    pub(super) properties: Vec<(NodeId, Element<'d>)>,
}

impl<'d> Landmarks<'d> {
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

/// What property of something the text of an element is, by microdata or else RDFa.
pub(super) fn property_of(element: Element<'_>) -> Option<&str> {
    element
        .attribute("itemprop")
        .or_else(|| element.attribute("property"))
}
