//! Sites that offer only HTML.

use sitecast_index::{Index, OriginKind, SiteId};
use sitecast_sync::SyncError;
use sitecast_testserver::{Answer, Folder};

use crate::world::{MONDAY, TUESDAY, WEDNESDAY, World, html, words};

/// Writes a sitemap of the topics, all with this `lastmod` or with none.
fn sitemap(world: &World, topics: &[&str], lastmod: Option<&str>) {
    let dated = lastmod
        .map(|date| format!("<lastmod>{date}</lastmod>"))
        .unwrap_or_default();
    let urls: String = topics
        .iter()
        .map(|topic| format!("<url><loc>{}{topic}</loc>{dated}</url>", world.base))
        .collect();
    world.write("sitemap.xml", &format!("<urlset>{urls}</urlset>"));
}

const TOPICS: [&str; 5] = ["", "tea/", "coffee/", "water/", "milk/"];

fn pages_of(paths: Vec<String>) -> Vec<String> {
    let others = [
        "/robots.txt",
        "/sitemap.xml",
        "/llm-sitemap.json",
        "/.well-known/llm-sitemap.json",
    ];
    paths
        .into_iter()
        .filter(|path| !others.contains(&path.as_str()))
        .collect()
}

#[test]
fn fetches_and_extracts_pages_of_the_sitemap() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Html));
    assert_eq!((report.pages.new, report.pages.total), (5, 5));
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/milk/", "/tea/", "/water/"]
    );
    let tea = &world.held()[&format!("{}tea/", world.base)];
    assert!(
        tea.contains("worth knowing about tea") && !tea.contains("© 2025"),
        "{tea}"
    );
    let crawling = report.crawling.unwrap();
    assert!(crawling.bytes.is_some() && crawling.requests == 5);
}

#[test]
fn sends_conditional_requests_for_pages_without_lastmod() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.server.take_log();
    let report = world.sync(TUESDAY);
    let pages = report.pages;
    assert_eq!(
        (pages.new, pages.changed, pages.unchanged, pages.deleted),
        (0, 1, 4, 0)
    );
    let log = world.server.take_log();
    let conditional = log
        .iter()
        .filter(|r| r.header("if-none-match").is_some())
        .count();
    assert!(conditional >= 5, "{log:?}");
    assert!(world.held()[&format!("{}tea/", world.base)].contains("green tea"));
}

#[test]
fn does_not_request_pages_with_an_old_lastmod() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, Some("2026-01-02"));
    world.sync(MONDAY);
    world.server.take_log();
    world.sync(TUESDAY);
    assert_eq!(
        pages_of(world.server.take_paths()),
        [""; 0],
        "the sitemap is as it was"
    );
    world.page("tea", &words("green tea"));
    let dated = format!(
        "<urlset><url><loc>{0}</loc><lastmod>2026-01-02</lastmod></url>\
        <url><loc>{0}tea/</loc><lastmod>2026-01-07T08:00:00Z</lastmod></url></urlset>",
        world.base
    );
    world.write("sitemap.xml", &dated);
    let report = world.sync(WEDNESDAY);
    assert_eq!(pages_of(world.server.take_paths()), ["/tea/"]);
    let pages = report.pages;
    assert_eq!((pages.changed, pages.unchanged, pages.deleted), (1, 1, 3));
    assert_eq!(world.paths(), ["/", "/tea/"]);
}

#[test]
fn pages_of_all_sitemaps_of_an_index_are_fetched_and_later_only_the_sitemaps() {
    let world = World::unpublished();
    let list = |topics: &[&str]| {
        let url = |topic: &&str| {
            let lastmod = "<lastmod>2026-01-02</lastmod>";
            format!("<url><loc>{}{topic}</loc>{lastmod}</url>", world.base)
        };
        format!(
            "<urlset>{}</urlset>",
            topics.iter().map(url).collect::<String>()
        )
    };
    world.write("one.xml", &list(&TOPICS[..2]));
    world.write("two.xml", &list(&TOPICS[2..]));
    let child = |name: &str| format!("<sitemap><loc>{}{name}</loc></sitemap>", world.base);
    let index = format!(
        "<sitemapindex>{}{}</sitemapindex>",
        child("one.xml"),
        child("two.xml")
    );
    world.write("sitemap.xml", &index);
    assert_eq!(world.sync(MONDAY).pages.new, 5);
    world.server.take_log();
    world.sync(TUESDAY);
    assert_eq!(
        world.server.take_paths(),
        ["/robots.txt", "/sitemap.xml", "/one.xml", "/two.xml"]
    );
    assert_eq!(world.held().len(), 5);
}

/// The second run finds the sitemap unchanged, but must still fetch the pages that the first run missed.
#[test]
fn next_run_does_the_rest_of_a_failed_run() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, Some("2026-01-02"));
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    sitemap(&world, &TOPICS, Some("2026-01-06"));
    world.intercept(|request| {
        (request.path == "/").then(|| Answer::status(503).with("Retry-After", "60"))
    });
    assert!(world.try_sync(TUESDAY).error.is_some());
    world.behave();
    world.sync(WEDNESDAY);
    assert!(world.held()[&format!("{}tea/", world.base)].contains("green tea"));
}

#[test]
fn machine_page_that_a_page_links_to_replaces_its_html() {
    for by_header in [false, true] {
        let world = World::unpublished();
        world.publish(MONDAY);
        // Removes all files that lead to the machine pages.
        for name in ["sitemap.xml", "llm-sitemap.json", "robots.txt"] {
            std::fs::remove_file(world.site.path().join(name)).unwrap();
        }
        if by_header {
            for topic in TOPICS {
                let name = format!("{topic}index.html");
                let path = world.site.path().join(&name);
                let html = std::fs::read_to_string(path).unwrap();
                let start = html.find("<link rel=\"alternate\"").unwrap();
                let end = start + html[start..].find('>').unwrap() + 1;
                world.write(&name, &format!("{}{}", &html[..start], &html[end..]));
            }
            let folder = Folder::new(world.site.path());
            world.intercept(move |request| {
                let answer = folder.answer(request);
                Some(if request.path.ends_with('/') {
                    answer.with(
                        "Link",
                        "<llm.json>; rel=alternate; type=\"application/json\"",
                    )
                } else {
                    answer
                })
            });
        }
        let report = world.sync(MONDAY);
        assert_eq!(report.way, Some(OriginKind::Html));
        assert_eq!(report.warnings, [""; 0]);
        let site = SiteId::new(&world.base.parse().unwrap());
        let tea = format!("{}tea/", world.base);
        let facts = world.index.facts(&site, &tea).unwrap().unwrap();
        assert_eq!(facts.origin, OriginKind::Tct);
        assert!(facts.etag.unwrap().starts_with("\"sha256-"));
        let before = world.held();
        world.server.take_log();
        let report = world.sync(TUESDAY);
        assert_eq!((report.pages.changed, world.held() == before), (0, true));
    }
}

/// Every page of a WordPress site has such a link.
#[test]
fn tries_links_to_other_json_only_once() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    for topic in TOPICS {
        let alternate =
            "<link rel=alternate type='application/json' href='/wp-json/1'><meta charset";
        let page = html("Page", &words(topic)).replace("<meta charset", alternate);
        world.write(&format!("{topic}index.html"), &page);
    }
    world.write("wp-json/1", "{\"id\":1,\"title\":{\"rendered\":\"Page\"}}");
    let tried = || {
        let paths = world.server.take_paths();
        paths.iter().filter(|path| *path == "/wp-json/1").count()
    };
    let report = world.sync(MONDAY);
    assert_eq!((report.pages.new, tried()), (5, 1), "{report:?}");
    world.page("tea", &words("green tea"));
    world.sync(TUESDAY);
    assert_eq!(tried(), 0, "nor for a week");
}

#[test]
fn finds_json_sitemap_through_links_of_pages() {
    let world = World::unpublished();
    world.publish(MONDAY);
    for name in ["sitemap.xml", "robots.txt"] {
        std::fs::remove_file(world.site.path().join(name)).unwrap();
    }
    std::fs::rename(
        world.site.path().join("llm-sitemap.json"),
        world.site.path().join("elsewhere.json"),
    )
    .unwrap();
    let folder = Folder::new(world.site.path());
    world.intercept(move |request| {
        let answer = folder.answer(request);
        // The response to HEAD has no `Link` header.
        let names = request.method == "GET" && request.path.ends_with('/');
        Some(if names {
            answer.with(
                "Link",
                "</elsewhere.json>; rel=\"index\"; type=\"application/json\"",
            )
        } else {
            answer
        })
    });
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct), "{report:?}");
    assert_eq!(world.held().len(), 5);
    world.server.take_log();
    world.sync(TUESDAY);
    assert_eq!(
        world.server.take_paths(),
        ["/robots.txt", "/sitemap.xml", "/elsewhere.json"],
        "its place is remembered"
    );
}

#[test]
fn page_with_the_same_text_in_other_markup_is_unchanged() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    world.sync(MONDAY);
    let before = world.held();
    let other = html("tea", &words("tea")).replace("<nav>", "<nav class=\"new\">");
    world.write("tea/index.html", &other);
    let report = world.sync(TUESDAY);
    assert_eq!(report.pages.changed, 0);
    assert_eq!(world.held(), before);
}

#[test]
fn leaves_out_noindex_and_non_canonical_pages() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    world.sync(MONDAY);
    let noindex = html("tea", &words("tea")).replace(
        "<meta charset",
        "<meta name=robots content=noindex><meta charset",
    );
    world.write("tea/index.html", &noindex);
    world.intercept(|request| {
        (request.path == "/milk/")
            .then(|| Answer::html(html("milk", &words("milk"))).with("X-Robots-Tag", "noindex"))
    });
    let canonical = html("water", &words("water")).replace(
        "<meta charset",
        "<link rel=canonical href=/coffee/><meta charset",
    );
    world.write("water/index.html", &canonical);
    world.sync(TUESDAY);
    assert_eq!(world.paths(), ["/", "/coffee/"]);
}

#[test]
fn obeys_robots_txt() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    world.write("robots.txt", "User-agent: *\nDisallow: /milk/\n");
    let report = world.sync(MONDAY);
    assert_eq!(world.paths(), ["/", "/coffee/", "/tea/", "/water/"]);
    assert!(
        report.warnings.join("\n").contains("robots.txt disallows"),
        "{report:?}"
    );
    assert!(!world.server.take_paths().contains(&"/milk/".to_owned()));
}

#[test]
fn follows_links_within_the_site_and_the_limit_without_a_sitemap() {
    let world = World::unpublished();
    let home = html("Home", &words("the house")).replace(
        "</nav>",
        "<a href=/water/>W</a><a href='https://other.example/'>O</a><a rel=nofollow href=/milk/>M</a></nav>",
    );
    world.write("index.html", &home);
    let report = world.sync(MONDAY);
    assert_eq!(world.paths(), ["/", "/coffee/", "/tea/", "/water/"]);
    assert_eq!(report.way, Some(OriginKind::Html));
    // Later the server answers 304 for the homepage, without its links.
    world.page("tea", &words("green tea"));
    world.remove("coffee");
    let pages = world.sync(TUESDAY).pages;
    assert_eq!(world.paths(), ["/", "/tea/", "/water/"]);
    assert_eq!((pages.unchanged, pages.changed, pages.deleted), (2, 1, 1));
    let mut world = World::unpublished();
    world.options.html_pages = 2;
    let report = world.sync(MONDAY);
    assert_eq!(world.held().len(), 2);
    assert!(
        report.warnings.join("\n").contains("stopped after 2 pages"),
        "{report:?}"
    );
}

#[test]
fn deletes_missing_pages_and_keeps_failing_ones() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    world.sync(MONDAY);
    world.remove("milk");
    world.intercept(|request| (request.path == "/tea/").then(|| Answer::status(500)));
    let report = world.try_sync(TUESDAY);
    assert_eq!((report.failed_pages, report.pages.deleted), (1, 1));
    assert!(report.error.is_none() && !report.is_complete());
    assert_eq!(world.paths(), ["/", "/coffee/", "/tea/", "/water/"]);
}

#[test]
fn refuses_mass_deletion() {
    let world = World::unpublished();
    let names: Vec<String> = (0..30).map(|n| format!("page-{n}/")).collect();
    for name in &names {
        world.page(name.trim_end_matches('/'), &words(name));
    }
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    sitemap(&world, &all, None);
    world.sync(MONDAY);
    sitemap(&world, &all[..5], None);
    let error = world.try_sync(TUESDAY).error.unwrap();
    assert!(
        matches!(
            error,
            SyncError::MassDeletion {
                deletions: 25,
                pages: 30
            }
        ),
        "{error}"
    );
    assert_eq!(world.held().len(), 30);
}

#[test]
fn redirected_page_is_stored_under_its_target() {
    let world = World::unpublished();
    sitemap(&world, &["old/", "tea/"], None);
    world.intercept(|request| (request.path == "/old/").then(|| Answer::redirect("/coffee/")));
    world.sync(MONDAY);
    assert_eq!(world.paths(), ["/coffee/", "/tea/"]);
}

#[test]
fn requests_compressed_pages() {
    let world = World::unpublished();
    sitemap(&world, &TOPICS, None);
    let mut folder = sitecast_testserver::Folder::new(world.site.path());
    folder.gzip = true;
    world.intercept(move |request| Some(folder.answer(request)));
    world.sync(MONDAY);
    assert_eq!(world.held().len(), 5);
    let site = SiteId::new(&world.base.parse().unwrap());
    assert_eq!(
        world.index.state(&site).unwrap().unwrap().strategy,
        Some(OriginKind::Html)
    );
}
