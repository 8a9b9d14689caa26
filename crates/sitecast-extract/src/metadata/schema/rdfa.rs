//! Conversion of schema.org RDFa Lite to JSON-LD, without other vocabularies such as Open Graph.

use serde_json::Value;
use url::Url;

use super::items::{
    Item, Property, RemainingLimits, is_name, of_schema_org, resolved, stated, text_value, to_json,
};
use crate::dom::{Dom, Element, NodeId, Step, Tag};

/// Returns the top-level items.
pub(in crate::metadata) fn rdfa(
    dom: &Dom,
    base: &Url,
    remaining: &mut RemainingLimits,
) -> Vec<Value> {
    if !dom.may_have("typeof") {
        return Vec::new();
    }
    let mut items: Vec<Item> = Vec::new();
    // The open elements with `vocab`, and those that are items, from the outside in.
    let mut vocabularies: Vec<(NodeId, bool)> = Vec::new();
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    let mut next = Some(Step::Enter(NodeId::ROOT));
    while let Some(step) = next {
        match step {
            Step::Enter(id) => {
                if let Some(element) = dom.element(id) {
                    if let Some(vocabulary) = element.attribute("vocab") {
                        let with_slash = format!("{}/x", vocabulary.trim().trim_end_matches('/'));
                        vocabularies.push((id, of_schema_org(&with_slash).is_some()));
                    }
                    let in_schema_org = vocabularies.last().is_some_and(|(_, is)| *is);
                    if let Some(number) = enter(
                        dom,
                        base,
                        id,
                        element,
                        in_schema_org,
                        &mut items,
                        &open,
                        remaining,
                    ) {
                        open.push((id, number));
                    }
                }
            }
            Step::Leave(id) => {
                vocabularies.pop_if(|(element, _)| *element == id);
                open.pop_if(|(element, _)| *element == id);
            }
        }
        next = dom.step(NodeId::ROOT, step, true);
    }
    to_json(&items, remaining)
}

/// Adds the item and the properties of an element; returns the index of its item.
#[expect(clippy::too_many_arguments, reason = "the state of one walk")]
fn enter(
    dom: &Dom,
    base: &Url,
    id: NodeId,
    element: Element<'_>,
    in_schema_org: bool,
    items: &mut Vec<Item>,
    open: &[(NodeId, usize)],
    remaining: &mut RemainingLimits,
) -> Option<usize> {
    let names = |attribute: &str| -> Vec<String> {
        element
            .attribute(attribute)
            .unwrap_or_default()
            .split_ascii_whitespace()
            .filter_map(|name| local(name, in_schema_org))
            .take(5)
            .map(str::to_owned)
            .collect()
    };
    let types = names("typeof");
    let around = open.last().map(|(_, number)| *number);
    let properties = if around.is_some() {
        names("property")
    } else {
        Vec::new()
    };
    let number = (!types.is_empty() && remaining.take_item()).then_some(items.len());
    if number.is_some() {
        items.push(Item {
            types,
            id: ["resource", "about"]
                .iter()
                .find_map(|name| element.attribute(name))
                .and_then(|id| base.join(id.trim()).ok())
                .map(String::from),
            properties: Vec::new(),
            top: properties.is_empty(),
        });
    }
    for name in properties {
        if name == "articleBody" || !remaining.take_property() {
            continue;
        }
        let value = match number {
            Some(number) => Some(Property::Item(number)),
            None => remaining.take_text(value(dom, base, id, element)),
        };
        if let Some(item) = around.and_then(|number| items.get_mut(number)) {
            item.properties.extend(value.map(|value| (name, value)));
        }
    }
    number
}

/// Returns a name of schema.org: from a full URL, with the usual prefix, or bare if its vocabulary applies.
fn local(name: &str, in_schema_org: bool) -> Option<&str> {
    of_schema_org(name)
        .or_else(|| name.strip_prefix("schema:").filter(|name| is_name(name)))
        .or_else(|| (in_schema_org && is_name(name)).then_some(name))
}

fn value(dom: &Dom, base: &Url, id: NodeId, element: Element<'_>) -> Option<String> {
    let attribute = |name: &str| stated(element, name);
    attribute("content")
        .map(str::to_owned)
        .or_else(|| {
            let url = ["resource", "href", "src"]
                .iter()
                .find_map(|name| attribute(name))?;
            Some(resolved(base, url))
        })
        .or_else(|| attribute("datetime").map(str::to_owned))
        .or_else(|| (element.tag != Tag::Meta).then(|| text_value(dom, id))?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Limits;
    use crate::dom::parse;

    fn values(html: &str) -> Vec<Value> {
        let dom = parse(html, &Limits::default());
        let base = Url::parse("https://example.com/a/").unwrap();
        rdfa(&dom, &base, &mut RemainingLimits::default())
    }

    #[test]
    fn reads_items_with_vocabulary() {
        let html = "<div vocab='https://schema.org/' typeof=Article resource='#a'><h1 property=name>T</h1>
            <a property=url href=x>x</a><img property=image src=/i.png><meta property=a content=b>
            <time property=datePublished datetime=2024-05-07>x</time><meta property=og:title content=O>
            <p property=author typeof=Person><b property=name>Jane</b></p><b property=tag>1</b><b property=tag>2</b></div>";
        assert_eq!(
            values(html),
            [json!({
                "@type": "Article", "@id": "https://example.com/a/#a", "name": "T", "url": "https://example.com/a/x",
                "image": "https://example.com/i.png", "a": "b", "datePublished": "2024-05-07",
                "author": {"@type": "Person", "name": "Jane"}, "tag": ["1", "2"],
            })]
        );
    }

    #[test]
    fn reads_items_with_prefix_or_url() {
        let html =
            "<div typeof=schema:Product><b property=schema:name>P</b><b property=dc:title>no</b>
            <b property=name>no</b></div><div typeof=http://schema.org/Event></div>";
        assert_eq!(
            values(html),
            [
                json!({"@type": "Product", "name": "P"}),
                json!({"@type": "Event"})
            ]
        );
    }

    #[test]
    fn ignores_other_vocabularies() {
        for html in [
            "<div vocab=http://xmlns.com/foaf/0.1/ typeof=Person><b property=name>x</b></div>",
            "<html prefix='og: http://ogp.me/ns#'><meta property=og:title content=x>",
            "<div typeof=foaf:Image sioc:Item></div>",
        ] {
            assert_eq!(values(html), Vec::<Value>::new(), "{html}");
        }
    }
}
