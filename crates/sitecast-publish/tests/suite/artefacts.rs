use std::fs;

use sitecast_publish::HostKind;

use crate::site::{Published, Site, html, machine_pages, words};

const FIRST: &str = "2025-06-01T12:00:00Z";
const NEXT: &str = "2025-06-02T12:00:00Z";

#[test]
fn every_page_has_a_machine_page_with_the_hash_that_the_sitemap_says() {
    let site = Site::new();
    site.publish(FIRST);
    assert_eq!(machine_pages(&site).len(), 5);
    let first: serde_json::Value = serde_json::from_str(&site.read("llm-sitemap.json")).unwrap();
    assert_eq!(first["items"][0]["cUrl"], "https://example.com/");
    site.page("tea", &words("another tea"));
    fs::remove_file(site.path().join("milk/index.html")).unwrap();
    let report = site.publish(NEXT);
    assert_eq!(machine_pages(&site).len(), 4);
    assert!(!site.path().join("milk/llm.json").exists());
    let written = report
        .artefacts
        .iter()
        .find(|a| a.kind == "machine-pages")
        .unwrap();
    assert_eq!((written.written, written.removed), (1, 1));
}

#[test]
fn listings_have_no_machine_page() {
    let site = Site::new();
    site.write(
        "category/drinks/index.html",
        &html("Drinks", &words("drinks")),
    );
    site.publish(FIRST);
    assert!(!machine_pages(&site).contains("https://example.com/category/drinks/"));
    assert!(!site.path().join("category/drinks/llm.json").exists());
    assert_eq!(site.published().snapshot("all").len(), 6);
}

#[test]
fn html_names_its_machine_page_and_nothing_else_changes() {
    let site = Site::new();
    let before = site.read("tea/index.html");
    let date = fs::metadata(site.path().join("tea/index.html"))
        .unwrap()
        .modified()
        .unwrap();
    site.publish(FIRST);
    let after = site.read("tea/index.html");
    let link =
        r#"<link rel="alternate" type="application/json" href="https://example.com/tea/llm.json">"#;
    assert_eq!(after.replace(link, ""), before);
    let kept = fs::metadata(site.path().join("tea/index.html"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(kept, date);
}

#[test]
fn tct_can_be_switched_off() {
    let mut site = Site::new();
    site.options.artefacts.tct = false;
    let before = site.read("tea/index.html");
    site.publish(FIRST);
    assert!(!site.path().join("llm-sitemap.json").exists());
    assert!(!site.path().join("tea/llm.json").exists());
    assert_eq!(site.read("tea/index.html"), before);
    assert_eq!(site.published().snapshot("all").len(), 5);
}

#[test]
fn switched_off_later_tct_takes_back_what_it_made() {
    let mut site = Site::new();
    let before = site.read("tea/index.html");
    site.publish(FIRST);
    assert!(site.path().join("tea/llm.json").exists());
    assert_ne!(site.read("tea/index.html"), before);
    site.options.artefacts.tct = false;
    let report = site.publish(NEXT);
    let removed = |kind: &str| {
        let made = report.artefacts.iter().find(|made| made.kind == kind);
        made.map_or(0, |made| made.removed)
    };
    assert_eq!(removed("machine-pages"), 5);
    assert_eq!(removed("json-sitemap"), 1);
    assert_eq!(removed("html-links"), 5);
    for name in ["llm-sitemap.json", "llm.json", "tea/llm.json"] {
        assert!(!site.path().join(name).exists(), "{name}");
    }
    assert_eq!(site.read("tea/index.html"), before);
    assert!(
        !site.read("_headers").contains("llm"),
        "{}",
        site.read("_headers")
    );
    // From then on there is nothing to do, and switched on again it is as it was.
    let files = site.files();
    site.publish("2025-06-03T12:00:00Z");
    assert_eq!(site.files(), files);
    site.options.artefacts.tct = true;
    site.publish("2025-06-04T12:00:00Z");
    assert!(site.path().join("tea/llm.json").exists());
    assert_ne!(site.read("tea/index.html"), before);
}

#[test]
fn a_json_sitemap_of_somebody_else_is_left_alone() {
    let mut site = Site::new();
    let theirs = r#"{"version":1,"profile":"tct-1","items":[{"cUrl":"https://example.com/tea/","mUrl":"https://example.com/tea/llm/","contentHash":"sha256-0000000000000000000000000000000000000000000000000000000000000000","modified":"2025-01-01T00:00:00Z"}]}"#;
    site.write("llm-sitemap.json", theirs);
    site.options.artefacts.tct = false;
    site.publish(FIRST);
    assert_eq!(site.read("llm-sitemap.json"), theirs);
}

#[test]
fn headers_for_a_host_that_is_no_longer_asked_for_go() {
    let mut site = Site::new();
    site.write(".htaccess", "Options -Indexes\n");
    site.options.artefacts.hosts = vec![HostKind::Netlify, HostKind::Apache];
    site.publish(FIRST);
    assert!(site.read(".htaccess").contains("sitecast: begin"));
    site.options.artefacts.hosts.clear();
    site.publish(NEXT);
    assert_eq!(site.read(".htaccess"), "Options -Indexes\n");
    assert!(!site.path().join("_headers").exists());
}

#[test]
fn each_artefact_can_be_switched_off() {
    let mut site = Site::new();
    let made = &mut site.options.artefacts;
    made.robots_txt = false;
    made.policy = false;
    made.hosts.clear();
    made.html_links = false;
    let before = site.read("tea/index.html");
    site.publish(FIRST);
    for name in [
        "robots.txt",
        "llm-policy.json",
        "_headers",
        "llms.txt",
        "tea/index.md",
    ] {
        assert!(!site.path().join(name).exists(), "{name}");
    }
    assert_eq!(site.read("tea/index.html"), before);
}

#[test]
fn robots_txt_names_the_sitemap_and_keeps_its_rules() {
    let site = Site::new();
    site.write("robots.txt", "User-agent: *\r\nDisallow: /x/\r\n");
    site.publish(FIRST);
    let robots = site.read("robots.txt");
    assert!(
        robots.starts_with("User-agent: *\r\nDisallow: /x/\r\n"),
        "{robots}"
    );
    assert!(
        robots.contains("Sitemap: https://example.com/sitemap.xml"),
        "{robots}"
    );
}

#[test]
fn a_site_below_a_path_leaves_robots_txt_to_its_host() {
    let mut site = Site::new();
    site.options.base = "https://example.com/docs/".parse().unwrap();
    site.publish(FIRST);
    assert!(!site.path().join("robots.txt").exists());
    let published = Published::read(site.path(), "https://example.com/docs/");
    assert!(
        published
            .snapshot("all")
            .contains_key("https://example.com/docs/tea/")
    );
}

#[test]
fn the_first_sitemap_of_an_index_is_extended_and_named_in_robots_txt() {
    let site = Site::new();
    let index = "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>https://example.com/en/sitemap.xml</loc></sitemap></sitemapindex>";
    site.write("sitemap.xml", index);
    site.write(
        "en/sitemap.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://example.com/tea/</loc></url></urlset>",
    );
    site.publish(FIRST);
    assert_eq!(site.read("sitemap.xml"), index);
    let published = Published::read_sitemap(site.path(), crate::site::BASE, "en/sitemap.xml");
    assert_eq!(published.snapshot("all").len(), 5);
    assert!(
        site.read("robots.txt")
            .contains("Sitemap: https://example.com/en/sitemap.xml")
    );
    let before = site.files();
    site.publish(NEXT);
    assert_eq!(site.files(), before);
}

#[test]
fn a_sitemap_that_cannot_be_extended_is_left_alone() {
    let site = Site::new();
    site.write(
        "sitemap.xml",
        "https://example.com/\nhttps://example.com/tea/\n",
    );
    let report = site.publish(FIRST);
    assert_eq!(
        site.read("sitemap.xml"),
        "https://example.com/\nhttps://example.com/tea/\n"
    );
    let published = Published::read_sitemap(site.path(), crate::site::BASE, "sitecast-sitemap.xml");
    assert_eq!(published.snapshot("all").len(), 5);
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("sitecast-sitemap.xml"))
    );
}

#[test]
fn llms_txt_and_markdown_are_made_where_asked_for() {
    let mut site = Site::new();
    site.options.artefacts.llms_txt = true;
    site.options.artefacts.markdown = true;
    site.publish(FIRST);
    assert!(site.read("tea/index.md").starts_with("# tea\n"));
    assert!(site.read("llms.txt").contains("(https://example.com/tea/)"));
    let before = site.files();
    site.publish(NEXT);
    assert_eq!(site.files(), before);
}

#[test]
fn headers_for_static_hosts_name_every_kind_of_file() {
    let site = Site::new();
    site.write("_headers", "/mine\n  X-Mine: yes\n");
    site.publish(FIRST);
    let headers = site.read("_headers");
    for part in [
        "/mine\n  X-Mine: yes\n",
        "application/scp",
        "/tea/llm.json",
        "rel=\"canonical\"",
        "rel=\"index\"",
        "ETag: \"sha256-",
    ] {
        assert!(headers.contains(part), "{part} is not in\n{headers}");
    }
}
