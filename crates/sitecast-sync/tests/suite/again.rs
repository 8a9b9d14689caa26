//! First and repeated syncs of collections.

use sitecast_index::{Index, OriginKind, Quota, SiteId};
use sitecast_sync::{FailureKind, Job, SyncError};
use std::time::Duration;

use crate::world::{MONDAY, TUESDAY, WEDNESDAY, World, html, words};

#[test]
fn first_sync_downloads_the_snapshot_and_equals_the_publication() {
    let world = World::published();
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(OriginKind::Scp));
    assert_eq!((report.pages.new, report.pages.total), (5, 5));
    assert_eq!(report.warnings, [""; 0]);
    let paths = world.server.take_paths();
    assert_eq!(paths[..2], ["/robots.txt", "/sitemap.xml"]);
    assert!(
        paths[2].contains("snapshot") && paths[2].ends_with(".scp.zst"),
        "{paths:?}"
    );
    assert_eq!(paths.len(), 3);
    assert_eq!(report.requests, 3);
    assert_eq!(world.held(), world.truth());
}

#[test]
fn finds_collections_through_robots_txt_and_in_an_index() {
    let index = |world: &World, child: &str| {
        format!(
            "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>{0}{child}</loc></sitemap>\
             <sitemap><loc>{0}never-looked-at.xml</loc></sitemap></sitemapindex>",
            world.base
        )
    };
    for in_index in [false, true] {
        let world = World::published();
        let truth = world.truth();
        let moved = world.site.path().join("moved.xml");
        std::fs::rename(world.site.path().join("sitemap.xml"), moved).unwrap();
        if in_index {
            world.write("sitemap.xml", &index(&world, "moved.xml"));
            std::fs::remove_file(world.site.path().join("robots.txt")).unwrap();
        } else {
            world.write("robots.txt", &format!("Sitemap: {}moved.xml\n", world.base));
        }
        let report = world.sync(MONDAY);
        assert_eq!(report.way, Some(OriginKind::Scp), "{report:?}");
        assert_eq!(report.requests, 3 + u64::from(in_index));
        assert_eq!(world.held(), truth);
    }
}

#[test]
fn first_sync_also_applies_deltas_after_the_snapshot() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.page("tea", &words("green tea"));
    world.remove("milk");
    world.publish(TUESDAY);
    world.page("juice", &words("juice"));
    world.publish(WEDNESDAY);
    let url = world.base.parse().unwrap();
    let explained = world
        .with_syncer(WEDNESDAY, |syncer| syncer.explain(&url))
        .unwrap();
    let planned = &explained.sections[0].intent;
    assert_eq!(
        (planned.take, planned.urls.len()),
        ("snapshot", 3),
        "{planned:?}"
    );
    let report = world.sync(WEDNESDAY);
    let kinds: Vec<&str> = report.applied.iter().map(|applied| applied.kind).collect();
    assert_eq!(kinds, ["snapshot", "delta", "delta"]);
    assert_eq!(planned.urls.len(), report.applied.len());
    assert_eq!(world.held(), world.truth());
    assert_eq!(world.sync(WEDNESDAY).applied, []);
}

#[test]
fn damaged_delta_does_not_undo_the_snapshot() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.intercept(|request| {
        request
            .path
            .contains("delta")
            .then(|| sitecast_testserver::Answer::text(200, "rubbish"))
    });
    let report = world.sync(TUESDAY);
    assert_eq!((report.way, report.pages.total), (Some(OriginKind::Scp), 5));
    assert!(!report.warnings.is_empty());
    world.behave();
    world.sync(TUESDAY);
    assert_eq!(world.held(), world.truth());
}

#[test]
fn second_sync_downloads_only_the_delta_and_deletes_pages() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.page("juice", &words("juice"));
    world.remove("milk");
    world.publish(TUESDAY);
    world.server.take_log();
    let report = world.sync(TUESDAY);
    let paths = world.server.take_paths();
    assert_eq!(paths.len(), 3, "{paths:?}");
    assert!(
        paths[2].contains("delta") && paths[2].ends_with(".zst"),
        "{paths:?}"
    );
    let pages = report.pages;
    assert_eq!(
        (pages.new, pages.changed, pages.deleted, pages.total),
        (1, 1, 1, 5)
    );
    assert_eq!(world.held(), world.truth());
    assert_eq!(report.applied[0].kind, "delta");
}

#[test]
fn unchanged_site_takes_at_most_three_requests_and_no_page() {
    let world = World::published();
    world.sync(MONDAY);
    world.server.take_log();
    let report = world.sync(TUESDAY);
    let log = world.server.take_log();
    assert!(report.requests <= 3 && log.len() <= 3, "{log:?}");
    let paths: Vec<&str> = log.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/robots.txt", "/sitemap.xml"]);
    assert!(log[1].header("if-none-match").is_some(), "{log:?}");
    assert!(report.bytes < 1_000, "{report:?}");
    assert_eq!(report.pages.total, 5);
}

#[test]
fn missed_deltas_are_applied_in_order() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    world.page("tea", &words("black tea"));
    world.remove("milk");
    world.publish(WEDNESDAY);
    world.server.take_log();
    let report = world.sync(WEDNESDAY);
    let kinds: Vec<&str> = report.applied.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, ["delta", "delta"]);
    assert_eq!(world.held(), world.truth());
}

/// SCP draft 3, "Delta Application": a page of the same time or an older one is ignored.
#[test]
fn delta_must_not_replace_page_of_same_or_later_time() {
    let world = World::published();
    world.sync(MONDAY);
    let before = world.held();
    let delta = |generated: &str, modified: &str| {
        let mut text = format!(
            "{{\"collection\":{{\"id\":\"x\",\"section\":\"all\",\"type\":\"delta\",\"generated\":\"{generated}\",\
             \"since\":\"{MONDAY}\",\"version\":\"0.1\"}}}}\n"
        );
        for topic in ["tea", "juice"] {
            text.push_str(&format!(
                "{{\"url\":\"{}{topic}/\",\"title\":\"Delta\",\"description\":\"\",\"modified\":\"{modified}\",\
                 \"language\":\"en\",\"content\":[{{\"type\":\"text\",\"text\":\"x\"}}]}}\n",
                world.base
            ));
        }
        world.write("delta.scp", &text);
        let sitemap = format!(
            "<urlset xmlns:scp=\"https://scp-protocol.org/schemas/sitemap/1.0\"><scp:delta section=\"all\" period=\"day\" \
             url=\"{}delta.scp\" generated=\"{generated}\" since=\"{MONDAY}\" pages=\"2\" size=\"{}\"/></urlset>",
            world.base,
            text.len()
        );
        world.write("sitemap.xml", &sitemap);
    };
    let tea = format!("{}tea/", world.base);
    let modified = |line: &str| {
        let start = line.find("\"modified\":\"").unwrap() + 12;
        line[start..start + 20].to_owned()
    };
    let same = modified(&before[&tea]);
    for (now, time, taken) in [
        ("2026-01-06T08:00:00Z", "2001-01-01T00:00:00Z", false),
        ("2026-01-06T09:00:00Z", same.as_str(), false),
        (TUESDAY, "2026-01-06T09:30:00Z", true),
    ] {
        delta(now, time);
        let report = world.sync(now);
        assert_eq!(report.applied.len(), 1, "{report:?}");
        let held = world.held();
        assert_eq!(held[&tea] != before[&tea], taken, "{time}");
        // A page that the index does not have is inserted, whatever its time.
        assert!(held.contains_key(&format!("{}juice/", world.base)));
    }
}

#[test]
fn collection_is_not_downloaded_again_after_a_304() {
    let world = World::published();
    world.sync(MONDAY);
    let before = world.held();
    // The sitemap announces a newer collection under the same name, but the server answers 304.
    let path = world.site.path().join("sitemap.xml");
    let sitemap = std::fs::read_to_string(path).unwrap();
    world.write("sitemap.xml", &sitemap.replace(MONDAY, TUESDAY));
    world.server.take_log();
    let report = world.sync("2026-01-20T10:00:00Z");
    let log = world.server.take_log();
    let asked = log.iter().find(|request| request.path.contains("/scp/"));
    assert!(asked.unwrap().header("if-none-match").is_some(), "{log:?}");
    assert!(
        report.bytes < 6_000 && report.applied.is_empty(),
        "{report:?}"
    );
    assert_eq!(world.held(), before);
}

#[test]
fn rejects_collection_that_is_already_applied() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.publish(TUESDAY);
    assert_eq!(world.sync(TUESDAY).applied.len(), 1);
    let again = world.sync(TUESDAY);
    assert_eq!((again.applied.len(), again.pages.changed), (0, 0));
}

#[test]
fn downloads_the_snapshot_when_it_is_due() {
    let mut world = World::published();
    world.publishing.delta_share = 10.0;
    world.sync(MONDAY);
    world.page("tea", &words("green tea"));
    world.publishing.full = true;
    world.publish(TUESDAY);
    world.options.snapshot_every = Duration::from_secs(3600);
    let report = world.sync(TUESDAY);
    assert_eq!(report.applied[0].kind, "snapshot");
    assert_eq!(world.held(), world.truth());
}

#[test]
fn refuses_mass_deletion_unless_it_is_allowed() {
    let mut world = World::unpublished();
    for number in 0..30 {
        world.page(
            &format!("page-{number}"),
            &words(&format!("number {number}")),
        );
    }
    world.publish(MONDAY);
    world.sync(MONDAY);
    let before = world.held();
    for number in 0..28 {
        world.remove(&format!("page-{number}"));
    }
    world.publishing.mass_deletion = true;
    world.publish(TUESDAY);
    let report = world.try_sync(TUESDAY);
    let error = report.error.unwrap();
    assert!(
        matches!(
            error,
            SyncError::MassDeletion {
                deletions: 28,
                pages: 35
            }
        ),
        "{error}"
    );
    assert_eq!(error.failure_kind(), FailureKind::Refused);
    assert_eq!(world.held(), before);
    world.options.allow_deletions = true;
    let report = world.sync(TUESDAY);
    assert_eq!(report.pages.deleted, 28);
    assert_eq!(world.held(), world.truth());
}

#[test]
fn follows_the_sections_in_the_options() {
    let mut world = World::unpublished();
    for number in 0..3 {
        world.page(&format!("blog/{number}"), &words(&format!("post {number}")));
    }
    world.publishing.sections.push(sitecast_publish::Section {
        name: "blog".parse().unwrap(),
        paths: vec!["/blog/**".to_owned()],
        ..sitecast_publish::Section::all()
    });
    world.publish(MONDAY);
    world.options.sections = vec!["blog".to_owned()];
    world.sync(MONDAY);
    assert_eq!(world.paths(), ["/blog/0/", "/blog/1/", "/blog/2/"]);
    world.options.sections = vec!["shop".to_owned()];
    let error = world.try_sync(MONDAY).error.unwrap();
    assert!(error.to_string().contains("it has all, blog"), "{error}");
    world.options.sections = Vec::new();
    world.sync(TUESDAY);
    assert_eq!(world.held(), world.truth(), "the widest one has all");
}

#[test]
fn enforces_quotas_and_retention() {
    let mut world = World::published();
    world.options.quota = Quota {
        pages: Some(3),
        bytes: None,
    };
    let report = world.sync(MONDAY);
    assert_eq!(world.held().len(), 3);
    assert!(
        report.warnings[0].contains("2 pages deleted: the site is over its quota"),
        "{report:?}"
    );
    let mut world = World::published();
    world.options.retention = Some(Duration::from_secs(3600));
    world.sync(WEDNESDAY);
    assert_eq!(world.held().len(), 0, "all were modified on Monday");
}

#[test]
fn rejects_site_that_another_process_is_syncing() {
    let world = World::published();
    world.with_syncer(MONDAY, |syncer| {
        let site = SiteId::new(&world.base.parse().unwrap());
        let hash = sitecast_tct::ContentHash::of(site.as_str().as_bytes()).to_string();
        let folder = syncer.scratch.join(&hash["sha256-".len()..][..20]);
        std::fs::create_dir_all(&folder).unwrap();
        let lock = std::fs::File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let error = syncer.sync(&world.base.parse().unwrap()).error.unwrap();
        assert!(matches!(error, SyncError::Busy { .. }), "{error}");
    });
    world.sync(MONDAY);
}

#[test]
fn concurrent_syncs_return_a_report_for_each_site() {
    let worlds = [World::published(), World::published(), World::published()];
    let mut sites: Vec<_> = worlds.iter().map(|w| w.base.parse().unwrap()).collect();
    sites.push("http://127.0.0.1:1/".parse().unwrap());
    let here = &worlds[0];
    let reports = here.with_syncer(MONDAY, |syncer| {
        let options = syncer.options;
        let jobs: Vec<Job<'_>> = sites.iter().map(|url| Job { url, options }).collect();
        syncer.sync_all(&jobs, 2)
    });
    let totals: Vec<u64> = reports.iter().map(|report| report.pages.total).collect();
    assert_eq!(totals, [5, 5, 5, 0]);
    assert_eq!(
        reports[3].error.as_ref().unwrap().failure_kind(),
        FailureKind::Network
    );
    // A site that never answered is recorded, too, so that `status` shows it.
    assert_eq!(here.index.sites().unwrap().len(), 4);
}

#[test]
fn counts_failures_until_the_next_success() {
    let world = World::published();
    world.intercept(|_| Some(sitecast_testserver::Answer::status(500)));
    world.try_sync(MONDAY);
    world.try_sync(MONDAY);
    let site = SiteId::new(&world.base.parse().unwrap());
    let state = world.index.state(&site).unwrap().unwrap();
    assert_eq!(state.failures.count, 2);
    assert!(state.failures.message.unwrap().contains("robots.txt"));
    world.behave();
    world.sync(MONDAY);
    let state = world.index.state(&site).unwrap().unwrap();
    assert_eq!(
        (state.failures.count, state.strategy),
        (0, Some(OriginKind::Scp))
    );
    assert!(state.traffic.requests > 3 && state.last_success.is_some());
}

#[test]
fn explain_fetches_no_content_and_changes_nothing() {
    let mut world = World::published();
    let explanation = world.with_syncer(MONDAY, |s| s.explain(&world.base.parse().unwrap()));
    let explanation = explanation.unwrap();
    assert_eq!(explanation.way, OriginKind::Scp);
    let all = &explanation.sections[0];
    assert_eq!(
        (all.section.as_str(), all.wanted, all.intent.take),
        ("all", true, "snapshot")
    );
    assert!(all.intent.urls[0].ends_with(".scp.zst"));
    assert_eq!(
        explanation.json_sitemap,
        Some(format!("{}llm-sitemap.json", world.base))
    );
    assert!(world.held().is_empty());
    let paths = world.server.take_paths();
    assert!(
        paths.iter().all(|path| !path.contains("/scp/")),
        "{paths:?}"
    );
    world.sync(MONDAY);
    world.publishing.delta_share = 10.0;
    world.write("tea/index.html", &html("tea", &words("green tea")));
    world.publish(TUESDAY);
    let explanation = world.with_syncer(TUESDAY, |s| s.explain(&world.base.parse().unwrap()));
    assert_eq!(explanation.unwrap().sections[0].intent.take, "deltas");
}

/// robots.txt names both sitemaps, and only one of them has the collections.
#[test]
fn finds_collections_in_a_separate_sitemap() {
    for own in [false, true] {
        let mut world = World::unpublished();
        if own {
            let page = format!("<url><loc>{}tea/</loc></url>", world.base);
            let sitemap = format!(
                "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{page}</urlset>"
            );
            world.write("sitemap.xml", &sitemap);
        }
        world.publishing.artefacts.sitemap = sitecast_publish::SitemapForm::Separate;
        world.publish(MONDAY);
        let report = world.sync(MONDAY);
        assert_eq!(report.way, Some(sitecast_index::OriginKind::Scp));
        assert_eq!(report.pages.new, 5);
        world.page("tea", &words("another tea"));
        world.publish(TUESDAY);
        assert_eq!(world.sync(TUESDAY).pages.changed, 1);
    }
}
