use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use sitecast_storage::{
    Attributes, Body, Bucket, BucketOptions, Condition, Put, Store, StoreError,
};

use crate::child::{self, Killed};
use crate::suite::{self, bytes_of, names, path, pattern, put, put_if};
use crate::weed::{open, open_anonymously, weed};

#[test]
fn a_bucket_conforms() {
    let Some(weed) = weed() else { return };
    suite::run(&weed.bucket("s3://test/a prefix/grüße"));
    // Nothing of ours is left: neither lock nor probes.
    let whole = weed.bucket("s3://test");
    assert_eq!(names(&whole, Some("a prefix")), [""; 0]);
}

#[test]
fn a_bucket_without_a_prefix_has_everything() {
    let Some(weed) = weed() else { return };
    let whole = weed.bucket("s3://whole");
    let part = weed.bucket("s3://whole/part/of it/");
    whole.put(put("beside", "x")).unwrap();
    part.put(put("inside", "y")).unwrap();
    assert_eq!(names(&whole, None), ["beside", "part/of it/inside"]);
    assert_eq!(names(&part, None), ["inside"]);
    assert_eq!(part.name(), "s3://whole/part/of it");
    // A prefix is a folder, not the beginning of a name.
    assert_eq!(names(&weed.bucket("s3://whole/part/of"), None), [""; 0]);
}

#[test]
fn attributes_are_what_browsers_get() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/attributes");
    for (name, length) in [("small", 10), ("large", 17 * 1024 * 1024)] {
        store
            .put(Put {
                attributes: Attributes {
                    content_type: Some("application/scp".to_owned()),
                    content_encoding: Some("zstd".to_owned()),
                    cache_control: Some("public, max-age=60".to_owned()),
                },
                ..put(name, pattern(length))
            })
            .unwrap();
        let answer = weed
            .head(&format!("/test/attributes/{name}"))
            .to_lowercase();
        for header in [
            "content-type: application/scp\r\n",
            "content-encoding: zstd\r\n",
            "cache-control: public, max-age=60\r\n",
            &format!("content-length: {length}\r\n"),
        ] {
            assert!(answer.contains(header), "{name}: no {header} in {answer}");
        }
    }
}

#[test]
fn the_key_is_spelled_as_the_path() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/spelling");
    store.put(put("a b/100% #1?.json", "x")).unwrap();
    let answer = weed.head("/test/spelling/a%20b/100%25%20%231%3F.json");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_large_object_is_checked_before_it_is_sent() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/large");
    let large = pattern(20 * 1024 * 1024);
    let tag = store
        .put(put_if("x", large.clone(), Condition::Absent))
        .unwrap();
    let again = store.put(put_if("x", large.clone(), Condition::Absent));
    assert!(matches!(again, Err(StoreError::Conflict(_))));
    let tag = store
        .put(put_if("x", large.clone(), Condition::Unchanged(tag)))
        .unwrap();
    store.put(put("x", "small")).unwrap();
    let late = store.put(put_if("x", large, Condition::Unchanged(tag)));
    assert!(matches!(late, Err(StoreError::Conflict(_))));
    assert_eq!(bytes_of(&store, "x").unwrap(), b"small");
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/missing");
    let file = store.scratch().unwrap().join("missing");
    let error = store
        .put(Put {
            body: Body::File(file.clone()),
            ..put("x", "")
        })
        .unwrap_err();
    assert!(
        error.to_string().contains(file.to_str().unwrap()),
        "{error}"
    );
}

#[test]
fn who_is_refused_is_told_why() {
    let Some(weed) = weed() else { return };
    let wrong = open("s3://test/x", &weed.endpoint(), "publisher", "wrong");
    let error = wrong.put(put("a", "x")).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot write `s3://test/x/a`: "),
        "{error}"
    );
    assert!(error.contains("SignatureDoesNotMatch"), "{error}");

    let nobody = open_anonymously("s3://test/x", &weed.endpoint());
    let error = nobody.put(put("a", "x")).unwrap_err().to_string();
    assert!(error.contains("AWS_ACCESS_KEY_ID"), "{error}");
    assert!(nobody.lock().is_err());
}

#[test]
fn a_missing_bucket_is_not_an_empty_one() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://there-is-none");
    for error in [store.get(&path("x")).err(), store.list(None).err()] {
        let error = error.expect("an error").to_string();
        assert!(error.contains("NoSuchBucket"), "{error}");
    }
}

#[test]
fn the_bucket_can_be_part_of_the_host_name() {
    use std::net::ToSocketAddrs;
    let Some(weed) = weed() else { return };
    if ("test.localhost", weed.port()).to_socket_addrs().is_err() {
        eprintln!("skipped: names under `localhost` are not resolved here");
        return;
    }
    let options = BucketOptions {
        endpoint: Some(format!("http://localhost:{}", weed.port())),
        path_style: Some(false),
        ..BucketOptions::default()
    };
    let variables = [
        ("AWS_ACCESS_KEY_ID", "publisher"),
        ("AWS_SECRET_ACCESS_KEY", "a secret"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let store = Bucket::open_with("s3://test/virtual", &options, variables).unwrap();
    store.put(put("x", "y")).unwrap();
    let other = weed.bucket("s3://test/virtual");
    assert_eq!(bytes_of(&other, "x").unwrap(), b"y");
}

#[test]
fn it_works_on_threads_of_another_runtime() {
    let Some(weed) = weed() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let work = |name: &'static str| {
        let store = weed.bucket("s3://test/runtime");
        let bytes = pattern(3_000_000);
        store.put(put(name, bytes.clone())).unwrap();
        // In many small reads: more than a task's budget of polls.
        let mut object = store.get(&path(name)).unwrap().unwrap();
        let mut got = Vec::new();
        let mut buffer = [0; 1000];
        while let Ok(read @ 1..) = object.reader.read(&mut buffer) {
            got.extend_from_slice(&buffer[..read]);
        }
        assert!(got == bytes);
        drop(store.lock().unwrap());
        drop(store);
    };
    runtime.block_on(async {
        tokio::task::spawn_blocking(move || work("blocking"))
            .await
            .unwrap();
        // Bad manners, but no reason to panic or to hang.
        tokio::spawn(async move { work("worker") }).await.unwrap();
    });
}

#[test]
fn a_reader_outlives_its_store() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/outlive");
    let bytes = pattern(6_000_000);
    store.put(put("x", bytes.clone())).unwrap();
    let mut object = store.get(&path("x")).unwrap().unwrap();
    drop(store);
    let mut got = Vec::new();
    object.reader.read_to_end(&mut got).unwrap();
    assert!(got == bytes);
}

const RENEW: Duration = Duration::from_secs(1);
const EXPIRE: Duration = Duration::from_secs(4);

#[test]
fn a_lock_is_renewed_for_as_long_as_it_is_held() {
    let Some(weed) = weed() else { return };
    let open = || {
        weed.bucket("s3://test/renewed")
            .with_lock_times(RENEW, EXPIRE)
    };
    let store = open();
    let lock = store.lock().unwrap();
    let until = Instant::now() + EXPIRE + EXPIRE;
    let mut refusal = String::new();
    while Instant::now() < until {
        lock.check().unwrap();
        match open().lock() {
            Err(error @ StoreError::Locked { .. }) => refusal = error.to_string(),
            other => panic!("not refused: {:?}", other.map(|_| ())),
        }
        thread::sleep(Duration::from_millis(500));
    }
    assert!(refusal.starts_with("another publication to `s3://test/renewed` is running (for "));
    drop(lock);
    drop(open().lock().unwrap());
}

#[test]
fn a_lock_that_was_taken_is_noticed() {
    let Some(weed) = weed() else { return };
    let store = weed
        .bucket("s3://test/taken")
        .with_lock_times(RENEW, EXPIRE);
    let above = weed.bucket("s3://test");
    let lock = store.lock().unwrap();
    above
        .put(put("taken/.sitecast-lock", "somebody else's\n7\n"))
        .unwrap();
    let until = Instant::now() + EXPIRE;
    let error = loop {
        match lock.check() {
            Err(error) => break error,
            Ok(()) => assert!(Instant::now() < until, "it was not noticed"),
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    // What is somebody else's is not removed.
    drop(lock);
    assert!(bytes_of(&above, "taken/.sitecast-lock").is_some());
    above.delete(&path("taken/.sitecast-lock")).unwrap();
}

#[test]
fn one_of_many_gets_the_lock() {
    let Some(weed) = weed() else { return };
    for _ in 0..3 {
        let locks: Vec<_> = thread::scope(|scope| {
            let racers: Vec<_> = (0..6)
                .map(|_| scope.spawn(|| weed.bucket("s3://test/contested").lock()))
                .collect();
            racers
                .into_iter()
                .map(|racer| racer.join().unwrap())
                .collect()
        });
        let (got, refused): (Vec<_>, Vec<_>) = locks.into_iter().partition(Result::is_ok);
        assert_eq!(got.len(), 1);
        let locked = |lock: &Result<_, _>| matches!(lock, Err(StoreError::Locked { .. }));
        assert!(refused.iter().all(locked));
    }
}

#[test]
fn a_killed_holder_holds_the_lock_for_a_while_only() {
    let Some(weed) = weed() else { return };
    let store = weed
        .bucket("s3://test/killed")
        .with_lock_times(RENEW, EXPIRE);
    let mut holder = child::start("bucket::child_that_holds_the_lock", weed.endpoint());
    child::wait_for(&mut holder, "holding");
    assert!(matches!(store.lock(), Err(StoreError::Locked { .. })));
    drop::<Killed>(holder);
    assert!(matches!(store.lock(), Err(StoreError::Locked { .. })));
    // To the second is how precise the server is.
    let until = Instant::now() + EXPIRE + Duration::from_secs(3);
    let lock = loop {
        match store.lock() {
            Ok(lock) => break lock,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        thread::sleep(Duration::from_millis(200));
    };
    lock.check().unwrap();
    drop(lock);
    let above = weed.bucket("s3://test");
    assert_eq!(names(&above, Some("killed")), [""; 0]);
}

#[test]
#[ignore = "run by `a_killed_holder_holds_the_lock_for_a_while_only` in a process of its own"]
fn child_that_holds_the_lock() {
    let Some(endpoint) = child::argument() else {
        return;
    };
    let store =
        open("s3://test/killed", &endpoint, "publisher", "a secret").with_lock_times(RENEW, EXPIRE);
    let _lock = store.lock().unwrap();
    child::say_and_wait("holding");
}

/// Stands before the real server and hides conditions from it: so it answers as servers do that
/// disregard them.
fn without_conditions(server: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || copy(from, to, false));
            thread::spawn(move || copy(client, server, true));
        }
    });
    port
}

fn copy(mut from: TcpStream, mut to: TcpStream, hide: bool) {
    let mut buffer = [0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let bytes = &mut buffer[..read];
        for header in [&b"\nif-none-match:"[..], b"\nif-match:"] {
            let found = bytes
                .windows(header.len())
                .position(|window| window.eq_ignore_ascii_case(header));
            if let (Some(at), true) = (found, hide) {
                bytes[at + 1] = b'x';
            }
        }
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

#[test]
fn a_server_that_disregards_conditions_is_found_out() {
    let Some(weed) = weed() else { return };
    // Created by one who may.
    weed.bucket("s3://open").put(put("x", "y")).unwrap();
    let endpoint = format!("http://127.0.0.1:{}", without_conditions(weed.port()));
    let open = || open_anonymously("s3://open/p", &endpoint).with_lock_times(RENEW, EXPIRE);
    let store = open();
    let lock = store.lock().unwrap();
    let warning = lock.warning().expect("a warning");
    assert!(warning.contains("disregards conditions"), "{warning}");
    // Who comes later is refused nevertheless, also after renewals.
    thread::sleep(RENEW * 3);
    lock.check().unwrap();
    assert!(matches!(open().lock(), Err(StoreError::Locked { .. })));
    drop(lock);
    drop(open().lock().unwrap());

    // The same, asked directly, keeps them.
    let direct = open_anonymously("s3://open/p", &weed.endpoint());
    assert_eq!(direct.lock().unwrap().warning(), None);
}

/// Stands before the real server and is too busy to answer so many connections.
fn busy_at_first(server: u16, refusals: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for (number, mut client) in listener.incoming().flatten().enumerate() {
            if number < refusals {
                let _ = client.read(&mut [0; 64 * 1024]);
                let refusal =
                    "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                let _ = client.write_all(refusal.as_bytes());
                continue;
            }
            let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || copy(from, to, false));
            thread::spawn(move || copy(client, server, false));
        }
    });
    port
}

#[test]
fn a_server_that_is_busy_is_asked_again() {
    let Some(weed) = weed() else { return };
    weed.bucket("s3://open").put(put("x", "y")).unwrap();
    let endpoint = || format!("http://127.0.0.1:{}", busy_at_first(weed.port(), 3));
    let store = open_anonymously("s3://open/busy", &endpoint());
    store.put(put("a", "text")).unwrap();
    let store = open_anonymously("s3://open/busy", &endpoint());
    assert_eq!(bytes_of(&store, "a").as_deref(), Some(&b"text"[..]));
}

#[test]
fn scratch_is_a_local_folder() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/scratch");
    let scratch = store.scratch().unwrap();
    fs::write(scratch.join("x"), "y").unwrap();
    assert_eq!(store.scratch().unwrap(), scratch);
    drop(store);
    assert!(!scratch.exists());
}
