//! Edits that change the markup of pages, and what their readers see or do not see of that.

use std::fs;
use std::path::Path;

use sitecast_extract::{Rule, Rules};
use sitecast_publish::{PageCounts, Report};

use crate::edits::{Edit, Kind, is_chosen};
use crate::site::{Site, machine_pages, walk, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";
const THIRD: &str = "2025-06-03T12:00:00Z";
const FOURTH: &str = "2025-06-04T12:00:00Z";

fn moved(report: &Report) -> (u64, u64, u64) {
    let PageCounts {
        new,
        changed,
        deleted,
        ..
    } = report.pages;
    (new, changed, deleted)
}

/// The pages of the demo site in their shells.
fn demo_pages() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sitecast/demo-site");
    let mut pages = Vec::new();
    walk(&folder.join("pages"), &mut |path| {
        let text = fs::read_to_string(path).unwrap();
        let (head, content) = text.split_once("\n\n").unwrap();
        let value = |key: &str| {
            let mut fields = head.lines().filter_map(|line| line.split_once(": "));
            fields
                .find(|(name, _)| *name == key)
                .map_or("", |(_, value)| value)
        };
        let shell = folder.join(format!("shell.{}.html", value("language")));
        let mut page = fs::read_to_string(shell)
            .unwrap()
            .replace("{{content}}", content);
        for name in ["title", "description", "language", "author", "published"] {
            page = page.replace(&format!("{{{{{name}}}}}"), value(name));
        }
        let url = format!("https://example.com{}", value("path"));
        let page = page
            .replace("{{url}}", &url)
            .replace("{{base}}", "https://example.com");
        // What the page has no value for.
        let lines = page.lines().filter(|line| !line.contains("{{"));
        let page = lines.collect::<Vec<_>>().join("\n");
        let file = value("path").trim_start_matches('/');
        let is_folder = file.is_empty() || file.ends_with('/');
        let file = format!("{file}{}", if is_folder { "index.html" } else { "" });
        pages.push((file, page));
    });
    pages.sort();
    pages
}

/// A published site of the pages of the demo site.
fn published_demo(pages: &[(String, String)], cache: Option<&Path>) -> Site {
    let mut site = Site::empty();
    site.options.cache = cache.map(Path::to_owned);
    site.options.artefacts.html_links = false;
    for (path, page) in pages {
        site.write(path, page);
    }
    assert!(site.publish(FIRST).pages.new > 40);
    site
}

#[test]
fn edits_of_markup_move_no_page() {
    let pages = demo_pages();
    let cache = tempfile::tempdir().unwrap();
    for share in [1, 10] {
        for kind in Kind::ALL {
            let cache = cache.path().join(format!("{kind:?} {share}"));
            let site = published_demo(&pages, Some(&cache));
            let edit = Edit::new(kind, 19, pages.iter().map(|(_, page)| page.as_str()));
            for (path, page) in pages.iter().filter(|(path, _)| is_chosen(19, path, share)) {
                let edited = edit.apply(path, page);
                assert_ne!(edited, *page, "{kind:?} {path}");
                site.write(path, &edited);
            }
            assert_eq!(moved(&site.publish(NEXT)), (0, 0, 0), "{kind:?} 1/{share}");
        }
    }
}

/// These make the same text of every page, whatever was published before.
#[test]
fn another_spelling_of_the_same_markup_moves_no_page_without_a_cache() {
    let pages = demo_pages();
    for kind in [
        Kind::Ids,
        Kind::Attributes,
        Kind::AttributeOrder,
        Kind::Head,
        Kind::Scripts,
        Kind::Comments,
        Kind::WhiteSpace,
        Kind::Entities,
        Kind::TagCase,
    ] {
        let site = published_demo(&pages, None);
        let edit = Edit::new(kind, 19, pages.iter().map(|(_, page)| page.as_str()));
        for (path, page) in &pages {
            site.write(path, &edit.apply(path, page));
        }
        assert_eq!(moved(&site.publish(NEXT)), (0, 0, 0), "{kind:?}");
    }
}

/// A page with a part that is content in one theme, and none in the other.
fn page(topic: &str, theme: Theme) -> String {
    let note = words(&format!("a cup of {topic}"));
    let note = format!("<p class=\"note\">{note}</p>");
    let (main, part) = match theme {
        Theme::Old => ("main", "footer class=\"footer\""),
        Theme::New => ("div", "div"),
    };
    let end = part.split(' ').next().unwrap();
    format!(
        "<!DOCTYPE html><html lang=\"en\"><title>{topic} | The Site</title><nav><a href=\"/\">Home</a></nav>\
         <{main}><h1>{topic}</h1><p>{}</p><p>{}</p></{main}><{part}>{note}</{end}></html>",
        words(topic),
        words(&format!("hot {topic}")),
    )
}

#[derive(Clone, Copy)]
enum Theme {
    Old,
    New,
}

const TOPICS: [&str; 6] = ["tea", "coffee", "water", "milk", "juice", "soup"];

fn write_all(site: &Site, theme: Theme) {
    for topic in TOPICS {
        site.write(&format!("{topic}/index.html"), &page(topic, theme));
    }
}

/// A site that is published, and its cache.
fn in_theme(theme: Theme, markdown: bool) -> (Site, tempfile::TempDir) {
    let mut site = Site::empty();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    site.options.artefacts.markdown = markdown;
    write_all(&site, theme);
    site.publish(FIRST);
    (site, cache)
}

fn in_old_theme() -> (Site, tempfile::TempDir) {
    in_theme(Theme::Old, false)
}

#[test]
fn the_theme_of_these_tests_makes_other_pages() {
    let (mut site, _cache) = in_old_theme();
    assert!(!site.read("tea/llm.json").contains("a cup of tea"));
    site.options.cache = None;
    write_all(&site, Theme::New);
    assert_eq!(moved(&site.publish(NEXT)), (0, 6, 0));
    assert!(site.read("tea/llm.json").contains("a cup of tea"));
}

#[test]
fn another_theme_moves_no_page_and_pages_do_not_move_later() {
    let (mut site, _cache) = in_old_theme();
    let before = site.published().snapshot("all");
    write_all(&site, Theme::New);
    let report = site.publish(NEXT);
    assert_eq!((moved(&report), report.collections.len()), ((0, 0, 0), 0));
    // Others change, come and go.
    for topic in ["coffee", "water", "milk"] {
        let other = page(topic, Theme::New).replace("a future", "no future");
        site.write(&format!("{topic}/index.html"), &other);
    }
    site.write("bread/index.html", &page("bread", Theme::New));
    fs::remove_file(site.path().join("soup/index.html")).unwrap();
    assert_eq!(moved(&site.publish(THIRD)), (1, 3, 1));
    // All pages are made anew, and it is no longer known what they were made of.
    site.options.full = true;
    assert_eq!(moved(&site.publish(FOURTH)), (0, 0, 0));
    let published = site.published();
    let after = published.snapshot("all");
    for topic in ["tea", "juice"] {
        let url = format!("https://example.com/{topic}/");
        assert_eq!(after[&url], before[&url]);
    }
    assert_eq!(published.followed("all"), after);
    machine_pages(&site);
}

#[test]
fn machine_pages_that_are_made_again_say_what_the_collections_say() {
    let (site, _cache) = in_old_theme();
    let machine = site.read("tea/llm.json");
    write_all(&site, Theme::New);
    site.publish(NEXT);
    for topic in TOPICS {
        fs::remove_file(site.path().join(topic).join("llm.json")).unwrap();
    }
    fs::remove_file(site.path().join("llm-sitemap.json")).unwrap();
    assert_eq!(moved(&site.publish(THIRD)), (0, 0, 0));
    assert_eq!(site.read("tea/llm.json"), machine);
    assert_eq!(machine_pages(&site).len(), 6);
}

#[test]
fn markdown_that_is_made_again_says_what_the_collections_say() {
    let (mut site, _cache) = in_theme(Theme::Old, true);
    let markdown = site.read("tea/index.md");
    write_all(&site, Theme::New);
    site.publish(NEXT);
    fs::remove_file(site.path().join("tea/index.md")).unwrap();
    site.options.full = true;
    assert_eq!(moved(&site.publish(THIRD)), (0, 0, 0));
    assert_eq!(site.read("tea/index.md"), markdown);
}

#[test]
fn words_that_change_with_the_theme_move_their_page() {
    let tea = page("tea", Theme::New);
    let change = |from: &str, to: &str| tea.replacen(from, to, 1);
    let edits = [
        change("sentences of some length", "sentences of some brevity"),
        // The text that was not published before, and a text that is hidden now.
        change("a cup of tea is", "a pot of tea is"),
        change("<p class=\"note\">", "<p class=\"note\" hidden>"),
        change("<p class=\"note\">", "<p class=\"note d-none\">"),
        change("<title>tea", "<title>Tea and cups"),
    ];
    for (number, edited) in edits.into_iter().enumerate() {
        assert_ne!(edited, tea);
        let (site, _cache) = in_old_theme();
        write_all(&site, Theme::New);
        site.write("tea/index.html", &edited);
        assert_eq!(moved(&site.publish(NEXT)), (0, 1, 0), "edit {number}");
        let (changed, _) = site.published().delta("all");
        assert_eq!(changed, ["https://example.com/tea/"]);
    }
}

#[test]
fn what_the_owner_orders_moves_its_page() {
    let orders = [
        (Theme::New, "data-sitecast=\"exclude\""),
        (Theme::New, "data-nosnippet"),
        (Theme::Old, "data-sitecast=\"include\""),
    ];
    for (theme, order) in orders {
        let (site, _cache) = in_theme(theme, false);
        let before = site.read("tea/llm.json").contains("a cup of tea");
        let ordered = page("tea", theme).replace("<p class=\"note\"", &format!("<p {order}"));
        site.write("tea/index.html", &ordered);
        assert_eq!(moved(&site.publish(NEXT)), (0, 1, 0), "{order}");
        let after = site.read("tea/llm.json").contains("a cup of tea");
        assert_ne!(before, after, "{order}");
    }
}

#[test]
fn a_rule_that_no_longer_finds_its_part_moves_the_page() {
    let mut site = Site::empty();
    let cache = tempfile::tempdir().unwrap();
    site.options.cache = Some(cache.path().to_owned());
    let mut rule = Rule::new(None).unwrap();
    rule.exclude = vec![".note".parse().unwrap()];
    site.options.extract_rules = Rules::new(Some(site.options.base.as_url()), vec![rule]);
    write_all(&site, Theme::New);
    site.publish(FIRST);
    assert!(!site.read("tea/llm.json").contains("a cup of tea"));
    site.write(
        "tea/index.html",
        &page("tea", Theme::New).replace("\"note\"", "\"remark\""),
    );
    assert_eq!(moved(&site.publish(NEXT)), (0, 1, 0));
    assert!(site.read("tea/llm.json").contains("a cup of tea"));
}

#[test]
fn a_page_changes_if_what_is_published_of_it_cannot_be_read() {
    let (mut site, _cache) = in_old_theme();
    write_all(&site, Theme::New);
    site.publish(NEXT);
    walk(&site.path().join("scp"), &mut |path| {
        let bytes = fs::read(path).unwrap();
        let broken: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x55).collect();
        fs::write(path, broken).unwrap();
    });
    site.options.full = true;
    assert_eq!(moved(&site.publish(THIRD)), (0, 6, 0));
    assert!(site.read("tea/llm.json").contains("a cup of tea"));
}
