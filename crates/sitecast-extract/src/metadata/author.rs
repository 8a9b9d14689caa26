//! The author of a page: from JSON-LD, `meta` elements, or else visible bylines.

use serde_json::Value;

use super::Survey;
use super::byline::byline;
use super::page_kind::has_value;
use super::person_likeness::{is_login, is_plausible};
use super::person_name::clean_name;
use super::schema::{Graph, Object, is_page, text_member, types};
use super::site_name::NameMatch;
use super::text::{first_chars, fold, folds_to};
use super::visible_data::VisibleData;

const META: &[&str] = &[
    "author",
    "parsely-author",
    "sailthru.author",
    "cxenseparse:author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "article:author_name",
    "og:author",
    "og:article:author",
    "citation_author",
    "byl",
    "article.author",
    "creator",
    "author_name",
    "shareaholic:article_author_name",
    "blog-author",
];

/// Names are cut to this length.
const MAX_NAME_CHARS: usize = 300;
/// The most names in a list of authors.
const MAX_AUTHORS: usize = 30;

/// Returns the author of the page; several names are joined by `, `.
pub(super) fn author(
    survey: &Survey<'_>,
    title: &str,
    visible: &VisibleData<'_, '_>,
) -> Option<String> {
    let mut search = Search {
        survey,
        title: fold(title),
        fallback: None,
    };
    search
        .by_article()
        .or_else(|| search.by_page_object())
        .or_else(|| search.by_meta())
        .or_else(|| search.by_card())
        .or_else(|| {
            survey
                .admits_bylines()
                .then(|| byline(survey, &search.title, visible.title_range()))?
        })
        .or_else(|| {
            (survey.admits_bylines() && survey.kind.is_written() && !survey.is_shop())
                .then(|| search.fallback.take())?
        })
}

struct Search<'s, 'd> {
    survey: &'s Survey<'d>,
    title: String,
    /// The first organization or login name that was found, for pages without a person.
    fallback: Option<String>,
}

impl Search<'_, '_> {
    /// Returns the name of a person; keeps an organization, the site or a login name as the fallback.
    fn prefer_people(&mut self, name: String, organization: bool) -> Option<String> {
        if name.is_empty() {
            return None;
        }
        if organization || self.survey.site.is_site(&name, NameMatch::Exact) || is_login(&name) {
            self.fallback.get_or_insert(name);
            return None;
        }
        Some(name)
    }

    fn by_article(&mut self) -> Option<String> {
        if self.survey.kind.root {
            return None;
        }
        let graph = &self.survey.graph;
        for member in ["author", "creator"] {
            for map in &self.survey.kind.articles {
                let Some(value) = map.get(member).filter(|_| has_value(map, member)) else {
                    continue;
                };
                let name = joined(names(graph, value));
                let is_post = types(map).any(|name| {
                    matches!(
                        name,
                        "DiscussionForumPosting" | "Question" | "SocialMediaPosting"
                    )
                });
                if is_post && !name.is_empty() {
                    return Some(name);
                }
                let name = self.prefer_people(name, is_organization(graph, value));
                if name.is_some() {
                    return name;
                }
            }
        }
        None
    }

    fn by_page_object(&mut self) -> Option<String> {
        let survey = self.survey;
        if !survey.admits_bylines() {
            return None;
        }
        survey
            .graph
            .nodes
            .iter()
            .filter(|node| node.main && is_page(node.map))
            .filter_map(|node| node.map.get("author"))
            .find_map(|value| self.prefer_people(joined(names(&survey.graph, value)), false))
    }

    fn by_meta(&mut self) -> Option<String> {
        let survey = self.survey;
        if !survey.admits_bylines() {
            return None;
        }
        META.iter().find_map(|meta| {
            let names = survey
                .head
                .all_meta(meta)
                .filter(|text| {
                    !["http:", "https:", "/", "www."]
                        .iter()
                        .any(|start| text.starts_with(start))
                })
                .filter(|text| !folds_to(&clean_name(text), &self.title))
                .map(|text| {
                    if *meta == "citation_author" {
                        in_reading_order(text)
                    } else {
                        text.to_owned()
                    }
                })
                .collect();
            self.prefer_people(joined(names), false)
        })
    }

    /// Reads the labels for cards on social networks: `Written by`, `Jane Doe`.
    fn by_card(&mut self) -> Option<String> {
        let survey = self.survey;
        if !survey.admits_bylines() {
            return None;
        }
        [
            ("twitter:label1", "twitter:data1"),
            ("twitter:label2", "twitter:data2"),
        ]
        .into_iter()
        .find_map(|(label, data)| {
            let label = survey.head.meta(&[label])?.to_lowercase();
            [
                "written by",
                "author",
                "verfasst",
                "escrito",
                "écrit",
                "geschrieben",
                "autor",
            ]
            .iter()
            .any(|word| label.contains(word))
            .then_some(())?;
            let name = clean_name(survey.head.meta(&[data])?);
            is_plausible(&name).then(|| self.prefer_people(name, false))?
        })
    }
}

/// Turns `Doe, Jane`, as in bibliographies, into `Jane Doe`.
fn in_reading_order(name: &str) -> String {
    match name.split_once(", ") {
        Some((last, first)) if !first.contains(',') && !last.contains(' ') => {
            format!("{first} {last}")
        }
        _ => name.to_owned(),
    }
}

/// Returns the names in the value of `author`, following references.
fn names(graph: &Graph<'_>, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = vec![value];
    let mut looked_at = 0;
    while let Some(value) = open.pop() {
        looked_at += 1;
        if looked_at > 100 || found.len() >= MAX_AUTHORS {
            break;
        }
        match value {
            Value::String(text) if !text.starts_with("http") => found.push(text.clone()),
            Value::Array(values) => open.extend(values.iter().rev().take(100)),
            Value::Object(map) => {
                let referred = || text_member(map, "@id").and_then(|id| graph.get(id));
                found.extend(name_of(map).or_else(|| name_of(referred()?)));
            }
            _ => {}
        }
    }
    found
}

fn name_of(map: &Object) -> Option<String> {
    match text_member(map, "name").filter(|name| !name.trim().is_empty()) {
        Some(name) => Some(first_chars(name, MAX_NAME_CHARS).to_owned()),
        None => Some(format!(
            "{} {}",
            first_chars(text_member(map, "givenName")?, MAX_NAME_CHARS),
            first_chars(text_member(map, "familyName")?, MAX_NAME_CHARS)
        )),
    }
}

/// Returns true if the first author is an organization.
fn is_organization(graph: &Graph<'_>, value: &Value) -> bool {
    let first = match value {
        Value::Array(values) => values.first(),
        value => Some(value),
    };
    first.and_then(Value::as_object).is_some_and(|map| {
        let map = if has_value(map, "name") {
            map
        } else {
            text_member(map, "@id")
                .and_then(|id| graph.get(id))
                .unwrap_or(map)
        };
        types(map).any(|name| name == "Organization")
    })
}

/// Joins the plausible names, each once.
fn joined(names: Vec<String>) -> String {
    let mut seen = Vec::new();
    let mut kept = Vec::new();
    for name in names.iter().take(MAX_AUTHORS).map(|name| clean_name(name)) {
        let folded = fold(&name);
        if is_plausible(&name) && !seen.contains(&folded) {
            seen.push(folded);
            kept.push(name);
        }
    }
    kept.join(", ")
}
