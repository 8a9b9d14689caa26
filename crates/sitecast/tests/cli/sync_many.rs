//! `sitecast sync` with lists of sites.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use sitecast_testserver::{Answer, Fault, Request, Server};

/// How long a server holds its answer back at most: far longer than all other sites take.
const LONGEST: Duration = Duration::from_secs(90);

fn page(title: &str) -> Answer {
    Answer::html(format!(
        "<!DOCTYPE html><html lang=\"en\"><head><title>{title}</title></head><body><main><h1>{title}</h1>\
         <p>Everything that is worth knowing about {title} is written down here, in sentences of some length, \
         so that nobody takes it for a menu. It goes on for a while, since there is much to say.</p></main></body></html>"
    ))
}

/// A site of two pages.
fn good(request: &Request) -> Answer {
    match request.path.as_str() {
        "/" => page("the house"),
        "/tea/" => page("tea"),
        "/sitemap.xml" => {
            let host = request.header("host").unwrap_or_default();
            let url = |path: &str| format!("<url><loc>http://{host}{path}</loc></url>");
            let urls = [url("/"), url("/tea/")].concat();
            Answer::text(200, format!("<urlset>{urls}</urlset>"))
        }
        _ => Answer::status(404),
    }
}

/// A site that has something wrong with it; the kind goes by the number.
fn bad(number: usize, request: &Request) -> Answer {
    match (number % 5, request.path.as_str()) {
        (0, _) => Answer::status(404),
        (1, "/robots.txt") => Answer::text(200, "User-agent: *\nDisallow: /\n"),
        (2, "/robots.txt") => Answer::status(404),
        (2, "/a") => Answer::redirect("/b"),
        (2, "/b" | "/") => Answer::redirect("/a"),
        (3, _) => Answer::status(503).with("Retry-After", "3600"),
        (4, _) => Answer::status(200).with_fault(Fault::Close),
        _ => Answer::status(404),
    }
}

/// Twenty good sites and ten bad ones, of which the last says nothing until it is told to.
struct Many {
    folder: tempfile::TempDir,
    good: Vec<Server>,
    bad: Vec<Server>,
    speak: Arc<AtomicBool>,
}

impl Many {
    fn new() -> Self {
        let speak = Arc::new(AtomicBool::new(false));
        let mut all: Vec<Server> = (0..9)
            .map(|number| Server::start(move |request| bad(number, request)).unwrap())
            .collect();
        let may_speak = Arc::clone(&speak);
        let silent = Server::start(move |_| {
            let begun = Instant::now();
            while !may_speak.load(Ordering::SeqCst) && begun.elapsed() < LONGEST {
                std::thread::sleep(Duration::from_millis(20));
            }
            Answer::status(404)
        });
        all.push(silent.unwrap());
        let many = Self {
            folder: tempfile::tempdir().unwrap(),
            good: (0..20).map(|_| Server::start(good).unwrap()).collect(),
            bad: all,
            speak,
        };
        // The bad ones first: they must not keep the others waiting.
        let sites = many.bad.iter().chain(&many.good);
        let mut list = "# some sites\n\n".to_owned();
        sites.for_each(|server| list += &format!("  {}\n", server.url("/")));
        fs::write(many.folder.path().join("sites.txt"), list).unwrap();
        many
    }

    fn command(&self, arguments: &[&str]) -> Command {
        command(self.folder.path(), arguments)
    }

    fn start(&self) -> Child {
        let mut command = self.command(&["sync", "--from", "sites.txt", "--at-once", "30"]);
        command.args(["--allow-private", "--contact", "me@example.com"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// The sites that `status` knows, and how many pages each has.
    fn status(&self) -> Vec<Value> {
        let output = self.command(&["status", "--json"]).output().unwrap();
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        status["sites"].as_array().unwrap().clone()
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("sitecast"));
    command.current_dir(folder).args(arguments);
    command.env("XDG_DATA_HOME", folder.join("data"));
    for name in [
        "SITECAST_CONFIG",
        "SITECAST_COLOR",
        "NO_COLOR",
        "SITECAST_INDEX",
    ] {
        command.env_remove(name);
    }
    command
}

#[test]
fn of_thirty_sites_each_gets_its_line_when_it_is_done_and_all_are_in_status() {
    let many = Many::new();
    let mut child = many.start();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut synced = BTreeSet::new();
    while synced.len() < 20 {
        let line = lines.next().unwrap().unwrap();
        if let Some(rest) = line.strip_prefix("Synced ") {
            assert!(
                rest.contains("2 new, 0 changed, 0 deleted; 2 pages in all"),
                "{line}"
            );
            synced.insert(rest.split(' ').next().unwrap().to_owned());
        }
    }
    // All that is good is said while one is still silent.
    assert!(child.try_wait().unwrap().is_none());
    many.speak.store(true, Ordering::SeqCst);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let summary = rest.last().unwrap();
    assert!(
        summary.starts_with(
            "30 sites: 20 synced, 0 in part, 10 failed; 40 new, 0 changed, 0 deleted; "
        ),
        "{summary}"
    );
    let said = String::from_utf8(output.stderr).unwrap();
    for reason in [
        "the site's robots.txt allows no page to be fetched",
        "redirects in a circle",
        "answers 404",
        "asks to wait for 3600 s",
    ] {
        assert!(said.contains(reason), "{reason}: {said}");
    }
    let status = many.status();
    assert_eq!(status.len(), 30);
    let waits = status.iter().filter(|site| !site["next_allowed"].is_null());
    assert_eq!(waits.count(), 2, "{status:?}");
    let failed = status.iter().filter(|site| site["failures"]["count"] == 1);
    assert_eq!(failed.count(), 10, "{status:?}");
}

#[test]
fn killed_among_thirty_sites_the_next_run_is_right() {
    let many = Many::new();
    let mut child = many.start();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut synced = 0;
    while synced < 5 {
        let line = lines.next().unwrap().unwrap();
        synced += u32::from(line.starts_with("Synced "));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    many.speak.store(true, Ordering::SeqCst);
    let kept = many
        .status()
        .iter()
        .filter(|site| site["pages"] == 2)
        .count();
    assert!(kept >= 5, "{kept}");
    let mut again = many.start();
    let again_lines = BufReader::new(again.stdout.take().unwrap()).lines();
    let last = again_lines.map(Result::unwrap).last().unwrap();
    again.wait().unwrap();
    assert!(last.starts_with("30 sites: 20 synced, "), "{last}");
    let status = many.status();
    let whole = status.iter().filter(|site| site["pages"] == 2);
    assert_eq!(whole.count(), 20, "{status:?}");
}

#[test]
fn lists_come_from_standard_input_from_the_settings_and_from_the_index() {
    let folder = tempfile::tempdir().unwrap();
    let sites: Vec<Server> = (0..3).map(|_| Server::start(good).unwrap()).collect();
    let url = |number: usize| sites[number].url("/");
    let synced = |arguments: &[&str], input: &str| -> (Vec<String>, Value) {
        let flags = [
            "sync",
            "--json",
            "--allow-private",
            "--contact",
            "a@b.example",
        ];
        let mut child = command(folder.path(), &flags)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let sites = report["sites"].as_array().unwrap().iter();
        let names = sites.map(|site| site["site"].as_str().unwrap().to_owned());
        (names.collect(), report)
    };
    // A site that is named twice is one.
    let (names, report) = synced(
        &["--from", "-"],
        &format!("{0}\n{0}\n{1}\n", url(0), url(1)),
    );
    assert_eq!(names, [url(0), url(1)]);
    assert_eq!(report["summary"]["synced"], 2);
    assert_eq!(report["summary"]["pages"]["new"], 4);
    let table = format!("[[site]]\nurl = \"{}\"\nmax_pages = 1\n", url(2));
    fs::write(folder.path().join("sitecast.toml"), table).unwrap();
    let (names, report) = synced(&[], "");
    assert_eq!(names, [url(2)]);
    assert_eq!(report["sites"][0]["pages"]["total"], 1, "{report}");
    // The site's own settings hold however it is named; flags are stronger.
    let (names, report) = synced(&["--all", "--max-pages", "10"], "");
    assert_eq!(names.len(), 3);
    assert_eq!(report["summary"]["pages"]["total"], 6, "{report}");
}

#[test]
fn lists_that_say_nothing_or_nonsense_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("sites.txt"),
        "https://example.com\nftp://x\n",
    )
    .unwrap();
    fs::write(folder.path().join("empty.txt"), "# nothing\n").unwrap();
    for (arguments, message) in [
        (&["sync"][..], "no site is named"),
        (
            &["sync", "--from", "sites.txt"],
            "`sites.txt`, line 2: `ftp://x`",
        ),
        (
            &["sync", "--from", "empty.txt"],
            "`empty.txt` lists no site",
        ),
        (&["sync", "--from", "nowhere.txt"], "nowhere.txt"),
    ] {
        let output = command(folder.path(), arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(message), "{arguments:?}: {said}");
        assert!(!output.status.success());
    }
}
