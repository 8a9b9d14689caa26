//! Authors that readers see: marked by `rel`, microdata or class, linked to their page, or named
//! after `By`. What stands nearest to the title wins.

use foldhash::{HashMap, HashSet};

use super::Survey;
use super::author_marks::{is_called_author, leads_to_author, leads_to_user, may_be_called_author};
use super::element_text::text_of;
use super::landmarks::property_of;
use super::person_likeness::{is_like_person, is_like_user, is_plausible};
use super::person_name::{after_preposition, clean_name, without_role};
use super::pieces::{Place, is_aside, is_sample};
use super::site_name::Likeness;
use super::text::{first_chars, folds_to, says};
use crate::dom::{Dom, Element, NodeId, Tag};

/// A page where more names are marked is a list of people.
const MAX_CANDIDATES: usize = 2_000;

/// Attributes whose value is a name.
const AUTHOR_ATTRIBUTES: [&str; 4] = [
    "data-author",
    "data-author-username",
    "author",
    "data-author-name",
];

/// How strict the text must look like a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Person,
    /// Or what somebody is called on a forum.
    User,
}

/// The likeliest author in the text. `title` is folded and stands at `place`.
pub(super) fn byline(survey: &Survey<'_>, title: &str, place: Option<Place>) -> Option<String> {
    let dom = survey.source.dom;
    let mut search = Search {
        survey,
        title,
        place,
        best: None,
        count: 0,
        called_author: HashMap::default(),
        has_properties: !survey.source.landmarks.properties.is_empty(),
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
    place: Option<Place>,
    best: Option<(f64, String)>,
    count: usize,
    /// Whether any element of the page has an attribute that says what it is.
    has_properties: bool,
    /// Whether each class that was met says that the element names the author.
    called_author: HashMap<&'d str, bool>,
}

impl<'d> Search<'_, 'd> {
    fn add(&mut self, text: &str, id: NodeId, worth: f64, form: Form) {
        self.count += 1;
        let name = clean_name(first_chars(text, 300));
        let name = without_role(&name);
        let fits = is_like_person(name) || (form == Form::User && is_like_user(name));
        if !fits || !is_plausible(name) || folds_to(name, self.title) {
            return;
        }
        let Some(start) = self.survey.pieces().start_of(id) else {
            return;
        };
        let distance = self
            .place
            .map_or(300.0 + start as f64 / 4.0, |place| place.distance_to(start));
        let mut score = worth
            + if distance >= 0.0 {
                (2.0 - distance / 400.0).max(-0.5)
            } else {
                (1.5 + distance / 100.0).max(-2.0)
            };
        if self.survey.site.is_site(name, Likeness::Same) {
            score -= 1.5;
        }
        let dom = self.survey.source.dom;
        let around = || dom.ancestors(id).take(30).filter_map(|id| dom.element(id));
        if around().any(|element| is_sample(element.tag)) {
            return;
        }
        if around().any(is_aside) {
            score -= 3.0;
        }
        if self.best.as_ref().is_none_or(|(best, _)| score > *best) {
            self.best = Some((score, name.to_owned()));
        }
    }

    /// Names that scripts are told.
    fn look_at_attributes(&mut self, id: NodeId, element: Element<'_>) {
        for attribute in AUTHOR_ATTRIBUTES {
            if let Some(name) = element
                .attribute(attribute)
                .filter(|name| (1..50).contains(&name.len()))
            {
                self.add(name, id, 3.5, Form::User);
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
            self.add(&text, id, 4.0, Form::User);
        } else if says(property, &["author", "schema:author", "creator"]) {
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
            self.add(&text, id, 4.0, Form::User);
        } else if leads_to_author(href) && !self.is_in_sentence(id) {
            self.add(&text_of(dom, id, 300), id, 3.0, Form::Person);
        } else if class.len() < 500 && self.is_called_author(class) {
            self.look_at_class(id, &class.to_lowercase());
        } else if links_to_users && leads_to_user(href) {
            self.add(&text_of(dom, id, 300), id, 2.0, Form::User);
        }
    }

    /// Few classes are on a page, each on many elements.
    fn is_called_author(&mut self, class: &'d str) -> bool {
        may_be_called_author(class)
            && *self
                .called_author
                .entry(class)
                .or_insert_with(|| is_called_author(&class.to_lowercase()))
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
            self.add(link, id, 3.0, Form::Person);
            return;
        }
        let user = ["username", "user-name", "poster", "creator"]
            .iter()
            .any(|name| class.contains(name));
        self.add(&text, id, 3.0, if user { Form::User } else { Form::Person });
    }

    /// Whether a text stands in a paragraph or an item of prose: `… is sent by RecordWriter` may have an element that begins with `by`.
    fn is_in_sentence(&self, parent: NodeId) -> bool {
        let dom = self.survey.source.dom;
        let mut around = dom.ancestors(parent).take(6);
        let block = around.find(|id| matches!(dom.tag(*id), Tag::P | Tag::Li | Tag::Dd));
        block.is_some_and(|block| {
            text_of(dom, block, 2 * MOST_OF_BYLINE).chars().count() > MOST_OF_BYLINE
        })
    }

    /// `By Jane Doe`, also where the name is in an element of its own.
    fn look_at_prepositions(&mut self) {
        let pieces = &self.survey.pieces().list;
        for (at, piece) in pieces.iter().enumerate() {
            if piece.aside || piece.prose || piece.is_sample || piece.text.len() > 240 {
                continue;
            }
            let Some(name) = after_by(&piece.text) else {
                continue;
            };
            if piece.text.chars().count() > 120 {
                continue;
            }
            let name = if name.is_empty() {
                let next = pieces.get(at + 1).filter(|next| !next.is_sample);
                next.map_or("", |next| &*next.text)
            } else {
                name
            };
            if self.is_in_sentence(piece.parent) {
                continue;
            }
            self.add(name, piece.parent, 2.5, Form::Person);
            if self.count >= 2 * MAX_CANDIDATES {
                break;
            }
        }
    }
}

/// A block with more text, in characters, is more than a byline.
const MOST_OF_BYLINE: usize = 240;

/// What follows `By` or `Author:`, perhaps nothing.
fn after_by(text: &str) -> Option<&str> {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    if !may_be_by(start) {
        return None;
    }
    let mut words = start.split_whitespace();
    let (first, second) = (words.next()?, words.next().unwrap_or_default());
    let bare = |word: &str| says(word.trim_end_matches(':'), &["by"]);
    let is_by = bare(first)
        || (bare(second)
            && says(
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
    let is_label = says(
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

/// Whether a text begins as one of the words does that [`after_by`] looks for; most texts do not.
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

/// Whether the page links to three members or more, as threads do.
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
    fn what_stands_before_names() {
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
