//! Hostile sitemaps and collections.

use std::time::{Duration, Instant};

use sitecast_index::OriginKind;
use sitecast_testserver::Answer;

use crate::world::{MONDAY, World};

fn sitemap(scp: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\">\n<scp:version>0.1</scp:version>\n{scp}\n</urlset>\n"
    )
}

fn snapshot(url: &str) -> String {
    format!(
        "<scp:collection section=\"all\" type=\"snapshot\" url=\"{url}\" generated=\"{MONDAY}\" \
         expires=\"2026-02-05T10:00:00Z\" pages=\"5\" size=\"900\"/>"
    )
}

fn collection(generated: &str, pages: &[String]) -> String {
    let mut text = format!(
        "{{\"collection\":{{\"id\":\"x\",\"section\":\"all\",\"type\":\"snapshot\",\"generated\":\"{generated}\",\"version\":\"0.1\"}}}}\n"
    );
    for page in pages {
        text.push_str(page);
        text.push('\n');
    }
    text
}

fn page(url: &str, modified: &str) -> String {
    format!(
        "{{\"url\":\"{url}\",\"title\":\"T\",\"description\":\"\",\"modified\":\"{modified}\",\"language\":\"en\",\"content\":[{{\"type\":\"text\",\"text\":\"x\"}}]}}"
    )
}

#[test]
fn leaves_out_pages_of_other_sites_and_from_the_future() {
    let world = World::empty();
    let base = world.base.clone();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot(&format!("{base}all.scp"))),
    );
    let pages = [
        page(&format!("{base}own"), MONDAY),
        page("https://bank.example/login", MONDAY),
        page("http://127.0.0.1.evil.example/", MONDAY),
        page(&format!("{base}never"), "9999-01-01T00:00:00Z"),
    ];
    world.write("all.scp", &collection(MONDAY, &pages));
    let report = world.sync(MONDAY);
    assert_eq!(world.paths(), ["/own"]);
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("2 pages of other sites"), "{warnings}");
    assert!(warnings.contains("1 page from the future"), "{warnings}");
}

#[test]
fn collection_from_the_future_does_not_block_later_syncs() {
    let world = World::empty();
    let base = world.base.clone();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot(&format!("{base}all.scp"))),
    );
    let pages = [page(&format!("{base}own"), MONDAY)];
    world.write("all.scp", &collection("9998-01-01T00:00:00Z", &pages));
    let report = world.try_sync(MONDAY);
    assert!(
        report.warnings.join("\n").contains("in the future"),
        "{report:?}"
    );
    assert!(world.held().is_empty());
    world.write("all.scp", &collection(MONDAY, &pages));
    world.sync(MONDAY);
    assert_eq!(world.paths(), ["/own"]);
}

#[test]
fn decompression_bomb_must_be_refused_and_changes_nothing() {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    let world = World::empty();
    let base = world.base.clone();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let pages = [
        page(&format!("{base}own"), MONDAY),
        page(&format!("{base}bomb"), MONDAY)
            .replace("\"x\"", &format!("\"{}\"", "x".repeat(20_000_000))),
    ];
    encoder
        .write_all(collection(MONDAY, &pages).as_bytes())
        .unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 100_000);
    std::fs::write(world.site.path().join("all.scp.gz"), bomb).unwrap();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot(&format!("{base}all.scp.gz"))),
    );
    let report = world.try_sync(MONDAY);
    assert!(report.warnings.join("\n").contains("100:1"), "{report:?}");
    assert!(world.held().is_empty());
}

/// TCT, "Injection Surface Reduction": URLs in JSON are untrusted.
#[test]
fn urls_in_a_json_sitemap_must_not_be_trusted() {
    let world = World::unpublished();
    world.publish(MONDAY);
    std::fs::remove_file(world.site.path().join("sitemap.xml")).unwrap();
    let text = std::fs::read_to_string(world.site.path().join("llm-sitemap.json")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let items = json["items"].as_array_mut().unwrap();
    let tea = items
        .iter()
        .find(|item| item["cUrl"].as_str().unwrap().ends_with("/tea/"))
        .cloned()
        .unwrap();
    for (name, url) in [
        ("cUrl", "https://bank.example/login"),
        ("mUrl", "http://192.168.0.1/admin"),
        ("mUrl", "file:///etc/passwd"),
        ("cUrl", "javascript:alert(1)"),
    ] {
        let mut wrong = tea.clone();
        wrong[name] = url.into();
        items.push(wrong);
    }
    world.write("llm-sitemap.json", &json.to_string());
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct), "{report:?}");
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/milk/", "/tea/", "/water/"]
    );
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("is of another site"), "{warnings}");
}

#[test]
fn rejects_collection_of_another_section_or_kind_than_announced() {
    let world = World::empty();
    let base = world.base.clone();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot(&format!("{base}all.scp"))),
    );
    let pages = [page(&format!("{base}own"), MONDAY)];
    let right = collection(MONDAY, &pages);
    for (wrong, why) in [
        (
            right.replace("\"all\"", "\"blog\""),
            "its section is `blog`",
        ),
        (
            right.replace(
                "\"snapshot\"",
                "\"delta\",\"since\":\"2026-01-01T00:00:00Z\"",
            ),
            "it is a delta, not a snapshot",
        ),
        (
            right.replace(
                &format!("\"generated\":\"{MONDAY}\""),
                "\"generated\":\"2020-01-01T00:00:00Z\"",
            ),
            "it was made at 2020-01-01T00:00:00Z, before",
        ),
    ] {
        world.write("all.scp", &wrong);
        let report = world.try_sync(MONDAY);
        let said = format!(
            "{:?} {}",
            report.warnings,
            report.error.map(|e| e.to_string()).unwrap_or_default()
        );
        assert!(said.contains(why), "{said}");
        assert!(world.held().is_empty());
    }
}

#[test]
fn rejects_collection_urls_that_are_not_http() {
    let world = World::empty();
    for url in [
        "file:///etc/passwd",
        "ftp://example.com/x",
        "javascript:alert(1)",
        "data:,x",
    ] {
        world.write("sitemap.xml", &sitemap(&snapshot(url)));
        let report = world.try_sync(MONDAY);
        assert!(
            report.applied.is_empty() && world.held().is_empty(),
            "{report:?}"
        );
    }
}

#[test]
fn rejects_collections_from_hosts_that_are_not_allowed() {
    let mut world = World::published();
    world.options.collection_hosts = Some(Default::default());
    world.sync(MONDAY);
    assert_eq!(
        world.held(),
        world.truth(),
        "the site's own host is always allowed"
    );
    let mut world = World::empty();
    world.options.collection_hosts = Some(["cdn.example".to_owned()].into());
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot("https://evil.example/all.scp")),
    );
    let report = world.try_sync(MONDAY);
    let warnings = report.warnings.join("\n");
    assert!(
        warnings.contains("does not allow collections from `evil.example`"),
        "{warnings}"
    );
}

#[test]
fn cyclic_sitemap_indexes_terminate() {
    let world = World::empty();
    let base = world.base.clone();
    let index = |children: &[&str]| {
        let children: String = children
            .iter()
            .map(|child| format!("<sitemap><loc>{base}{child}</loc></sitemap>"))
            .collect();
        format!(
            "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{children}</sitemapindex>"
        )
    };
    world.write("sitemap.xml", &index(&["a.xml", "b.xml", "sitemap.xml"]));
    world.write("a.xml", &index(&["b.xml", "sitemap.xml"]));
    world.write("b.xml", &index(&["a.xml", "c.xml"]));
    world.write(
        "c.xml",
        "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><urlset>&a;</urlset>",
    );
    let start = Instant::now();
    let report = world.try_sync(MONDAY);
    assert!(report.requests < 30, "{report:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn aborts_an_endless_sitemap() {
    let mut world = World::empty();
    world.options.sitemap_limits.bytes = 100_000;
    world.intercept(|request| {
        (request.path == "/sitemap.xml")
            .then(|| Answer::text(200, "<urlset>".to_owned() + &" ".repeat(1_000_000)))
    });
    let report = world.try_sync(MONDAY);
    assert!(
        report
            .warnings
            .join("\n")
            .contains("larger than 100000 bytes"),
        "{report:?}"
    );
}

#[test]
fn malformed_sitemap_does_not_stop_the_sync() {
    let world = World::unpublished();
    world.write(
        "sitemap.xml",
        "<urlset><url><loc>javascript:alert(1)</loc></url><url><loc>\u{0}",
    );
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Html));
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/tea/"],
        "those that links lead to"
    );
}

#[test]
fn rejects_collection_with_another_checksum_than_the_sitemap() {
    let world = World::published();
    let path = world.site.path().join("sitemap.xml");
    let text = std::fs::read_to_string(path).unwrap();
    let wrong = format!("<scp:collection checksum=\"sha256:{}\" ", "ab".repeat(32));
    world.write("sitemap.xml", &text.replace("<scp:collection ", &wrong));
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct));
    assert!(
        report
            .warnings
            .join("\n")
            .contains("its checksum is sha256:"),
        "{report:?}"
    );
}

#[test]
fn rejected_page_of_a_collection_is_fetched_as_html() {
    let world = World::empty();
    let base = world.base.clone();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot(&format!("{base}all.scp"))),
    );
    let pages = [
        page(&format!("{base}own"), MONDAY),
        page(&format!("{base}odd/"), "last week"),
    ];
    world.write("all.scp", &collection(MONDAY, &pages));
    world.page("odd", &crate::world::words("odd things"));
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Scp));
    assert_eq!(world.paths(), ["/odd/", "/own"]);
    assert!(
        report
            .warnings
            .join("\n")
            .contains("fetching 1 page as HTML instead"),
        "{report:?}"
    );
}

#[test]
fn syncs_a_site_whose_collection_host_is_down() {
    let world = World::unpublished();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot("http://localhost:1/all.scp")),
    );
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Html));
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("no usable collection"), "{warnings}");
}

#[test]
fn rejected_pages_are_fetched_as_html_over_several_runs() {
    let mut world = World::empty();
    world.options.html_pages = 4;
    let base = world.base.clone();
    world.write(
        "sitemap.xml",
        &sitemap(&snapshot(&format!("{base}all.scp"))),
    );
    let mut pages = vec![page(&base, MONDAY)];
    for n in 0..10 {
        // An invalid time, so that the page is rejected.
        pages.push(page(&format!("{base}p{n}/"), "the other day"));
        world.page(
            &format!("p{n}"),
            &crate::world::words(&format!("number {n}")),
        );
    }
    world.write("all.scp", &collection(MONDAY, &pages));
    for (day, held) in [(5, 5), (6, 9), (7, 11), (8, 11)] {
        world.server.take_log();
        let report = world.sync(&format!("2026-01-{day:02}T10:00:00Z"));
        assert_eq!(world.held().len(), held, "{report:?}");
    }
    let asked = world.server.take_paths();
    assert!(
        !asked.iter().any(|path| path.starts_with("/p")),
        "{asked:?}"
    );
}
