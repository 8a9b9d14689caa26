//! The choice of the schema.org object that describes a page.

use foldhash::HashMap;

use serde_json::Value;
use sitecast_scp::JsonObject;
use url::Url;

use super::graph::local_name;
use super::kinds::{Family, family};
use super::{Graph, Object, text_member, types};
use crate::metadata::text::{first_chars, fold};

/// The most objects to choose from.
const MAX_CANDIDATES: usize = 1_000;
/// The most references that are resolved in the chosen object.
const MAX_RESOLVED: usize = 20;
/// References to larger objects are not resolved.
const MAX_RESOLVED_BYTES: usize = 50_000;

/// The properties of a page to which objects are compared.
#[derive(Debug)]
pub(in crate::metadata) struct Page<'p> {
    pub(in crate::metadata) url: &'p str,
    pub(in crate::metadata) canonical: Option<&'p str>,
    pub(in crate::metadata) base: &'p Url,
    pub(in crate::metadata) title: &'p str,
    /// The front page: objects about the site are about the page.
    pub(in crate::metadata) root: bool,
}

/// Chooses the object that describes the page, and resolves its references.
pub(in crate::metadata) fn choose<'v>(
    values: &'v [Value],
    graph: &Graph<'v>,
    page: &Page<'_>,
) -> Option<Object> {
    let candidates = candidates(values, graph);
    // A single candidate needs no comparison.
    if let [] | [_] = candidates.as_slice() {
        return candidates.first().map(|only| only.complete(graph));
    }
    let mut of_type: HashMap<&str, usize> = HashMap::default();
    for candidate in &candidates {
        if let Some(name) = types(candidate.object).next() {
            *of_type.entry(name).or_default() += 1;
        }
    }
    let names = PageNames::of(page);
    let chosen = candidates
        .iter()
        .map(|candidate| {
            let alone = types(candidate.object)
                .next()
                .is_none_or(|name| of_type.get(name) == Some(&1));
            (candidate.rank(&names, alone), candidate)
        })
        .reduce(|best, next| if next.0 > best.0 { next } else { best })?
        .1;
    Some(chosen.complete(graph))
}

/// Serialises an object.
pub(in crate::metadata) fn to_json_object(object: Object) -> JsonObject {
    JsonObject::from(object)
}

struct Candidate<'v> {
    object: &'v Object,
    context: Option<&'v Value>,
    /// The `mainEntity` of a page's object.
    main_entity: bool,
}

/// Returns the top-level objects and main entities, in document order.
fn candidates<'v>(values: &'v [Value], graph: &Graph<'v>) -> Vec<Candidate<'v>> {
    let mut found = Vec::new();
    let mut open: Vec<(&'v Value, Option<&'v Value>)> =
        values.iter().rev().map(|value| (value, None)).collect();
    while let Some((value, context)) = open.pop() {
        if found.len() >= MAX_CANDIDATES {
            break;
        }
        match value {
            Value::Array(values) => open.extend(values.iter().rev().map(|value| (value, context))),
            Value::Object(object) => {
                let context = object.get("@context").or(context);
                if let Some(inner) = object.get("@graph") {
                    open.push((inner, context));
                }
                let describes = types(object).any(|name| family(name) != Family::Part);
                if !context.is_none_or(is_of_schema_org) || !describes {
                    continue;
                }
                found.push(Candidate {
                    object,
                    context,
                    main_entity: false,
                });
                found.extend(main_entity(object, graph).map(|object| Candidate {
                    object,
                    context,
                    main_entity: true,
                }));
            }
            _ => {}
        }
    }
    found
}

/// Returns the main entity of a page's object, unless it is a list.
fn main_entity<'v>(object: &'v Object, graph: &Graph<'v>) -> Option<&'v Object> {
    let member = types(object).find_map(|name| match family(name) {
        Family::Page => Some("mainEntity"),
        // Blogger's markup of a post.
        _ if name == "Blog" => Some("blogPost"),
        _ => None,
    })?;
    let main = object.get(member)?.as_object()?;
    match text_member(main, "@id").filter(|_| main.len() == 1) {
        Some(id) => graph.get(id),
        None => Some(main),
    }
    .filter(|main| types(main).next().is_some())
}

fn is_of_schema_org(context: &Value) -> bool {
    let names = |value: &Value| {
        value
            .as_str()
            .is_some_and(|text| text.contains("schema.org"))
    };
    match context {
        Value::Array(values) => values.iter().any(|value| {
            names(value) || value.as_object().is_some_and(|map| map.values().any(names))
        }),
        Value::Object(map) => map.values().any(names),
        value => names(value),
    }
}

/// The URLs and the title of the page, normalised for comparison.
struct PageNames<'p> {
    page: &'p Page<'p>,
    urls: Vec<String>,
    title: String,
}

impl<'p> PageNames<'p> {
    fn of(page: &'p Page<'p>) -> Self {
        let urls = [Some(page.url), page.canonical]
            .into_iter()
            .flatten()
            .filter_map(|url| path_and_query(page.base, url))
            .collect();
        Self {
            page,
            urls,
            title: fold(page.title),
        }
    }

    fn is_page(&self, url: &str) -> bool {
        url.len() < 4_000
            && path_and_query(self.page.base, url)
                .is_some_and(|path_and_query| self.urls.contains(&path_and_query))
    }

    fn is_title(&self, name: &str) -> bool {
        let name = fold(first_chars(name, 500));
        !name.is_empty() && (name == self.title || (name.len() >= 10 && self.title.contains(&name)))
    }
}

/// Returns path and query of a URL. Hosts are not compared: many objects have the host of a test server, or differ in `www.`.
fn path_and_query(base: &Url, url: &str) -> Option<String> {
    let url = base.join(url.trim()).ok()?;
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    Some(format!("{path}?{}", url.query().unwrap_or_default()))
}

/// The rank of a candidate: the certainty that it describes the page, the specificity of its type, its number of members.
type Rank = (u8, u8, usize);

impl Candidate<'_> {
    fn rank(&self, names: &PageNames<'_>, alone: bool) -> Rank {
        let family = types(self.object)
            .map(family)
            .max()
            .unwrap_or(Family::Other);
        let named = ["headline", "name"]
            .iter()
            .filter_map(|name| text_member(self.object, name))
            .any(|name| names.is_title(name));
        let urls: Vec<&str> = ["url", "mainEntityOfPage"]
            .iter()
            .filter_map(|name| self.url_member(name))
            .collect();
        let placed = urls
            .iter()
            .copied()
            .chain(text_member(self.object, "@id"))
            .any(|url| names.is_page(url));
        let sure = match family {
            Family::Part | Family::Breadcrumbs => 1,
            Family::Site => 2,
            // A business is the publisher, unless the page is about it.
            Family::Business if self.main_entity || names.page.root => 7,
            Family::Business if placed && named => 7,
            Family::Business => 3,
            Family::Other if self.main_entity => 6,
            Family::Other => 4,
            Family::Page => 5,
            Family::Content if placed || named || self.main_entity => 8,
            Family::Content if urls.is_empty() && alone => 7,
            Family::Content if alone => 6,
            // One of several of its type on the page.
            Family::Content => 3,
        };
        let specificity = types(self.object)
            .map(super::kinds::specificity)
            .max()
            .unwrap_or(0);
        (sure, specificity, self.object.len())
    }

    fn url_member(&self, name: &str) -> Option<&str> {
        match self.object.get(name)? {
            Value::String(url) => Some(url),
            Value::Object(map) => text_member(map, "@id").or_else(|| text_member(map, "url")),
            _ => None,
        }
    }

    /// Returns the object with its context and with resolved references.
    fn complete(&self, graph: &Graph<'_>) -> Object {
        let mut object = self.object.clone();
        object.remove("@graph");
        object.insert("@context".to_owned(), context(self.context));
        if let Some(value) = object.get_mut("@type") {
            for name in match value {
                Value::Array(values) => values.as_mut_slice(),
                value => std::slice::from_mut(value),
            } {
                if let Some(text) = name.as_str() {
                    *name = Value::String(local_name(text).to_owned());
                }
            }
        }
        let mut left = MAX_RESOLVED;
        for name in [
            "author",
            "creator",
            "publisher",
            "image",
            "mainEntity",
            "offers",
            "brand",
        ] {
            let values = match object.get_mut(name) {
                Some(Value::Array(values)) => values.as_mut_slice(),
                Some(value) => std::slice::from_mut(value),
                None => continue,
            };
            for value in values {
                let referred = value
                    .as_object()
                    .filter(|map| map.len() == 1)
                    .and_then(|map| graph.get(text_member(map, "@id")?))
                    .filter(|referred| !std::ptr::eq(*referred, self.object));
                if let Some(referred) = referred.filter(|_| left > 0) {
                    left -= 1;
                    let copy = Value::Object(referred.clone());
                    if copy.to_string().len() <= MAX_RESOLVED_BYTES {
                        *value = copy;
                    }
                }
            }
        }
        object
    }
}

/// Returns the context with the current URL of schema.org.
fn context(stated: Option<&Value>) -> Value {
    let present = |value: &Value| match value.as_str() {
        Some(text) if text.contains("schema.org") => Value::from("https://schema.org"),
        _ => value.clone(),
    };
    match stated {
        // Keep further vocabularies.
        Some(Value::Array(values)) if values.len() > 1 => {
            Value::Array(values.iter().take(10).map(present).collect())
        }
        _ => Value::from("https://schema.org"),
    }
}

#[cfg(test)]
mod tests;
