//! The conformance suite: guarantees of every store.

use std::collections::BTreeSet;
use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use sitecast_storage::{
    Attributes, Body, Condition, Content, Opened, Put, Store, StoreError, StorePath, Tag,
};

/// Runs the suite on an empty store.
pub(crate) fn run(store: &dyn Store) {
    starts_empty(store);
    reads_back_puts(store);
    puts_and_removes_prepared_files(store);
    reads_ranges_of_one_version(store);
    replaces_objects(store);
    shows_only_whole_versions(store);
    honours_conditions(store);
    lets_one_creator_win(store);
    lets_one_updater_win(store);
    deletes_objects(store);
    lists_all_objects_in_order(store);
    accepts_unusual_names(store);
    puts_many_objects(store);
    refuses_reserved_names(store);
    refuses_a_second_lock(store);
    store.sync().unwrap();
}

pub(crate) fn path(text: &str) -> StorePath {
    text.parse().unwrap()
}

pub(crate) fn put(at: &str, bytes: impl Into<Vec<u8>>) -> Put {
    Put {
        path: path(at),
        body: Body::Bytes(bytes.into()),
        attributes: Attributes::default(),
        condition: Condition::None,
    }
}

pub(crate) fn put_if(at: &str, bytes: impl Into<Vec<u8>>, condition: Condition) -> Put {
    Put {
        condition,
        ..put(at, bytes)
    }
}

/// Returns the bytes and the tag, and checks the size.
pub(crate) fn read(store: &dyn Store, at: &str) -> Option<(Vec<u8>, Tag)> {
    let mut object = store.get(&path(at)).unwrap()?;
    let mut bytes = Vec::new();
    object.reader.read_to_end(&mut bytes).unwrap();
    assert_eq!(object.size, bytes.len() as u64, "size of {at}");
    Some((bytes, object.tag))
}

pub(crate) fn bytes_of(store: &dyn Store, at: &str) -> Option<Vec<u8>> {
    read(store, at).map(|(bytes, _)| bytes)
}

pub(crate) fn names(store: &dyn Store, folder: Option<&str>) -> Vec<String> {
    let listed = store.list(folder.map(path).as_ref()).unwrap();
    listed
        .into_iter()
        .map(|listed| listed.path.to_string())
        .collect()
}

/// Returns pseudorandom bytes, in which shifted or repeated parts are detected.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

const MIB: usize = 1024 * 1024;

fn starts_empty(store: &dyn Store) {
    assert!(store.get(&path("nothing")).unwrap().is_none());
    assert!(store.get(&path("no/thing")).unwrap().is_none());
    assert_eq!(store.list(None).unwrap(), []);
    assert_eq!(store.list(Some(&path("no"))).unwrap(), []);
    store.delete(&path("no/thing")).unwrap();
    store.sync().unwrap();
}

fn reads_back_puts(store: &dyn Store) {
    for length in [0, 1, 5 * MIB] {
        let bytes = pattern(length);
        let tag = store.put(put("sizes/some.bin", bytes.clone())).unwrap();
        let (got, got_tag) = read(store, "sizes/some.bin").unwrap();
        assert!(got == bytes, "{length} bytes differ after reading");
        assert_eq!(got_tag, tag, "the put's tag and the reader's");
    }
    // A folder is not an object.
    assert!(store.get(&path("sizes")).unwrap().is_none());
    assert!(store.get(&path("sizes/some.bin/more")).unwrap().is_none());
    store.delete(&path("sizes/some.bin")).unwrap();
}

/// Reads a range from any kind of store; an error if the opened version no longer exists.
pub(crate) fn part(opened: &Opened, range: Range<u64>) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap()];
    match &opened.content {
        Content::File(file) => {
            use std::os::unix::fs::FileExt;
            file.read_exact_at(&mut bytes, range.start)
                .map_err(|error| error.to_string())?;
        }
        Content::Memory(all) => {
            let place = range.start as usize..range.end as usize;
            bytes.copy_from_slice(&all[place]);
        }
        Content::Remote(remote) => {
            bytes.clear();
            let mut reader = remote.read(range).map_err(|error| error.to_string())?;
            reader
                .read_to_end(&mut bytes)
                .map_err(|error| error.to_string())?;
        }
    }
    Ok(bytes)
}

fn reads_ranges_of_one_version(store: &dyn Store) {
    assert!(store.open(&path("no/thing")).unwrap().is_none());
    assert!(store.open(&path(".sitecast-lock")).unwrap().is_none());
    let bytes = pattern(3 * MIB + 7);
    let tag = store.put(put("opened/some.bin", bytes.clone())).unwrap();
    let opened = store.open(&path("opened/some.bin")).unwrap().unwrap();
    assert_eq!(opened.size, bytes.len() as u64);
    assert_eq!(opened.tag, tag, "the put's tag and the opened one's");
    let age = opened.modified.unwrap().elapsed().unwrap_or_default();
    assert!(age.as_secs() < 600, "it was put just now: {age:?}");
    for range in [
        0..0,
        0..1,
        5..MIB,
        2 * MIB..bytes.len(),
        bytes.len()..bytes.len(),
    ] {
        let got = part(&opened, range.start as u64..range.end as u64).unwrap();
        assert!(
            got == bytes[range.clone()],
            "{range:?} differs after reading"
        );
    }
    // After another put, reading returns the opened version or fails.
    store.put(put("opened/some.bin", pattern(MIB))).unwrap();
    match part(&opened, 0..opened.size) {
        Ok(got) => assert!(got == bytes, "two versions were mixed"),
        Err(message) => assert!(message.contains("opened/some.bin"), "{message}"),
    }
    store.delete(&path("opened/some.bin")).unwrap();
}

fn puts_and_removes_prepared_files(store: &dyn Store) {
    for length in [0, 3, 40 * MIB + 5] {
        let bytes = pattern(length);
        let file = store.scratch().unwrap().join("prepared");
        std::fs::write(&file, &bytes).unwrap();
        let tag = store
            .put(Put {
                body: Body::File(file.clone()),
                ..put("files/prepared.bin", "")
            })
            .unwrap();
        assert!(!file.exists(), "the prepared file is still there");
        let (got, got_tag) = read(store, "files/prepared.bin").unwrap();
        assert!(got == bytes, "{length} bytes differ after reading");
        assert_eq!(got_tag, tag);
    }
    let file = store.scratch().unwrap().join("prepared");
    std::fs::write(&file, "not taken").unwrap();
    let refused = store.put(Put {
        body: Body::File(file.clone()),
        ..put_if("files/prepared.bin", "", Condition::Absent)
    });
    assert!(matches!(refused, Err(StoreError::Conflict(_))));
    assert!(!file.exists(), "the file that was not taken is still there");
    store.delete(&path("files/prepared.bin")).unwrap();
}

fn replaces_objects(store: &dyn Store) {
    let first = store.put(put("again.txt", "a first version")).unwrap();
    let second = store.put(put("again.txt", "a second")).unwrap();
    assert_ne!(first, second);
    assert_eq!(bytes_of(store, "again.txt").unwrap(), b"a second");
    store.delete(&path("again.txt")).unwrap();
}

fn shows_only_whole_versions(store: &dyn Store) {
    const AT: &str = "whole/versions.bin";
    // Versions of different lengths, each of one repeated byte, so that mixtures are detected.
    let version = |n: u8| vec![n; 20_000 + 10_000 * usize::from(n)];
    store.put(put(AT, version(0))).unwrap();
    let done = AtomicBool::new(false);
    let read_versions = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let bytes = bytes_of(store, AT).expect("never missing");
                    let n = bytes[0];
                    assert!(bytes == version(n), "a mixture of versions");
                    read_versions.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for round in 0..40 {
            store.put(put(AT, version(round % 7))).unwrap();
        }
        while read_versions.load(Ordering::Relaxed) < 10 {
            thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
    store.delete(&path(AT)).unwrap();
}

fn honours_conditions(store: &dyn Store) {
    const AT: &str = "conditions/object";
    let conflict = |result| match result {
        Err(StoreError::Conflict(at)) => assert_eq!(at, path(AT)),
        other => panic!("no conflict: {other:?}"),
    };
    let nothing = Condition::Unchanged(Tag("\"never-was\"".to_owned()));
    conflict(store.put(put_if(AT, "of nothing", nothing)));
    assert!(bytes_of(store, AT).is_none());

    let first = store.put(put_if(AT, "first", Condition::Absent)).unwrap();
    conflict(store.put(put_if(AT, "again", Condition::Absent)));
    assert_eq!(bytes_of(store, AT).unwrap(), b"first");

    let unchanged = Condition::Unchanged(first.clone());
    let second = store.put(put_if(AT, "second", unchanged.clone())).unwrap();
    conflict(store.put(put_if(AT, "late", unchanged)));
    assert_eq!(
        read(store, AT).unwrap(),
        (b"second".to_vec(), second.clone())
    );

    store.delete(&path(AT)).unwrap();
    conflict(store.put(put_if(AT, "too late", Condition::Unchanged(second))));
    store.put(put_if(AT, "again", Condition::Absent)).unwrap();
    store.delete(&path(AT)).unwrap();
}

fn lets_one_creator_win(store: &dyn Store) {
    for round in 0..5 {
        let at = format!("race/{round}/new");
        let winners = race(|racer| store.put(put_if(&at, racer, Condition::Absent)));
        assert_eq!(winners.len(), 1, "creators of {at}");
        assert_eq!(bytes_of(store, &at).unwrap(), winners[0].as_bytes());
        store.delete(&path(&at)).unwrap();
    }
}

fn lets_one_updater_win(store: &dyn Store) {
    const AT: &str = "race/update";
    for _ in 0..5 {
        let tag = store.put(put(AT, "before")).unwrap();
        let winners = race(|racer| store.put(put_if(AT, racer, Condition::Unchanged(tag.clone()))));
        assert_eq!(winners.len(), 1, "updaters");
        assert_eq!(bytes_of(store, AT).unwrap(), winners[0].as_bytes());
    }
    store.delete(&path(AT)).unwrap();
}

/// Runs eight attempts at once and returns those that succeed. The others must get a conflict.
fn race(attempt: impl Fn(String) -> Result<Tag, StoreError> + Sync) -> Vec<String> {
    let start = std::sync::Barrier::new(8);
    thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|racer| {
                let (start, attempt) = (&start, &attempt);
                scope.spawn(move || {
                    let racer = format!("racer {racer}");
                    start.wait();
                    match attempt(racer.clone()) {
                        Ok(_) => Some(racer),
                        Err(StoreError::Conflict(_)) => None,
                        Err(other) => panic!("{other}"),
                    }
                })
            })
            .collect();
        racers
            .into_iter()
            .filter_map(|racer| racer.join().unwrap())
            .collect()
    })
}

fn deletes_objects(store: &dyn Store) {
    store.put(put("gone/a/deep/object", "x")).unwrap();
    store.put(put("gone/b", "y")).unwrap();
    store.delete(&path("gone/a/deep/object")).unwrap();
    store.delete(&path("gone/a/deep/object")).unwrap();
    assert!(bytes_of(store, "gone/a/deep/object").is_none());
    // Deleting a folder's name leaves the objects below it.
    store.delete(&path("gone")).unwrap();
    assert_eq!(names(store, Some("gone")), ["gone/b"]);
    // An object can replace an emptied folder.
    store.put(put("gone/a", "z")).unwrap();
    assert_eq!(bytes_of(store, "gone/a").unwrap(), b"z");
    store.delete(&path("gone/a")).unwrap();
    store.delete(&path("gone/b")).unwrap();
}

fn lists_all_objects_in_order(store: &dyn Store) {
    let all = [
        "list/b",
        "list/a/two",
        "list/a.b",
        "list/a/one",
        "listing",
        "list/a/c/d",
    ];
    for (length, at) in all.iter().enumerate() {
        store.put(put(at, pattern(length))).unwrap();
    }
    // Sorted by bytes, as in S3: `.` before `/`.
    let sorted = [
        "list/a.b",
        "list/a/c/d",
        "list/a/one",
        "list/a/two",
        "list/b",
    ];
    assert_eq!(names(store, Some("list")), sorted);
    let everything: Vec<_> = sorted.iter().copied().chain(["listing"]).collect();
    assert_eq!(names(store, None), everything);
    assert_eq!(names(store, Some("list/a")), sorted[1..4]);
    assert_eq!(names(store, Some("list/b")), [""; 0]);
    let sizes: Vec<_> = store.list(Some(&path("list/a"))).unwrap();
    assert_eq!(
        sizes.iter().map(|listed| listed.size).collect::<Vec<_>>(),
        [5, 3, 1]
    );
    for at in all {
        store.delete(&path(at)).unwrap();
    }
    assert_eq!(names(store, None), [""; 0]);
}

fn accepts_unusual_names(store: &dyn Store) {
    let odd = [
        "odd/with space/and more.txt",
        "odd/grüße/日本語.json",
        // Look the same and differ in bytes: decomposed and composed.
        "odd/e\u{301}",
        "odd/\u{e9}",
        "odd/a+b",
        "odd/a b",
        "odd/100%",
        "odd/100%25",
        "odd/%2e%2e/x",
        "odd/%2Fslash",
        "odd/hash#tag",
        "odd/what?query=1&more",
        "odd/semi;colon:at@comma,",
        "odd/'quotes\"",
        "odd/<xml>&amp;",
        "odd/~tilde*star!",
        "odd/[brackets]{braces}|^`",
        "odd/.hidden",
        "odd/...",
        "odd/ends with dot.",
        "odd/-dash",
        "odd/=equals$dollar",
        "odd/😀",
    ];
    for at in odd {
        store.put(put(at, at)).unwrap();
    }
    for at in odd {
        assert_eq!(bytes_of(store, at).as_deref(), Some(at.as_bytes()), "{at}");
    }
    let expected: BTreeSet<_> = odd.iter().map(|at| (*at).to_owned()).collect();
    assert_eq!(
        names(store, Some("odd")),
        expected.into_iter().collect::<Vec<_>>()
    );
    assert_eq!(names(store, Some("odd/%2e%2e")), ["odd/%2e%2e/x"]);
    assert_eq!(
        names(store, Some("odd/with space")),
        ["odd/with space/and more.txt"]
    );
    for at in odd {
        store.delete(&path(at)).unwrap();
    }
    assert_eq!(names(store, Some("odd")), [""; 0]);
}

fn puts_many_objects(store: &dyn Store) {
    const MANY: usize = 1_100;
    let at = |n: usize| format!("many/{}/{n}.json", n % 10);
    let mut puts = (0..MANY).map(|n| put(&at(n), n.to_string()));
    store.put_all(&mut puts).unwrap();
    assert_eq!(store.list(Some(&path("many"))).unwrap().len(), MANY);
    assert_eq!(bytes_of(store, &at(777)).unwrap(), b"777");

    // An error in the middle is reported.
    let mut puts = (0..50).map(|n| match n {
        20 => put_if(&at(n), "x", Condition::Absent),
        _ => put(&at(n), "again"),
    });
    let failed = store.put_all(&mut puts);
    assert!(matches!(failed, Err(StoreError::Conflict(failed)) if failed == path(&at(20))));
    thread::scope(|scope| {
        for tenth in 0..10 {
            scope.spawn(move || {
                for n in (tenth..MANY).step_by(10) {
                    store.delete(&path(&at(n))).unwrap();
                }
            });
        }
    });
    assert_eq!(names(store, None), [""; 0]);
}

fn refuses_reserved_names(store: &dyn Store) {
    for at in [".sitecast-lock", ".sitecast-tmp/x", "a/.Sitecast-TMP1"] {
        let message = store.put(put(at, "x")).unwrap_err().to_string();
        assert!(message.contains("own use"), "{message}");
        assert!(store.get(&path(at)).unwrap().is_none());
    }
    assert_eq!(names(store, None), [""; 0]);
}

fn refuses_a_second_lock(store: &dyn Store) {
    let first = store.lock().unwrap();
    match store.lock().map(|_| ()) {
        Err(StoreError::Locked { place, .. }) => assert_eq!(place, store.name()),
        other => panic!("locked twice: {other:?}"),
    }
    first.check().unwrap();
    assert_eq!(first.warning(), None);
    store.put(put("while/locked", "x")).unwrap();
    assert_eq!(names(store, None), ["while/locked"]);
    drop(first);
    store.lock().unwrap();
    store.delete(&path("while/locked")).unwrap();
    assert_eq!(names(store, None), [""; 0]);
}
