//! Behaviours of merges, one for each test.

use sitecast_index::{Filter, Index, IndexError, Precedence, Quota, Sweep, Validators};
use sitecast_scp::CollectionKind;

use crate::support::*;

#[test]
fn a_dropped_merge_changes_nothing() {
    let home = home();
    load(&home.index, 0..10, 100);
    let before = all(&home.index);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 200)).unwrap();
    let line = line(&url(3), time(5), "other");
    merge.put(&page(&url(3), &line, 5)).unwrap();
    merge
        .delete_unnamed(&Sweep::section("all".parse().unwrap(), time(200)))
        .unwrap();
    merge.state_mut().failures.count = 7;
    assert_eq!(merge.tally().unwrap().pages, 1);
    drop(merge);
    assert_eq!(all(&home.index), before);
    let state = home.index.state(&example()).unwrap().unwrap();
    assert_eq!(state.failures.count, 0);
    assert_eq!(state.sections["all"].generated, Some(time(100)));
}

#[test]
fn rejects_collection_that_is_already_applied() {
    let home = home();
    load(&home.index, 0..1, 100);
    let again = collection("all", 100, CollectionKind::Snapshot);
    assert!(home.index.is_applied(&example(), &again).unwrap());
    let other = sitecast_index::CollectionRef {
        url: "https://example.com/elsewhere.scp.gz".to_owned(),
        ..again
    };
    assert!(home.index.is_applied(&example(), &other).unwrap());
    let mut merge = home.index.begin(&example()).unwrap();
    let refused = merge.origin(sitecast_index::Origin::Scp(other));
    assert!(matches!(refused, Err(IndexError::AlreadyApplied { .. })));
    // The merge goes on after the rejection: a delta of the same time is a different collection.
    merge.origin(delta("all", 50, 100)).unwrap();
    merge.commit().unwrap();
}

#[test]
fn the_position_of_a_section_moves_with_its_collections() {
    let home = home();
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 100)).unwrap();
    merge.origin(delta("all", 100, 150)).unwrap();
    merge.origin(delta("all", 150, 200)).unwrap();
    merge.origin(snapshot("blog", 90)).unwrap();
    merge.commit().unwrap();
    let state = home.index.state(&example()).unwrap().unwrap();
    assert_eq!(state.sections["all"].generated, Some(time(200)));
    assert_eq!(state.sections["all"].snapshot, Some(time(100)));
    assert_eq!(state.sections["blog"].generated, Some(time(90)));
}

#[test]
fn unnamed_counts_deletions_without_deleting() {
    let home = home();
    load(&home.index, 0..30, 100);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 200)).unwrap();
    merge.keep(&url(0)).unwrap();
    let sweep = Sweep::section("all".parse().unwrap(), time(200));
    assert_eq!(merge.unnamed(&sweep).unwrap(), 29);
    assert_eq!(merge.tally().unwrap().pages_before, 30);
    merge.commit().unwrap();
    assert_eq!(all(&home.index).len(), 30);
}

#[test]
fn snapshot_keeps_pages_newer_than_itself() {
    let home = home();
    load(&home.index, 0..2, 100);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(delta("all", 100, 300)).unwrap();
    let (first, second) = (url(0), url(7));
    let line_of_first = line(&first, time(250), "newer");
    merge.put(&page(&first, &line_of_first, 250)).unwrap();
    // Modified before the snapshot, but in a collection that was generated after it.
    let line_of_second = line(&second, time(2), "seen later");
    merge.put(&page(&second, &line_of_second, 2)).unwrap();
    merge.commit().unwrap();
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 200)).unwrap();
    let sweep = Sweep::section("all".parse().unwrap(), time(200));
    assert_eq!(merge.delete_unnamed(&sweep).unwrap(), 1);
    merge.commit().unwrap();
    let left: Vec<String> = all(&home.index).into_iter().map(|p| p.url).collect();
    assert_eq!(left, [first, second]);
}

#[test]
fn sweep_deletes_unsectioned_pages_only_on_request() {
    let home = home();
    load(&home.index, 0..2, 100);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(sitecast_index::Origin::Html).unwrap();
    let stray = url(7);
    let text = line(&stray, time(1), "from HTML");
    let mut page = page(&stray, &text, 1);
    page.fetched = time(150);
    merge.put(&page).unwrap();
    merge.commit().unwrap();
    let sweep = Sweep::section("all".parse().unwrap(), time(200));
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 200)).unwrap();
    for n in 0..2 {
        merge.keep(&url(n)).unwrap();
    }
    assert_eq!(merge.unnamed(&sweep).unwrap(), 0);
    assert_eq!(merge.delete_unnamed(&sweep.and_unsectioned()).unwrap(), 1);
    assert_eq!(merge.commit().unwrap().pages, 2);
}

#[test]
fn deletes_page_only_when_no_section_has_it() {
    let home = home();
    load(&home.index, 0..2, 100);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("blog", 110)).unwrap();
    let text = line(&url(0), time(1), "text of 0");
    merge.put(&page(&url(0), &text, 1)).unwrap();
    assert_eq!(merge.tally().unwrap().unchanged, 1);
    merge.commit().unwrap();
    let page_of = |n| home.index.page(&example(), &url(n)).unwrap();
    assert_eq!(page_of(0).unwrap().facts.sections, ["all", "blog"]);

    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(delta("all", 100, 120)).unwrap();
    merge.delete(&url(0), Some(time(120))).unwrap();
    merge.delete(&url(1), Some(time(120))).unwrap();
    assert_eq!(merge.commit().unwrap().deleted, 1);
    assert_eq!(page_of(0).unwrap().facts.sections, ["blog"]);
    assert_eq!(page_of(1), None);
}

#[test]
fn keeps_newer_of_duplicate_pages_in_one_merge() {
    let home = home();
    for (generated, order) in [(100, [5, 9]), (200, [29, 15])] {
        let mut merge = home.index.begin(&example()).unwrap();
        merge.origin(snapshot("all", generated)).unwrap();
        for modified in order {
            let line = line(&url(0), time(modified), "x");
            merge.put(&page(&url(0), &line, modified)).unwrap();
        }
        let tally = merge.commit().unwrap();
        assert_eq!(tally.pages, 1);
        let held = home.index.page(&example(), &url(0)).unwrap().unwrap();
        assert_eq!(held.facts.modified, time(order[0].max(order[1])));
    }
}

#[test]
fn snapshot_replaces_page_of_same_time_with_different_line() {
    let home = home();
    load(&home.index, 0..1, 100);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 200)).unwrap();
    let text = line(&url(0), time(1), "with a new description");
    merge.put(&page(&url(0), &text, 1)).unwrap();
    assert_eq!(merge.commit().unwrap().changed, 1);
    let held = home.index.page(&example(), &url(0)).unwrap().unwrap();
    assert_eq!(held.line, text);
}

#[test]
fn delta_must_not_replace_page_of_same_or_later_time() {
    let home = home();
    load(&home.index, 0..3, 100);
    let before = all(&home.index);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(delta("all", 100, 200)).unwrap();
    // Pages 0, 1 and 2 were modified at 1.
    for (n, modified) in [(0, 0), (1, 1), (2, 2)] {
        let (url, text) = (url(n), line(&url(n), time(modified), "of the delta"));
        let mut page = page(&url, &text, modified);
        page.precedence = Precedence::Later;
        merge.put(&page).unwrap();
    }
    let tally = merge.commit().unwrap();
    assert_eq!((tally.outdated, tally.changed), (2, 1));
    let after = all(&home.index);
    assert_eq!(after[..2], before[..2], "older and of the same time");
    assert!(after[2].line.contains("of the delta"));
}

#[test]
fn page_of_a_collection_replaces_copy_from_html() {
    let home = home();
    let text = line(
        &url(0),
        time(500),
        "fetched at 500, which stands in for an unknown time",
    );
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(sitecast_index::Origin::Html).unwrap();
    let first = url(0);
    merge.put(&page(&first, &text, 500)).unwrap();
    merge.commit().unwrap();
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(delta("all", 0, 400)).unwrap();
    let published = line(&url(0), time(3), "as published");
    let mut new = page(&first, &published, 3);
    new.precedence = Precedence::Later;
    merge.put(&new).unwrap();
    merge.commit().unwrap();
    let held = home.index.page(&example(), &first).unwrap().unwrap();
    assert_eq!(held.line, published);
}

#[test]
fn applies_collection_again_after_position_reset() {
    let home = home();
    load(&home.index, 0..2, 100);
    let again = collection("all", 100, CollectionKind::Snapshot);
    assert!(home.index.is_applied(&example(), &again).unwrap());
    let mut merge = home.index.begin(&example()).unwrap();
    merge.state_mut().sections.clear();
    merge.commit().unwrap();
    assert!(!home.index.is_applied(&example(), &again).unwrap());
    load(&home.index, 0..2, 100);
    assert!(home.index.is_applied(&example(), &again).unwrap());
}

#[test]
fn merges_of_one_process_wait_for_each_other() {
    let home = home();
    let index = home.index.wait_for(std::time::Duration::ZERO);
    let merge = index.begin(&example()).unwrap();
    assert!(
        matches!(index.begin(&example()), Err(IndexError::Misuse(_))),
        "a thread that waits for itself would deadlock"
    );
    std::thread::scope(|scope| {
        let other = scope.spawn(|| index.begin(&site("https://example.org")).map(drop));
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!other.is_finished());
        drop(merge);
        other.join().unwrap().unwrap();
    });
}

#[test]
fn precedence_always_replaces_a_newer_page() {
    let home = home();
    load(&home.index, 0..1, 100);
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(sitecast_index::Origin::Html).unwrap();
    let text = line(&url(0), time(0), "older by its date");
    let first = url(0);
    let mut newer = page(&first, &text, 0);
    newer.precedence = Precedence::Always;
    merge.put(&newer).unwrap();
    assert_eq!(merge.commit().unwrap().changed, 1);
}

#[test]
fn rejects_put_before_origin_and_use_after_failure() {
    let home = home();
    let mut merge = home.index.begin(&example()).unwrap();
    let text = line(&url(0), time(1), "x");
    assert!(merge.put(&page(&url(0), &text, 1)).is_err());
    merge.origin(snapshot("all", 1)).unwrap_err();
    merge.commit().unwrap_err();
    assert!(home.index.state(&example()).unwrap().is_none());
}

#[test]
fn byte_quota_deletes_the_oldest_pages() {
    let home = home();
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 1_000)).unwrap();
    for n in 0..10 {
        let text = line(&url(n), time(n as i64), "x");
        merge.put(&page(&url(n), &text, n as i64)).unwrap();
    }
    let bytes = merge.tally().unwrap().bytes;
    let quota = Quota {
        pages: None,
        bytes: Some(bytes / 2),
    };
    assert_eq!(merge.shrink_to(&quota).unwrap(), 5);
    merge.commit().unwrap();
    let left: Vec<String> = all(&home.index).into_iter().map(|p| p.url).collect();
    assert_eq!(left, (5..10).map(url).collect::<Vec<_>>());
}

#[test]
fn validators_are_kept_and_forgotten() {
    let home = home();
    let sitemap = "https://example.com/sitemap.xml";
    let validators = Validators {
        etag: Some("W/\"1\"".to_owned()),
        last_modified: None,
    };
    let mut merge = home.index.begin(&example()).unwrap();
    merge.set_validators(sitemap, &validators).unwrap();
    merge.commit().unwrap();
    let kept = home.index.validators(&example(), sitemap).unwrap();
    assert_eq!(kept, Some(validators));
    let other = home.index.validators(&site("https://example.org"), sitemap);
    assert_eq!(other.unwrap(), None);
    let mut merge = home.index.begin(&example()).unwrap();
    merge
        .set_validators(sitemap, &Validators::default())
        .unwrap();
    merge.commit().unwrap();
    assert_eq!(home.index.validators(&example(), sitemap).unwrap(), None);
}

#[test]
fn a_site_can_be_forgotten() {
    let home = home();
    load(&home.index, 0..10, 100);
    let other = site("https://example.org");
    let mut merge = home.index.begin(&other).unwrap();
    merge.origin(snapshot("all", 100)).unwrap();
    let text = line("https://example.org/", time(1), "x");
    merge.put(&page("https://example.org/", &text, 1)).unwrap();
    merge.commit().unwrap();
    assert!(home.index.forget(&example()).unwrap());
    assert!(!home.index.forget(&example()).unwrap());
    assert_eq!(all(&home.index).len(), 1);
    assert_eq!(home.index.sites().unwrap().len(), 1);
    // A forgotten site can be loaded again like a new one.
    load(&home.index, 0..10, 100);
    assert_eq!(all(&home.index).len(), 11);
}

#[test]
fn filters_choose_pages() {
    let home = home();
    let mut merge = home.index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 100)).unwrap();
    for (n, language) in [(1, "en"), (2, "en-GB"), (3, "de"), (4, "en")] {
        let text = line(&url(n), time(n as i64), "x");
        let url = url(n);
        let mut page = page(&url, &text, n as i64);
        page.language = language;
        merge.put(&page).unwrap();
    }
    merge.origin(snapshot("blog", 100)).unwrap();
    let text = line(&url(4), time(4), "x");
    merge.put(&page(&url(4), &text, 4)).unwrap();
    merge.commit().unwrap();
    let urls = |filter: Filter| -> Vec<u64> {
        let number = |url: String| url.rsplit('/').next().unwrap().parse().unwrap();
        let pages = chosen(&home.index, &filter).into_iter();
        pages.map(|page| number(page.url)).collect()
    };
    let none = Filter::default;
    let since = Some(time(2));
    assert_eq!(urls(Filter { since, ..none() }), [3, 4]);
    let language = Some("en".to_owned());
    assert_eq!(urls(Filter { language, ..none() }), [1, 2, 4]);
    let section = Some("blog".to_owned());
    assert_eq!(urls(Filter { section, ..none() }), [4]);
    let section = Some("nothing".to_owned());
    assert!(urls(Filter { section, ..none() }).is_empty());
    let site = Some(site("https://example.org"));
    assert!(urls(Filter { site, ..none() }).is_empty());
}

#[test]
fn stream_ignores_merges_committed_after_it_began() {
    let home = home();
    load(&home.index, 0..2_000, 100);
    let mut pages = home.index.pages(&Filter::default()).unwrap();
    pages.next_page().unwrap().unwrap();
    let mut merge = home.index.begin(&example()).unwrap();
    merge.delete_older(time(1_000)).unwrap();
    merge.commit().unwrap();
    assert!(all(&home.index).is_empty());
    let rest = std::iter::from_fn(|| pages.next_page().unwrap()).count();
    assert_eq!(rest, 1_999);
}

#[test]
fn open_reader_rereads_block_whose_number_was_reused() {
    let home = home();
    for (generated, text) in [(100, "first"), (200, "second, and longer")] {
        // With no pages left, block numbers start from 1 again.
        let mut merge = home.index.begin(&example()).unwrap();
        merge.delete(&url(0), None).unwrap();
        merge.commit().unwrap();
        let mut merge = home.index.begin(&example()).unwrap();
        merge.origin(snapshot("all", generated)).unwrap();
        let line = line(&url(0), time(generated), text);
        merge.put(&page(&url(0), &line, generated)).unwrap();
        merge.commit().unwrap();
        let found = home.index.page(&example(), &url(0)).unwrap().unwrap();
        assert_eq!(found.line, line);
    }
}
