//! Killed processes, concurrent processes, damaged files and other formats.

use std::collections::HashSet;
use std::fs;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use sitecast_index::{Filter, FolderIndex, Index, IndexError};

use crate::child::{start, version};
use crate::support::*;

/// Asserts that the index has exactly the pages of one version, and returns the version.
fn assert_intact(index: &FolderIndex) -> u64 {
    let Some(state) = index.state(&example()).unwrap() else {
        assert!(all(index).is_empty());
        return 0;
    };
    let number: u64 = state.notes["version"].parse().unwrap();
    let held: Vec<(String, String)> = all(index).into_iter().map(|p| (p.url, p.line)).collect();
    let mut wanted: Vec<(String, String)> = version(number)
        .into_iter()
        .map(|(url, line, _)| (url, line))
        .collect();
    wanted.sort();
    assert!(held == wanted, "not version {number}");
    let generated = state.sections["all"].generated;
    assert_eq!(generated, Some(time(i64::try_from(number).unwrap() * 10)));
    let database = rusqlite::Connection::open(index.folder().join("index.sqlite")).unwrap();
    let verdict: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
    number
}

#[test]
fn index_is_intact_after_being_killed_a_hundred_times() {
    let folder = tempfile::tempdir().unwrap();
    let mut versions = Vec::new();
    for round in 0..100_u64 {
        let mut child = start("versions", folder.path());
        // Kills the child at any time from before it opens the index to the middle of a merge.
        std::thread::sleep(Duration::from_micros(1_500 * (round * 37 % 101)));
        child.kill().unwrap();
        child.wait().unwrap();
        if folder.path().join("index.sqlite").exists() {
            let index = FolderIndex::open(folder.path()).unwrap();
            versions.push(assert_intact(&index));
        }
    }
    assert!(versions.is_sorted(), "{versions:?}");
    // Otherwise no child had started to merge when it was killed.
    assert!(versions.last().unwrap() > &20, "{versions:?}");
}

#[test]
fn merges_of_several_processes_are_serialized() {
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..3)
        .map(|_| start("three versions", folder.path()))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let index = FolderIndex::open_existing(folder.path()).unwrap();
    assert_eq!(assert_intact(&index), 9 + 9);
}

#[test]
fn many_threads_can_open_a_new_index_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    FolderIndex::open(folder.path()).unwrap();
                });
            }
        });
    }
}

#[test]
fn lock_timeout_names_the_holder_and_reading_still_works() {
    let folder = tempfile::tempdir().unwrap();
    let index = FolderIndex::open(folder.path()).unwrap();
    load(&index, 0..5, 100);
    let mut child = start("hold", folder.path());
    let name = format!("process {} since ", child.id());
    let lock = folder.path().join("writer.lock");
    let started = Instant::now();
    while !fs::read_to_string(&lock)
        .unwrap_or_default()
        .starts_with(&name)
    {
        assert!(started.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
    let index = index.wait_for(Duration::from_millis(100));
    let Err(IndexError::Locked { holder, .. }) = index.begin(&example()) else {
        panic!("two merges at once");
    };
    assert!(holder.starts_with(&name), "{holder}");
    assert_eq!(all(&index).len(), 5);
    child.kill().unwrap();
    child.wait().unwrap();
    index.begin(&example()).unwrap();
}

#[test]
fn rejects_newer_format_and_leaves_it_unchanged() {
    let home = home();
    load(&home.index, 0..5, 100);
    let path = home.index.folder().join("index.sqlite");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.pragma_update(None, "user_version", 2).unwrap();
    drop(database);
    for open in [FolderIndex::open, FolderIndex::open_existing] {
        let refused = open(home.index.folder().to_owned());
        let Err(IndexError::NewerFormat {
            found: 2, known: 1, ..
        }) = refused
        else {
            panic!("{refused:?}");
        };
    }
}

/// Opens the indexes of `tests/formats`, which earlier versions created.
#[test]
fn opens_every_earlier_format_with_all_its_pages() {
    let formats = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats");
    for format in 1.. {
        let stored = formats.join(format!("{format}.sqlite.zst"));
        let Ok(stored) = fs::read(&stored) else {
            assert!(format > 1, "{} is missing", stored.display());
            break;
        };
        let mut database = Vec::with_capacity(1 << 20);
        zstd_safe::decompress(&mut database, &stored).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("index.sqlite"), database).unwrap();
        let index = FolderIndex::open(folder.path()).unwrap();
        let lines: String = all(&index)
            .iter()
            .map(|page| format!("{}\n", page.line))
            .collect();
        let expected = fs::read_to_string(formats.join(format!("{format}.jsonl"))).unwrap();
        assert_eq!(lines, expected, "format {format}");
        let overview = index.sites().unwrap().remove(0);
        assert_eq!((overview.pages, overview.state.sections.len()), (4, 1));
        // A merge into the migrated index works, too.
        let mut merge = index.begin(&overview.site).unwrap();
        let (url, text) = (url(9), line(&url(9), time(9), "new"));
        merge.origin(snapshot("all", 900)).unwrap();
        merge.put(&page(&url, &text, 9)).unwrap();
        assert_eq!(merge.commit().unwrap().pages, 5);
    }
}

#[test]
fn rejects_files_that_are_not_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.sqlite");
    let open = || FolderIndex::open(folder.path()).map(drop);
    assert!(matches!(
        FolderIndex::open_existing(folder.path()),
        Err(IndexError::NotFound { .. })
    ));
    fs::write(
        &path,
        "Dear diary, this is not a database at all. ".repeat(100),
    )
    .unwrap();
    assert!(matches!(open(), Err(IndexError::NotAnIndex { .. })));
    fs::remove_file(&path).unwrap();
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch("CREATE TABLE bookmarks (url)")
        .unwrap();
    drop(database);
    assert!(matches!(open(), Err(IndexError::NotAnIndex { .. })));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(
        FolderIndex::open(file),
        Err(IndexError::NotAFolder { .. })
    ));
}

#[test]
fn an_empty_file_becomes_an_index() {
    // A process that is killed while it creates an index leaves an empty file.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.sqlite"), "").unwrap();
    let index = FolderIndex::open(folder.path()).unwrap();
    load(&index, 0..5, 100);
    assert_eq!(all(&index).len(), 5);
}

/// Reads all lines, and then makes and commits changes. Returns the first error.
fn use_all(folder: &std::path::Path, lines: &mut Vec<String>) -> Result<(), IndexError> {
    let index = FolderIndex::open_existing(folder)?;
    index.sites()?;
    let mut pages = index.pages(&Filter::default())?;
    while let Some(page) = pages.next_page()? {
        lines.push(page.line);
    }
    let mut merge = index.begin(&example())?;
    merge.origin(snapshot("all", 5_000))?;
    let text = line(&url(1), time(900), "newer");
    merge.put(&page(&url(1), &text, 900))?;
    merge.delete_older(time(800))?;
    merge.commit()?;
    Ok(())
}

#[test]
fn damage_anywhere_never_panics_or_returns_a_wrong_line() {
    let folder = tempfile::tempdir().unwrap();
    let index = FolderIndex::open(folder.path()).unwrap();
    load(&index, 0..300, 100);
    let known: HashSet<String> = all(&index).into_iter().map(|page| page.line).collect();
    drop(index);
    let path = folder.path().join("index.sqlite");
    let whole = fs::read(&path).unwrap();
    let mut noticed = 0;
    for round in 0..200_usize {
        let mut bytes = whole.clone();
        let at = round * 7_919 % bytes.len();
        if round.is_multiple_of(4) {
            bytes.truncate(at);
        } else {
            for byte in bytes.iter_mut().skip(at).take(1 + round % 64) {
                *byte ^= 0x5a;
            }
        }
        let copy = tempfile::tempdir().unwrap();
        fs::write(copy.path().join("index.sqlite"), bytes).unwrap();
        let mut lines = Vec::new();
        // Damage to unused bytes causes no error.
        if let Err(error) = use_all(copy.path(), &mut lines) {
            noticed += 1;
            assert!(!error.to_string().is_empty());
        }
        assert!(
            lines.iter().all(|line| known.contains(line)),
            "round {round}"
        );
    }
    assert!(noticed > 50, "{noticed}");
}

#[test]
fn never_returns_a_line_damaged_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let index = FolderIndex::open(folder.path()).unwrap();
    load(&index, 0..300, 100);
    drop(index);
    let path = folder.path().join("index.sqlite");
    let database = rusqlite::Connection::open(&path).unwrap();
    let data: Vec<u8> = database
        .query_row("SELECT data FROM blocks", [], |row| row.get(0))
        .unwrap();
    for at in (0..data.len()).step_by(29) {
        let mut bytes = data.clone();
        bytes[at] ^= 1;
        database
            .execute("UPDATE blocks SET data = ?1", [bytes])
            .unwrap();
        let index = FolderIndex::open_existing(folder.path()).unwrap();
        let read = index.page(&example(), &url(7));
        // zstd's checksum covers all bytes before it, and a damaged checksum does not match either.
        assert!(matches!(read, Err(IndexError::Damaged { .. })), "byte {at}");
    }
}

#[test]
fn memory_does_not_grow_with_the_site() {
    let Some(small) = peak_of(20_000) else {
        eprintln!("skipped: this system does not report the peak memory of a process");
        return;
    };
    let large = peak_of(200_000).unwrap();
    // In KiB. Buffered rows are bounded, and the set of named pages takes one bit for each page.
    assert!(large < small + 40_000, "{small} KiB, then {large} KiB");
    assert!(large < 100_000, "{large} KiB");
}

/// Returns the peak memory in KiB of a child that loads this many pages.
fn peak_of(pages: u64) -> Option<u64> {
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["child::child", "--exact", "--nocapture"])
        .env("SITECAST_INDEX_TEST_TASK", format!("load {pages}"))
        .env("SITECAST_INDEX_TEST_FOLDER", folder.path())
        .output()
        .unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
