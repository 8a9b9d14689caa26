//! Verification of single pages, and removal of damaged ones.

use sitecast_index::{FolderIndex, Index};

use crate::support::*;

/// Returns an index with 300 pages in several blocks, and a connection to its database.
fn filled() -> (tempfile::TempDir, FolderIndex, rusqlite::Connection) {
    let folder = tempfile::tempdir().unwrap();
    let index = FolderIndex::open(folder.path()).unwrap();
    let mut merge = index.begin(&example()).unwrap();
    merge.origin(snapshot("all", 100)).unwrap();
    for n in 0..300 {
        let url = url(n);
        let line = line(&url, time(1), &format!("text of {n} ").repeat(100));
        merge.put(&page(&url, &line, 1)).unwrap();
    }
    merge.commit().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("index.sqlite")).unwrap();
    (folder, index, database)
}

fn damaged(index: &FolderIndex) -> Vec<(String, String)> {
    let mut found = Vec::new();
    index
        .verify(&mut |check| {
            if let Some(problem) = check.damage {
                found.push((check.url.to_owned(), problem));
            }
        })
        .unwrap();
    found
}

fn remove(index: &FolderIndex, found: &[(String, String)]) -> u64 {
    let mut merge = index.begin(&example()).unwrap();
    for (url, _) in found {
        assert!(merge.delete_damaged(url).unwrap().is_some(), "{url}");
    }
    merge.commit().unwrap().pages
}

#[test]
fn an_intact_index_has_no_damage() {
    let (_folder, index, _database) = filled();
    assert_eq!(damaged(&index), []);
    let mut merge = index.begin(&example()).unwrap();
    assert_eq!(merge.delete_damaged(&url(7)).unwrap(), None);
    assert_eq!(merge.delete_damaged(&url(7_000)).unwrap(), None);
    assert_eq!(merge.commit().unwrap().pages, 300);
}

#[test]
fn a_damaged_block_costs_its_own_pages_and_no_others() {
    let (_folder, index, database) = filled();
    let (block, blocks): (i64, i64) = database
        .query_row("SELECT min(id) + 1, count(*) FROM blocks", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert!(blocks > 2, "{blocks}");
    let flip = "UPDATE blocks SET data = CAST(substr(data, 1, 40) || x'5a' || substr(data, 42) AS BLOB) WHERE id = ?1";
    database.execute(flip, [block]).unwrap();
    let found = damaged(&index);
    let hit: i64 = database
        .query_row(
            "SELECT count(*) FROM pages WHERE block = ?1",
            [block],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(found.len() as i64, hit);
    assert!(found[0].1.contains("cannot be decompressed"), "{found:?}");
    assert_eq!(remove(&index, &found), 300 - found.len() as u64);
    assert_eq!(damaged(&index), []);
    assert_eq!(all(&index).len(), 300 - found.len());
    let left: i64 = database
        .query_row(
            "SELECT count(*) FROM blocks WHERE id = ?1",
            [block],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 0, "the block is removed with its last page");
}

#[test]
fn a_damaged_row_costs_one_page() {
    for change in [
        "UPDATE pages SET offset = offset + 1",
        "UPDATE pages SET length = 9000000000000",
        "UPDATE pages SET hash = x'00'",
        "UPDATE pages SET hash = zeroblob(16)",
        "UPDATE pages SET modified = 'never'",
        "UPDATE pages SET modified = modified + 1",
        "UPDATE pages SET nanos = 5",
        "UPDATE pages SET language = 'de'",
        "UPDATE pages SET sections = 0",
        "UPDATE pages SET sections = 2",
        "UPDATE pages SET sections = -1",
        "UPDATE pages SET origin = 77",
        "UPDATE pages SET block = 9999",
        "UPDATE pages SET url = 'https://example.com/another'",
    ] {
        let (_folder, index, database) = filled();
        database
            .execute(&format!("{change} WHERE url = ?1"), [url(7)])
            .unwrap();
        let found = damaged(&index);
        assert_eq!(found.len(), 1, "{change}: {found:?}");
        assert_eq!(remove(&index, &found), 299, "{change}");
        assert_eq!(damaged(&index), [], "{change}");
        assert_eq!(all(&index).len(), 299, "{change}");
    }
}

#[test]
fn merge_succeeds_beside_an_unreadable_block() {
    let (_folder, index, database) = filled();
    database
        .execute("UPDATE blocks SET data = zeroblob(20)", [])
        .unwrap();
    let mut merge = index.begin(&example()).unwrap();
    merge.origin(delta("all", 100, 200)).unwrap();
    // Enough pages to make the old blocks sparse, so that compaction tries to move their other lines.
    for n in 0..200 {
        let url = url(n);
        let line = line(&url, time(2), "new");
        merge.put(&page(&url, &line, 2)).unwrap();
    }
    merge.commit().unwrap();
    assert_eq!(damaged(&index).len(), 100);
    assert!(index.page(&example(), &url(7)).unwrap().is_some());
}
