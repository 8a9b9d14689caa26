//! What owners say to keep pages from crawlers, wherever they say it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use sitecast_publish::{KeepOut, LinesSource, Options, Report, publish};
use sitecast_storage::Memory;

use crate::site::{BASE, Site, age, html, machine_pages, publish_folder, time, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const LAST: &str = "2025-06-03T12:00:00Z";

/// A page with something more in its head.
fn with_head(topic: &str, head: &str) -> String {
    html(topic, &words(topic)).replace("<head>", &format!("<head>{head}"))
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn reasons(report: &Report) -> BTreeMap<&str, &str> {
    let left_out = report.excluded.iter();
    left_out
        .map(|left_out| (left_out.item.as_str(), left_out.reason.code()))
        .collect()
}

fn urls(site: &Site) -> BTreeSet<String> {
    let published = site.published();
    let pages: BTreeSet<String> = published.snapshot("all").into_keys().collect();
    assert_eq!(machine_pages(site), pages);
    pages
}

#[test]
fn a_page_that_is_kept_from_any_crawler_is_left_out_with_its_reason() {
    let cases = [
        (
            "google",
            "<meta name=googlebot content=noindex>",
            "named-crawler",
        ),
        (
            "bing",
            "<meta name=BingBot content='nofollow, noindex'>",
            "named-crawler",
        ),
        ("gpt", "<meta name=GPTBot content=none>", "named-crawler"),
        (
            "semicolon",
            "<meta name=robots content='noindex;nofollow'>",
            "noindex",
        ),
        (
            "past",
            "<meta name=robots content='unavailable_after: 2025-05-01'>",
            "unavailable",
        ),
        (
            "noai",
            "<meta name=robots content='noai, noimageai'>",
            "noai",
        ),
        (
            "nosnippet",
            "<meta name=robots content=nosnippet>",
            "nosnippet",
        ),
    ];
    let mut site = Site::new();
    for (topic, head, _) in cases {
        site.write(&format!("{topic}.html"), &with_head(topic, head));
    }
    for (topic, head) in [
        (
            "future",
            "<meta name=robots content='unavailable_after: 2030-01-01'>",
        ),
        (
            "large",
            "<meta name=robots content='max-snippet:-1, max-image-preview:large'>",
        ),
        ("phone", "<meta name=format-detection content=none>"),
    ] {
        site.write(&format!("{topic}.html"), &with_head(topic, head));
    }
    let report = site.publish(FIRST);
    let expected: Vec<(String, &str)> = cases
        .iter()
        .map(|(topic, _, code)| (format!("{topic}.html"), *code))
        .collect();
    let expected: BTreeMap<&str, &str> = expected
        .iter()
        .map(|(item, code)| (item.as_str(), *code))
        .collect();
    assert_eq!(reasons(&report), expected);
    assert_eq!(urls(&site).len(), 8);

    site.options.keep_out = KeepOut::Robots;
    let report = site.publish(NEXT);
    assert_eq!(
        reasons(&report),
        BTreeMap::from([("past.html", "unavailable"), ("semicolon.html", "noindex")])
    );
}

#[test]
fn pages_in_utf_16_are_heard_as_well() {
    let site = Site::new();
    for (topic, head) in [
        ("google", "<meta name=googlebot content=noindex>"),
        ("moved", "<meta http-equiv=refresh content='0; url=/tea/'>"),
        ("open", ""),
    ] {
        let page = utf16(&with_head(topic, head));
        fs::write(site.path().join(format!("{topic}.html")), page).unwrap();
    }
    let form = html("closed", &words("closed"))
        .replace("<main>", "<form class=\"post-password-form\"></form><main>");
    fs::write(site.path().join("closed.html"), utf16(&form)).unwrap();
    let report = site.publish(FIRST);
    assert_eq!(
        reasons(&report),
        BTreeMap::from([
            ("closed.html", "protected"),
            ("google.html", "named-crawler"),
            ("moved.html", "redirect"),
        ])
    );
    assert_eq!(report.pages.new, 6);
}

#[test]
fn parts_that_are_not_to_be_quoted_are_cut_out() {
    let site = Site::new();
    let text = format!(
        "{} <span data-nosnippet>The code is 4711.</span>",
        words("doors")
    );
    site.page("doors", &text);
    site.publish(FIRST);
    let pages = site.published().snapshot("all");
    let page = serde_json::to_string(&pages["https://example.com/doors/"]).unwrap();
    assert!(page.contains("worth knowing about doors"));
    assert!(!page.contains("4711"), "{page}");
    assert!(!site.read("doors/llm.json").contains("4711"));
    assert!(site.read("doors/index.html").contains("4711"));
}

#[test]
fn what_robots_txt_leaves_open_is_quoted_with_all_its_parts() {
    let mut site = Site::new();
    site.options.keep_out = KeepOut::Robots;
    let text = format!("{} <span data-nosnippet>It is 4711.</span>", words("doors"));
    site.page("doors", &text);
    site.publish(FIRST);
    assert!(site.read("doors/llm.json").contains("4711"));
}

#[test]
fn a_part_that_is_not_to_be_quoted_and_cannot_be_found_keeps_its_page_out() {
    let site = Site::new();
    let deep = format!("{}<p data-nosnippet>4711", "<div>".repeat(600));
    site.page("doors", &format!("{}{deep}", words("doors")));
    let report = site.publish(FIRST);
    assert_eq!(
        reasons(&report),
        BTreeMap::from([("doors/index.html", "nosnippet")])
    );
}

#[test]
fn files_of_the_host_are_heard_and_so_are_their_changes() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.page("members/list", &words("members"));
    site.page("members/open", &words("open doors"));
    age(&site);
    site.publish(FIRST);
    assert_eq!(urls(&site).len(), 7);

    site.write(
        "_headers",
        "/tea/\n  X-Robots-Tag: googlebot: noindex\n/milk/*\n  Basic-Auth: me:hunter2\n",
    );
    site.write("members/.htaccess", "AuthType Basic\nRequire valid-user\n");
    site.write("members/open/.htaccess", "Require all granted\n");
    let report = site.publish(NEXT);
    assert_eq!(
        reasons(&report),
        BTreeMap::from([
            ("tea/index.html", "header"),
            ("milk/index.html", "access"),
            ("members/list/index.html", "access"),
        ])
    );
    assert_eq!(report.pages.deleted, 3);
    assert!(!format!("{report:?}").contains("hunter2"));
    assert!(!site.path().join("tea/llm.json").exists());

    // Nothing changed: the same is said again.
    let again = site.publish(NEXT);
    assert_eq!(reasons(&again), reasons(&report));
    assert_eq!((again.pages.unchanged, again.artefacts.len()), (4, 0));

    fs::remove_file(site.path().join("members/.htaccess")).unwrap();
    let report = site.publish(LAST);
    assert_eq!(report.pages.new, 1, "{:?}", report.excluded);
}

/// Some put them there by hand, and robots.txt is looked for there as well.
#[test]
fn files_of_the_host_are_heard_where_the_site_is_published() {
    for (name, text) in [
        ("_headers", "/tea/*\n  X-Robots-Tag: noindex\n"),
        (
            ".htaccess",
            "<Files tea.html>\nRequire valid-user\n</Files>\n",
        ),
    ] {
        let site = Site::new();
        site.write("tea.html", &html("leaves", &words("leaves")));
        fs::remove_dir_all(site.path().join("tea")).unwrap();
        let out = tempfile::tempdir().unwrap();
        fs::write(out.path().join(name), text).unwrap();
        for now in [FIRST, NEXT] {
            let report = publish_folder(site.path(), out.path(), &site.options, now).unwrap();
            let left_out: Vec<&str> = reasons(&report).into_keys().collect();
            assert_eq!(left_out, ["tea.html"], "{name}");
        }
    }
}

#[test]
fn a_date_keeps_a_page_out_from_then_on() {
    for form in ["header", "head", "reference", "utf-16"] {
        let mut site = Site::new();
        let cache = tempfile::tempdir().unwrap();
        site.options.cache = Some(cache.path().to_owned());
        if form == "header" {
            site.write("sale.html", &html("sale", &words("sales")));
            site.write(
                "_headers",
                "/sale*\n  X-Robots-Tag: unavailable_after: 2025-06-02\n",
            );
        } else {
            let line = if form == "reference" { "&#95;" } else { "_" };
            let head = format!(
                "<meta name=robots content='unavailable{line}after: Mon, 02 Jun 2025 00:00:00 GMT'>"
            );
            let page = with_head("sale", &head);
            match form {
                "utf-16" => fs::write(site.path().join("sale.html"), utf16(&page)).unwrap(),
                _ => site.write("sale.html", &page),
            }
        }
        age(&site);
        assert_eq!(site.publish(FIRST).pages.new, 6);
        let report = site.publish(NEXT);
        assert_eq!(report.pages.deleted, 1, "{form}");
        assert_eq!(report.pages.excluded, 1);
    }
}

#[test]
fn folders_with_the_names_of_such_files_say_nothing() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.write("_headers/page.html", &html("headers", &words("headers")));
    site.write("tea/.htaccess/x", "Require valid-user\n");
    age(&site);
    for now in [FIRST, NEXT] {
        let report = site.publish(now);
        assert_eq!(
            reasons(&report),
            BTreeMap::from([("_headers", "not-a-file")])
        );
        assert_eq!(urls(&site).len(), 6);
    }
}

#[test]
fn an_access_file_that_cannot_be_read_keeps_its_folder_out() {
    let site = Site::new();
    site.write(
        "tea/.htaccess",
        &"Options -Indexes # padding\n".repeat(20_000),
    );
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), site.path().join("milk/.htaccess")).unwrap();
    let report = site.publish(FIRST);
    assert_eq!(
        reasons(&report),
        BTreeMap::from([
            ("milk/.htaccess", "outside-link"),
            ("tea/index.html", "access"),
            ("milk/index.html", "access")
        ])
    );
}

#[test]
fn a_header_under_a_condition_keeps_no_page_out_and_the_owner_is_told() {
    let site = Site::new();
    let header = "Header set X-Robots-Tag noindex env=IS_PDF\n";
    site.write(".htaccess", &format!("Options -Indexes\n{header}"));
    let report = site.publish(FIRST);
    assert_eq!(report.pages.new, 5, "{:?}", report.excluded);
    let is_told = |note: &String| note.contains("`.htaccess`") && note.contains("line 2");
    assert!(report.notes.iter().any(is_told), "{:?}", report.notes);
}

#[test]
fn lines_say_who_may_have_a_page() {
    let lines: String = ["noindex;nofollow", "googlebot: noindex", "noai", "index"]
        .iter()
        .enumerate()
        .map(|(number, robots)| {
            let url = format!("{BASE}{number}");
            let page = html("page", &words("pages"));
            format!(
                "{}\n",
                serde_json::json!({"url": url, "html": page, "robots": [robots]})
            )
        })
        .collect();
    let source = LinesSource::spooled("-", lines.as_bytes(), Default::default()).unwrap();
    let options = Options::new(BASE.parse().unwrap());
    let report = publish(
        &source,
        &Memory::default(),
        None,
        &options,
        time(FIRST),
        &(),
    )
    .unwrap();
    let codes: Vec<&str> = report.excluded.iter().map(|e| e.reason.code()).collect();
    assert_eq!(codes, ["noindex", "named-crawler", "noai"]);
}

#[test]
fn pages_that_robots_txt_disallows_for_named_crawlers_are_counted() {
    let mut site = Site::new();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.write(
        "robots.txt",
        "User-agent: *\nDisallow:\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /tea/\n\n\
         User-agent: Elsewhere\nDisallow: /nothing/\n",
    );
    age(&site);
    for _ in 0..2 {
        let named = site.publish(FIRST).named_crawlers;
        assert_eq!(named.pages, 1);
        assert_eq!(named.crawlers, ["GPTBot", "CCBot"]);
    }
}
