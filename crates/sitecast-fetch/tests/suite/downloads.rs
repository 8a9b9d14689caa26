//! Downloads: resuming, restarting, and results other than a file.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use sitecast_fetch::{Client, Coding, Downloaded, FetchError, Options, Request};
use sitecast_testserver::{Fault, Folder, Server};

use crate::{client, download, options, serve};

const SIZE: usize = 300_000;

/// Returns a folder with a large file, and the file's bytes.
fn large() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..SIZE).map(|at| (at * 31 % 251) as u8).collect();
    fs::write(folder.path().join("all.scp.zst"), &bytes).unwrap();
    (folder, bytes)
}

/// Serves the folder; the first responses break off after `breaks` bytes each.
fn breaking(folder: &tempfile::TempDir, breaks: &'static [usize]) -> Server {
    let folder = Folder::new(folder.path());
    let answers = AtomicU32::new(0);
    serve(move |request| {
        let number = answers.fetch_add(1, Ordering::SeqCst) as usize;
        let answer = folder.answer(request);
        match breaks.get(number) {
            Some(bytes) => answer.with_fault(Fault::Truncate(*bytes)),
            None => answer,
        }
    })
}

fn stored(server: &Server) -> Request {
    Request {
        coding: Coding::Stored,
        ..Request::new(server.url("/all.scp.zst").parse().unwrap(), 1_000_000)
    }
}

fn once() -> Client {
    Client::new(Options {
        attempts: 1,
        ..options()
    })
    .unwrap()
}

#[test]
fn resumes_an_interrupted_download() {
    let (folder, bytes) = large();
    let server = breaking(&folder, &[100_000, 50_000]);
    let to = folder.path().join("here");
    let done = download(&client(), &stored(&server), &to).unwrap();
    assert!(
        matches!(done, Downloaded::Complete { bytes, .. } if bytes == SIZE as u64),
        "{done:?}"
    );
    assert_eq!(fs::read(&to).unwrap(), bytes);
    let ranges: Vec<Option<String>> = server
        .take_log()
        .iter()
        .skip(1)
        .map(|request| request.header("range").map(str::to_owned))
        .collect();
    let from = |at: &str| Some(format!("bytes={at}-"));
    assert_eq!(ranges, [None, from("100000"), from("150000")]);
}

#[test]
fn resumes_in_another_process() {
    let (folder, bytes) = large();
    let server = breaking(&folder, &[100_000]);
    let to = folder.path().join("here");
    let broken = download(&once(), &stored(&server), &to);
    assert!(
        matches!(broken, Err(FetchError::Truncated { .. })),
        "{broken:?}"
    );
    assert!(!to.exists(), "an incomplete file is not the target");
    download(&once(), &stored(&server), &to).unwrap();
    assert_eq!(fs::read(&to).unwrap(), bytes);
    let last = server.take_log().pop().unwrap();
    assert_eq!(last.header("range"), Some("bytes=100000-"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing is left behind: {left:?}");
}

#[test]
fn restarts_when_the_file_has_changed() {
    let (folder, _) = large();
    let server = breaking(&folder, &[100_000]);
    let to = folder.path().join("here");
    download(&once(), &stored(&server), &to).unwrap_err();
    let other: Vec<u8> = (0..SIZE).map(|at| (at * 7 % 253) as u8).collect();
    fs::write(folder.path().join("all.scp.zst"), &other).unwrap();
    download(&once(), &stored(&server), &to).unwrap();
    assert_eq!(fs::read(&to).unwrap(), other);
}

#[test]
fn never_appends_a_wrong_range() {
    let (folder, bytes) = large();
    let to = folder.path().join("here");
    for wrong in ["bytes 5-299999/300000", "bytes */300000", "items 100000-"] {
        let server = breaking(&folder, &[100_000]);
        download(&once(), &stored(&server), &to).unwrap_err();
        let path = folder.path().to_owned();
        // A server that ignores the requested range.
        let liar = serve(move |request| {
            let mut answer = Folder::new(&path).answer(request);
            if request.header("range").is_some() {
                answer.status = 206;
                answer.headers.retain(|(name, _)| name != "Content-Range");
                answer = answer.with("Content-Range", wrong);
            }
            answer
        });
        // Make the part resumable from the second server.
        let origin = folder.path().join("here.part.json");
        let text = fs::read_to_string(&origin).unwrap();
        fs::write(&origin, text.replace(&server.url(""), &liar.url(""))).unwrap();
        download(&client(), &stored(&liar), &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), bytes, "{wrong}");
        fs::remove_file(&to).unwrap();
    }
}

#[test]
fn ignores_invalid_part_metadata() {
    let (folder, bytes) = large();
    let to = folder.path().join("here");
    let part = folder.path().join("here.part");
    let note = folder.path().join("here.part.json");
    let server = breaking(&folder, &[]);
    let url = server.url("/all.scp.zst");
    for text in [
        "".to_owned(),
        "rubbish".to_owned(),
        "[]".to_owned(),
        "{\"url\":1,\"validators\":{}}".to_owned(),
        format!("{{\"url\":\"{url}\",\"validators\":{{}}}}"),
        format!("{{\"url\":\"{url}\",\"validators\":{{\"etag\":\"W/\\\"x\\\"\"}}}}"),
        format!("{{\"url\":\"{url}x\",\"validators\":{{\"etag\":\"\\\"x\\\"\"}}}}"),
        // The validator of an older version.
        format!("{{\"url\":\"{url}\",\"validators\":{{\"etag\":\"\\\"x\\\"\"}}}}"),
        // A validator that is not a valid header value.
        format!("{{\"url\":\"{url}\",\"validators\":{{\"etag\":\"\\\"\\n\\\"\"}}}}"),
    ] {
        fs::write(&part, b"the beginning of something else").unwrap();
        fs::write(&note, &text).unwrap();
        download(&client(), &stored(&server), &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), bytes, "{text}");
        fs::remove_file(&to).unwrap();
    }
}

#[test]
fn requests_the_rest_after_a_short_range() {
    let (folder, bytes) = large();
    let path = folder.path().to_owned();
    let answers = AtomicU32::new(0);
    // Breaks off the first response, and then answers each range request with at most a third of the file.
    let server = serve(move |request| {
        let mut answer = Folder::new(&path).answer(request);
        if answers.fetch_add(1, Ordering::SeqCst) == 0 {
            return answer.with_fault(Fault::Truncate(50_000));
        }
        let from = request.header("range").unwrap();
        let from: usize = from["bytes=".len()..from.len() - 1].parse().unwrap();
        answer.body.truncate(100_000);
        let last = from + answer.body.len() - 1;
        answer
            .headers
            .retain(|(name, _)| !matches!(name.as_str(), "Content-Range" | "Content-Length"));
        answer.with("Content-Range", format!("bytes {from}-{last}/{SIZE}"))
    });
    let to = folder.path().join("here");
    download(&client(), &stored(&server), &to).unwrap();
    assert_eq!(fs::read(&to).unwrap(), bytes);
}

#[test]
fn trusts_last_modified_only_after_its_second() {
    let (folder, bytes) = large();
    let changed = "Tue, 06 Jan 2026 10:00:00 GMT";
    for (date, goes_on) in [
        ("Tue, 06 Jan 2026 10:00:00 GMT", false),
        ("Tue, 06 Jan 2026 10:00:01 GMT", true),
    ] {
        let path = folder.path().to_owned();
        let answers = AtomicU32::new(0);
        let server = serve(move |request| {
            let mut answer = Folder::new(&path).answer(request);
            answer
                .headers
                .retain(|(name, _)| !matches!(name.as_str(), "ETag" | "Last-Modified" | "Date"));
            let answer = answer.with("Last-Modified", changed).with("Date", date);
            match answers.fetch_add(1, Ordering::SeqCst) {
                0 => answer.with_fault(Fault::Truncate(1_000)),
                _ => answer,
            }
        });
        let to = folder.path().join("here");
        download(&client(), &stored(&server), &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), bytes);
        let asked = server.take_log().pop().unwrap();
        assert_eq!(asked.header("range").is_some(), goes_on, "{date}");
        assert_eq!(asked.header("if-range"), goes_on.then_some(changed));
        fs::remove_file(&to).unwrap();
    }
}

#[test]
fn restarts_without_a_strong_validator() {
    let (folder, bytes) = large();
    let path = folder.path().to_owned();
    let answers = AtomicU32::new(0);
    let server = serve(move |request| {
        let mut answer = Folder::new(&path).answer(request);
        for (name, value) in &mut answer.headers {
            if name == "ETag" {
                *value = format!("W/{value}");
            }
        }
        if answers.fetch_add(1, Ordering::SeqCst) == 0 {
            answer = answer.with_fault(Fault::Truncate(1_000));
        }
        answer
    });
    let to = folder.path().join("here");
    download(&client(), &stored(&server), &to).unwrap();
    assert_eq!(fs::read(&to).unwrap(), bytes);
    assert!(
        server
            .take_log()
            .iter()
            .all(|request| request.header("range").is_none())
    );
}

#[test]
fn refuses_an_announced_length_over_the_limit() {
    let (folder, _) = large();
    let server = breaking(&folder, &[100_000]);
    let to = folder.path().join("here");
    let mut request = stored(&server);
    request.limit = 200_000;
    // The first response announces the whole size.
    let refused = download(&client(), &request, &to);
    assert!(
        matches!(refused, Err(FetchError::TooLarge { .. })),
        "{refused:?}"
    );
}

#[test]
fn returns_missing_and_not_modified() {
    let (folder, _) = large();
    let served = Folder::new(folder.path());
    let server = serve(move |request| served.answer(request));
    let to = folder.path().join("here");
    let missing = Request::new(server.url("/no.scp").parse().unwrap(), 100);
    let answer = download(&client(), &missing, &to).unwrap();
    assert!(
        matches!(&answer, Downloaded::OtherStatus(head) if head.is_gone()),
        "{answer:?}"
    );
    let Downloaded::Complete { head, .. } = download(&client(), &stored(&server), &to).unwrap()
    else {
        panic!("not downloaded");
    };
    let again = stored(&server).unless_matches(head.validators);
    let answer = download(&client(), &again, &to).unwrap();
    assert!(matches!(answer, Downloaded::NotModified(_)), "{answer:?}");
}

#[test]
fn reports_write_errors_as_file_errors() {
    let (folder, _) = large();
    let served = Folder::new(folder.path());
    let server = serve(move |request| served.answer(request));
    let to = folder.path().join("no/such/folder/here");
    let error = download(&client(), &stored(&server), &to).unwrap_err();
    assert!(matches!(error, FetchError::File { .. }), "{error:?}");
}
