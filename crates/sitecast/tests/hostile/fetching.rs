//! Servers that never come to an end: time, requests and disk stay within bounds.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sitecast_testserver::hostile::{self, CollectionSite, MachinePages};
use sitecast_testserver::{Answer, Request, Server};

use crate::process::{Run, run_within};

/// Far more than any of these takes on a loaded machine.
const LIMIT: Duration = Duration::from_secs(60);
const MEMORY: u64 = 200 << 20;

struct Visit {
    server: Server,
    index: tempfile::TempDir,
}

impl Visit {
    fn to(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        Self {
            server: Server::start(answer).unwrap(),
            index: tempfile::tempdir().unwrap(),
        }
    }

    fn sync(&self, more: &[&str]) -> Run {
        let (url, index) = (self.server.url("/"), self.index.path().to_str().unwrap());
        let mut arguments = vec!["sync", "--allow-private", "--delay", "0", "--index", index];
        arguments.extend(more);
        arguments.push(&url);
        let run = run_within(LIMIT, &arguments);
        assert!(run.peak_memory < MEMORY, "{run:?}");
        run
    }
}

/// Bytes of all files below.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| match entry.path() {
            path if path.is_dir() => size_of(&path),
            path => fs::metadata(path).unwrap().len(),
        })
        .sum()
}

/// 79 rounds in 180 s without the bound, and no end.
#[test]
fn ends_a_download_that_begins_anew_for_ever() {
    let site = CollectionSite {
        size: Some(4_800_000),
    };
    let visit = Visit::to(move |request| {
        let other = site.answer(request);
        other.unwrap_or_else(|| hostile::no_continuation(request, 1_200_000))
    });
    let run = visit.sync(&[]);
    assert_eq!(run.code, Some(6), "{run:?}");
    let paths = visit.server.take_paths();
    let rounds = paths
        .iter()
        .filter(|path| *path == CollectionSite::COLLECTION);
    assert!(rounds.count() <= 10, "{paths:?}");
}

#[test]
fn stops_when_the_time_for_the_site_is_over() {
    let visit = Visit::to(|_| hostile::slow_head());
    let run = visit.sync(&["--max-time", "2"]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stderr.contains("--max-time"), "{run:?}");
    assert!(run.elapsed < Duration::from_secs(30), "{run:?}");
}

#[test]
fn stops_checking_and_extracting_when_the_time_is_over() {
    let server = Server::start(|_| hostile::slow_head()).unwrap();
    let url = server.url("/");
    for command in ["check", "extract"] {
        let arguments = [command, "--allow-private", "--max-time", "2", &url];
        let run = run_within(LIMIT, &arguments);
        assert_ne!(run.code, Some(0), "{run:?}");
        assert!(run.elapsed < Duration::from_secs(30), "{run:?}");
    }
}

/// 13 GB without the bound, left for 30 days.
#[test]
fn leaves_nothing_of_an_endless_collection_on_disk() {
    let site = CollectionSite {
        size: Some(2_000_000),
    };
    let visit =
        Visit::to(move |request| site.answer(request).unwrap_or_else(hostile::endless_body));
    let run = visit.sync(&[]);
    assert_ne!(run.code, Some(0), "{run:?}");
    let left = size_of(visit.index.path());
    assert!(left < 5_000_000, "{left} bytes: {run:?}");
}

/// 5,016 requests without the bound.
#[test]
fn asks_for_as_many_machine_pages_as_it_may() {
    let site = MachinePages { pages: 5_000 };
    let visit = Visit::to(move |request| site.answer(request));
    let run = visit.sync(&["--max-pages", "10"]);
    let requests = visit.server.take_paths().len();
    assert!(requests < 30, "{requests} requests: {run:?}");
}

#[test]
fn takes_a_304_to_everything_for_a_failure() {
    let visit = Visit::to(|_| hostile::always_304());
    let run = visit.sync(&[]);
    assert_eq!(run.code, Some(6), "{run:?}");
    assert!(run.stderr.contains("304"), "{run:?}");
}

#[test]
fn reads_the_beginning_of_a_huge_robots_txt() {
    let visit = Visit::to(|request| match request.path.as_str() {
        "/robots.txt" => hostile::large_robots("User-agent: *\nDisallow: /no\n", 30_000_000),
        "/" => Answer::html(
            "<html lang=\"en\"><title>Tea</title><main><h1>Tea</h1><p>Tea is a drink that is made \
             of leaves and hot water, and people have been drinking it for a long time.</p></main>",
        ),
        _ => Answer::status(404),
    });
    let run = visit.sync(&[]);
    assert_eq!(run.code, Some(0), "{run:?}");
}
