//! Hostile pages.

use std::time::{Duration, Instant};

use sitecast_extract::{ExtractError, Html, extract_page};
use sitecast_scp::{Page, to_text};

use super::{page, seen, url};

/// Generous for debug builds on slow machines: without limits these pages would take hours.
const SECONDS: Duration = Duration::from_secs(60);

fn within_seconds(html: &str) -> Page {
    let started = Instant::now();
    let page = page(html);
    assert!(started.elapsed() < SECONDS, "{:?}", started.elapsed());
    page
}

#[test]
fn reads_a_million_nested_elements() {
    let html = format!(
        "{}<p>The bottom.",
        "<div class='abcdefghijklmnopqrstuvwxyz0123456'>".repeat(1_000_000)
    );
    assert!(html.len() > 45_000_000);
    assert_eq!(to_text(&within_seconds(&html)), "The bottom.\n");
}

#[test]
fn reads_deep_nesting_of_every_element() {
    for tag in [
        "p",
        "b",
        "a href=x",
        "ul><li",
        "table><tr><td",
        "blockquote",
        "font color=red",
        "svg",
        "math",
        "template",
        "noscript",
        "details",
        "select",
        "button",
        "form",
        "h1",
        "dl><dd",
        "ruby",
        "pre",
        "figure",
    ] {
        let html = format!("{}text", format!("<{tag}>").repeat(20_000));
        within_seconds(&html);
    }
}

#[test]
fn reads_a_million_attributes() {
    let attributes: String = (0..1_000_000).map(|n| format!(" a{n}")).collect();
    let page = within_seconds(&format!("<div{attributes}><p>Some text.</p></div>"));
    assert_eq!(to_text(&page), "Some text.\n");
}

/// Tokens that a tokenizer might scan repeatedly or keep in memory.
#[test]
fn reads_unterminated_tokens_of_twenty_megabytes() {
    const SIZE: usize = 20_000_000;
    let long = |piece: &str| piece.repeat(SIZE / piece.len());
    for html in [
        format!("<p class='{}", long("x<p class=\"")),
        format!("<p {}", long("class=x ")),
        format!("<p {}>", long("onclick='&amp;' ")),
        format!("<p {}>", long("CLASS ")),
        long("<!--<a b='-->"),
        format!("<!--{}", long("-- >")),
        format!("<title>{}", long("</title")),
        format!("<script>{}", long("<!--<script></script>--")),
        format!("<style>{}", long("</styles>")),
        format!("<svg><![CDATA[{}", long("]]")),
        format!("<!doctype html public '{}", long("x' ")),
        long("</"),
        long("<?"),
    ] {
        within_seconds(&html);
    }
}

#[test]
fn reads_malformed_character_references() {
    // Without this text the page would be rejected as binary data.
    let text = "A page like others. ".repeat(500);
    for html in [
        "&CounterClockwiseContourIntegra".repeat(100_000),
        format!("&{}", "a".repeat(3_000_000)),
        format!("&#{};", "9".repeat(3_000_000)),
        "&#x".repeat(300_000),
        format!("{text}{}", "\0".repeat(1_000_000)),
        format!("{text}<p title='{}'>x", "&\0".repeat(1_000_000)),
    ] {
        within_seconds(&html);
    }
}

#[test]
fn limits_spans_of_table_cells() {
    let row = "<tr><td colspan=1000 rowspan=65534>x</td></tr>";
    let page = within_seconds(&format!("<table>{}</table>", row.repeat(1_000)));
    assert!(serde_json::to_string(&page).unwrap().len() < 10_000_000);
}

#[test]
fn reads_long_runs_of_every_token() {
    for html in [
        "<a href='".repeat(100_000),
        "<!--".repeat(100_000),
        "<script>".repeat(100_000),
        "<svg>".repeat(100_000),
        "<svg><g>".repeat(50_000),
        "&".repeat(1_000_000),
        "&amp".repeat(300_000),
        "<b><i><u><p>".repeat(30_000),
        "<table><b>".repeat(30_000),
        "<p>x".repeat(300_000),
        "<li>x".repeat(300_000),
        "<td>x".repeat(100_000),
        "x ".repeat(3_000_000),
        "<div itemscope itemtype='https://schema.org/Article' id=a itemref=a>".repeat(20_000),
        format!(
            "<script type=application/ld+json>{}</script>",
            "[".repeat(300_000)
        ),
        format!("<title>{}</title>", "x | ".repeat(200_000)),
    ] {
        within_seconds(&html);
    }
}

#[test]
fn rejects_other_formats_by_name() {
    let url = url("https://example.com/file");
    let error = extract_page(&Html::new(&url, b"%PDF-1.7 ...", seen())).unwrap_err();
    assert_eq!(
        error,
        ExtractError::NotHtml {
            found: "a PDF document"
        }
    );
    assert_eq!(error.to_string(), "not HTML, but a PDF document");
}

#[test]
fn accepts_almost_empty_pages() {
    for html in ["<html>", "<!doctype html>", "<body></body>", "\u{feff}<p>"] {
        assert!(page(html).content.is_empty(), "{html:?}");
    }
    assert_eq!(to_text(&page("text")), "text\n");
}

#[test]
fn rejects_empty_and_binary_input() {
    let url = url("https://example.com/file");
    for (bytes, error) in [
        ("", ExtractError::Empty),
        (" \r\n\t", ExtractError::Empty),
        ("\u{feff}", ExtractError::Empty),
        (
            "\0",
            ExtractError::NotHtml {
                found: "binary data",
            },
        ),
    ] {
        let result = extract_page(&Html::new(&url, bytes.as_bytes(), seen()));
        assert_eq!(result, Err(error), "{bytes:?}");
    }
}
