use std::fs;

use sitecast_publish::{LinesSource, Options, publish};
use sitecast_storage::{Folder, Memory};

use crate::site::{BASE, Site, html, time, words};

const NOW: &str = "2025-06-01T12:00:00Z";

#[test]
fn one_run_makes_a_site_that_crawlers_find_through_its_sitemap() {
    let site = Site::new();
    let report = site.publish(NOW);
    assert_eq!((report.pages.new, report.pages.excluded), (5, 0));
    let published = site.published();
    assert_eq!(published.scp.version.as_deref(), Some("0.1"));
    assert_eq!(published.scp.compression, ["zstd", "gzip"]);
    assert_eq!(published.scp.collections.len(), 2);
    let pages = published.snapshot("all");
    let urls: Vec<&String> = pages.keys().collect();
    assert_eq!(
        urls,
        [
            "https://example.com/",
            "https://example.com/coffee/",
            "https://example.com/milk/",
            "https://example.com/tea/",
            "https://example.com/water/"
        ]
    );
    let tea = &pages["https://example.com/tea/"];
    assert_eq!(tea.title, "tea");
    assert!(sitecast_scp::to_text(tea).contains("has a history"));
    assert!(!sitecast_scp::to_text(tea).contains("About"));
    for named in &published.scp.collections {
        let path = site.path().join(named.url.strip_prefix(BASE).unwrap());
        assert_eq!(named.size, Some(fs::metadata(path).unwrap().len()));
        assert_eq!(named.pages, Some(5));
        assert!(named.expires.unwrap() > named.generated);
    }
}

#[test]
fn names_are_those_of_the_design() {
    let site = Site::new();
    site.publish(NOW);
    for end in ["zst", "gz"] {
        let name = format!("scp/all-snapshot-20250601T120000Z.scp.{end}");
        assert!(site.path().join(name).exists());
    }
}

#[test]
fn urls_follow_canonical_links_and_the_rest_follows_the_majority() {
    let site = Site::empty();
    let linked = |title: &str, canonical: &str| {
        let head = format!("<head><link rel=\"canonical\" href=\"{canonical}\">");
        html(title, &words(title)).replace("<head>", &head)
    };
    site.write("a.html", &linked("a", "https://example.com/a"));
    site.write("b.html", &linked("b", "https://example.com/b"));
    site.write("c.html", &html("c", &words("c")));
    site.write("copy.html", &linked("copy", "https://example.com/a"));
    site.write("elsewhere.html", &linked("x", "https://other.example/page"));
    let report = site.publish(NOW);
    let urls: Vec<String> = site.published().snapshot("all").into_keys().collect();
    assert_eq!(
        urls,
        [
            "https://example.com/a",
            "https://example.com/b",
            "https://example.com/c"
        ]
    );
    let reasons: Vec<(&str, &str)> = report
        .excluded
        .iter()
        .map(|left_out| (left_out.item.as_str(), left_out.reason.code()))
        .collect();
    assert_eq!(
        reasons,
        [("copy.html", "canonical"), ("elsewhere.html", "canonical")]
    );
}

#[test]
fn what_never_gets_published_is_listed_with_its_reason() {
    let mut site = Site::new();
    let noindex = html("secret", &words("secrets"))
        .replace("<head>", "<head><meta name=robots content=noindex>");
    site.write("noindex.html", &noindex);
    site.write(
        "old.html",
        "<html><head><meta http-equiv=refresh content=\"0; url=/tea/\"></head></html>",
    );
    site.write("404.html", &html("Not found", &words("nothing")));
    site.write(
        "private/index.html",
        &html("Private", &words("private matters")),
    );
    site.write(
        "internal/index.html",
        &html("Internal", &words("internal matters")),
    );
    site.write("picture.html", "\u{89}PNG\r\n\u{1a}\n");
    site.write(
        "locked.html",
        "<html><body><form class=\"post-password-form\"></form></body></html>",
    );
    site.write("robots.txt", "User-agent: *\nDisallow: /private/\n");
    site.options.exclude = vec!["/internal/**".to_owned()];
    let report = site.publish(NOW);
    let reasons: Vec<(&str, &str)> = report
        .excluded
        .iter()
        .map(|left_out| (left_out.url.as_str(), left_out.reason.code()))
        .collect();
    assert_eq!(
        reasons,
        [
            ("https://example.com/404.html", "error-page"),
            ("https://example.com/internal/", "settings"),
            ("https://example.com/locked.html", "protected"),
            ("https://example.com/noindex.html", "noindex"),
            ("https://example.com/old.html", "redirect"),
            ("https://example.com/picture.html", "not-html"),
            ("https://example.com/private/", "robots-txt"),
        ]
    );
    assert_eq!(site.published().snapshot("all").len(), 5);
}

#[test]
fn a_rehearsal_writes_nothing() {
    let mut site = Site::new();
    site.options.dry_run = true;
    let before = site.files();
    let report = site.publish(NOW);
    assert_eq!((report.pages.new, report.collections.len()), (5, 1));
    assert_eq!(site.files(), before);
}

#[test]
fn lines_of_both_kinds_are_published() {
    let page = r#"{"url":"https://example.com/a","title":"A","description":"","modified":"2025-01-15T09:00:00Z","language":"en","content":[{"type":"text","text":"Hello"}]}"#;
    let raw = serde_json::json!({"url": "https://example.com/b", "html": html("b", &words("b"))});
    let lines = format!("{page}\n{raw}\n");
    let source = LinesSource::spooled("-", lines.as_bytes(), Default::default()).unwrap();
    let store = Memory::default();
    let options = Options::new(BASE.parse().unwrap());
    let report = publish(&source, &store, None, &options, time(NOW), &()).unwrap();
    assert_eq!(report.pages.new, 2);
}

#[test]
fn another_folder_gets_the_publication_and_the_source_stays_as_it_was() {
    let site = Site::new();
    site.write("robots.txt", "User-agent: *\n");
    let before = site.files();
    let out = tempfile::tempdir().unwrap();
    let source = sitecast_publish::FolderSource::open(site.path()).unwrap();
    let store = Folder::new(out.path().join("new")).unwrap();
    publish(&source, &store, None, &site.options, time(NOW), &()).unwrap();
    assert_eq!(site.files(), before);
    for name in [
        "sitemap.xml",
        "robots.txt",
        "llm-sitemap.json",
        "tea/llm.json",
    ] {
        assert!(out.path().join("new").join(name).exists(), "{name}");
    }
    assert!(!out.path().join("new/tea/index.html").exists());
}

#[test]
fn a_page_with_too_many_blocks_is_folded_and_reported() {
    let site = Site::new();
    let many: String = (0..1_500)
        .map(|n| format!("<p>Paragraph number {n} of a long page.</p>"))
        .collect();
    site.write(
        "long.html",
        &html("long", &words("length")).replace("</main>", &format!("{many}</main>")),
    );
    let report = site.publish(NOW);
    assert_eq!(
        (report.pages.folded, report.folded[0].0.as_str()),
        (1, "https://example.com/long.html")
    );
    let page = &site.published().snapshot("all")["https://example.com/long.html"];
    assert!(page.content.len() <= 1_000);
    assert!(sitecast_scp::to_text(page).contains("number 1499"));
}

#[test]
fn times_are_those_of_the_pages_and_never_of_the_future() {
    let site = Site::empty();
    let dated = |date: &str| {
        let meta = format!("<head><meta property=\"article:modified_time\" content=\"{date}\">");
        html("dated", &words("dates")).replace("<head>", &meta)
    };
    site.write("past.html", &dated("2024-02-03T04:05:06Z"));
    site.write("future.html", &dated("2031-02-03T04:05:06Z"));
    site.publish(NOW);
    let pages = site.published().snapshot("all");
    assert_eq!(
        pages["https://example.com/past.html"].modified,
        time("2024-02-03T04:05:06Z")
    );
    assert!(pages["https://example.com/future.html"].modified <= time(NOW));
}

#[test]
fn lines_whose_canonical_is_another_page_are_left_out() {
    let text = words("lines");
    let page = |url: &str, canonical: &str| {
        serde_json::json!({
            "url": url, "title": "T", "description": "D", "modified": "2025-01-01T00:00:00Z", "language": "en",
            "canonical": canonical, "content": [{"type": "text", "text": text}],
        })
    };
    let html = |url: &str, canonical: &str| {
        let html = format!("<link rel=canonical href=\"{canonical}\"><title>T</title><p>{text}");
        serde_json::json!({"url": url, "html": html})
    };
    let lines = [
        page("https://example.com/a", "https://example.com/a/"),
        page("https://example.com/b", "https://example.com/a"),
        html("https://example.com/c", "/c"),
        html("https://example.com/d?page=2", "/d"),
        html("https://example.com/e", "https://test.example.org/e"),
    ];
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let source =
        LinesSource::spooled("-", lines.join("\n").as_bytes(), Default::default()).unwrap();
    let options = Options::new(BASE.parse().unwrap());
    let store = Memory::default();
    let report = publish(&source, &store, None, &options, time(NOW), &()).unwrap();
    let excluded = report.excluded.iter();
    let excluded: Vec<_> = excluded
        .map(|left_out| (left_out.url.as_str(), left_out.reason.code()))
        .collect();
    assert_eq!(
        excluded,
        [
            ("https://example.com/b", "canonical"),
            ("https://example.com/d?page=2", "canonical")
        ]
    );
    assert_eq!(report.pages.new, 3);
}

#[test]
fn times_have_whole_seconds_whatever_the_dates_of_files_have() {
    let site = Site::new();
    let file = std::fs::File::options()
        .write(true)
        .open(site.path().join("tea/index.html"))
        .unwrap();
    let date = std::time::UNIX_EPOCH + std::time::Duration::new(1_700_000_000, 123_456_789);
    file.set_modified(date).unwrap();
    site.publish(NOW);
    let tea = &site.published().followed("all")["https://example.com/tea/"];
    assert_eq!(tea.modified.to_string(), "2023-11-14T22:13:20Z");
    assert!(!site.read("tea/llm.json").contains("20.1"));
}

/// A mirror names files after URLs with queries.
#[test]
fn files_with_a_query_in_their_names_are_left_out_with_a_reason() {
    let site = Site::new();
    site.write("post?id=1.html", &html("post", &words("a post")));
    let report = site.publish(NOW);
    let left_out = &report.excluded[0];
    assert_eq!(
        (left_out.item.as_str(), left_out.reason.code()),
        ("post?id=1.html", "unusable")
    );
    assert!(left_out.reason.to_string().contains("`?`"));
    assert!(!site.read("sitemap.xml").contains("%3F"));
}
