use super::*;

fn text_of(html: &str) -> String {
    let dom = parse(html, &Limits::default());
    dom.descendants(NodeId::ROOT)
        .filter_map(|id| dom.text(id))
        .collect()
}

#[test]
fn drops_scripts_and_styles() {
    assert_eq!(
        text_of("<p>a<script>if (a</b/.test(x)) {}</script>b<style>p{}</style>c"),
        "abc"
    );
    assert_eq!(text_of("<script>never closed <p>text"), "");
}

#[test]
fn keeps_json_ld() {
    let html = r#"<script type="application/LD+json; charset=utf-8">{"a":"<p>"}</script>"#;
    assert_eq!(text_of(html), r#"{"a":"<p>"}"#);
}

#[test]
fn keeps_text_of_elements_nested_beyond_the_limit() {
    let deep = "<div>".repeat(1_000_000) + "text" + &"</div>".repeat(1_000_000) + "<p>after";
    let dom = parse(&deep, &Limits::default());
    assert!(dom.len() < 1_000, "{}", dom.len());
    assert_eq!(text_of(&deep), "textafter");
    let after = dom
        .elements(NodeId::ROOT)
        .find(|(_, element)| element.name() == "p")
        .map(|(id, _)| dom.ancestors(id).count());
    // Itself, html, body and the document: the withheld end tags did not close other elements.
    assert_eq!(after, Some(4));
}

#[test]
fn unclosed_formatting_does_not_multiply() {
    let open: String = (0..20_000).map(|n| format!("<b id={n}>")).collect();
    let paragraphs = "<p>x</p>".repeat(20_000);
    let dom = parse(&format!("{open}{paragraphs}"), &Limits::default());
    assert!(dom.len() <= 2_100_000, "{}", dom.len());
}

#[test]
fn keeps_text_of_elements_beyond_the_node_limit() {
    let limits = Limits {
        nodes: 100,
        ..Limits::default()
    };
    let dom = parse(&"<p>x</p>".repeat(1_000), &limits);
    assert!(dom.len() < 120);
    let text: String = dom
        .descendants(NodeId::ROOT)
        .filter_map(|id| dom.text(id))
        .collect();
    assert_eq!(text.len(), 1_000);
}

#[test]
fn end_tag_of_raw_text_does_not_close_a_withheld_element() {
    let limits = Limits {
        depth: 4,
        ..Limits::default()
    };
    let dom = parse(
        "<div><object><div><div><iframe></object><iframe>text</iframe><a>",
        &limits,
    );
    let frames = dom.elements(NodeId::ROOT);
    assert_eq!(
        frames
            .filter(|(_, e)| e.tag == crate::dom::Tag::Iframe)
            .count(),
        1
    );
}
