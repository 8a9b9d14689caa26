use serde_json::json;

use super::*;

fn chosen(values: Value) -> Value {
    chosen_on("https://example.com/shop/soup", values)
}

fn chosen_on(url: &str, values: Value) -> Value {
    let values = [values];
    let base = Url::parse(url).unwrap();
    let page = Page {
        url,
        canonical: None,
        base: &base,
        title: "Soup of the day",
        root: base.path() == "/",
    };
    choose(&values, &Graph::of(&values), &page).map_or(Value::Null, Value::Object)
}

fn kind(values: Value) -> Value {
    chosen(values)["@type"].clone()
}

#[test]
fn takes_the_only_object() {
    assert_eq!(
        chosen(
            json!({"@context": "http://schema.org/", "@type": "http://schema.org/Article", "a": 1})
        ),
        json!({"@context": "https://schema.org", "@type": "Article", "a": 1})
    );
    assert_eq!(
        chosen(json!({"@type": "Organization"}))["@type"],
        "Organization"
    );
    assert_eq!(
        chosen(json!({"@context": "https://other.example", "@type": "Article"})),
        Value::Null
    );
    assert_eq!(chosen(json!({"name": "no type"})), Value::Null);
    assert_eq!(chosen(json!([1, "x", null])), Value::Null);
}

#[test]
fn prefers_content_to_pages_and_pages_to_sites() {
    let graph = |kinds: &[&str]| json!({"@context": "https://schema.org", "@graph": kinds.iter().map(|kind| json!({"@type": kind})).collect::<Vec<_>>()});
    for (kinds, expected) in [
        (
            vec![
                "WebSite",
                "Organization",
                "BreadcrumbList",
                "WebPage",
                "Article",
            ],
            "Article",
        ),
        (
            vec!["WebSite", "Organization", "BreadcrumbList", "WebPage"],
            "WebPage",
        ),
        (
            vec!["BreadcrumbList", "Organization", "WebSite", "FAQPage"],
            "FAQPage",
        ),
        (vec!["BreadcrumbList", "Organization"], "Organization"),
        (vec!["BreadcrumbList", "ItemList"], "ItemList"),
        (vec!["Article", "Recipe", "VideoObject"], "Recipe"),
        (vec!["Article", "NewsArticle"], "NewsArticle"),
        (vec!["WebPage", "LocalBusiness"], "WebPage"),
        (vec!["WebPage", "MusicEvent"], "MusicEvent"),
        (vec!["Product", "Product", "WebPage"], "WebPage"),
    ] {
        assert_eq!(kind(graph(&kinds)), expected, "{kinds:?}");
    }
}

#[test]
fn prefers_object_with_the_url_or_title_of_the_page() {
    let products = json!([
        {"@type": "Product", "name": "Bread", "url": "https://example.com/shop/bread", "a": 1, "b": 2},
        {"@type": "Product", "name": "Soup", "url": "https://test.example/shop/soup/"},
        {"@type": "Product", "name": "Salt"},
    ]);
    assert_eq!(chosen(products)["name"], "Soup");
    let by_page = json!([{"@type": "Article", "n": 1}, {"@type": "Article", "n": 2, "mainEntityOfPage": {"@id": "https://example.com/shop/soup"}}]);
    assert_eq!(chosen(by_page)["n"], 2);
    let by_id = json!([{"@type": "Article", "n": 1}, {"@type": "Article", "n": 2, "@id": "https://example.com/shop/soup#article"}]);
    assert_eq!(chosen(by_id)["n"], 2);
    let by_title = json!([{"@type": "Product", "name": "Bread"}, {"@type": "Product", "name": "Soup of the day"}]);
    assert_eq!(chosen(by_title)["name"], "Soup of the day");
}

#[test]
fn prefers_main_entity() {
    let inline =
        json!([{"@type": "ProfilePage", "mainEntity": {"@type": "Person", "name": "Jane"}}]);
    assert_eq!(chosen(inline)["name"], "Jane");
    let referred = json!({"@graph": [
        {"@type": "Thing", "@id": "#t", "name": "T"},
        {"@type": "WebPage", "mainEntity": {"@id": "#t"}},
    ]});
    assert_eq!(chosen(referred)["name"], "T");
}

#[test]
fn ignores_parts_of_pages() {
    assert_eq!(
        chosen(json!([{"@type": "SiteNavigationElement"}, {"@type": "ImageObject"}])),
        Value::Null
    );
    let blog = json!({"@type": "Blog", "blogPost": {"@type": "BlogPosting", "n": 1}});
    assert_eq!(chosen(blog)["n"], 1);
    let blog =
        json!({"@type": "Blog", "blogPost": [{"@type": "BlogPosting"}, {"@type": "BlogPosting"}]});
    assert_eq!(chosen(blog)["@type"], "Blog");
}

#[test]
fn takes_business_on_its_front_page() {
    let values = json!([{"@type": "WebPage"}, {"@type": "Dentist", "name": "D"}]);
    assert_eq!(
        chosen_on("https://example.com/", values.clone())["@type"],
        "Dentist"
    );
    assert_eq!(chosen(values)["@type"], "WebPage");
}

#[test]
fn resolves_references_one_level_deep() {
    let values = json!({"@context": ["http://schema.org", {"x": "y"}], "@graph": [
        {"@type": "Article", "@id": "#a", "author": [{"@id": "#p"}, {"@id": "#nobody"}], "isPartOf": {"@id": "#s"},
         "publisher": {"@id": "#s"}, "image": {"@id": "#a"}},
        {"@type": "Person", "@id": "#p", "name": "Jane", "worksFor": {"@id": "#s"}},
        {"@type": "Organization", "@id": "#s", "name": "S"},
    ]});
    assert_eq!(
        chosen(values),
        json!({
            "@context": ["https://schema.org", {"x": "y"}], "@type": "Article", "@id": "#a",
            "author": [{"@type": "Person", "@id": "#p", "name": "Jane", "worksFor": {"@id": "#s"}}, {"@id": "#nobody"}],
            "publisher": {"@type": "Organization", "@id": "#s", "name": "S"},
            "isPartOf": {"@id": "#s"}, "image": {"@id": "#a"},
        })
    );
}

#[test]
fn limits_copies_of_referenced_objects() {
    let authors: Vec<_> = (0..100_000).map(|_| json!({"@id": "#p"})).collect();
    let values =
        json!([{"@type": "Article", "author": authors}, {"@id": "#p", "name": "x".repeat(10_000)}]);
    assert!(chosen(values).to_string().len() < 3_000_000);
}
