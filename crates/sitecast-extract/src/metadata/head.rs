//! What the page says about itself in `title`, `meta` and headings.

use super::element_text::text_and_joints;
use super::text::{first_chars, fold, shown, squeeze};
use crate::dom::{Dom, NodeId, Tag};

/// Beyond these a page is not describing itself.
const MAX_METAS: usize = 1_000;
const MAX_META_CHARS: usize = 4_000;
const MAX_HEADINGS: usize = 200;
/// A heading with more elements in it is no line of text.
const MAX_JOINTS: usize = 8;
/// As much of a title as can matter.
const MAX_TITLE_CHARS: usize = 1_000;

/// A heading element with text in it.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) node: NodeId,
    pub(super) text: String,
    /// Where in the text the elements within begin and end, in bytes.
    joints: Vec<usize>,
}

impl Heading {
    fn of(dom: &Dom, node: NodeId) -> Option<Self> {
        let (mut text, joints) = text_and_joints(dom, node, MAX_TITLE_CHARS);
        // The sign that links to the heading itself.
        text.truncate(text.trim_end_matches(['¶', '#', '§', ' ']).len());
        (!fold(&text).is_empty()).then_some(Self { node, text, joints })
    }

    /// What the heading says between any two tags in it: labels, numbers and buttons are put into
    /// headings as elements.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &str> {
        let ends = || {
            self.joints
                .iter()
                .copied()
                .take(MAX_JOINTS)
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
    /// By name in lower case; nothing without a value.
    metas: Vec<(String, String)>,
    pub(super) main_headings: Vec<Heading>,
    /// Of the second and third level.
    pub(super) headings: Vec<Heading>,
}

impl Head {
    pub(super) fn of(dom: &Dom) -> Self {
        let mut head = Self::default();
        for (id, element) in dom.elements(NodeId::ROOT) {
            match element.tag {
                Tag::Title if head.title.is_empty() => {
                    let text: String = dom
                        .children(id)
                        .filter_map(|child| dom.text(child))
                        .collect();
                    head.title = squeeze(first_chars(text.trim_start(), MAX_TITLE_CHARS));
                }
                Tag::Meta if head.metas.len() < MAX_METAS => {
                    let content = element.attribute("content").unwrap_or_default();
                    let content = shown(first_chars(content, MAX_META_CHARS));
                    if content.is_empty() {
                        continue;
                    }
                    for kind in ["property", "name", "itemprop", "http-equiv"] {
                        if let Some(name) = element.attribute(kind).filter(|name| name.len() < 100)
                        {
                            head.metas
                                .push((name.trim().to_lowercase(), content.clone()));
                        }
                    }
                }
                Tag::H1 if head.main_headings.len() < MAX_HEADINGS => {
                    head.main_headings.extend(Heading::of(dom, id));
                }
                Tag::H2 | Tag::H3 if head.headings.len() < MAX_HEADINGS => {
                    head.headings.extend(Heading::of(dom, id));
                }
                _ => {}
            }
        }
        head
    }

    /// The value of the first of these names that has one.
    pub(super) fn meta(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let (_, content) = self.metas.iter().find(|(other, _)| other == name)?;
            Some(content.as_str())
        })
    }

    pub(super) fn all_meta<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.metas
            .iter()
            .filter(move |(other, _)| other == name)
            .map(|(_, content)| content.as_str())
    }

    pub(super) fn metas(&self) -> impl Iterator<Item = (&str, &str)> {
        self.metas
            .iter()
            .map(|(name, content)| (name.as_str(), content.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    fn head(html: &str) -> Head {
        Head::of(&parse(html, &Limits::default()))
    }

    #[test]
    fn reads_title_and_metas() {
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
        assert_eq!(head.headings[0].text, "Sub");
    }

    #[test]
    fn a_title_of_a_megabyte_is_cut() {
        let html = format!("<title>{}</title><h1>{0}</h1>", "long ".repeat(200_000));
        let head = head(&html);
        assert!(head.title.len() <= MAX_TITLE_CHARS);
        assert!(head.main_headings[0].text.len() <= MAX_TITLE_CHARS + 4);
    }
}
