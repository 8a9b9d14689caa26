//! Sites with machine pages and no collections.

use std::sync::atomic::{AtomicBool, Ordering};

use sitecast_index::OriginKind;
use sitecast_publish::SitemapForm;
use sitecast_testserver::{Answer, Folder, Request};

use crate::world::{MONDAY, TUESDAY, World, words};

/// Publishes a site with machine pages, and without sitemap.xml and robots.txt, so that no collections are found.
fn world() -> World {
    let mut world = World::unpublished();
    world.publishing.artefacts.sitemap = SitemapForm::Off;
    world.publishing.artefacts.robots_txt = false;
    world.publish(MONDAY);
    world
}

fn machine_paths(world: &World) -> Vec<String> {
    let paths = world.server.take_paths();
    paths
        .into_iter()
        .filter(|path| path.ends_with("llm.json"))
        .collect()
}

fn is_tea(request: &Request) -> bool {
    request.path == "/tea/llm.json"
}

#[test]
fn machine_pages_are_found_through_the_homepage() {
    let world = world();
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct));
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/milk/", "/tea/", "/water/"]
    );
    let tea = &world.held()[&format!("{}tea/", world.base)];
    assert!(tea.contains("worth knowing about tea"), "{tea}");
    let log = world.server.take_log();
    assert!(
        log.iter()
            .any(|request| request.method == "HEAD" && request.path == "/")
    );
}

#[test]
fn does_not_fetch_machine_pages_with_the_same_hash() {
    let world = world();
    world.sync(MONDAY);
    world.server.take_log();
    let report = world.sync(TUESDAY);
    assert!(report.requests <= 3, "{:?}", world.server.take_log());
    assert_eq!(machine_paths(&world), [""; 0]);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    let report = world.sync(TUESDAY);
    let log = world.server.take_log();
    let asked: Vec<&Request> = log
        .iter()
        .filter(|r| r.path.ends_with("llm.json"))
        .collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/tea/llm.json");
    let pages = report.pages;
    assert_eq!((pages.changed, pages.unchanged, pages.new), (1, 4, 0));
    assert!(world.held()[&format!("{}tea/", world.base)].contains("green tea"));
}

#[test]
fn finds_json_sitemap_through_robots_txt() {
    let world = world();
    std::fs::rename(
        world.site.path().join("llm-sitemap.json"),
        world.site.path().join("machines.json"),
    )
    .unwrap();
    world.write(
        "robots.txt",
        &format!("Sitemap: {}machines.json\n", world.base),
    );
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct), "{report:?}");
    assert_eq!(report.warnings, [""; 0]);
    assert_eq!(world.held().len(), 5);
}

#[test]
fn agents_must_not_recompute_the_fingerprint_from_html() {
    let world = world();
    world.sync(MONDAY);
    let paths = world.server.take_paths();
    let html: Vec<&String> = paths.iter().filter(|path| path.ends_with('/')).collect();
    // The agent finds the JSON sitemap through a HEAD request for the homepage.
    assert_eq!(html, ["/"], "{paths:?}");
}

#[test]
fn next_run_does_the_rest_of_a_failed_run() {
    let world = world();
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.intercept(|request| {
        is_tea(request).then(|| Answer::status(503).with("Retry-After", "60"))
    });
    assert!(world.try_sync(TUESDAY).error.is_some());
    world.behave();
    world.sync("2026-01-07T10:00:00Z");
    assert!(world.held()[&format!("{}tea/", world.base)].contains("green tea"));
}

#[test]
fn unreadable_part_of_the_json_sitemap_deletes_nothing() {
    let world = world();
    let whole = std::fs::read_to_string(world.site.path().join("llm-sitemap.json")).unwrap();
    let index = format!(
        "{{\"version\":1,\"profile\":\"tct-1\",\"sitemaps\":[{{\"url\":\"{0}one.json\"}},{{\"url\":\"{0}two.json\"}}]}}",
        world.base
    );
    // Each item is in one part: the homepage in the first, the others in two more.
    let items: serde_json::Value = serde_json::from_str(&whole).unwrap();
    let items = items["items"].as_array().unwrap();
    let part = |items: &[serde_json::Value]| {
        serde_json::json!({"version": 1, "profile": "tct-1", "items": items}).to_string()
    };
    world.write("llm-sitemap.json", &index);
    world.write("one.json", &part(&items[..1]));
    world.write("two.json", &part(&items[1..]));
    let report = world.sync(MONDAY);
    assert_eq!((report.pages.new, report.way), (5, Some(OriginKind::Tct)));
    world.write(
        "two.json",
        "{\"version\":1,\"profile\":\"tct-1\",\"items\":[oh no",
    );
    let report = world.sync(TUESDAY);
    assert_eq!(
        (report.pages.deleted, world.held().len()),
        (0, 5),
        "{report:?}"
    );
    assert!(
        report.warnings.join("\n").contains("two.json"),
        "{report:?}"
    );
}

/// With the hash of the sitemap, as in the draft's example, the server would answer 304 and the agent would keep stale text.
#[test]
fn conditional_request_sends_tag_of_the_copy_not_of_the_sitemap() {
    let world = world();
    world.sync(MONDAY);
    let before = std::fs::read_to_string(world.site.path().join("tea/llm.json")).unwrap();
    let ours = before
        .split("\"hash\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.server.take_log();
    world.sync(TUESDAY);
    let log = world.server.take_log();
    let asked = log.iter().find(|request| is_tea(request)).unwrap();
    assert_eq!(
        asked.header("if-none-match"),
        Some(format!("\"{ours}\"").as_str())
    );
}

#[test]
fn deletes_unlisted_pages_and_pages_that_answer_410() {
    let world = world();
    world.sync(MONDAY);
    world.remove("milk");
    world.publish(TUESDAY);
    let report = world.sync(TUESDAY);
    assert_eq!(report.pages.deleted, 1);
    assert_eq!(world.paths(), ["/", "/coffee/", "/tea/", "/water/"]);
    world.intercept(|request| is_tea(request).then(|| Answer::status(410)));
    world.write(
        "tea/index.html",
        &crate::world::html("tea", &words("white tea")),
    );
    world.publish("2026-01-08T10:00:00Z");
    world.sync("2026-01-08T10:00:00Z");
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/water/"],
        "410 deletes the page"
    );
}

/// Defects of a machine page; the page is fetched as HTML instead.
#[test]
fn agents_must_verify_canonical_link_and_parity_before_they_keep_a_machine_page() {
    type Spoil = fn(Answer) -> Answer;
    let cases: [(&str, Spoil); 6] = [
        ("no `Link` header", |mut answer| {
            answer.headers.retain(|(name, _)| name != "Link");
            answer
        }),
        ("names another page", |mut answer| {
            answer.headers.retain(|(name, _)| name != "Link");
            answer.with("Link", "<https://other.example/>; rel=\"canonical\"")
        }),
        ("no entity tag", |mut answer| {
            answer.headers.retain(|(name, _)| name != "ETag");
            answer
        }),
        ("differs from its entity tag", |mut answer| {
            answer.headers.retain(|(name, _)| name != "ETag");
            answer.with("ETag", "\"sha256-other\"")
        }),
        ("does not match its hash", |mut answer| {
            let text = String::from_utf8(answer.body).unwrap();
            answer.body = text.replace("worth knowing", "worth hiding").into_bytes();
            answer
        }),
        ("not usable JSON", |mut answer| {
            answer.body.truncate(20);
            answer
        }),
    ];
    for (why, spoil) in cases {
        let world = world();
        let folder = Folder::new(world.site.path());
        world.intercept(move |request| is_tea(request).then(|| spoil(folder.answer(request))));
        let report = world.sync(MONDAY);
        let warnings = report.warnings.join("\n");
        assert!(warnings.contains(why), "{why}: {warnings}");
        let tea = &world.held()[&format!("{}tea/", world.base)];
        assert!(tea.contains("worth knowing about tea"), "{why}: {tea}");
        assert!(
            world.server.take_paths().contains(&"/tea/".to_owned()),
            "{why}"
        );
    }
}

/// nginx, Caddy and static hosts cannot compute the hash, so the agent verifies the hash in the page itself.
#[test]
fn accepts_page_with_an_entity_tag_of_the_host() {
    let world = world();
    let folder = Folder::new(world.site.path());
    world.intercept(move |request| {
        request.path.ends_with("llm.json").then(|| {
            let mut answer = folder.answer(request);
            answer.headers.retain(|(name, _)| name != "ETag");
            answer.with("ETag", "\"65a4f5c0-1f4\"")
        })
    });
    let report = world.sync(MONDAY);
    assert_eq!(report.warnings, Vec::<String>::new());
    assert!(!world.server.take_paths().contains(&"/tea/".to_owned()));
    // Pages whose hash in the sitemap is unchanged are not requested again.
    world.sync(TUESDAY);
    let asked = world.server.take_paths();
    assert!(
        !asked.iter().any(|path| path.ends_with("/llm.json")),
        "{asked:?}"
    );
}

#[test]
fn stale_cache_is_bypassed_and_reverts_nothing() {
    let world = world();
    world.sync(MONDAY);
    let folder = Folder::new(world.site.path());
    let asked = Request {
        method: "GET".to_owned(),
        path: "/tea/llm.json".to_owned(),
        headers: Vec::new(),
    };
    let old = folder.answer(&asked);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.sync(TUESDAY);
    world.page("tea", &words("black tea"));
    world.publish("2026-01-08T10:00:00Z");
    // A cache on the way has the first version, and revalidates only if the request says so.
    static PAST: AtomicBool = AtomicBool::new(false);
    world.intercept(move |request| {
        let past = request.header("cache-control") == Some("no-cache");
        PAST.fetch_or(past && is_tea(request), Ordering::SeqCst);
        (is_tea(request) && !past).then(|| old.clone())
    });
    world.sync("2026-01-08T10:00:00Z");
    assert!(PAST.load(Ordering::SeqCst));
    assert!(world.held()[&format!("{}tea/", world.base)].contains("black tea"));
    // A cache that never revalidates cannot revert the page.
    let old = {
        let file = std::fs::read(world.site.path().join("tea/llm.json")).unwrap();
        assert!(String::from_utf8(file).unwrap().contains("black tea"));
        folder.answer(&asked)
    };
    world.page("tea", &words("white tea"));
    world.publish("2026-01-09T10:00:00Z");
    world.behave();
    world.sync("2026-01-09T10:00:00Z");
    world.page("tea", &words("red tea"));
    world.publish("2026-01-10T10:00:00Z");
    world.intercept(move |request| is_tea(request).then(|| old.clone()));
    let report = world.sync("2026-01-10T10:00:00Z");
    assert!(world.held()[&format!("{}tea/", world.base)].contains("white tea"));
    assert!(
        report
            .warnings
            .join("\n")
            .contains("older than the copy in the index"),
        "{report:?}"
    );
}

#[test]
fn honours_the_preferred_source() {
    let mut world = World::published();
    world.options.prefer = Some(OriginKind::Tct);
    assert_eq!(world.sync(MONDAY).way, Some(OriginKind::Tct));
    let mut world = World::published();
    world.options.prefer = Some(OriginKind::Html);
    assert_eq!(world.sync(MONDAY).way, Some(OriginKind::Html));
}

/// Makes the server behave like a static host that sets neither `Link` nor the entity tags of Sitecast.
fn without_links(world: &World) {
    let folder = Folder::new(world.site.path());
    world.intercept(move |request| {
        let mut answer = folder.answer(request);
        if request.path.ends_with("llm.json") {
            answer.headers.retain(|(name, _)| {
                !name.eq_ignore_ascii_case("link") && !name.eq_ignore_ascii_case("etag")
            });
            answer = answer.with("ETag", "\"65a0-1f3\"");
        }
        Some(answer)
    });
}

/// Publishes fifty pages and the homepage.
fn large_world() -> World {
    let mut world = World::unpublished();
    for number in 0..45 {
        world.page(
            &format!("page-{number}"),
            &words(&format!("number {number}")),
        );
    }
    world.publishing.artefacts.sitemap = SitemapForm::Off;
    world.publishing.artefacts.robots_txt = false;
    world.publish(MONDAY);
    world
}

#[test]
fn stops_requesting_machine_pages_if_the_first_have_no_link() {
    let world = large_world();
    without_links(&world);
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Html), "{report:?}");
    assert_eq!(world.held().len(), 50);
    let paths = world.server.take_paths();
    let machine = paths
        .iter()
        .filter(|path| path.ends_with("llm.json"))
        .count();
    assert_eq!(machine, 3, "{paths:?}");
    assert!(paths.len() < 60, "{} requests: {paths:?}", paths.len());
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.contains("`canonical = \"lenient\"`")),
        "{report:?}"
    );
    // The agent remembers this: after the next change it requests no machine page.
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.sync(TUESDAY);
    assert_eq!(machine_paths(&world), [""; 0]);
    assert!(world.held()[&format!("{}tea/", world.base)].contains("green tea"));
}

#[test]
fn lenient_accepts_machine_pages_without_a_link() {
    let mut world = large_world();
    without_links(&world);
    world.options.canonical = sitecast_sync::CanonicalRule::Lenient;
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct), "{report:?}");
    assert_eq!(world.held().len(), 50);
    assert_eq!(machine_paths(&world).len(), 50);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.sync(TUESDAY);
    assert_eq!(machine_paths(&world), ["/tea/llm.json"]);
}

#[test]
fn lenient_rejects_machine_pages_of_another_page() {
    for lie in ["link", "body", "hash"] {
        let mut world = world();
        world.options.canonical = sitecast_sync::CanonicalRule::Lenient;
        let folder = Folder::new(world.site.path());
        let base = world.base.clone();
        world.intercept(move |request| {
            let mut answer = folder.answer(request);
            if !is_tea(request) {
                return Some(answer);
            }
            answer
                .headers
                .retain(|(name, _)| !name.eq_ignore_ascii_case("link"));
            let text = String::from_utf8(answer.body.clone()).unwrap();
            Some(match lie {
                "link" => answer.with("Link", format!("<{base}coffee/>; rel=\"canonical\"")),
                "body" => Answer::text(200, text.replace("/tea/", "/coffee/")),
                _ => Answer::text(200, text.replace("worth knowing", "false")),
            })
        });
        let report = world.try_sync(MONDAY);
        let asked = world.server.take_paths();
        assert!(asked.contains(&"/tea/".to_owned()), "{lie}: {asked:?}");
        assert!(
            report.warnings.iter().any(|w| w.contains("/tea/llm.json")),
            "{lie}: {report:?}"
        );
        let tea = &world.held()[&format!("{}tea/", world.base)];
        assert!(tea.contains("worth knowing about tea"), "{lie}: {tea}");
    }
}

/// Returns the days on which the site is synced.
fn days() -> impl Iterator<Item = String> {
    (6..20).map(|day| format!("2026-01-{day:02}T10:00:00Z"))
}

#[test]
fn fetches_all_html_over_several_runs_if_machine_pages_fail() {
    for most in [60, 20] {
        let mut world = large_world();
        world.intercept(|request| {
            request
                .path
                .ends_with("llm.json")
                .then(|| Answer::status(404))
        });
        world.options.html_pages = most;
        for day in days() {
            let report = world.sync(&day);
            assert!(report.pages.total > 0, "{report:?}");
            let asked = world.server.take_paths();
            let asked = asked
                .iter()
                .filter(|path| path.len() > 1 && path.ends_with('/'));
            assert!(asked.count() as u64 <= most, "{report:?}");
        }
        assert_eq!(world.held().len(), 50, "{most}: {:?}", world.paths());
        // After that, nothing is left to do.
        let report = world.sync("2026-01-20T10:00:00Z");
        assert!(report.requests < 5, "{:?}", world.server.take_paths());
    }
}

#[test]
fn permanent_failures_do_not_keep_other_pages_from_being_fetched() {
    let mut world = large_world();
    let folder = Folder::new(world.site.path());
    world.intercept(move |request| {
        if request.path.starts_with("/page-1") && !request.path.ends_with("llm.json") {
            return Some(Answer::status(404));
        }
        let mut answer = folder.answer(request);
        if request.path.ends_with("llm.json") {
            answer.headers.retain(|(name, _)| name != "Link");
        }
        Some(answer)
    });
    world.options.html_pages = 9;
    for day in days() {
        world.sync(&day);
    }
    // All except `page-1` and `page-10` to `page-19`.
    assert_eq!(world.held().len(), 50 - 11, "{:?}", world.paths());
}

#[test]
fn does_not_request_unchanged_pages_without_links() {
    let world = large_world();
    without_links(&world);
    world.sync(TUESDAY);
    world.page("tea", &words("green tea"));
    world.publish("2026-01-07T10:00:00Z");
    world.server.take_log();
    let report = world.sync("2026-01-08T10:00:00Z");
    assert!(report.requests < 10, "{:?}", world.server.take_paths());
    assert!(world.held()[&format!("{}tea/", world.base)].contains("green tea"));
}
