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
    // The suite leaves no lock and no probes.
    let whole = weed.bucket("s3://test");
    assert_eq!(names(&whole, Some("a prefix")), [""; 0]);
}

#[test]
fn lists_all_prefixes_without_a_prefix() {
    let Some(weed) = weed() else { return };
    let whole = weed.bucket("s3://whole");
    let part = weed.bucket("s3://whole/part/of it/");
    whole.put(put("beside", "x")).unwrap();
    part.put(put("inside", "y")).unwrap();
    assert_eq!(names(&whole, None), ["beside", "part/of it/inside"]);
    assert_eq!(names(&part, None), ["inside"]);
    assert_eq!(part.name(), "s3://whole/part/of it");
    // A prefix is a folder, not the start of a name.
    assert_eq!(names(&weed.bucket("s3://whole/part/of"), None), [""; 0]);
}

#[test]
fn sends_attributes_as_headers() {
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
fn spells_keys_like_paths() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://test/spelling");
    store.put(put("a b/100% #1?.json", "x")).unwrap();
    let answer = weed.head("/test/spelling/a%20b/100%25%20%231%3F.json");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn checks_conditions_before_sending_large_objects() {
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
fn reports_unreadable_files() {
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
fn explains_refused_credentials() {
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
fn reports_missing_buckets() {
    let Some(weed) = weed() else { return };
    let store = weed.bucket("s3://there-is-none");
    for error in [store.get(&path("x")).err(), store.list(None).err()] {
        let error = error.expect("an error").to_string();
        assert!(error.contains("NoSuchBucket"), "{error}");
    }
}

#[test]
fn supports_virtual_hosted_buckets() {
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
fn works_on_threads_of_another_runtime() {
    let Some(weed) = weed() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap();
    let work = |name: &'static str| {
        let store = weed.bucket("s3://test/runtime");
        let bytes = pattern(3_000_000);
        store.put(put(name, bytes.clone())).unwrap();
        // Many small reads, to exceed a task's cooperative budget.
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
        // Blocking a runtime's thread is discouraged, but must not panic or hang.
        tokio::spawn(async move { work("worker") }).await.unwrap();
    });
}

#[test]
fn keeps_readers_working_after_the_store_is_dropped() {
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
fn renews_the_lock_while_held() {
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
fn notices_a_lost_lock() {
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
    // Dropping a lost lock does not remove the other publisher's.
    drop(lock);
    assert!(bytes_of(&above, "taken/.sitecast-lock").is_some());
    above.delete(&path("taken/.sitecast-lock")).unwrap();
}

#[test]
fn grants_the_lock_to_one_of_many() {
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
fn expires_the_lock_of_a_killed_process() {
    let Some(weed) = weed() else { return };
    let store = weed
        .bucket("s3://test/killed")
        .with_lock_times(RENEW, EXPIRE);
    let mut holder = child::start("bucket::child_that_holds_the_lock", weed.endpoint());
    child::wait_for(&mut holder, "holding");
    assert!(matches!(store.lock(), Err(StoreError::Locked { .. })));
    drop::<Killed>(holder);
    assert!(matches!(store.lock(), Err(StoreError::Locked { .. })));
    // The server's times have a precision of one second.
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
#[ignore = "run by `expires_the_lock_of_a_killed_process` in a process of its own"]
fn child_that_holds_the_lock() {
    let Some(endpoint) = child::argument() else {
        return;
    };
    let store =
        open("s3://test/killed", &endpoint, "publisher", "a secret").with_lock_times(RENEW, EXPIRE);
    let _lock = store.lock().unwrap();
    child::say_and_wait("holding");
}

/// Starts a proxy that removes conditions from requests, to simulate a server that ignores them.
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
fn warns_about_servers_that_ignore_conditions() {
    let Some(weed) = weed() else { return };
    // Only the publisher may create buckets.
    weed.bucket("s3://open").put(put("x", "y")).unwrap();
    let endpoint = format!("http://127.0.0.1:{}", without_conditions(weed.port()));
    let open = || open_anonymously("s3://open/p", &endpoint).with_lock_times(RENEW, EXPIRE);
    let store = open();
    let lock = store.lock().unwrap();
    let warning = lock.warning().expect("a warning");
    assert!(warning.contains("ignores conditions"), "{warning}");
    // A later publisher is still refused, also after renewals.
    thread::sleep(RENEW * 3);
    lock.check().unwrap();
    assert!(matches!(open().lock(), Err(StoreError::Locked { .. })));
    drop(lock);
    drop(open().lock().unwrap());

    // Without the proxy, the server honours conditions.
    let direct = open_anonymously("s3://open/p", &weed.endpoint());
    assert_eq!(direct.lock().unwrap().warning(), None);
}

/// Starts a proxy that answers the first `refusals` connections with 503.
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
fn retries_busy_servers() {
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
