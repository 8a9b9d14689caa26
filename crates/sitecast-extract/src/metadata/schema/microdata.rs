//! Conversion of schema.org microdata (HTML, "Microdata") to JSON-LD.

use foldhash::{HashMap, HashSet};

use serde_json::Value;
use url::Url;

use super::items::{
    Item, Property, RemainingLimits, is_name, of_schema_org, resolved, stated, text_value, to_json,
};
use crate::dom::{Dom, Element, NodeId, Step, Tag};

/// Returns the top-level items.
pub(in crate::metadata) fn microdata(
    dom: &Dom,
    base: &Url,
    remaining: &mut RemainingLimits,
) -> Vec<Value> {
    if !dom.may_have("itemscope") {
        return Vec::new();
    }
    let mut numbers = HashMap::default();
    let mut items = Vec::new();
    let mut by_id = HashMap::default();
    let may_refer = dom.may_have("itemref");
    for (id, element) in dom.elements(NodeId::ROOT) {
        if element.attribute("itemscope").is_some() && remaining.take_item() {
            numbers.insert(id, items.len());
            items.push((id, item(element, base)));
        }
        if may_refer && let Some(name) = element.attribute("id") {
            by_id.entry(name).or_insert(id);
        }
    }
    if items.is_empty() {
        return Vec::new();
    }
    let mut reader = Reader {
        dom,
        base,
        numbers,
        remaining,
    };
    let mut all = Vec::with_capacity(items.len());
    for (id, mut item) in items {
        reader.crawl(id, &by_id, &mut item);
        all.push(item);
    }
    to_json(&all, remaining)
}

fn item(element: Element<'_>, base: &Url) -> Item {
    let types = element.attribute("itemtype").unwrap_or_default();
    Item {
        types: types
            .split_ascii_whitespace()
            .filter_map(of_schema_org)
            .take(5)
            .map(str::to_owned)
            .collect(),
        id: element
            .attribute("itemid")
            .and_then(|id| base.join(id.trim()).ok())
            .map(String::from),
        properties: Vec::new(),
        top: element.attribute("itemprop").is_none(),
    }
}

struct Reader<'r> {
    dom: &'r Dom,
    base: &'r Url,
    /// The indexes of the items by element.
    numbers: HashMap<NodeId, usize>,
    remaining: &'r mut RemainingLimits,
}

impl Reader<'_> {
    /// Collects the properties of an item: inside it, and inside the elements of its `itemref`.
    fn crawl(&mut self, top: NodeId, by_id: &HashMap<&str, NodeId>, item: &mut Item) {
        self.walk(top, top, item);
        let references = self.dom.attribute(top, "itemref").unwrap_or_default();
        let mut seen: HashSet<_> = [top].into_iter().collect();
        for name in references.split_ascii_whitespace().take(100) {
            // Elements inside the item were visited already.
            let Some(&root) = by_id.get(name) else {
                continue;
            };
            if !seen.insert(root) || self.dom.ancestors(root).any(|id| id == top) {
                continue;
            }
            self.walk(root, top, item);
        }
    }

    fn walk(&mut self, root: NodeId, top: NodeId, item: &mut Item) {
        let mut next = Some(Step::Enter(root));
        while let Some(step) = next {
            let mut into = true;
            if let Step::Enter(id) = step
                && let Some(element) = self.dom.element(id)
                && id != top
            {
                if root != top {
                    if self.remaining.referred == 0 {
                        return;
                    }
                    self.remaining.referred -= 1;
                }
                if let Some(names) = element.attribute("itemprop") {
                    self.add(id, element, names, item);
                }
                into = element.attribute("itemscope").is_none();
            }
            next = self.dom.step(root, step, into);
        }
    }

    fn add(&mut self, id: NodeId, element: Element<'_>, names: &str, item: &mut Item) {
        for name in names.split_ascii_whitespace().take(5) {
            let name = of_schema_org(name).unwrap_or(name);
            // `articleBody` is the text of the article, which is the content itself.
            if !is_name(name) || name == "articleBody" || !self.remaining.take_property() {
                continue;
            }
            let value = match self.numbers.get(&id) {
                Some(number) => Some(Property::Item(*number)),
                None if element.attribute("itemscope").is_some() => None,
                None => self
                    .remaining
                    .take_text(value(self.dom, self.base, id, element)),
            };
            item.properties
                .extend(value.map(|value| (name.to_owned(), value)));
        }
    }
}

/// Returns the value of a property (HTML, "Microdata", "Values"). `content` counts on every element, since pages use it so.
fn value(dom: &Dom, base: &Url, id: NodeId, element: Element<'_>) -> Option<String> {
    let attribute = |name: &str| stated(element, name);
    let url = |name: &str| attribute(name).map(|value| resolved(base, value));
    attribute("content")
        .map(str::to_owned)
        .or_else(|| match element.tag {
            Tag::Audio
            | Tag::Embed
            | Tag::Iframe
            | Tag::Img
            | Tag::Source
            | Tag::Track
            | Tag::Video => url("src").or_else(|| url("data-src")),
            Tag::A | Tag::Area | Tag::Link => url("href"),
            Tag::Object => url("data"),
            Tag::Data | Tag::Meter => attribute("value").map(str::to_owned),
            Tag::Time => attribute("datetime")
                .map(str::to_owned)
                .or_else(|| text_value(dom, id)),
            Tag::Meta => None,
            _ => text_value(dom, id),
        })
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
        microdata(&dom, &base, &mut RemainingLimits::default())
    }

    #[test]
    fn reads_values_of_all_kinds() {
        let html = "<div itemscope itemtype='https://schema.org/Recipe' itemid='#r'>
            <h1 itemprop=name>Soup <b>of</b>\n the day</h1><meta itemprop=recipeYield content=4>
            <a itemprop=url href=soup>x</a><img itemprop=image src=/1.png><img itemprop=image src=/2.png>
            <time itemprop=datePublished datetime=2024-05-07>May</time><data itemprop=x value=7>seven</data>
            <span itemprop='a b'>two</span><p itemprop=articleBody>all</p><span itemprop=empty></span>
            <div itemprop=author itemscope itemtype=http://schema.org/Person><i itemprop=name>Jane</i></div></div>";
        assert_eq!(
            values(html),
            [json!({
                "@type": "Recipe", "@id": "https://example.com/a/#r", "name": "Soup of the day", "recipeYield": "4",
                "url": "https://example.com/a/soup",
                "image": ["https://example.com/1.png", "https://example.com/2.png"],
                "datePublished": "2024-05-07", "x": "7", "a": "two", "b": "two",
                "author": {"@type": "Person", "name": "Jane"},
            })]
        );
    }

    #[test]
    fn follows_itemref() {
        let html = "<p id=b itemprop=author itemscope itemtype=http://schema.org/Person><b itemprop=name>J</b></p>
            <div itemscope itemtype=http://schema.org/Article itemref='b c b nowhere'><i itemprop=name>T</i></div>
            <div id=c><span itemprop=about>C</span></div>";
        assert_eq!(
            values(html),
            [
                json!({"@type": "Article", "name": "T", "about": "C", "author": {"@type": "Person", "name": "J"}})
            ]
        );
    }

    #[test]
    fn breaks_itemref_cycles() {
        let html = "<div id=a itemscope itemtype=http://schema.org/Thing itemref=b><i itemprop=name>A</i></div>
            <div id=b itemprop=part itemscope itemtype=http://schema.org/Thing itemref='c b'></div>
            <div id=c itemprop=part itemscope itemtype=http://schema.org/Thing itemref=b><i itemprop=name>C</i></div>";
        assert_eq!(
            values(html),
            [
                json!({"@type": "Thing", "name": "A", "part": {"@type": "Thing", "part": {"@type": "Thing", "name": "C"}}})
            ]
        );
    }

    #[test]
    fn limits_exponential_itemref() {
        let mut html =
            String::from("<div itemscope itemtype=http://schema.org/Thing itemref='a0 b0'></div>");
        for n in 0..200 {
            for side in ["a", "b"] {
                html += &format!(
                    "<div id={side}{n} itemprop=p{side} itemscope itemtype=http://schema.org/Thing itemref='a{0} b{0}'>\
                     <i itemprop=name>{n}</i></div>",
                    n + 1
                );
            }
        }
        let found = values(&html);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().len() < 2_000_000);
    }

    #[test]
    fn limits_nesting_of_items() {
        let html = "<div itemprop=p itemscope itemtype=http://schema.org/Thing>".repeat(400);
        let found = values(&format!(
            "<div itemscope itemtype=http://schema.org/Thing>{html}"
        ));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().matches('{').count() <= 17);
    }

    #[test]
    fn ignores_other_vocabularies() {
        assert_eq!(
            values(
                "<div itemscope itemtype=http://data-vocabulary.org/X><i itemprop=a>b</i></div>"
            ),
            Vec::<Value>::new()
        );
        assert_eq!(
            values("<div itemscope><i itemprop=a>b</i></div>"),
            Vec::<Value>::new()
        );
        assert_eq!(values("<p>x"), Vec::<Value>::new());
    }
}
