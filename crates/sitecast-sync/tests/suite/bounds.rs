//! Limits on time, requests and disk space.

use std::fs;
use std::time::{Duration, Instant};

use sitecast_index::Quota;
use sitecast_sync::{FailureKind, SiteReport};
use sitecast_testserver::{Answer, Fault, hostile};

use crate::world::{MONDAY, TUESDAY, World};

const SOON: Duration = Duration::from_secs(60);

/// Creates a site with one collection, which `collection` answers.
fn with_collection(
    size: Option<u64>,
    collection: impl Fn(&sitecast_testserver::Request) -> Answer + Send + 'static,
) -> World {
    let world = World::empty();
    let site = hostile::CollectionSite { size };
    world.intercept(move |request| {
        Some(site.answer(request).unwrap_or_else(|| collection(request)))
    });
    world
}

/// Returns the bytes of downloads that are left on disk.
fn left_behind(world: &World) -> u64 {
    let Ok(sites) = fs::read_dir(world.here.path().join("scratch")) else {
        return 0;
    };
    let files = sites.flat_map(|site| fs::read_dir(site.unwrap().path()).unwrap());
    files
        .map(|file| file.unwrap())
        .filter(|file| file.file_name().to_string_lossy().contains(".scp"))
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

fn failure_kind(report: &SiteReport) -> Option<FailureKind> {
    report.error.as_ref().map(|error| error.failure_kind())
}

#[test]
fn machine_pages_count_against_the_page_limit() {
    let mut world = World::empty();
    world.options.html_pages = 10;
    let site = hostile::MachinePages { pages: 2_000 };
    world.intercept(move |request| Some(site.answer(request)));
    world.try_sync(MONDAY);
    let asked = world.server.take_paths();
    // Unusable machine pages are requested as HTML, and these requests count, too.
    let pages = asked
        .iter()
        .filter(|path| path.len() > 1 && path.ends_with('/'));
    let machine_pages = asked.iter().filter(|path| path.ends_with("llm.json"));
    assert_eq!((machine_pages.count(), pages.count()), (5, 5), "{asked:?}");
    assert!(asked.len() < 30, "{} requests: {asked:?}", asked.len());
}

#[test]
fn keeps_merged_pages_when_the_time_is_over() {
    let mut world = World::unpublished();
    world.publishing.artefacts.sitemap = sitecast_publish::SitemapForm::Off;
    world.publishing.artefacts.robots_txt = false;
    world.publish(MONDAY);
    world.fetching.visit_time = Duration::from_secs(3);
    world.fetching.silence = Duration::from_secs(300);
    world.intercept(|request| (request.path == "/water/llm.json").then(hostile::slow_head));
    let start = Instant::now();
    let report = world.try_sync(MONDAY);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(
        failure_kind(&report),
        Some(FailureKind::OutOfTime),
        "{report:?}"
    );
    assert!(!world.paths().is_empty(), "{report:?}");
    assert_eq!(report.error.unwrap().code(), "out-of-time");
    // The next run continues.
    world.behave();
    world.sync(TUESDAY);
    assert_eq!(world.paths().len(), 5);
}

/// The next run resumes a download that the time limit ended.
#[test]
fn keeps_the_part_of_a_collection_when_the_time_is_over() {
    let mut world = with_collection(Some(1_000_000), |_| {
        let mut answer = Answer::status(200).with("ETag", "\"slow\"");
        answer.body = vec![b'x'; 1_000_000];
        answer.with_fault(Fault::Drip(Duration::from_millis(10)))
    });
    world.fetching.visit_time = Duration::from_secs(2);
    world.fetching.grace = Duration::from_secs(300);
    let report = world.try_sync(MONDAY);
    assert_eq!(
        failure_kind(&report),
        Some(FailureKind::OutOfTime),
        "{report:?}"
    );
    assert!(left_behind(&world) > 10);
}

#[test]
fn limits_downloads_by_the_size_in_the_sitemap() {
    let world = with_collection(Some(1_000), |_| hostile::endless_body());
    let report = world.try_sync(MONDAY);
    assert!(report.error.is_some(), "{report:?}");
    assert!(report.bytes < 10_000_000, "{report:?}");
    assert_eq!(left_behind(&world), 0);
}

#[test]
fn limits_downloads_by_the_quota() {
    let mut world = with_collection(Some(40_000_000_000), |_| hostile::endless_body());
    world.options.quota = Quota {
        pages: None,
        bytes: Some(5_000_000),
    };
    let report = world.try_sync(MONDAY);
    assert!(report.bytes < 20_000_000, "{report:?}");
    let said = format!("{:?} {:?}", report.warnings, report.error);
    assert!(said.contains("quota_bytes"), "{said}");
    assert_eq!(left_behind(&world), 0);
}

#[test]
fn removes_parts_once_a_site_is_up_to_date() {
    let world = World::published();
    world.sync(MONDAY);
    let folder = fs::read_dir(world.here.path().join("scratch"));
    let folder = folder.unwrap().next().unwrap().unwrap().path();
    fs::write(folder.join("abandoned.scp.part"), vec![0; 1_000]).unwrap();
    fs::write(folder.join("abandoned.scp.part.json"), "{}").unwrap();
    world.sync(TUESDAY);
    assert_eq!(left_behind(&world), 0);
}

#[test]
fn treats_304_to_an_unconditional_request_as_an_error() {
    let world = with_collection(None, |_| hostile::always_304());
    let report = world.try_sync(MONDAY);
    assert!(report.error.is_some(), "{report:?}");
    let said = format!("{:?} {:?}", report.warnings, report.error);
    assert!(said.contains("without a condition"), "{said}");
}

#[test]
fn syncs_a_site_with_an_oversized_robots_txt() {
    let world = World::published();
    let robots = fs::read_to_string(world.site.path().join("robots.txt")).unwrap();
    world.intercept(move |request| {
        (request.path == "/robots.txt").then(|| hostile::large_robots(&robots, 5_000_000))
    });
    world.sync(MONDAY);
    assert_eq!(world.held(), world.truth());
}

#[test]
fn failed_pages_count_against_the_page_limit() {
    let mut world = World::empty();
    world.options.html_pages = 5;
    let links: String = (0..300).map(|n| format!("<a href=/x{n}>x</a>")).collect();
    let home = crate::world::html("Home", &crate::world::words("home"));
    let home = home.replace("<nav>", &format!("<nav>{links}"));
    world.intercept(move |request| {
        Some(match request.path.as_str() {
            "/" => Answer::html(home.clone()),
            path if path.starts_with("/x") => Answer::redirect(path),
            _ => Answer::status(404),
        })
    });
    world.try_sync(MONDAY);
    let asked = world.server.take_paths();
    let pages = asked.iter().filter(|path| path.starts_with("/x"));
    assert_eq!(pages.count(), 4, "{asked:?}");
}

#[test]
fn stops_in_an_endless_tree_of_sitemaps() {
    let mut world = World::empty();
    world.options.html_pages = 2_000;
    let base = world.base.clone();
    world.write("robots.txt", &format!("Sitemap: {base}s-0.xml\n"));
    world.intercept(move |request| {
        let name = request.path.strip_prefix("/s-")?.strip_suffix(".xml")?;
        let children =
            (0..10).map(|n| format!("<sitemap><loc>{base}s-{name}{n}.xml</loc></sitemap>"));
        Some(Answer::text(
            200,
            format!(
                "<sitemapindex>{}<url><loc>{base}p{name}/</loc></url></sitemapindex>",
                children.collect::<String>()
            ),
        ))
    });
    world.try_sync(MONDAY);
    let asked = world.server.take_paths();
    let sitemaps = asked.iter().filter(|path| path.ends_with(".xml")).count();
    assert!(sitemaps < 400, "{sitemaps}");
}

#[test]
fn reads_hundreds_of_sitemaps_that_an_index_names() {
    let world = World::empty();
    let base = world.base.clone();
    let children = (0..300).map(|n| format!("<sitemap><loc>{base}s{n}.xml</loc></sitemap>"));
    let index = format!(
        "<sitemapindex>{}</sitemapindex>",
        children.collect::<String>()
    );
    world.write("sitemap.xml", &index);
    world.intercept(move |request| {
        if let Some(name) = request.path.strip_prefix("/p") {
            let text = crate::world::words(name);
            return Some(Answer::html(crate::world::html(name, &text)));
        }
        let name = request.path.strip_prefix("/s")?.strip_suffix(".xml")?;
        name.parse::<u32>().ok()?;
        let listed = format!("<urlset><url><loc>{base}p{name}</loc></url></urlset>");
        Some(Answer::text(200, listed))
    });
    world.sync(MONDAY);
    assert_eq!(world.held().len(), 300);
}

/// Some sites name all sitemaps in robots.txt, with the one that has collections last.
#[test]
fn finds_collections_behind_hundreds_of_sitemaps_of_robots_txt() {
    for others in [101, 600] {
        let world = World::published();
        let lines = (0..others).map(|n| format!("Sitemap: {}s{n}.xml\n", world.base));
        let robots = format!(
            "{}Sitemap: {}sitemap.xml\n",
            lines.collect::<String>(),
            world.base
        );
        world.write("robots.txt", &robots);
        let report = world.sync(MONDAY);
        let way = Some(sitecast_index::OriginKind::Scp);
        assert_eq!(report.way, way, "{others}: {report:?}");
    }
}

#[test]
fn cached_sitemaps_stay_within_the_quota() {
    let mut world = World::empty();
    world.options.quota = Quota {
        pages: None,
        bytes: Some(1_000_000),
    };
    let base = world.base.clone();
    let lines = (0..8).map(|n| format!("Sitemap: {base}s{n}.xml\n"));
    world.write("robots.txt", &lines.collect::<String>());
    world.write(
        "index.html",
        &crate::world::html("Home", &crate::world::words("home")),
    );
    world.intercept(move |request| {
        let is_sitemap = request.path.starts_with("/s") && request.path.ends_with(".xml");
        let padding = "x".repeat(4_000_000);
        is_sitemap.then(|| {
            let text = format!("<urlset><!--{padding}--><url><loc>{base}</loc></url></urlset>");
            Answer::text(200, text)
        })
    });
    let report = world.sync(MONDAY);
    let sites = fs::read_dir(world.here.path().join("scratch")).unwrap();
    let files = sites.flat_map(|site| fs::read_dir(site.unwrap().path()).unwrap());
    let left: u64 = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(left < 17 << 20, "{left}");
    assert!(left > 8 << 20, "{left}");
    // The sitemaps within the quota are read.
    assert_eq!(world.paths(), ["/"], "{report:?}");
}
