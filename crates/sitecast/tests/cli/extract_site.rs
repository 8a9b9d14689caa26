//! `sitecast extract --explain`, and pages in the context of their site.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use sitecast_testserver::{Answer, Request, Server};
use tempfile::TempDir;

use super::{shown, sitecast};

const SETTINGS: &str = r#"
[publish]
base_url = "https://tea.example.com/"
exclude = ["/drafty/**"]

[[extract.rules]]
exclude = [".promo"]
"#;

/// A site of eight teas with a template, and of files that are not published.
fn tea_house() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let public = folder.path().join("public");
    fs::write(folder.path().join("sitecast.toml"), SETTINGS).unwrap();
    for n in 1..=8 {
        put(&public, &format!("tea-{n}.html"), &tea(n));
    }
    let head = "<meta name=robots content=noindex>";
    put(
        &public,
        "hidden.html",
        &tea(9).replace("<head>", &format!("<head>{head}")),
    );
    let head = "<meta http-equiv=refresh content='0; url=/tea-1.html'>";
    put(
        &public,
        "old.html",
        &format!("<head>{head}<title>Moved</title></head><p>Moved."),
    );
    put(&public, "drafty/new.html", &tea(10));
    put(&public, "404.html", &tea(11));
    folder
}

fn tea(n: usize) -> String {
    let minutes = n + 1;
    format!(
        "<html lang=en><head><title>Tea {n} | The Tea House</title></head><body>\
         <header><nav><ul><li><a href=/>Home</a></li><li><a href=/shop>Shop</a></li></ul></nav></header>\
         <main><article class=post><h1>Tea {n}</h1>\
         <p>Tea number {n} wants water of {n}0 degrees, and nobody should wait longer than {minutes} minutes for it.</p>\
         <p>Short {n}.</p>\
         <div class=promo><p>Kind {n} is on sale this week, and we ship it for free to every town.</p></div>\
         <p data-nosnippet>Not to be quoted: {n}.</p>\
         <table><tr><th>Kind</th><th>Minutes</th></tr><tr><td>Number {n}</td><td>{minutes}</td></tr></table>\
         <h2>History {n}</h2><ul><li>first grown in 19{n}0</li><li>first sold in 19{n}5 by a merchant</li></ul>\
         </article><aside class=more><p>Read more of the Tea House every week.</p></aside></main>\
         <footer><p>© 2025 The Tea House. All rights reserved.</p></footer></body></html>"
    )
}

fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn run_in(folder: &TempDir, arguments: &[&str]) -> Output {
    sitecast(arguments).current_dir(folder).output().unwrap()
}

fn explained(folder: &TempDir, file: &str) -> Value {
    let arguments = ["extract", file, "--site", "public", "--explain", "--json"];
    let output = run_in(folder, &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// All words of the blocks of a page, but for those of links, which stand in the blocks before them, too.
fn words_of_blocks(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(block) if block.get("type") == Some(&"link".into()) => {}
        Value::Object(block) => {
            let said = block.iter().filter(|(name, _)| *name != "type");
            said.for_each(|(_, value)| words_of_blocks(value, words));
        }
        Value::Array(values) => values
            .iter()
            .for_each(|value| words_of_blocks(value, words)),
        Value::String(text) => words.extend(text.split_whitespace().map(str::to_owned)),
        _ => {}
    }
}

#[test]
fn an_explanation_tells_of_the_page_as_publish_puts_it_into_the_collection() {
    let folder = tea_house();
    let output = run_in(
        &folder,
        &["publish", "public", "--out", "out", "--no-cache"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let collections = fs::read_dir(folder.path().join("out/scp")).unwrap();
    let mut paths = collections.map(|entry| entry.unwrap().path());
    let snapshot = paths.find(|path| path.extension().is_some_and(|end| end == "zst"));
    let snapshot = snapshot.unwrap().display().to_string();
    let listed = run_in(&folder, &["inspect", &snapshot, "--json", "--pages"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let published: Vec<Value> = listed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(published.len(), 8);
    for page in published {
        let url = page["url"].as_str().unwrap();
        let file = url.replace("https://tea.example.com/", "public/");

        let explained = explained(&folder, &file);
        assert_eq!(explained["url"], url);
        assert_eq!(explained["left_out"], Value::Null);
        let segments = explained["segments"].as_array().unwrap();
        let kept = segments.iter().filter(|segment| segment["kept"] == true);
        // The title is a member of its own.
        let kept = kept.filter(|segment| segment["text"] != page["title"]);
        let kept = kept.flat_map(|segment| segment["text"].as_str().unwrap().split_whitespace());
        let mut kept: Vec<String> = kept.map(str::to_owned).collect();
        let mut words = Vec::new();
        words_of_blocks(&page["content"], &mut words);
        assert!(words.contains(&"merchant".to_owned()), "{page}");
        kept.sort();
        words.sort();
        assert_eq!(kept, words, "{url}");

        let extracted = run_in(&folder, &["extract", &file, "--site", "public"]);
        let extracted: Value = serde_json::from_slice(&extracted.stdout).unwrap();
        assert_eq!(extracted, page);
    }
}

#[test]
fn an_explanation_in_a_site_says_why_each_text_is_kept_or_left_out() {
    let folder = tea_house();
    let arguments = [
        "extract",
        "public/tea-3.html",
        "--site",
        "public",
        "--explain",
    ];
    insta::assert_snapshot!(shown(&run_in(&folder, &arguments)));
}

#[test]
fn an_explanation_for_programs_has_the_members_that_the_documents_name() {
    let folder = tea_house();
    let explained = explained(&folder, "public/tea-3.html");
    let names = |value: &Value| -> String {
        let names = value.as_object().unwrap().keys().map(String::as_str);
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names(&explained),
        "left_out segments shares site target title url version words"
    );
    assert_eq!(explained["version"], 1);
    assert_eq!(names(&explained["site"]), "files folder sampled template");
    assert_eq!(names(&explained["words"]), "all kept");
    let segments = explained["segments"].as_array().unwrap();
    let shares = explained["shares"].as_array().unwrap();
    let sum = |values: &[Value], kept: bool| -> u64 {
        let values = values.iter().filter(|value| !kept || value["kept"] == true);
        values.map(|value| value["words"].as_u64().unwrap()).sum()
    };
    for kept in [false, true] {
        let all = if kept { "kept" } else { "all" };
        assert_eq!(sum(segments, kept), explained["words"][all]);
        assert_eq!(sum(shares, kept), explained["words"][all]);
    }
    let mut kinds = BTreeSet::new();
    for segment in segments {
        let reason = segment["reason"].as_str().unwrap();
        let detail = if reason == "rule" { " selector" } else { "" };
        let known = "kept place probability reason";
        assert_eq!(names(segment), format!("{known}{detail} text words"));
        let is_removed = reason == "data-nosnippet";
        assert_eq!(segment["probability"].is_null(), is_removed, "{segment}");
        kinds.insert(reason);
    }
    assert!(
        kinds.is_superset(&["rule", "data-nosnippet", "in-container"].into()),
        "{kinds:?}"
    );
    let promo = segments.iter().find(|segment| segment["reason"] == "rule");
    assert_eq!(promo.unwrap()["selector"], ".promo");
}

#[test]
fn a_page_that_publish_leaves_out_is_explained_all_the_same() {
    let folder = tea_house();
    for (file, reason) in [
        ("public/hidden.html", "noindex"),
        ("public/old.html", "redirect"),
        ("public/drafty/new.html", "settings"),
        ("public/404.html", "error-page"),
    ] {
        let explained = explained(&folder, file);
        assert_eq!(explained["left_out"]["reason"], reason, "{explained}");
        assert!(!explained["segments"].as_array().unwrap().is_empty());
    }
    let hidden = ["extract", "public/hidden.html", "--site", "public"];
    let output = run_in(&folder, &[&hidden[..], &["--explain"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.ends_with("`publish` leaves the page out: it says `noindex`\n"),
        "{text}"
    );
    let output = run_in(&folder, &[&hidden[..], &["--format", "text"]].concat());
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn a_page_from_elsewhere_is_looked_at_with_the_template_of_the_site() {
    let folder = tea_house();
    fs::write(folder.path().join("new.html"), tea(12)).unwrap();
    let without = [
        "extract", "new.html", "--site", "public", "--format", "text",
    ];
    insta::assert_snapshot!("elsewhere_without_url", shown(&run_in(&folder, &without)));
    let with = [&without[..], &["--url", "https://tea.example.com/new"]].concat();
    let text = String::from_utf8(run_in(&folder, &with).stdout).unwrap();
    assert!(
        text.contains("Short 12.") && !text.contains("on sale"),
        "{text}"
    );
}

#[test]
fn the_template_of_the_last_publication_holds_as_it_does_for_publish() {
    let folder = tea_house();
    let before = explained(&folder, "public/tea-3.html");
    assert_eq!(before["site"]["template"], "learnt");
    assert_eq!(
        run_in(&folder, &["publish", "public", "--no-cache"])
            .status
            .code(),
        Some(0)
    );
    let after = explained(&folder, "public/tea-3.html");
    assert_eq!(after["site"]["template"], "last-publication");
    assert_eq!(after["segments"], before["segments"]);

    let folder = tea_house();
    let settings = SETTINGS.replace("[publish]", "[publish]\nout = \"out\"");
    fs::write(folder.path().join("sitecast.toml"), settings).unwrap();
    let published = run_in(&folder, &["publish", "public", "--no-cache"]);
    assert_eq!(published.status.code(), Some(0), "{}", shown(&published));
    let elsewhere = explained(&folder, "public/tea-3.html");
    assert_eq!(elsewhere["site"]["template"], "last-publication");
}

#[test]
fn a_fetched_page_is_looked_at_with_its_headers() {
    let folder = tea_house();
    let server = Server::start(|request: &Request| match request.path.as_str() {
        "/robots.txt" => Answer::status(404),
        _ => Answer {
            body: tea(3).into_bytes(),
            ..Answer::status(200)
        }
        .with("Content-Type", "text/html")
        .with("X-Robots-Tag", "noindex"),
    });
    let server = server.unwrap();
    let url = server.url("/tea-3.html");
    let arguments = [
        "extract",
        &url,
        "--site",
        "public",
        "--explain",
        "--json",
        "--allow-private",
    ];
    let left_out = |more: &[&str]| {
        let output = run_in(&folder, &[&arguments[..], more].concat());
        let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
        explained["left_out"]["reason"].clone()
    };
    assert_eq!(left_out(&[]), "other-site");
    assert_eq!(
        left_out(&["--url", "https://tea.example.com/tea-3.html"]),
        "noindex"
    );
}

#[test]
fn looking_at_a_page_writes_nothing() {
    let folder = tea_house();
    let cache = folder.path().join("cache");
    let files = || walk(folder.path());
    let before = files();
    let arguments = [
        "extract",
        "public/tea-3.html",
        "--site",
        "public",
        "--explain",
    ];
    let output = sitecast(&arguments)
        .current_dir(&folder)
        .env("SITECAST_CACHE", &cache)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert_eq!(files(), before);
}

fn walk(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.insert(path.display().to_string());
        if path.is_dir() {
            found.extend(walk(&path));
        }
    }
    found
}

#[test]
fn what_is_wrong_with_a_site_is_said_with_a_way_out() {
    let folder = tea_house();
    put(folder.path(), "empty/x.txt", "no HTML");
    put(folder.path(), "errors/404.html", &tea(1));
    let mut all = String::new();
    for site in ["empty", "errors", "nowhere"] {
        let arguments = ["extract", "public/tea-3.html", "--site", site, "--explain"];
        all += &shown(&run_in(&folder, &arguments));
    }
    // Named as it is called in the folder.
    let arguments = ["extract", "tea-3.html", "--site", "public", "--explain"];
    all += &shown(&run_in(&folder, &arguments));
    // Without settings nobody says where it is on the web.
    fs::write(folder.path().join("sitecast.toml"), "").unwrap();
    let arguments = [
        "extract",
        "public/tea-3.html",
        "--site",
        "public",
        "--explain",
    ];
    all += &shown(&run_in(&folder, &arguments));
    let with = [&arguments[..], &["--base-url", "https://example.com"]].concat();
    assert_eq!(run_in(&folder, &with).status.code(), Some(0));
    insta::assert_snapshot!(all);
}

#[test]
fn a_report_of_lost_text_names_the_way_to_see_why() {
    let folder = tea_house();
    let long: String = (0..200).map(|n| format!("word{n} ")).collect();
    let page = |text: &str| tea(20).replace("Short 20.", text);
    put(&folder.path().join("public"), "long tea.html", &page(&long));
    let publish = ["publish", "public", "--out", "out", "--no-cache"];
    assert_eq!(run_in(&folder, &publish).status.code(), Some(0));
    put(
        &folder.path().join("public"),
        "long tea.html",
        &page("Shorter."),
    );
    let output = run_in(&folder, &publish);
    let said = String::from_utf8(output.stdout).unwrap();
    let way = "`sitecast extract 'public/long tea.html' --explain --site public` says what is left out, and why";
    assert!(said.contains(way), "{said}");
}

#[test]
fn a_page_without_text_of_its_own_says_what_its_content_is() {
    let html = "<title>Shop</title><meta name=description content='Tea of all kinds, sold by the gram.'>\
        <div id=app></div><noscript>x</noscript>";
    let explain = [
        "extract",
        "-",
        "--url",
        "https://tea.example.com/",
        "--explain",
    ];
    let output = sitecast(&explain).write_stdin(html).output().unwrap();
    insta::assert_snapshot!(shown(&output));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(path, target).unwrap();
        }
    }
}

#[test]
fn the_worked_example_of_the_documents_shows_what_the_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place = root.join("docs/extraction.md");
    let document = fs::read_to_string(&place).unwrap();
    let (_, example) = document.split_once("## Why is this text missing?").unwrap();
    let fence = |kind: &str| {
        let (_, text) = example.split_once(&format!("```{kind}\n")).unwrap();
        text.split_once("```").unwrap().0.to_owned()
    };
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("tea-house");
    copy(&root.join("examples/tea-house"), &site);
    let page = fs::read_to_string(site.join("brewing.html")).unwrap();
    let page = page.replace("</main>", &format!("</main>{}", fence("html")));
    fs::write(site.join("brewing.html"), page).unwrap();
    let command = fence("sh");
    let arguments: Vec<&str> = command.split_whitespace().skip(1).collect();
    let output = run_in(&folder, &arguments);
    let printed = String::from_utf8(output.stdout).unwrap();
    if std::env::var_os("SITECAST_UPDATE_DOCS").is_some() {
        fs::write(&place, document.replace(&fence("text"), &printed)).unwrap();
    } else {
        let update = "SITECAST_UPDATE_DOCS=1 writes it anew";
        assert_eq!(fence("text"), printed, "{update}");
    }

    let output = run_in(&folder, &[&arguments[..], &["--json"]].concat());
    let mut printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut shown: Value = serde_json::from_str(&fence("json")).unwrap();
    // The number changes with the model, and is in the text.
    for value in [&mut printed, &mut shown] {
        let segments = value["segments"].as_array_mut().unwrap();
        segments
            .iter_mut()
            .for_each(|segment| segment["probability"] = Value::Null);
    }
    for name in [
        "version", "target", "url", "title", "site", "left_out", "words",
    ] {
        assert_eq!(printed[name], shown[name], "{name}");
    }
    for name in ["shares", "segments"] {
        let all = printed[name].as_array().unwrap();
        assert!(
            all.contains(&shown[name][0]),
            "{} of {printed}",
            shown[name][0]
        );
    }
}
