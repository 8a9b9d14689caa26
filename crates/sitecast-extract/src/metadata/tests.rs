//! Tests with one small page for each source of metadata.

use super::*;
use crate::Limits;
use crate::dom::parse;
use crate::layout::lay_out;

const URL: &str = "https://www.example.com/blog/soup-of-the-day";

/// The input besides the page.
#[derive(Default)]
struct Extras<'n> {
    content_language: Option<&'n str>,
    robots_tag: Option<&'n str>,
    last_modified: Option<Timestamp>,
    seen: Option<Timestamp>,
    site_names: &'n [String],
    site_languages: SiteLanguages,
}

/// Reads a page with this URL.
fn read_at(url: &str, html: &str) -> Metadata {
    read_with(url, html, |_| {})
}

fn read_with<'n>(url: &str, html: &str, change: impl FnOnce(&mut Extras<'n>)) -> Metadata {
    let dom = parse(html, &Limits::default());
    let layout = lay_out(&dom);
    let url = url.parse().unwrap();
    let metadata_elements = MetadataElements::of(&dom);
    let base = base_url(&metadata_elements, &url);
    let mut extras = Extras::default();
    change(&mut extras);
    metadata(&Source {
        dom: &dom,
        metadata_elements: &metadata_elements,
        layout: &layout,
        url: &url,
        base: &base,
        content_language: extras.content_language,
        robots_tag: extras.robots_tag,
        last_modified: extras.last_modified,
        seen: extras
            .seen
            .unwrap_or_else(|| "2025-01-15T09:00:00Z".parse().unwrap()),
        site_names: extras.site_names,
        site_languages: &extras.site_languages,
    })
}

fn title(html: &str) -> String {
    read_at(URL, html).title
}

fn author(html: &str) -> Option<String> {
    read_at(URL, html).author
}

fn published(html: &str) -> Option<String> {
    read_at(URL, html).published.map(|time| time.to_string())
}

fn modified(html: &str) -> Option<String> {
    read_at(URL, html).modified.map(|time| time.to_string())
}

fn ld(json: &str) -> String {
    format!("<script type=application/ld+json>{json}</script>")
}

mod authors;
mod hostile;
mod languages;
mod times;
mod titles;

#[test]
fn reads_all_metadata() {
    let html = r##"<html lang=en><head><title>Soup of the day – Example Kitchen</title>
        <meta name=description content="How to cook it."><meta name=robots content="noarchive">
        <link rel=canonical href="/blog/soup-of-the-day?a#b"><script type="application/ld+json">
        {"@context":"http://schema.org","@graph":[
          {"@type":"WebSite","@id":"#site","name":"Example Kitchen"},
          {"@type":"WebPage","@id":"https://www.example.com/blog/soup-of-the-day","isPartOf":{"@id":"#site"}},
          {"@type":"BlogPosting","headline":"Soup of the day","author":{"@id":"#jane"},
           "datePublished":"2024-05-07T08:00:00+02:00","dateModified":"2024-06-01"},
          {"@type":"Person","@id":"#jane","name":"Jane Doe"}]}</script></head>
        <body><h1>Soup of the day</h1><p>Cook it.</p></body>"##;
    let page = read_at(URL, html);
    assert_eq!(page.title, "Soup of the day");
    assert_eq!(page.description.as_deref(), Some("How to cook it."));
    assert_eq!(page.author.as_deref(), Some("Jane Doe"));
    assert_eq!(page.published.unwrap().to_string(), "2024-05-07T06:00:00Z");
    assert_eq!(page.modified.unwrap().to_string(), "2024-06-01T00:00:00Z");
    assert_eq!(page.language.unwrap().as_str(), "en");
    assert_eq!(
        page.canonical.unwrap().as_str(),
        "https://www.example.com/blog/soup-of-the-day?a"
    );
    assert_eq!(page.robots, ["noarchive"]);
    let schema = page.schema.unwrap().to_map().unwrap();
    assert_eq!(schema["@type"], "BlogPosting");
    assert_eq!(schema["@context"], "https://schema.org");
    assert_eq!(schema["author"]["name"], "Jane Doe");
}

#[test]
fn reads_page_without_metadata() {
    let page = read_at("https://example.com/", "");
    let nothing = Metadata {
        headline: String::new(),
        title: String::new(),
        description: None,
        author: None,
        published: None,
        modified: None,
        states_modified: false,
        language: None,
        canonical: None,
        schema: None,
        robots: Vec::new(),
    };
    assert_eq!(page, nothing);
}

#[test]
fn reads_descriptions() {
    let description = |html: &str| read_at(URL, html).description;
    for html in [
        "<meta name=description content='About soup'>",
        "<meta name=Description content=' About \n soup '>",
        "<meta property=og:description content='About soup'>",
        "<meta name=twitter:description content='About soup'>",
        "<meta name=dc.description content='About soup'>",
        "<title>Soup</title><meta name=description content=Soup><meta property=og:description content='About soup'>",
        "<div itemscope itemtype=http://schema.org/Product><p itemprop=description>About soup</div>",
    ] {
        assert_eq!(description(html).as_deref(), Some("About soup"), "{html}");
    }
    let html = ld(r#"{"@type":"Article","description":"Q&amp;A"}"#);
    assert_eq!(description(&html).as_deref(), Some("Q&A"));
    assert_eq!(description("<p>Soup"), None);
    let long = format!(
        "<meta name=description content='{}'>",
        "word ".repeat(10_000)
    );
    assert!(description(&long).unwrap().len() <= 1_000);
}

#[test]
fn reads_robots_of_page_and_header() {
    let page = read_with(URL, "<meta name=robots content=NoIndex>", |extras| {
        extras.robots_tag = Some("noarchive, bot: nosnippet")
    });
    assert_eq!(page.robots, ["noindex", "noarchive"]);
}

#[test]
fn reads_schema_of_all_syntaxes() {
    let kind = |html: &str| {
        read_at(URL, html)
            .schema
            .map(|schema| schema.to_map().unwrap()["@type"].clone())
    };
    let article = Some(serde_json::Value::from("Article"));
    assert_eq!(
        kind(&ld(
            r#"{"@context":"https://schema.org","@type":"Article"}"#
        )),
        article
    );
    assert_eq!(
        kind("<div itemscope itemtype=https://schema.org/Article></div>"),
        article
    );
    assert_eq!(
        kind("<div vocab=https://schema.org/ typeof=Article></div>"),
        article
    );
    let both = format!(
        "{}<div itemscope itemtype=https://schema.org/Article></div>",
        ld(r#"{"@type":"WebSite"}"#)
    );
    assert_eq!(kind(&both), article);
    assert_eq!(kind("<p>none"), None);
}
