//! `sitecast extract`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use sitecast_testserver::{Answer, Request, Server};

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
shows!(extract_refuses_private_addresses: "http://127.0.0.1/");
shows!(extract_reads_lines_from_files_only: "--jsonl", "https://example.com/pages.jsonl");
shows!(extract_refuses_a_bad_url: "tea.html", "--url", "tea.example.com");
shows!(extract_helps_with_a_typo: "tea.html", "--fromat", "text");
shows!(extract_refuses_an_unknown_format: "tea.html", "--format", "pdf");
shows!(extract_refuses_json_in_markdown: "tea.html", "--json", "--format", "markdown");
shows!(extract_explains_itself: "--help");
shows!(extract_explains_a_page_alone: "tea.html", "--explain");
shows!(extract_explains_whole_texts: "tea.html", "--explain", "-v");
shows!(extract_refuses_an_explanation_in_a_format: "tea.html", "--explain", "--format", "text");
shows!(extract_refuses_an_explanation_of_lines: "pages.jsonl", "--explain", "--jsonl");
shows!(extract_refuses_a_site_that_is_no_folder: "tea.html", "--explain", "--site", "tea.html");
shows!(extract_refuses_a_base_without_a_site: "tea.html", "--base-url", "https://tea.example.com");

#[test]
fn the_url_that_is_given_counts() {
    let page = &lines(&run(&["tea.html", "--url", "https://other.example.com/x"]))[0];
    assert_eq!(page["url"], "https://other.example.com/x");
    assert_eq!(page["canonical"], "https://tea.example.com/how-to");
}

#[test]
fn rules_of_the_settings_hold_for_a_page_alone() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "Pour boiling water over the leaves and wait for three minutes, no longer than that.";
    let page =
        format!("<title>Tea</title><main><p>{text}</p><p class=promo>{text} Buy it.</p></main>");
    fs::write(folder.path().join("tea.html"), page).unwrap();
    fs::write(
        folder.path().join("sitecast.toml"),
        "[publish]\nbase_url = \"https://example.com/shop/\"\n\
         [[extract.rules]]\npath = \"/tea/**\"\nexclude = [\".promo\"]\n",
    )
    .unwrap();
    for (url, has_promotion) in [
        ("https://example.com/shop/tea/1", false),
        ("https://example.com/shop/2", true),
    ] {
        let mut command = sitecast(&["extract", "tea.html", "--format", "text", "--url", url]);
        let output = command.current_dir(&folder).output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        assert_eq!(shown.contains("Buy it."), has_promotion, "{url}: {shown}");
        assert!(shown.contains("no longer than that"));
    }
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
    for (bytes, name, way_out) in [
        (&b"\x1f\x8b\x08\0\0\0\0\0"[..], "gzip data", "gunzip -c"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd data", "zstd -dc"),
        (b"PK\x03\x04\x14", "a ZIP archive", "unpack it"),
        (b"\x89PNG\r\n\x1a\n\0", "a PNG picture", "name an HTML file"),
        (b"\0\x01\x02\x03\xff", "binary data", "name an HTML file"),
    ] {
        for format in ["json", "markdown", "text"] {
            let output = fed(&["-", "--format", format], bytes);
            assert_eq!(output.status.code(), Some(1), "{name}");
            assert!(output.stdout.is_empty(), "{name}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains(name) && said.contains(way_out), "{said}");
        }
    }
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    for format in ["json", "markdown", "text"] {
        let output = fed(&["-", "--format", format], " \r\n");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("`-`: the page is empty"));
    }
    insta::assert_snapshot!(shown(&fed(&["-", "--url", "https://example.com/"], "")));
}

#[test]
fn a_page_without_a_word_is_remarked_upon() {
    let output = fed(&["-", "--format", "text"], "<html><body></body></html>");
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn text_and_markdown_do_without_a_url() {
    let html = "<html lang=en><title>Tea</title><main><h1>Tea</h1><p>Pour boiling water over \
        <a href=../leaves.html>the leaves</a> of <a href=/plants?x=1#y>the plant</a>, as \
        <a href='https://example.com/'>others</a> do it, and wait for three minutes.</p>";
    insta::assert_snapshot!(shown(&fed(&["-", "--format", "text"], html)));
    insta::assert_snapshot!(shown(&fed(&["-", "--format", "markdown"], html)));
}

const MARKED: &str = "<html lang=en><title>Tea</title><script src=/mathjax/tex-mml-chtml.js></script>\
    <main><h1>Tea</h1><h2>How <em>not</em> to <code>boil()</code></h2>\
    <p>Pour <strong>boiling</strong> water over <em>the <a href=/leaves>leaves</a></em>, type \
    <kbd>q</kbd> after <del>five</del> three minutes, and never call <a href=/boil><code>boil()</code></a> \
    twice: it takes \\(Q = m c_p \\Delta T\\) or $4.<ul><li><code>a | b</code> pours<li>2 * 3 _cups_</ul>\
    <table><tr><th>Cup<th>Call<tr><td>Small<td><code>a | b</code></table>";

#[test]
fn markdown_keeps_inline_markup() {
    insta::assert_snapshot!(shown(&fed(&["-", "--format", "markdown"], MARKED)));
}

/// SCP's texts are plain, and so are those that `publish` writes.
#[test]
fn text_and_lines_have_no_inline_markup() {
    insta::assert_snapshot!(shown(&fed(&["-", "--format", "text"], MARKED)));
    let url = "https://example.com/tea";
    let mut output = fed(&["-", "--url", url], MARKED);
    let mut page: Value = serde_json::from_slice(&output.stdout).unwrap();
    page["modified"] = json!("(when it was seen)");
    output.stdout = format!("{page:#}\n").into_bytes();
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn links_are_relative_to_what_the_page_says() {
    let html = "<base href='https://example.com/docs/'><main><p>Pour boiling water over \
        <a href=leaves.html>the leaves</a> and wait for three minutes, no longer.</p>";
    let output = fed(&["-", "--format", "markdown"], html);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("[the leaves](https://example.com/docs/leaves.html)"),
        "{said}"
    );
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
        json!({"html": "<p>x"}).to_string(),
        "not json".to_owned(),
        json!({"url": "ftp://example.com/", "html": "<p>x"}).to_string(),
        json!({"url": "https://example.com/"}).to_string(),
        json!({"url": "https://example.com/", "html": 7}).to_string(),
        json!({"url": "https://example.com/", "html": "%PDF-1.7"}).to_string(),
        json!({"url": "https://example.com/", "html": ""}).to_string(),
        r#"{"url": "https://example.com/lone", "html": "\ud800"}"#.to_owned(),
        r#"{"url": "https://example.com/cut", "html": "<p>"#.to_owned(),
    ];
    let input = format!("{good}\n{}\n\n{good}", bad.join("\n"));
    let output = fed(&["--jsonl", "-"], input);
    assert_eq!(output.status.code(), Some(4));
    let answers = lines(&output);
    assert_eq!(answers.len(), 11);
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(
            answer.get("error").is_some(),
            (1..=9).contains(&n),
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

#[test]
fn what_is_plainly_not_json_lines_is_refused_at_once() {
    let wide: Vec<u8> = "\u{feff}{\"url\""
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for input in [
        &b"<!doctype html>\n<p>One page\n"[..],
        b"\n\n  <html>",
        b"[{\"url\":\"https://example.com/\",\"html\":\"<p>x\"}]",
        b"[\n",
        b"{\n  \"url\": \"https://example.com/\",\n  \"html\": \"<p>x\"\n}\n",
        b"url,html\nhttps://example.com/,<p>x\n",
        b"\x1f\x8b\x08\0\0\0\0\0\n",
        b"\x28\xb5\x2f\xfd\x04\n",
        b"%PDF-1.7\n",
        &wide,
    ] {
        let output = fed(&["--jsonl", "-"], input);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: `-` is not JSON Lines: "), "{said}");
        assert!(
            said.contains("\n hint: ") && said.lines().count() == 2,
            "{said}"
        );
    }
    insta::assert_snapshot!(shown(&run(&["--jsonl", "tea.html"])));
    insta::assert_snapshot!(shown(&fed(&["--jsonl", "-"], "[1]")));
    insta::assert_snapshot!(shown(&fed(&["--jsonl", "-"], "")));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_line() {
    let one = numbered(1);
    let output = fed(
        &["--jsonl", "-"],
        format!("\u{feff}{one}\u{feff}\n\u{feff}{one}"),
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(lines(&output).len(), 2);
}

#[test]
fn bytes_that_are_no_text_do_not_hide_whose_they_are() {
    let mut input = br#"{"url":"https://example.com/latin","html":"caf"#.to_vec();
    input.extend_from_slice(b"\xe9\"}\n");
    let output = fed(&["--jsonl", "-"], input);
    assert_eq!(output.status.code(), Some(4));
    let answer = &lines(&output)[0];
    assert_eq!(answer["url"], "https://example.com/latin");
    assert!(answer["error"].as_str().unwrap().starts_with("line 1: "));
}

/// `tail -f pages.jsonl | sitecast extract --jsonl -`
#[test]
fn a_page_comes_out_while_the_next_is_still_awaited() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sitecast"))
        .args(["extract", "--jsonl", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (send, pages) = channel();
    let reader = thread::spawn(move || {
        for line in output.lines() {
            send.send(line.unwrap()).unwrap();
        }
    });
    for line in numbered(5).lines() {
        writeln!(input, "{line}").unwrap();
        let page = pages.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(page.contains("\"title\":\"Page "), "{page}");
    }
    drop(input);
    reader.join().unwrap();
    assert!(child.wait().unwrap().success());
}

/// More than what may be in work at a time, in lines longer than that.
#[test]
fn lines_of_any_size_get_their_turn() {
    let long = format!("<p>Word.</p><script>{}</script>", "x".repeat(70 << 20));
    let long = json!({"url": "https://example.com/long", "html": long}).to_string();
    let mut input = numbered(3);
    for _ in 0..2 {
        input.push_str(&long);
        input.push('\n');
        input.push_str(&numbered(3));
    }
    let output = fed(&["--jsonl", "-"], input);
    assert_eq!(output.status.code(), Some(0));
    let urls: Vec<String> = lines(&output)
        .iter()
        .map(|page| {
            page["url"]
                .as_str()
                .unwrap()
                .replace("https://example.com/", "")
        })
        .collect();
    assert_eq!(urls.join(" "), "0 1 2 long 0 1 2 long 0 1 2");
}

/// A site with a page in KOI8-R that only the header says so of.
fn site(request: &Request) -> Answer {
    let text = b"<html lang=ru><title>\xde\xc1\xca</title><main><h1>\xde\xc1\xca</h1><p>\
        \xfa\xc5\xcc\xc5\xce\xd9\xca \xde\xc1\xca \xce\xc5 \xcb\xc9\xd0\xd1\xd4\xd1\xd4.</p></main>";
    match request.path.as_str() {
        "/robots.txt" => Answer::text(200, "User-agent: *\nDisallow: /private/\n"),
        "/old" => Answer::redirect("/tea/"),
        "/tea/" => Answer {
            body: text.to_vec(),
            ..Answer::status(200)
        }
        .with("Content-Type", "text/html; charset=koi8-r")
        .with("Last-Modified", "Wed, 15 Jan 2025 23:00:00 GMT")
        .with("X-Robots-Tag", "noindex"),
        "/picture" => Answer {
            body: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
            ..Answer::status(200)
        }
        .with("Content-Type", "image/png"),
        _ => Answer::text(404, "nothing here"),
    }
}

#[test]
fn a_page_is_fetched_with_its_final_url_and_the_charset_of_its_header() {
    let server = Server::start(site).unwrap();
    let output = run(&[&server.url("/old"), "--allow-private"]);
    let page = &lines(&output)[0];
    assert_eq!(page["url"], server.url("/tea/").as_str());
    assert_eq!(page["title"], "чай");
    assert_eq!(page["modified"], "2025-01-15T23:00:00Z");
    assert!(
        page["content"]
            .to_string()
            .contains("Зеленый чай не кипятят."),
        "{page}"
    );
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("the page says `noindex`"), "{said}");
    let asked = server.take_log();
    let agent = asked[0].header("user-agent").unwrap();
    assert!(agent.starts_with("sitecast/"), "{agent}");
    // What the caller says counts.
    let output = run(&[
        &server.url("/tea/"),
        "--allow-private",
        "--url",
        "https://tea.example/",
    ]);
    assert_eq!(lines(&output)[0]["url"], "https://tea.example/");
}

#[test]
fn a_page_that_cannot_be_fetched_says_why() {
    let server = Server::start(site).unwrap();
    let mut all = String::new();
    for path in ["/private/tea/", "/nowhere", "/picture"] {
        let output = run(&[&server.url(path), "--allow-private"]);
        all += &shown(&output).replace(&server.url("/"), "http://site/");
    }
    insta::assert_snapshot!("cannot_be_fetched", all);
    let asked = server.take_paths();
    assert!(!asked.contains(&"/private/tea/".to_owned()), "{asked:?}");
}
