//! Reading from a website.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use sitecast_storage::{Http, Store, StoreError};

use crate::suite::{path, put, read};

/// Answers every request with the same bytes, and hangs up; which has to be said, or the client uses
/// the connection again.
fn server_that_says(answer: impl Into<Vec<u8>>) -> Http {
    let mut answer = answer.into();
    let status = answer.iter().position(|byte| *byte == b'\n').unwrap();
    answer.splice(status + 1..status + 1, *b"Connection: close\r\n");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let request = BufReader::new(client.try_clone().unwrap());
            let mut lines = request.lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let _ = client.write_all(&answer);
        }
    });
    Http::open(&format!("http://127.0.0.1:{port}/site/")).unwrap()
}

fn failure(store: &Http) -> String {
    store.get(&path("a b.scp")).err().unwrap().to_string()
}

#[cfg(feature = "s3")]
#[test]
fn what_a_server_has_can_be_read() {
    let Some(weed) = crate::weed::weed() else {
        return;
    };
    let bucket = weed.bucket("s3://test/website");
    let large = crate::suite::pattern(9_000_000);
    bucket.put(put("100% #1?/a b.json", "small")).unwrap();
    bucket.put(put("large", large.clone())).unwrap();
    for base in [weed.website("test/website"), weed.website("test/website/")] {
        let site = Http::open(&base).unwrap();
        assert_eq!(
            crate::suite::bytes_of(&site, "100% #1?/a b.json").unwrap(),
            b"small"
        );
        let (bytes, tag) = read(&site, "large").unwrap();
        assert!(bytes == large);
        assert!(!tag.0.is_empty());
        assert!(site.get(&path("nothing/here")).unwrap().is_none());
    }
}

#[test]
fn nothing_is_decompressed() {
    let stored = b"\x1f\x8b not really gzip";
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nETag: \"x\"\r\nContent-Length: {}\r\n\r\n",
        stored.len()
    )
    .into_bytes();
    answer.extend_from_slice(stored);
    let (bytes, tag) = read(&server_that_says(answer), "a").unwrap();
    assert_eq!((bytes.as_slice(), tag.0.as_str()), (&stored[..], "\"x\""));
}

#[test]
fn a_size_is_known_also_if_the_server_does_not_say_it() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\
        Last-Modified: Mon, 16 Nov 2026 10:00:00 GMT\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    let (bytes, tag) = read(&server_that_says(chunked), "a").unwrap();
    assert_eq!(bytes, b"abcde");
    assert_eq!(tag.0, "Mon, 16 Nov 2026 10:00:00 GMT");
}

#[test]
fn what_is_cut_short_is_an_error() {
    let store = server_that_says("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    let mut object = store.get(&path("a")).unwrap().unwrap();
    assert_eq!(object.size, 10);
    assert!(object.reader.read_to_end(&mut Vec::new()).is_err());

    let cut = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nd";
    assert!(server_that_says(cut).get(&path("a")).is_err());
}

#[test]
fn only_missing_is_missing() {
    let answer =
        |status: &str| server_that_says(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n"));
    for status in ["404 Not Found", "410 Gone"] {
        assert!(answer(status).get(&path("a")).unwrap().is_none());
    }
    for status in [
        "500 Internal Server Error",
        "403 Forbidden",
        "204 No Content",
    ] {
        let message = failure(&answer(status));
        assert!(message.contains(status), "{message}");
        assert!(message.contains("/site/a%20b.scp"), "{message}");
    }
}

#[test]
fn redirects_end() {
    let message = failure(&server_that_says(
        "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n",
    ));
    assert!(message.contains("redirect"), "{message}");
}

#[test]
fn nobody_there_is_an_error() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let store = Http::open(&format!("http://127.0.0.1:{port}")).unwrap();
    let message = failure(&store);
    assert!(message.contains("refused"), "{message}");
}

#[test]
fn nothing_can_be_written() {
    let store = Http::open("https://user:secret@example.com/site").unwrap();
    assert_eq!(store.name(), "https://example.com/site");
    assert!(!format!("{store:?}").contains("secret"));
    let refused = |error: StoreError| {
        assert!(matches!(error, StoreError::ReadOnly(name) if name == store.name()));
    };
    refused(store.put(put("a", "x")).unwrap_err());
    refused(store.delete(&path("a")).unwrap_err());
    refused(store.lock().err().unwrap());
    refused(store.scratch().unwrap_err());
    assert!(store.list(None).is_err());
}
