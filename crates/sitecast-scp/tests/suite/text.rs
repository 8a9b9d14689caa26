//! Rendering as plain text.

use sitecast_scp::{Block, Page, to_text};

fn written(content: Vec<Block>) -> String {
    let mut page = Page::new(
        "https://example.com/".parse().unwrap(),
        "Title",
        "2025-01-15T09:00:00Z".parse().unwrap(),
        "en".parse().unwrap(),
    );
    page.content = content;
    to_text(&page)
}

fn list(ordered: bool, items: &[&str]) -> Block {
    Block::List {
        ordered,
        items: items.iter().map(|item| (*item).to_owned()).collect(),
    }
}

#[test]
fn writes_item_numbers_and_indents() {
    assert_eq!(
        written(vec![list(
            true,
            &["a", "  - b", "    3. c", "  goes on", "d\nand more"]
        )]),
        "1. a\n  - b\n    3. c\n  goes on\n2. d\n   and more\n"
    );
    assert_eq!(
        written(vec![list(false, &["4. a", "5. b"])]),
        "4. a\n5. b\n"
    );
}

#[test]
fn writes_each_table_row_on_one_line() {
    let rows = vec![
        vec!["a".to_owned(), "b\nc".to_owned()],
        vec!["d | e".to_owned()],
    ];
    assert_eq!(written(vec![Block::Table { rows }]), "a | b c\nd | e\n");
}

#[test]
fn writes_the_citation_below_the_quotation() {
    let quote = |citation: Option<&str>| Block::Quote {
        text: "To be".to_owned(),
        citation: citation.map(str::to_owned),
    };
    assert_eq!(written(vec![quote(Some("Hamlet"))]), "To be\n— Hamlet\n");
    assert_eq!(written(vec![quote(None)]), "To be\n");
}

#[test]
fn omits_blocks_without_text() {
    let link = Block::Link {
        url: "https://example.com/".parse().unwrap(),
        text: "link".to_owned(),
        rel: vec![],
    };
    let text = |text: &str| Block::Text {
        text: text.to_owned(),
    };
    assert_eq!(
        written(vec![text("a"), link, text(" \n"), text("b")]),
        "a\n\nb\n"
    );
    assert_eq!(written(vec![]), "");
}
