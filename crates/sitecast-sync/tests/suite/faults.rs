//! Faults of servers, transfers and files. Each ends with a correct index, or with an unchanged index and a clear error.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sitecast_index::{Index, OriginKind, SiteId};
use sitecast_sync::{FailureKind, SyncError};
use sitecast_testserver::{Answer, Fault, Request};

use crate::world::{MONDAY, TUESDAY, WEDNESDAY, World, words};

fn is_collection(request: &Request) -> bool {
    request.path.contains(".scp")
}

/// Creates a site that is synced on Monday and publishes only a delta on Tuesday.
fn with_delta() -> World {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.server.take_log();
    world
}

/// Like [`with_delta`], with a new snapshot as well.
fn with_delta_and_snapshot() -> World {
    let mut world = with_delta();
    world.page("tea", &words("black tea"));
    world.publishing.full = true;
    world.publish(WEDNESDAY);
    world
}

#[test]
fn resumes_an_interrupted_transfer() {
    let world = World::published();
    static ANSWERS: AtomicU32 = AtomicU32::new(0);
    let site = sitecast_testserver::Folder::new(world.site.path());
    world.intercept(move |request| {
        let breaks = is_collection(request) && ANSWERS.fetch_add(1, Ordering::SeqCst) == 0;
        breaks.then(|| site.answer(request).with_fault(Fault::Truncate(100)))
    });
    world.sync(MONDAY);
    assert_eq!(world.held(), world.truth());
    let log = world.server.take_log();
    assert_eq!(log.last().unwrap().header("range"), Some("bytes=100-"));
}

#[test]
fn falls_back_to_the_other_compression_of_a_damaged_collection() {
    let world = World::published();
    let truth = world.truth();
    damage(&world, ".zst");
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Scp));
    assert!(report.warnings[0].contains("cannot be used"), "{report:?}");
    assert!(report.applied[0].url.ends_with(".gz"));
    assert_eq!(world.held(), truth);
}

/// Changes a byte in the middle of the collections whose names end with `end`.
fn damage(world: &World, end: &str) {
    for name in world.collections(end) {
        let path = world.site.path().join("scp").join(name);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn falls_back_to_other_sources_when_collections_fail() {
    let world = World::published();
    damage(&world, ".scp");
    let report = world.sync(MONDAY);
    // Machine pages come next.
    assert_eq!(report.way, Some(OriginKind::Tct));
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.contains("syncing collections failed, trying another way")),
        "{report:?}"
    );
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/milk/", "/tea/", "/water/"]
    );
}

#[test]
fn wrong_checksum_changes_nothing() {
    let world = with_delta();
    let before = world.held();
    // The collection is complete and well-formed but does not match its checksum, and the site offers nothing else.
    let generated = TUESDAY;
    let lie = format!(
        "{{\"collection\":{{\"id\":\"x\",\"section\":\"all\",\"type\":\"delta\",\"generated\":\"{generated}\",\
         \"since\":\"{MONDAY}\",\"checksum\":\"sha256:{}\",\"version\":\"0.1\"}}}}\n\
         {{\"url\":\"{}tea/\",\"title\":\"Lie\",\"description\":\"\",\"modified\":\"{generated}\",\"language\":\"en\",\"content\":[]}}\n",
        "0".repeat(64),
        world.base
    );
    let sitemap = without_pages(&world);
    world.intercept(move |request| match request.path.as_str() {
        "/robots.txt" => None,
        "/sitemap.xml" => Some(Answer::text(200, sitemap.clone())),
        _ if is_collection(request) => Some(Answer::text(200, lie.clone())),
        _ => Some(Answer::status(500)),
    });
    let report = world.try_sync(TUESDAY);
    let error = report.error.unwrap();
    assert_eq!(error.failure_kind(), FailureKind::Integrity, "{error}");
    assert!(error.to_string().contains("checksum mismatch"), "{error}");
    assert_eq!(world.held(), before);
    world.behave();
    world.sync(TUESDAY);
    assert_eq!(world.held(), world.truth(), "and the next sync mends it");
}

/// Returns the sitemap without its pages.
fn without_pages(world: &World) -> String {
    let sitemap = fs::read_to_string(world.site.path().join("sitemap.xml")).unwrap();
    let start = sitemap.find("<url>").unwrap();
    format!("{}</urlset>", &sitemap[..start])
}

#[test]
fn fatal_error_in_the_last_line_changes_nothing() {
    let world = with_delta();
    let before = world.held();
    let name = world
        .collections("delta")
        .into_iter()
        .find(|n| n.ends_with(".zst"))
        .unwrap();
    let bytes = fs::read(world.site.path().join("scp").join(name)).unwrap();
    let cut = bytes[..bytes.len() - 3].to_vec();
    let sitemap = without_pages(&world);
    world.intercept(move |request| match request.path.as_str() {
        "/robots.txt" => None,
        "/sitemap.xml" => Some(Answer::text(200, sitemap.clone())),
        _ if is_collection(request) => Some(Answer {
            body: cut.clone(),
            ..Answer::status(200)
        }),
        _ => Some(Answer::status(500)),
    });
    let report = world.try_sync(TUESDAY);
    assert_eq!(report.error.unwrap().failure_kind(), FailureKind::Integrity);
    assert_eq!(world.held(), before);
}

#[test]
fn falls_back_to_the_snapshot_when_deltas_have_expired() {
    let world = with_delta_and_snapshot();
    // Much later, the deltas have expired, but the snapshot is still offered.
    let sitemap = fs::read_to_string(world.site.path().join("sitemap.xml")).unwrap();
    let expired: String = sitemap
        .lines()
        .map(|line| {
            let is_delta = line.contains("<scp:delta");
            let expires = line.find("expires=\"").filter(|_| is_delta);
            match expires {
                Some(at) => {
                    let (before, after) = line.split_at(at + 9);
                    let after = &after[after.find('"').unwrap()..];
                    format!("{before}2026-01-06T11:00:00Z{after}\n")
                }
                None => format!("{line}\n"),
            }
        })
        .collect();
    assert_ne!(sitemap.trim(), expired.trim(), "there was a delta");
    world.write("sitemap.xml", &expired);
    let report = world.sync(WEDNESDAY);
    assert_eq!(report.applied[0].kind, "snapshot");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn falls_back_to_the_snapshot_when_deltas_are_missing() {
    let world = with_delta_and_snapshot();
    world.intercept(|request| request.path.contains("delta").then(|| Answer::status(404)));
    let report = world.sync(WEDNESDAY);
    assert_eq!(report.applied[0].kind, "snapshot");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn falls_back_to_the_snapshot_when_deltas_are_corrupted() {
    let world = with_delta_and_snapshot();
    for name in world.collections("delta") {
        fs::write(world.site.path().join("scp").join(name), "rubbish").unwrap();
    }
    let report = world.sync(WEDNESDAY);
    assert_eq!(report.applied[0].kind, "snapshot");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn failing_server_changes_nothing() {
    for fault in [
        Answer::status(500),
        Answer::status(503),
        Answer::status(200).with_fault(Fault::Close),
        Answer::status(200).with_fault(Fault::Silence(Duration::from_secs(5))),
    ] {
        let mut world = with_delta();
        world.fetching.attempts = 2;
        let before = world.held();
        let answer = fault.clone();
        world.intercept(move |_| Some(answer.clone()));
        let report = world.try_sync(TUESDAY);
        let error = report.error.unwrap();
        assert_eq!(
            error.failure_kind(),
            FailureKind::Network,
            "{fault:?}: {error}"
        );
        assert!(error.to_string().contains("robots.txt"), "{error}");
        assert_eq!(world.held(), before);
        world.behave();
        world.sync(TUESDAY);
        assert_eq!(world.held(), world.truth());
    }
}

#[test]
fn falls_back_when_collections_answer_500() {
    let world = World::published();
    world.intercept(|request| is_collection(request).then(|| Answer::status(500)));
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct));
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("answers 500"), "{warnings}");
    assert_eq!(world.held().len(), 5);
}

/// The fetch time of an HTML page must not block the version in a collection, and the first snapshot that was generated
/// later deletes pages that only the crawl found.
#[test]
fn pages_of_collections_replace_html_once_collections_work_again() {
    let mut world = World::published();
    world.sync(MONDAY);
    let published = world.held();
    let crawled_only = |request: &Request| match request.path.as_str() {
        "/robots.txt" => Some(Answer::status(404)),
        path if path.ends_with(".xml") || path.ends_with(".json") => Some(Answer::status(404)),
        "/" => Some(Answer::html(
            crate::world::html("Home", &words("the house"))
                .replace("</nav>", "<a href=/unlisted/>U</a></nav>"),
        )),
        "/tea/" => Some(Answer::html(crate::world::html(
            "tea",
            &words("crawled tea"),
        ))),
        "/milk/" => Some(Answer::status(404)),
        "/unlisted/" => Some(Answer::html(crate::world::html(
            "Unlisted",
            &words("what nobody publishes"),
        ))),
        _ => None,
    };
    world.intercept(crawled_only);
    let report = world.sync("2026-01-05T12:00:00Z");
    assert_eq!(report.way, Some(OriginKind::Html));
    assert_eq!(
        world.paths(),
        ["/", "/coffee/", "/tea/", "/unlisted/", "/water/"]
    );
    world.behave();
    // The collections are unchanged.
    let report = world.sync("2026-01-05T13:00:00Z");
    assert_eq!(report.way, Some(OriginKind::Scp));
    let mut held = world.held();
    assert!(held.remove(&format!("{}unlisted/", world.base)).is_some());
    assert_eq!(held, published);
    // A newer snapshot is downloaded although a delta would be smaller, because it shows deletions.
    world.page("tea", &words("green tea"));
    world.publishing.full = true;
    world.publish(TUESDAY);
    let report = world.sync(TUESDAY);
    assert_eq!(report.applied[0].kind, "snapshot");
    assert_eq!(world.held(), world.truth());
    // After that, deltas are used again.
    world.publishing.full = false;
    world.publishing.delta_share = 10.0;
    world.page("tea", &words("black tea"));
    world.publish(WEDNESDAY);
    assert_eq!(world.sync(WEDNESDAY).applied[0].kind, "delta");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn rejects_collections_without_a_page_of_the_site() {
    let world = World::published();
    let here = format!("{}nowhere/", world.base);
    let report = world.with_syncer(MONDAY, |syncer| syncer.sync(&here.parse().unwrap()));
    assert!(report.error.is_some());
    let warnings = report.warnings.join("\n");
    assert!(
        warnings.contains("it has no page of this site, and 5 pages of other sites"),
        "{warnings}"
    );
    assert!(world.held().is_empty());
}

#[test]
fn page_that_every_source_fails_on_does_not_undo_the_sync() {
    let world = World::published();
    let name = world
        .collections("snapshot")
        .into_iter()
        .find(|n| n.ends_with(".zst"));
    let path = world.site.path().join("scp").join(name.unwrap());
    let pages = crate::world::pages_of(&path);
    let mut text = format!(
        "{{\"collection\":{{\"id\":\"x\",\"section\":\"all\",\"type\":\"snapshot\",\"generated\":\"{MONDAY}\",\"version\":\"0.1\"}}}}\n"
    );
    for (url, line) in pages {
        let rejected = url.ends_with("/tea/");
        let line = if rejected {
            line.replace("\"modified\":\"2", "\"modified\":\"x")
        } else {
            line
        };
        text.push_str(&format!("{line}\n"));
    }
    world.intercept(move |request| match request.path.as_str() {
        "/tea/" => Some(Answer::status(503)),
        _ if is_collection(request) => Some(Answer::text(200, text.clone())),
        _ => None,
    });
    let report = world.try_sync(MONDAY);
    assert!(report.error.is_none(), "{report:?}");
    assert_eq!(
        (report.way, report.failed_pages),
        (Some(OriginKind::Scp), 1)
    );
    assert_eq!(world.paths(), ["/", "/coffee/", "/milk/", "/water/"]);
}

#[test]
fn waits_as_long_as_the_server_asks() {
    let world = World::published();
    world.intercept(|request| {
        (request.path != "/robots.txt").then(|| Answer::status(429).with("Retry-After", "7200"))
    });
    let report = world.try_sync(MONDAY);
    assert_eq!(report.error.unwrap().failure_kind(), FailureKind::Network);
    world.behave();
    world.server.take_log();
    let later = world.try_sync("2026-01-05T11:00:00Z");
    let error = later.error.unwrap();
    assert!(
        error.to_string().contains("before 2026-01-05T12:00:00Z"),
        "{error}"
    );
    assert_eq!(world.server.take_paths(), [""; 0]);
    world.sync("2026-01-05T12:00:01Z");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn warns_about_wrong_sizes() {
    let world = World::published();
    let sitemap = fs::read_to_string(world.site.path().join("sitemap.xml")).unwrap();
    let start = sitemap.find(" size=\"").unwrap() + 7;
    let end = start + sitemap[start..].find('"').unwrap();
    let lie = format!("{}{}{}", &sitemap[..start], "123", &sitemap[end..]);
    world.write("sitemap.xml", &lie);
    let report = world.sync(MONDAY);
    assert!(
        report.warnings[0].contains("not the 123 that the sitemap says"),
        "{report:?}"
    );
    assert_eq!(world.held(), world.truth());
}

#[test]
fn rejects_collection_much_larger_than_announced() {
    let world = World::published();
    let huge = "x".repeat(5 << 20);
    world.intercept(move |request| is_collection(request).then(|| Answer::text(200, huge.clone())));
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct));
    assert!(
        report.warnings.iter().any(|w| w.contains("is larger than")),
        "{report:?}"
    );
}

#[test]
fn aborts_a_collection_that_is_too_slow() {
    let mut world = World::published();
    world.fetching.attempts = 1;
    world.intercept(|request| {
        is_collection(request).then(|| {
            Answer::text(200, "x".repeat(900)).with_fault(Fault::Drip(Duration::from_millis(20)))
        })
    });
    let report = world.try_sync(MONDAY);
    // The site is slow, so the agent requests nothing else.
    let error = report.error.unwrap();
    assert_eq!(error.code(), "slow", "{error}");
    assert!(world.held().is_empty());
}

#[test]
fn aborts_redirect_loops() {
    let world = World::published();
    world.intercept(|request| {
        is_collection(request).then(|| Answer::redirect(request.path.clone()))
    });
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct));
    assert!(
        report.warnings.iter().any(|w| w.contains("in a circle")),
        "{report:?}"
    );
}

#[test]
fn refuses_redirects_to_private_addresses() {
    let mut world = World::published();
    // Treats 127.0.0.1 as a public address and 127.0.0.2 as a private one.
    world.fetching.addresses =
        sitecast_fetch::Addresses::PublicAnd(vec!["127.0.0.1".parse().unwrap()]);
    world.intercept(|request| {
        is_collection(request).then(|| Answer::redirect("http://127.0.0.2:9/secret"))
    });
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Tct));
    let warnings = report.warnings.join("\n");
    assert!(warnings.contains("not a public address"), "{warnings}");
    assert_eq!(world.held().len(), 5);
}

#[test]
fn rejects_collection_from_the_future() {
    let world = World::published();
    let report = world.try_sync("2025-11-01T00:00:00Z");
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.contains("is this machine's clock right?")),
        "{report:?}"
    );
    assert!(report.applied.is_empty());
    // A few hours are within the tolerance for clocks.
    world.sync("2026-01-05T02:00:00Z");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn replayed_snapshot_reverts_nothing() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    let old = world.site.path().join("old");
    fs::create_dir_all(&old).unwrap();
    let sitemap = fs::read(world.site.path().join("sitemap.xml")).unwrap();
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.sync(TUESDAY);
    let now = world.held();
    world.intercept(move |request| {
        (request.path == "/sitemap.xml").then(|| Answer {
            body: sitemap.clone(),
            ..Answer::status(200)
        })
    });
    world.sync(WEDNESDAY);
    assert_eq!(world.held(), now);
}

#[test]
fn remembers_retry_after_of_robots_txt() {
    let world = World::published();
    world.intercept(|_| Some(Answer::status(503).with("Retry-After", "3600")));
    let report = world.try_sync(MONDAY);
    assert!(
        report
            .error
            .unwrap()
            .to_string()
            .contains("wait for 3600 s")
    );
    let state = world.index.state(&site_of(&world)).unwrap().unwrap();
    let until = state.next_allowed.unwrap();
    assert!(
        until >= crate::world::time("2026-01-05T11:00:00Z"),
        "{until}"
    );
    world.behave();
    world.server.take_log();
    let report = world.try_sync("2026-01-05T10:30:00Z");
    assert!(
        matches!(report.error, Some(SyncError::Later { .. })),
        "{report:?}"
    );
    assert_eq!(world.server.take_paths(), [""; 0]);
    world.sync(TUESDAY);
}

#[test]
fn remembers_a_site_that_never_answered() {
    let world = World::published();
    world.intercept(|_| Some(Answer::status(200).with_fault(Fault::Close)));
    let report = world.try_sync(MONDAY);
    assert!(report.error.is_some() && report.bytes == 0, "{report:?}");
    let state = world.index.state(&site_of(&world)).unwrap().unwrap();
    assert_eq!(state.failures.count, 1);
    assert!(state.last_success.is_none() && state.failures.message.is_some());
}

#[test]
fn records_the_times_of_events() {
    let world = World::published();
    let folder = sitecast_testserver::Folder::new(world.site.path());
    world.intercept(move |request| {
        if is_collection(request) {
            std::thread::sleep(Duration::from_millis(500));
        }
        if request.path == "/robots.txt" {
            std::thread::sleep(Duration::from_millis(700));
        }
        Some(folder.answer(request))
    });
    world.sync(MONDAY);
    let state = world.index.state(&site_of(&world)).unwrap().unwrap();
    assert!(state.last_success.unwrap() > crate::world::time(MONDAY));
    assert_eq!(state.last_attempt, state.last_success);
}

#[test]
fn distinguishes_disallowed_redirected_and_missing_sites() {
    let messages = ["disallowed", "circle", "missing"].map(|what| {
        let world = World::empty();
        world.intercept(move |request| {
            Some(match (what, request.path.as_str()) {
                ("disallowed", "/robots.txt") => Answer::text(200, "User-agent: *\nDisallow: /\n"),
                ("circle", "/a") => Answer::redirect("/b"),
                ("circle", "/b") => Answer::redirect("/a"),
                ("circle", "/") => Answer::redirect("/a"),
                _ => Answer::status(404),
            })
        });
        let error = world.try_sync(MONDAY).error.unwrap();
        (error.code(), error.to_string())
    });
    let [disallowed, circle, missing] = messages;
    assert_eq!(
        (disallowed.0, circle.0, missing.0),
        ("robots-txt", "redirect", "status")
    );
    assert!(
        disallowed
            .1
            .contains("the site's robots.txt allows no page"),
        "{disallowed:?}"
    );
    assert!(circle.1.contains("redirects in a circle"), "{circle:?}");
    assert!(missing.1.contains("answers 404"), "{missing:?}");
}

fn site_of(world: &World) -> SiteId {
    SiteId::new(&world.base.parse().unwrap())
}
