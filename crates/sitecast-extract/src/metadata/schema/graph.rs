//! All objects in the JSON-LD of a page, at any depth.

use foldhash::HashMap;

use serde_json::Value;

use super::Object;

const MAX_NODES: usize = 20_000;

/// An object of the graph.
#[derive(Debug, Clone, Copy)]
pub(in crate::metadata) struct Node<'g> {
    pub(in crate::metadata) map: &'g Object,
    /// The object may be about the page: it is not inside a comment, a related article or a person.
    pub(in crate::metadata) main: bool,
}

/// The objects in document order, and an index of their ids.
#[derive(Debug, Default)]
pub(in crate::metadata) struct Graph<'g> {
    pub(in crate::metadata) nodes: Vec<Node<'g>>,
    by_id: HashMap<&'g str, &'g Object>,
}

impl<'g> Graph<'g> {
    pub(in crate::metadata) fn of(roots: &'g [Value]) -> Self {
        let mut graph = Self::default();
        let mut open: Vec<(&'g Value, bool)> =
            roots.iter().rev().map(|root| (root, true)).collect();
        while let Some((value, main)) = open.pop() {
            match value {
                Value::Object(map) if graph.nodes.len() < MAX_NODES => {
                    graph.nodes.push(Node { map, main });
                    if let Some(id) = text_member(map, "@id").filter(|_| map.len() > 1) {
                        let known = graph.by_id.entry(id).or_insert(map);
                        if map.len() > known.len() {
                            *known = map;
                        }
                    }
                    // Pushed in reverse, so that members are visited in their order.
                    for (name, value) in map.iter().rev() {
                        if value.is_object() || value.is_array() {
                            open.push((value, main && !is_about_others(name)));
                        }
                    }
                }
                Value::Array(values) => open.extend(values.iter().rev().map(|value| (value, main))),
                _ => {}
            }
        }
        graph
    }

    /// Returns the object that an `@id` refers to: the one with the most members.
    pub(in crate::metadata) fn get(&self, id: &str) -> Option<&'g Object> {
        self.by_id.get(id).copied()
    }
}

/// Returns a member that is text; of several texts the first.
pub(in crate::metadata) fn text_member<'v>(map: &'v Object, name: &str) -> Option<&'v str> {
    match map.get(name)? {
        Value::String(text) => Some(text),
        Value::Array(values) => values.first()?.as_str(),
        Value::Object(map) => map.get("@value")?.as_str(),
        _ => None,
    }
}

/// Iterates over the types of an object without their vocabulary.
pub(in crate::metadata) fn types(map: &Object) -> impl Iterator<Item = &str> {
    let values = match map.get("@type") {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().filter_map(Value::as_str).map(local_name)
}

/// Returns `Article` for `http://schema.org/Article` and `schema:Article`.
pub(super) fn local_name(name: &str) -> &str {
    name.trim()
        .rsplit(['/', '#', ':'])
        .next()
        .unwrap_or_default()
}

/// Returns true for members whose objects are not about the page.
fn is_about_others(name: &str) -> bool {
    matches!(
        name,
        "comment"
            | "suggestedAnswer"
            | "acceptedAnswer"
            | "answer"
            | "review"
            | "reviews"
            | "itemListElement"
            | "blogPost"
            | "hasPart"
            | "isPartOf"
            | "associatedMedia"
            | "video"
            | "mentions"
            | "citation"
            | "about"
            | "publisher"
            | "image"
            | "subjectOf"
            | "relatedLink"
            | "author"
            | "creator"
            | "editor"
            | "reviewedBy"
            | "breadcrumb"
            | "offers"
            | "potentialAction"
            | "workFeatured"
            | "itemReviewed"
    )
}

/// Returns true for types of texts with an author and a date.
pub(in crate::metadata) fn is_article(map: &Object) -> bool {
    types(map).any(|name| {
        // Reviews in magazines have a headline, reviews by customers of shops do not.
        (matches!(name, "Review" | "CriticReview") && map.contains_key("headline"))
            || matches!(
                name,
                "Article"
                    | "NewsArticle"
                    | "BlogPosting"
                    | "TechArticle"
                    | "ScholarlyArticle"
                    | "Report"
                    | "DiscussionForumPosting"
                    | "Question"
                    | "SocialMediaPosting"
                    | "AnalysisNewsArticle"
                    | "OpinionNewsArticle"
                    | "ReportageNewsArticle"
                    | "ReviewNewsArticle"
                    | "LiveBlogPosting"
                    | "MedicalScholarlyArticle"
                    | "AdvertiserContentArticle"
                    | "Recipe"
                    | "HowTo"
                    | "PodcastEpisode"
                    | "CreativeWork"
                    | "Thesis"
                    | "Guide"
            )
    })
}

/// Returns true for types of web pages.
pub(in crate::metadata) fn is_page(map: &Object) -> bool {
    types(map).any(|name| {
        matches!(
            name,
            "WebPage"
                | "ItemPage"
                | "AboutPage"
                | "MedicalWebPage"
                | "QAPage"
                | "FAQPage"
                | "CreativeWork"
        )
    })
}

/// Returns true for types of sites and organizations.
pub(in crate::metadata) fn is_organization(map: &Object) -> bool {
    types(map).any(|name| {
        matches!(
            name,
            "WebSite"
                | "Organization"
                | "NewsMediaOrganization"
                | "Corporation"
                | "LocalBusiness"
                | "EducationalOrganization"
                | "OnlineStore"
                | "Store"
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_objects_at_any_depth_and_which_are_main() {
        let roots = [json!({
            "@graph": [
                {"@type": "WebPage", "mainEntity": {"@type": ["Article", "X"]}},
                {"@type": "http://schema.org/Article", "comment": [{"@type": "Comment"}]},
            ]
        })];
        let graph = Graph::of(&roots);
        let found: Vec<_> = graph
            .nodes
            .iter()
            .map(|node| (types(node.map).next().unwrap_or("-"), node.main))
            .collect();
        assert_eq!(
            found,
            [
                ("-", true),
                ("WebPage", true),
                ("Article", true),
                ("Article", true),
                ("Comment", false)
            ]
        );
    }

    #[test]
    fn references_resolve_to_the_object_with_most_members() {
        let roots = [json!([
            {"@id": "#a"},
            {"@id": "#a", "name": "A", "url": "x"},
            {"@id": "#a", "name": "B"},
        ])];
        let graph = Graph::of(&roots);
        assert_eq!(
            graph.get("#a").and_then(|map| text_member(map, "name")),
            Some("A")
        );
        assert!(graph.get("#b").is_none());
    }
}
