//! Visible bylines: names marked by `rel`, microdata or class, linked to a page about their author, or after `By`. The name
//! nearest to the title wins.

use foldhash::{HashMap, HashSet};

use super::Survey;
use super::author_marks::{is_author_class, leads_to_author, leads_to_user, may_be_author_class};
use super::element_text::text_of;
use super::metadata_elements::property_of;
use super::person_likeness::{is_like_person, is_like_user, is_plausible};
use super::person_name::{after_preposition, clean_name, without_role};
use super::site_name::NameMatch;
use super::text::{first_chars, folds_to, is_any_of};
use super::text_nodes::{TextRange, is_aside, is_code_element};
use crate::dom::{Dom, Element, NodeId, Tag};

/// The search stops after this many names: the page is a list of people.
const MAX_CANDIDATES: usize = 2_000;

/// Attributes whose value is the name of an author.
const AUTHOR_ATTRIBUTES: [&str; 4] = [
    "data-author",
    "data-author-username",
    "author",
    "data-author-name",
];

/// The accepted form of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameForm {
    Person,
    /// The name of a person or a user name of a forum.
    User,
}

/// Returns the likeliest author in the text. `title` is folded; `title_range` is its range in the text.
pub(super) fn byline(
    survey: &Survey<'_>,
    title: &str,
    title_range: Option<TextRange>,
) -> Option<String> {
    let dom = survey.source.dom;
    let mut search = Search {
        survey,
        title,
        title_range,
        best: None,
        count: 0,
        author_classes: HashMap::default(),
        has_properties: !survey.source.metadata_elements.properties.is_empty(),
    };
    let links_to_users = survey.kind.forum && has_links_to_users(dom);
    let says_author = AUTHOR_ATTRIBUTES.iter().any(|name| dom.may_have(name));
    for (id, element) in dom.elements(NodeId::ROOT) {
        if search.count >= MAX_CANDIDATES {
            break;
        }
        if !matches!(
            element.tag,
            Tag::Meta
                | Tag::Script
                | Tag::Style
                | Tag::Body
                | Tag::Html
                | Tag::Img
                | Tag::Link
                | Tag::Form
                | Tag::Input
                | Tag::Svg
                | Tag::Head
        ) && element.has_attributes()
        {
            if says_author {
                search.look_at_attributes(id, element);
            }
            search.look_at(id, element, links_to_users);
        }
    }
    search.look_at_prepositions();
    let threshold = if survey.kind.is_written() { 1.5 } else { 3.5 };
    search
        .best
        .filter(|(score, _)| *score >= threshold)
        .map(|(_, name)| name)
}

struct Search<'s, 'd> {
    survey: &'s Survey<'d>,
    title: &'s str,
    title_range: Option<TextRange>,
    best: Option<(f64, String)>,
    count: usize,
    /// Some element of the page has microdata or RDFa.
    has_properties: bool,
    /// The result of [`is_author_class`] for each class so far.
    author_classes: HashMap<&'d str, bool>,
}

impl<'d> Search<'_, 'd> {
    fn add(&mut self, text: &str, id: NodeId, worth: f64, form: NameForm) {
        self.count += 1;
        let name = clean_name(first_chars(text, 300));
        let name = without_role(&name);
        let fits = is_like_person(name) || (form == NameForm::User && is_like_user(name));
        if !fits || !is_plausible(name) || folds_to(name, self.title) {
            return;
        }
        let Some(start) = self.survey.text_nodes().start_of(id) else {
            return;
        };
        let distance = self
            .title_range
            .map_or(300.0 + start as f64 / 4.0, |title_range| {
                title_range.distance_to(start)
            });
        let mut score = worth
            + if distance >= 0.0 {
                (2.0 - distance / 400.0).max(-0.5)
            } else {
                (1.5 + distance / 100.0).max(-2.0)
            };
        if self.survey.site.is_site(name, NameMatch::Exact) {
            score -= 1.5;
        }
        let dom = self.survey.source.dom;
        let around = || dom.ancestors(id).take(30).filter_map(|id| dom.element(id));
        if around().any(|element| is_code_element(element.tag)) {
            return;
        }
        if around().any(is_aside) {
            score -= 3.0;
        }
        if self.best.as_ref().is_none_or(|(best, _)| score > *best) {
            self.best = Some((score, name.to_owned()));
        }
    }

    /// Reads names in attributes for scripts.
    fn look_at_attributes(&mut self, id: NodeId, element: Element<'_>) {
        for attribute in AUTHOR_ATTRIBUTES {
            if let Some(name) = element
                .attribute(attribute)
                .filter(|name| (1..50).contains(&name.len()))
            {
                self.add(name, id, 3.5, NameForm::User);
            }
        }
    }

    fn look_at(&mut self, id: NodeId, element: Element<'d>, links_to_users: bool) {
        let dom = self.survey.source.dom;
        let property = match self.has_properties {
            true => property_of(element).unwrap_or_default(),
            false => "",
        };
        let class = element.attribute("class").unwrap_or_default();
        let href = match element.tag {
            Tag::A => element.attribute("href").unwrap_or_default(),
            _ => "",
        };
        if element.has_word("rel", "author") {
            let text = text_of(dom, id, 300);
            let text = if text.is_empty() {
                element.attribute("title").unwrap_or_default().to_owned()
            } else {
                text
            };
            self.add(&text, id, 4.0, NameForm::User);
        } else if is_any_of(property, &["author", "schema:author", "creator"]) {
            let name = dom
                .elements(id)
                .skip(1)
                .take(300)
                .find(|(_, inner)| inner.attribute("itemprop") == Some("name"));
            let text = match name {
                Some((inner, element)) => {
                    match element.attribute("content").filter(|text| !text.is_empty()) {
                        Some(content) => content.to_owned(),
                        None => text_of(dom, inner, 300),
                    }
                }
                None => text_of(dom, id, 300),
            };
            self.add(&text, id, 4.0, NameForm::User);
        } else if leads_to_author(href) && !self.is_in_sentence(id) {
            self.add(&text_of(dom, id, 300), id, 3.0, NameForm::Person);
        } else if class.len() < 500 && self.is_author_class(class) {
            self.look_at_class(id, &class.to_lowercase());
        } else if links_to_users && leads_to_user(href) {
            self.add(&text_of(dom, id, 300), id, 2.0, NameForm::User);
        }
    }

    /// Caches [`is_author_class`]: a page has few classes, each on many elements.
    fn is_author_class(&mut self, class: &'d str) -> bool {
        may_be_author_class(class)
            && *self
                .author_classes
                .entry(class)
                .or_insert_with(|| is_author_class(&class.to_lowercase()))
    }

    fn look_at_class(&mut self, id: NodeId, class: &str) {
        self.count += 1;
        let dom = self.survey.source.dom;
        let text = text_of(dom, id, 500);
        if !(2..120).contains(&text.chars().count()) {
            return;
        }
        let mut links = dom
            .elements(id)
            .filter(|(_, element)| element.tag == Tag::A)
            .map(|(link, _)| text_of(dom, link, 300))
            .filter(|text| !text.is_empty())
            .take(2);
        let (first, second) = (links.next(), links.next());
        if let (Some(link), None) = (&first, second)
            && is_like_person(link)
        {
            self.add(link, id, 3.0, NameForm::Person);
            return;
        }
        let user = ["username", "user-name", "poster", "creator"]
            .iter()
            .any(|name| class.contains(name));
        self.add(
            &text,
            id,
            3.0,
            if user {
                NameForm::User
            } else {
                NameForm::Person
            },
        );
    }

    /// Returns true in paragraphs and items of prose: in `… is sent by RecordWriter`, an element may begin with `by`.
    fn is_in_sentence(&self, parent: NodeId) -> bool {
        let dom = self.survey.source.dom;
        let mut around = dom.ancestors(parent).take(6);
        let block = around.find(|id| matches!(dom.tag(*id), Tag::P | Tag::Li | Tag::Dd));
        block.is_some_and(|block| {
            text_of(dom, block, 2 * MAX_BYLINE_CHARS).chars().count() > MAX_BYLINE_CHARS
        })
    }

    /// Reads `By Jane Doe`, also if the name is in the next text node.
    fn look_at_prepositions(&mut self) {
        let text_nodes = &self.survey.text_nodes().list;
        for (at, text_node) in text_nodes.iter().enumerate() {
            if text_node.aside || text_node.prose || text_node.in_code || text_node.text.len() > 240
            {
                continue;
            }
            let Some(name) = after_by(&text_node.text) else {
                continue;
            };
            if text_node.text.chars().count() > 120 {
                continue;
            }
            let name = if name.is_empty() {
                let next = text_nodes.get(at + 1).filter(|next| !next.in_code);
                next.map_or("", |next| &*next.text)
            } else {
                name
            };
            if self.is_in_sentence(text_node.parent) {
                continue;
            }
            self.add(name, text_node.parent, 2.5, NameForm::Person);
            if self.count >= 2 * MAX_CANDIDATES {
                break;
            }
        }
    }
}

/// A block with more characters is prose, not a byline.
const MAX_BYLINE_CHARS: usize = 240;

/// Returns the text after `By` or `Author:`, which may be empty.
fn after_by(text: &str) -> Option<&str> {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    if !may_be_by(start) {
        return None;
    }
    let mut words = start.split_whitespace();
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    let bare = |word: &str| is_any_of(word.trim_end_matches(':'), &["by"]);
    let is_by = bare(first)
        || (bare(second)
            && is_any_of(
                first,
                &[
                    "written",
                    "posted",
                    "article",
                    "story",
                    "words",
                    "text",
                    "published",
                    "authored",
                    "started",
                    "asked",
                    "submitted",
                    "created",
                    "reported",
                ],
            ));
    if is_by {
        let at = start.to_ascii_lowercase().find("by")?;
        return Some(start.get(at + 2..)?.trim_start_matches(':').trim_start());
    }
    let label = first.trim_end_matches(':');
    let is_label = is_any_of(
        label,
        &[
            "author",
            "authors",
            "autor",
            "auteur",
            "auteurs",
            "autore",
            "автор",
        ],
    );
    let alone = second.is_empty();
    let with_colon = first.ends_with(':') || second == ":";
    (is_label && (alone || with_colon)).then(|| after_preposition(start).unwrap_or_default())
}

/// Returns true if a text begins with the first letters of a word that [`after_by`] accepts; most texts do not.
fn may_be_by(text: &str) -> bool {
    let mut bytes = text.bytes().map(|byte| byte.to_ascii_lowercase());
    match (bytes.next(), bytes.next()) {
        (Some(first), Some(second)) if first.is_ascii() => matches!(
            &[first, second],
            b"by"
                | b"wr"
                | b"wo"
                | b"po"
                | b"pu"
                | b"ar"
                | b"au"
                | b"as"
                | b"st"
                | b"su"
                | b"te"
                | b"cr"
                | b"re"
        ),
        (first, _) => first.is_some() && text.starts_with(['а', 'А']),
    }
}

/// Returns true if the page links to at least three members, as forum threads do.
fn has_links_to_users(dom: &Dom) -> bool {
    let mut seen = HashSet::default();
    dom.elements(NodeId::ROOT)
        .filter(|(_, element)| element.tag == Tag::A)
        .filter_map(|(_, element)| element.attribute("href"))
        .filter(|href| leads_to_user(href))
        .any(|href| {
            seen.insert(href);
            seen.len() >= 3
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_after_by_and_labels() {
        for (text, name) in [
            ("By Jane Doe", Some("Jane Doe")),
            ("— by: Jane", Some("Jane")),
            ("BY", Some("")),
            ("WRITTEN by Jane", Some("Jane")),
            ("words by Jane", Some("Jane")),
            ("Posted by Jane", Some("Jane")),
            ("Published By Jane", Some("Jane")),
            ("Article by Jane", Some("Jane")),
            ("Authored by Jane", Some("Jane")),
            ("as\u{212a}ed by Jane", Some("Jane")),
            ("Story by Jane", Some("Jane")),
            ("Started by Jane", Some("Jane")),
            ("submitted by Jane", Some("Jane")),
            ("Text by Jane", Some("Jane")),
            ("created by Jane", Some("Jane")),
            ("reported by Jane", Some("Jane")),
            ("Author: Jane", Some("Jane")),
            ("Autor : Jane", Some("Jane")),
            ("Автор: Яна", Some("Яна")),
            ("Author Jane", None),
            ("Byte by byte", None),
            ("b", None),
            ("Ähnlich by Jane", None),
            ("", None),
        ] {
            assert_eq!(after_by(text), name, "{text}");
        }
    }
}
