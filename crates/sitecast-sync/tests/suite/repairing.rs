//! Repair of damaged pages: they are removed, and the next sync fetches them again.

use sitecast_index::OriginKind;
use sitecast_sync::repair;

use crate::world::{MONDAY, TUESDAY, World};

/// Damages the copy of one page and repairs the index. Returns the number of pages that were verified.
fn damage(world: &World, topic: &str) -> u64 {
    let database = world.here.path().join("index/index.sqlite");
    let database = rusqlite::Connection::open(database).unwrap();
    let url = format!("{}{topic}/", world.base);
    let changed = database
        .execute(
            "UPDATE pages SET hash = zeroblob(16) WHERE url = ?1",
            [&url],
        )
        .unwrap();
    assert_eq!(changed, 1);
    let mut found = Vec::new();
    let mut note = |_: &_, url: &str, _: &str| found.push(url.to_owned());
    let repaired = repair(&world.index, &mut note, &|_| {}).unwrap();
    assert_eq!(repaired.removed, 1);
    assert_eq!(found, [url]);
    repaired.pages
}

fn assert_repaired(mut world: World, way: OriginKind) {
    world.options.prefer = Some(way);
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(way), "{report:?}");
    let before = world.held();
    assert_eq!(damage(&world, "tea"), 5);
    assert_eq!(world.held().len(), before.len() - 1);
    let report = world.sync(TUESDAY);
    assert!(report.error.is_none(), "{report:?}");
    // HTML has no time of its last change: the page counts as modified when it is fetched.
    let mut held = world.held();
    for line in held.values_mut() {
        *line = line.replace(TUESDAY, MONDAY);
    }
    assert_eq!(held, before);
    // Only the damaged page is new; the others may be requested, but are unchanged.
    assert_eq!(
        (report.pages.new, report.pages.unchanged),
        (1, 4),
        "{report:?}"
    );
    // After that, nothing is left to do.
    let report = world.sync(TUESDAY);
    assert_eq!(report.pages.new, 0, "{report:?}");
}

#[test]
fn a_damaged_page_of_a_collection_comes_back() {
    assert_repaired(World::published(), OriginKind::Scp);
}

#[test]
fn a_damaged_machine_page_comes_back() {
    assert_repaired(World::published(), OriginKind::Tct);
}

#[test]
fn a_damaged_page_of_html_comes_back() {
    assert_repaired(World::published(), OriginKind::Html);
}

/// Unchanged pages would be answered with 304, without the bodies that link to the damaged page.
#[test]
fn a_damaged_page_that_only_links_lead_to_comes_back() {
    let world = World::unpublished();
    world.sync(MONDAY);
    let before = world.paths();
    assert_eq!(before, ["/", "/coffee/", "/tea/"]);
    damage(&world, "tea");
    assert_eq!(world.paths(), ["/", "/coffee/"]);
    let report = world.sync(TUESDAY);
    assert_eq!(world.paths(), before, "{report:?}");
    // After that, requests are conditional again.
    world.sync(TUESDAY);
    let report = world.sync(TUESDAY);
    assert_eq!((report.pages.new, report.pages.unchanged), (0, 3));
}
