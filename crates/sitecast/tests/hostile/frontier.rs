//! Sites that list, link and announce without an end.

use std::time::Duration;

use sitecast_testserver::Server;
#[cfg(target_os = "linux")]
use sitecast_testserver::hostile::ManyHosts;
use sitecast_testserver::hostile::{LinkFarm, SitemapTree, WidePlan};

#[cfg(target_os = "linux")]
use crate::process::run_with_descriptors;
use crate::process::{Run, run_within};

/// Far more than a sync of a small site takes, and far less than what was taken without the bounds.
const MEMORY: u64 = 400 << 20;
const TIME: Duration = Duration::from_secs(120);

fn sync(server: &Server, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    let url = server.url("/");
    let arguments = [
        "sync",
        "--allow-private",
        "--delay",
        "0",
        "--index",
        index.to_str().unwrap(),
    ];
    run_within(TIME, &[&arguments[..], more, &[&url]].concat())
}

fn assert_modest(run: &Run) {
    assert!(
        run.peak_memory < MEMORY,
        "{} MB: {run:?}",
        run.peak_memory >> 20
    );
}

fn tree(indexes: usize, children: usize, bytes: usize, endless: bool) -> Server {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let tree = SitemapTree {
        base,
        indexes,
        children,
        bytes,
        endless,
    };
    Server::listen(listener, move |request| tree.answer(request)).unwrap()
}

fn plan(collections: usize, sections: usize, declared: usize) -> Server {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let plan = WidePlan {
        base,
        collections,
        sections,
        declared,
    };
    Server::listen(listener, move |request| plan.answer(request)).unwrap()
}

#[test]
fn pages_with_thousands_of_long_links_take_little_memory() {
    let farm = LinkFarm {
        links: 5_000,
        bytes: 2_000,
    };
    let server = Server::start(move |request| farm.answer(request)).unwrap();
    let run = sync(&server, &["--max-pages", "50"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("the next run goes on"), "{run:?}");
    assert_modest(&run);
}

#[test]
fn names_of_many_sitemap_indexes_take_little_memory() {
    let server = tree(20, 5_000, 2_000, false);
    for more in [&[][..], &["--explain"][..]] {
        let run = sync(&server, more);
        // 63 MB, and 240 MB with the names of all indexes.
        let peak = run.peak_memory >> 20;
        assert!(peak < 100, "{peak} MB: {run:?}");
    }
}

#[test]
fn an_endless_tree_of_sitemaps_is_left_early() {
    let server = tree(1, 20, 60, true);
    let run = sync(&server, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let requests = server.take_log().len();
    assert!(requests < 1_000, "{requests} requests: {run:?}");
    let url = server.url("/");
    let run = run_within(TIME, &["check", "--allow-private", "--delay", "0", &url]);
    let requests = server.take_log().len();
    assert!(requests < 1_000, "{requests} requests: {run:?}");
    assert_modest(&run);
}

#[test]
fn planning_with_many_sections_and_collections_takes_little_time() {
    for server in [plan(10_000, 1_000, 1_000), plan(100, 10, 600_000)] {
        let run = sync(&server, &["--explain"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_modest(&run);
    }
}

/// Links that redirect to that many hosts, each with so many rules in its robots.txt.
#[cfg(target_os = "linux")]
fn many_hosts(hosts: usize, rules: usize) -> (Server, String) {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let site = ManyHosts { port, hosts, rules };
    let server = Server::listen(listener, move |request| site.answer(request)).unwrap();
    (server, format!("http://127.0.0.1:{port}/"))
}

#[cfg(target_os = "linux")]
fn sync_many_hosts(url: &str, run: impl Fn(&[&str]) -> Run) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    let index = index.to_str().unwrap();
    run(&[
        "sync",
        "--allow-private",
        "--delay",
        "0",
        "--index",
        index,
        url,
    ])
}

/// 2.5 MB for each host without the bound.
#[cfg(target_os = "linux")]
#[test]
fn robots_txt_files_of_many_hosts_take_little_memory() {
    let (server, url) = many_hosts(250, 30_000);
    let run = sync_many_hosts(&url, |arguments| run_within(TIME, arguments));
    assert_eq!(run.code, Some(0), "{run:?}");
    let asked = server.take_paths();
    assert!(asked.iter().filter(|path| *path == "/robots.txt").count() > 250);
    // 200 MB, of which 64 MiB are remembered.
    let peak = run.peak_memory >> 20;
    assert!(peak < 300, "{peak} MB: {run:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn many_hosts_take_few_descriptors() {
    let (server, url) = many_hosts(400, 1);
    let run = sync_many_hosts(&url, |arguments| run_with_descriptors(160, TIME, arguments));
    assert_eq!(run.code, Some(0), "{run:?}");
    let asked = server.take_paths();
    assert!(asked.iter().filter(|path| *path == "/robots.txt").count() > 400);
    assert!(!run.stdout.contains("Too many open files"), "{run:?}");
}
