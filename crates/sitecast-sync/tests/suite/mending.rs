//! Damaged pages of the index are removed, and the next sync fetches them again.

use sitecast_index::OriginKind;
use sitecast_sync::mend;

use crate::world::{MONDAY, TUESDAY, World};

/// Damages the copy of one page and mends the index. Answers how many pages there were.
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
    let mended = mend(&world.index, &mut note, &|_| {}).unwrap();
    assert_eq!(mended.removed, 1);
    assert_eq!(found, [url]);
    mended.pages
}

fn is_whole_again(mut world: World, way: OriginKind) {
    world.options.prefer = Some(way);
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(way), "{report:?}");
    let before = world.held();
    assert_eq!(damage(&world, "tea"), 5);
    assert_eq!(world.held().len(), before.len() - 1);
    let report = world.sync(TUESDAY);
    assert!(report.error.is_none(), "{report:?}");
    // HTML does not say when it changed: the page counts as modified when it is fetched.
    let mut held = world.held();
    for line in held.values_mut() {
        *line = line.replace(TUESDAY, MONDAY);
    }
    assert_eq!(held, before);
    // Only the damaged page is new; the others may be asked about, but do not come again.
    assert_eq!(
        (report.pages.new, report.pages.unchanged),
        (1, 4),
        "{report:?}"
    );
    // From then on there is nothing to do.
    let report = world.sync(TUESDAY);
    assert_eq!(report.pages.new, 0, "{report:?}");
}

#[test]
fn a_damaged_page_of_a_collection_comes_back() {
    is_whole_again(World::published(), OriginKind::Scp);
}

#[test]
fn a_damaged_machine_page_comes_back() {
    is_whole_again(World::published(), OriginKind::Tct);
}

#[test]
fn a_damaged_page_of_html_comes_back() {
    is_whole_again(World::published(), OriginKind::Html);
}

/// Pages that are as they were come without their bodies, and so without the links that lead to the damaged one.
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
    // From then on pages are asked for on the condition that they changed.
    world.sync(TUESDAY);
    let report = world.sync(TUESDAY);
    assert_eq!((report.pages.new, report.pages.unchanged), (0, 3));
}
