//! Damaged pages of the index are removed, and the next sync fetches them again.

use std::collections::BTreeMap;

use sitecast_index::OriginKind;
use sitecast_sync::mend;

use crate::world::{MONDAY, TUESDAY, World};

/// Damages the copy of one page, mends the index, and answers what is left.
fn damage_and_mend(world: &World, topic: &str) -> BTreeMap<String, String> {
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
    assert_eq!((mended.pages, mended.removed), (5, 1));
    assert_eq!(found, [url]);
    world.held()
}

fn is_whole_again(mut world: World, way: OriginKind) {
    world.options.prefer = Some(way);
    let report = world.sync(MONDAY);
    assert_eq!(report.way, Some(way), "{report:?}");
    let before = world.held();
    assert_eq!(damage_and_mend(&world, "tea").len(), before.len() - 1);
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
