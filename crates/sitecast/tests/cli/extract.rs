//! `sitecast extract`.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};

use super::{shown, sitecast};

fn run(arguments: &[&str]) -> Output {
    let pages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut all = vec!["extract"];
    all.extend_from_slice(arguments);
    sitecast(&all).current_dir(pages).output().unwrap()
}

fn fed(arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
    let mut all = vec!["extract"];
    all.extend_from_slice(arguments);
    sitecast(&all).write_stdin(input).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8(output.stdout.clone())
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

macro_rules! shows {
    ($name:ident: $($argument:expr),*) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown(&run(&[$($argument),*])));
        }
    };
}

shows!(extract_prints_a_page_line: "tea.html");
shows!(extract_prints_markdown: "tea.html", "--format", "markdown");
shows!(extract_prints_text: "tea.html", "--format", "text");
shows!(extract_wants_a_file:);
shows!(extract_misses_a_file: "nowhere.html");
shows!(extract_refuses_a_folder: ".");
shows!(extract_refuses_a_url: "https://example.com/");
shows!(extract_refuses_a_bad_url: "tea.html", "--url", "tea.example.com");
shows!(extract_helps_with_a_typo: "tea.html", "--fromat", "text");
shows!(extract_refuses_an_unknown_format: "tea.html", "--format", "pdf");
shows!(extract_refuses_json_in_markdown: "tea.html", "--json", "--format", "markdown");
shows!(extract_explains_itself: "--help");

#[test]
fn the_url_that_is_given_counts() {
    let page = &lines(&run(&["tea.html", "--url", "https://other.example.com/x"]))[0];
    assert_eq!(page["url"], "https://other.example.com/x");
    assert_eq!(page["canonical"], "https://tea.example.com/how-to");
}

#[test]
fn a_page_that_does_not_say_where_it_is_needs_a_url() {
    let output = fed(&["-"], "<p>Somewhere.</p>");
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn what_is_no_html_is_called_by_its_name() {
    let output = fed(&["-", "--url", "https://example.com/"], "%PDF-1.7");
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn what_forbids_collection_is_said() {
    let html = "<meta name=robots content='noindex, follow'><p>Not for everyone.</p>";
    let output = fed(
        &["-", "--url", "https://example.com/", "--format", "text"],
        html,
    );
    insta::assert_snapshot!(shown(&output));
}

fn numbered(count: usize) -> String {
    (0..count)
        .map(|n| {
            let html = format!(
                "<title>Page {n}</title><p>{}</p>",
                "Words. ".repeat(n % 50 + 1)
            );
            format!(
                "{}\n",
                json!({"url": format!("https://example.com/{n}"), "html": html})
            )
        })
        .collect()
}

#[test]
fn lines_come_out_in_the_order_they_went_in() {
    let output = fed(&["--jsonl", "-"], numbered(500));
    assert_eq!(output.status.code(), Some(0));
    let pages = lines(&output);
    assert_eq!(pages.len(), 500);
    for (n, page) in pages.iter().enumerate() {
        assert_eq!(page["url"], format!("https://example.com/{n}"));
        assert_eq!(page["title"], format!("Page {n}"));
        assert_eq!(page["content"][0]["type"], "text");
    }
}

#[test]
fn a_line_that_gives_no_page_says_why_in_its_place() {
    let good = json!({"url": "https://example.com/", "html": "<p>Good.</p>"});
    let bad = [
        "not json".to_owned(),
        json!({"html": "<p>x"}).to_string(),
        json!({"url": "ftp://example.com/", "html": "<p>x"}).to_string(),
        json!({"url": "https://example.com/"}).to_string(),
        json!({"url": "https://example.com/", "html": 7}).to_string(),
        json!({"url": "https://example.com/", "html": "%PDF-1.7"}).to_string(),
    ];
    let input = format!("{good}\n{}\n\n{good}", bad.join("\n"));
    let output = fed(&["--jsonl", "-"], input);
    assert_eq!(output.status.code(), Some(4));
    let answers = lines(&output);
    assert_eq!(answers.len(), 8);
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(
            answer.get("error").is_some(),
            (1..=6).contains(&n),
            "{answer}"
        );
    }
    insta::assert_snapshot!(shown(&fed(&["--jsonl", "-"], bad.join("\n"))));
}

#[test]
fn the_lines_make_a_collection_that_check_accepts() {
    let mut collection = br#"{"collection":{"id":"x","section":"all","type":"snapshot","generated":"2025-01-15T10:00:00Z","version":"0.1"}}"#.to_vec();
    collection.push(b'\n');
    collection.extend(fed(&["--jsonl", "-"], numbered(40)).stdout);
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), collection).unwrap();
    let checked = sitecast(&["check", "--strict", file.path().to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", shown(&checked));
}

#[test]
fn a_page_with_too_many_blocks_is_folded_without_losing_text() {
    let html: String = (0..3_000)
        .map(|n| format!("<p>Paragraph {n} of a long page.</p>"))
        .collect();
    let output = fed(&["-", "--url", "https://example.com/"], html);
    let page = &lines(&output)[0];
    assert!(page["content"].as_array().unwrap().len() <= 1_000);
    let text = page["content"].to_string();
    for n in [0, 1_500, 2_999] {
        assert!(text.contains(&format!("Paragraph {n} of")), "{n}");
    }
    assert!(String::from_utf8_lossy(&output.stderr).contains("joined"));
}
