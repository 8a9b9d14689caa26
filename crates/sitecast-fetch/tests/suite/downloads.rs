use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use sitecast_fetch::{Client, Coding, Downloaded, FetchError, Options, Request};
use sitecast_testserver::{Fault, Folder, Server};

use crate::{client, download, options, serve};

const SIZE: usize = 300_000;

/// A folder with a large file, and the bytes of it.
fn large() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..SIZE).map(|at| (at * 31 % 251) as u8).collect();
    fs::write(folder.path().join("all.scp.zst"), &bytes).unwrap();
    (folder, bytes)
}

/// Serves it, but the first answers break off after so many bytes each.
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
fn a_download_goes_on_where_it_broke_off() {
    let (folder, bytes) = large();
    let server = breaking(&folder, &[100_000, 50_000]);
    let to = folder.path().join("here");
    let done = download(&client(), &stored(&server), &to).unwrap();
    assert!(
        matches!(done, Downloaded::Whole { bytes, .. } if bytes == SIZE as u64),
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
fn another_process_goes_on_with_it() {
    let (folder, bytes) = large();
    let server = breaking(&folder, &[100_000]);
    let to = folder.path().join("here");
    let broken = download(&once(), &stored(&server), &to);
    assert!(
        matches!(broken, Err(FetchError::Truncated { .. })),
        "{broken:?}"
    );
    assert!(!to.exists(), "half of it is not it");
    download(&once(), &stored(&server), &to).unwrap();
    assert_eq!(fs::read(&to).unwrap(), bytes);
    let last = server.take_log().pop().unwrap();
    assert_eq!(last.header("range"), Some("bytes=100000-"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing is left behind: {left:?}");
}

#[test]
fn what_changed_meanwhile_is_taken_from_the_beginning() {
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
fn a_part_is_never_continued_with_something_else() {
    let (folder, bytes) = large();
    let to = folder.path().join("here");
    for wrong in ["bytes 5-299999/300000", "bytes */300000", "items 100000-"] {
        let server = breaking(&folder, &[100_000]);
        download(&once(), &stored(&server), &to).unwrap_err();
        let path = folder.path().to_owned();
        // A server that disregards what was asked for.
        let liar = serve(move |request| {
            let mut answer = Folder::new(&path).answer(request);
            if request.header("range").is_some() {
                answer.status = 206;
                answer.headers.retain(|(name, _)| name != "Content-Range");
                answer = answer.with("Content-Range", wrong);
            }
            answer
        });
        // The same file under the liar's address.
        let origin = folder.path().join("here.part.json");
        let text = fs::read_to_string(&origin).unwrap();
        fs::write(&origin, text.replace(&server.url(""), &liar.url(""))).unwrap();
        download(&client(), &stored(&liar), &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), bytes, "{wrong}");
        fs::remove_file(&to).unwrap();
    }
}

#[test]
fn without_a_strong_validator_it_begins_again() {
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
fn the_limit_holds_across_parts() {
    let (folder, _) = large();
    let server = breaking(&folder, &[100_000]);
    let to = folder.path().join("here");
    let mut request = stored(&server);
    request.limit = 200_000;
    // The first answer announces all of it.
    let refused = download(&client(), &request, &to);
    assert!(
        matches!(refused, Err(FetchError::TooLarge { .. })),
        "{refused:?}"
    );
}

#[test]
fn what_is_not_there_or_not_modified_is_an_answer() {
    let (folder, _) = large();
    let served = Folder::new(folder.path());
    let server = serve(move |request| served.answer(request));
    let to = folder.path().join("here");
    let missing = Request::new(server.url("/no.scp").parse().unwrap(), 100);
    let answer = download(&client(), &missing, &to).unwrap();
    assert!(
        matches!(&answer, Downloaded::Nothing(head) if head.is_gone()),
        "{answer:?}"
    );
    let Downloaded::Whole { head, .. } = download(&client(), &stored(&server), &to).unwrap() else {
        panic!("it is there");
    };
    let again = stored(&server).unless(head.validators);
    let answer = download(&client(), &again, &to).unwrap();
    assert!(matches!(answer, Downloaded::NotModified(_)), "{answer:?}");
}

#[test]
fn a_full_disk_is_said_to_be_ours() {
    let (folder, _) = large();
    let served = Folder::new(folder.path());
    let server = serve(move |request| served.answer(request));
    let to = folder.path().join("no/such/folder/here");
    let error = download(&client(), &stored(&server), &to).unwrap_err();
    assert!(matches!(error, FetchError::File { .. }), "{error:?}");
}
