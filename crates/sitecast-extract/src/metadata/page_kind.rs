//! The kind of a page, which decides whether it can have an author and a date.

use serde_json::Value;

use super::Survey;
use super::head::Head;
use super::schema::{Graph, Object, is_article, is_page, text_member, types};
use super::text::{first_chars, fold, is_any_of};
use super::url_parts::UrlParts;
use crate::dom::{Dom, NodeId, Tag};
use crate::generator::is_documentation;

/// The most articles in JSON-LD that are compared with the page.
const MAX_ARTICLES: usize = 200;

/// The kind of a page.
#[derive(Debug)]
pub(super) struct PageKind<'g> {
    /// The JSON-LD objects about the article of this page, the likeliest first.
    pub(super) articles: Vec<&'g Object>,
    /// An article, by JSON-LD, `meta` elements or an `article` element.
    pub(super) article: bool,
    /// A post of a blog or magazine, by its URL.
    pub(super) entry: bool,
    /// A page of a forum, by its URL.
    pub(super) forum: bool,
    /// The front page, by its URL.
    pub(super) root: bool,
    /// Documentation, by its generator or its URL.
    pub(super) manual: bool,
    /// Documentation, a shop, a list or the like, which have no author or date of their own.
    no_article: bool,
    /// A `meta` element or JSON-LD names an author.
    pub(super) byline: bool,
}

impl<'g> PageKind<'g> {
    pub(super) fn of(dom: &Dom, head: &Head, graph: &Graph<'g>, url_parts: &UrlParts) -> Self {
        let articles = articles_of_page(head, graph);
        let article = !articles.is_empty() || is_article_by_head(head) || heads_article(dom, head);
        let minutes = head
            .meta(&["twitter:data1"])
            .is_some_and(|text| text.contains("min"));
        let byline = (head
            .meta(&[
                "author",
                "article:author",
                "parsely-author",
                "twitter:data1",
            ])
            .is_some()
            && !minutes)
            || graph
                .nodes
                .iter()
                .any(|node| node.main && is_page(node.map) && has_value(node.map, "author"));
        // Names and dates in generated documentation are those of releases and contributors.
        let documentation = articles.is_empty() && !url_parts.is_entry() && is_documentation(dom);
        let no_article = documentation || url_parts.is_no_article();
        Self {
            articles,
            article,
            entry: url_parts.is_entry(),
            forum: url_parts.is_forum(),
            root: url_parts.is_root(),
            manual: documentation || no_article && url_parts.is_documentation(),
            no_article,
            byline,
        }
    }

    /// Returns true if the page may have an author and a date outside of JSON-LD, unless it belongs to a shop.
    pub(super) fn may_admit_bylines(&self) -> bool {
        !self.root && !self.no_article
    }

    pub(super) fn is_written(&self) -> bool {
        self.article || self.entry
    }
}

/// Returns true if an object has a member with a value that is not empty.
pub(super) fn has_value(map: &Object, name: &str) -> bool {
    match map.get(name) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(values)) => !values.is_empty(),
        Some(_) => true,
    }
}

fn articles_of_page<'g>(head: &Head, graph: &Graph<'g>) -> Vec<&'g Object> {
    let articles: Vec<_> = graph
        .nodes
        .iter()
        .filter(|node| node.main && is_article(node.map))
        .map(|node| node.map)
        .take(MAX_ARTICLES)
        .collect();
    if articles.len() <= 1 {
        return articles;
    }
    let titles: Vec<String> = [
        head.title.as_str(),
        head.meta(&["og:title"]).unwrap_or_default(),
    ]
    .into_iter()
    .chain(
        head.main_headings
            .iter()
            .take(20)
            .map(|heading| heading.text.as_str()),
    )
    .map(|text| fold(first_chars(text, 500)))
    .filter(|text| !text.is_empty())
    .collect();
    let is_titled = |map: &Object| {
        text_member(map, "headline")
            .filter(|text| !text.is_empty())
            .or_else(|| text_member(map, "name"))
            .map(|name| fold(first_chars(name, 500)))
            .is_some_and(|name| titles.iter().any(|title| title.contains(&name)))
    };
    let (titled, others): (Vec<_>, Vec<_>) =
        articles.iter().copied().partition(|map| is_titled(map));
    if !titled.is_empty() {
        let nameless = others.into_iter().filter(|map| !has_value(map, "headline"));
        return titled.into_iter().chain(nameless).collect();
    }
    // Several headlines, none of which is the title of this page: a list of other pages.
    let mut headlines = articles
        .iter()
        .filter_map(|map| text_member(map, "headline"))
        .map(fold);
    let first = headlines.next();
    if headlines.all(|other| Some(&other) == first.as_ref()) {
        articles
    } else {
        Vec::new()
    }
}

fn is_article_by_head(head: &Head) -> bool {
    head.meta(&["og:type"])
        .is_some_and(|kind| matches!(kind.to_lowercase().as_str(), "article" | "blog" | "news"))
        || head
            .meta(&[
                "article:published_time",
                "datepublished",
                "parsely-pub-date",
                "sailthru.date",
                "citation_publication_date",
                "citation_date",
            ])
            .is_some()
}

/// Returns true if a main heading is in an `article` element.
fn heads_article(dom: &Dom, head: &Head) -> bool {
    head.main_headings.iter().take(3).any(|heading| {
        dom.ancestors(heading.node)
            .any(|id| dom.tag(id) == Tag::Article)
    })
}

/// Returns true if the page offers a product or service.
pub(super) fn is_shop(survey: &Survey<'_>) -> bool {
    let by_head = survey.head.meta(&["og:type"]).is_some_and(|kind| {
        matches!(
            kind.to_lowercase().as_str(),
            "product" | "product.item" | "og:product" | "product.group"
        )
    });
    let by_schema = || {
        survey
            .graph
            .nodes
            .iter()
            .filter(|node| node.main)
            .any(|node| types(node.map).any(is_offered))
    };
    let dom = survey.source.dom;
    let by_microdata = || {
        let mut elements = dom.elements(NodeId::ROOT);
        let has_types = dom.may_have("itemtype");
        has_types
            && elements.any(|(_, element)| {
                element
                    .attribute("itemtype")
                    .is_some_and(|kind| kind.contains("schema.org/Product"))
            })
    };
    let by_button = || {
        let mut text_nodes = survey.text_nodes().list.iter();
        text_nodes.any(|text_node| is_button_of_shop(&text_node.text))
    };
    by_head || by_schema() || by_microdata() || by_button()
}

fn is_button_of_shop(text: &str) -> bool {
    // A cheap check first: all of the labels begin with these letters.
    let begins = text.starts_with(['a', 'A', 'b', 'B', 'i', 'I']);
    begins
        && text.len() < 30
        && is_any_of(
            text,
            &[
                "add to cart",
                "add to basket",
                "add to bag",
                "buy now",
                "in den warenkorb",
                "ajouter au panier",
                "añadir al carrito",
                "aggiungi al carrello",
                "in winkelwagen",
                "adicionar ao carrinho",
            ],
        )
}

fn is_offered(name: &str) -> bool {
    matches!(
        name,
        "Product"
            | "ProductGroup"
            | "ItemList"
            | "CollectionPage"
            | "Service"
            | "LocalBusiness"
            | "SearchResultsPage"
            | "JobPosting"
            | "Course"
            | "SoftwareApplication"
            | "Book"
            | "Hotel"
            | "Vehicle"
    )
}

#[cfg(test)]
mod tests {
    use super::is_button_of_shop;

    #[test]
    fn recognizes_buttons_of_shops() {
        for text in [
            "Add to cart",
            "BUY NOW",
            "In den Warenkorb",
            "Añadir al carrito",
        ] {
            assert!(is_button_of_shop(text), "{text}");
        }
        for text in ["", "Cart", "Add to cart and go on", "Índice"] {
            assert!(!is_button_of_shop(text), "{text}");
        }
    }
}
