use std::time::Instant;

use super::*;

/// Reads a page within a time limit that only linear algorithms meet, even unoptimised and on a busy machine.
fn survives(html: &str) -> Metadata {
    let start = Instant::now();
    let page = read_at(URL, html);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    page
}

#[test]
fn reads_megabyte_of_title_in_linear_time() {
    let words = "word ".repeat(200_000);
    let page = survives(&format!(
        "<title>{words}</title><h1>{words}</h1><meta name=description content='{words}'>"
    ));
    assert!(
        page.title.len() <= 300 && page.title.ends_with("word"),
        "{}",
        page.title
    );
    let one = "x".repeat(1_000_000);
    assert_eq!(survives(&format!("<title>{one}</title>")).title.len(), 300);
    let bars = "| ".repeat(300_000);
    survives(&format!(
        "<title>{bars}</title><h1>{bars}</h1><meta property=og:title content='{bars}'>"
    ));
}

#[test]
fn reads_hundred_thousand_elements_in_linear_time() {
    for piece in [
        "<meta name=author content='Jane Doe'>",
        "<meta property=og:site_name content=x>",
        "<h1>x y</h1>",
        "<p class=author>Jane Doe</p>",
        "<p>By Jane Doe</p>",
        "<time datetime=2024-05-07>May 7, 2024</time>",
        "<p>1/2/2024 3.4.2024 May 5, 2024</p>",
        "<i itemprop=datePublished>x</i>",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"x\",\"author\":\"y\"}</script>",
        "<div itemscope itemtype=http://schema.org/Article><i itemprop=name>x</i></div>",
        "<div vocab=http://schema.org/ typeof=Article><i property=name>x</i></div>",
        "<link rel=canonical href='http://'>",
        "<noscript>",
    ] {
        survives(&piece.repeat(50_000));
    }
}

#[test]
fn reads_deep_nesting_in_linear_time() {
    for piece in [
        "<div class=author>x ",
        "<div itemprop=author>x ",
        "<div itemscope itemtype=http://schema.org/Article itemprop=a>x ",
        "<div vocab=http://schema.org/ typeof=Article property=a>x ",
        "<h1>x ",
        "<noscript>x ",
    ] {
        survives(&piece.repeat(100_000));
    }
    survives(&format!(
        "{}{}",
        "<div class=author itemprop='a b c' itemscope>".repeat(500),
        "<b itemprop=x>y</b>".repeat(50_000)
    ));
}

#[test]
fn reads_hostile_json_in_linear_time() {
    for json in [
        "[".repeat(10_000),
        "{\"a\":".repeat(10_000),
        "{\"@graph\":[".repeat(10_000),
        "\"".repeat(1_000_001),
    ] {
        assert_eq!(survives(&ld(&json)).schema, None);
    }
    let many = format!(
        "[{}{{}}]",
        r#"{"@type":"Article","headline":"a b c","author":[["x"]]},"#.repeat(30_000)
    );
    survives(&ld(&many));
    let circle = r##"{"@graph":[{"@id":"#a","@type":"Article","author":{"@id":"#b"}},{"@id":"#b","author":{"@id":"#a"}}]}"##;
    assert!(survives(&ld(circle)).schema.is_some());
    let deep = format!(
        "{}{}{}",
        r#"{"@type":"Article","a":"#.repeat(120),
        "1",
        "}".repeat(120)
    );
    assert!(survives(&ld(&deep)).schema.is_some());
}

#[test]
fn reads_hostile_references_in_linear_time() {
    let items = "<div id=a itemscope itemtype=http://schema.org/Thing itemref='a b a b c'><i itemprop=x>y</i></div>";
    survives(&format!(
        "{}<div id=b>{}</div>",
        items.repeat(5_000),
        "<i itemprop=z>y</i>".repeat(10_000)
    ));
}

#[test]
fn reads_strange_text() {
    for text in [
        "\u{0}",
        "İ",
        "ß",
        "\u{200b}",
        "🤷",
        "٣٤٥",
        "ﬁ",
        "By",
        "by by by",
        "By :",
        "<By>",
        "& &; &#; &#x; &#xffffffff;",
        "- - -",
        "| |",
        "2024",
        "..//--",
    ] {
        for html in [
            format!("<title>{text}</title>"),
            format!(
                "<h1>{text}</h1><p class=author>{text}</p><p>By {text}</p><time datetime='{text}'>{text}</time>"
            ),
            format!(
                "<meta name=author content='{text}'><meta name=date content='{text}'><meta name=robots content='{text}'>"
            ),
            ld(&format!(
                r#"{{"@type":"Article","headline":"{text}","author":"{text}","datePublished":"{text}"}}"#
            )),
        ] {
            survives(&html);
        }
    }
}
